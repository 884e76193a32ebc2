// Whole fields of a view as Lua arrays, and back: for games that run without LuaJIT's compiler, where each access to
// an FFI struct costs hundreds of instructions.

#include <algorithm>
#include <cstring>
#include <limits>
#include <sol/sol.hpp>
#include <span>
#include <string>
#include <vector>

#include "lua/bind/binding.hpp"
#include "lua/state/world_link.hpp"
#include "views/empty.hpp"
#include "views/rows/view_rows.hpp"

namespace revenant {

namespace {

template <class T>
T load(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store(std::byte* to, double number) noexcept {
    const auto value = static_cast<T>(number);
    std::memcpy(to, &value, sizeof value);
}

// A field of a column, and the components of the view's rows.
struct Place {
    const Field& field;
    std::span<std::byte* const> rows;

    static Place of(std::uint32_t link, std::uint32_t view, const std::string& component,
                    const std::string& field) {
        const Column& column = WorldLink::require(link).views.at(view).view->getColumn(component);
        const auto& fields = column.getSchema().fields;
        const auto found = std::ranges::find(fields, field, &Field::name);
        if (found == fields.end())
            fail(ErrorCode::BadArgument, "component '", component, "' has no field '", field, "'");
        return {*found, {ViewRows::of(column).pointers.data(), column.count()}};
    }
};

void pushField(lua_State* state, const Field& field, const std::byte* from) noexcept {
    switch (field.type) {
        case FieldType::F32: return lua_pushnumber(state, load<float>(from));
        case FieldType::F64: return lua_pushnumber(state, load<double>(from));
        case FieldType::I32: return lua_pushnumber(state, load<std::int32_t>(from));
        case FieldType::U32: return lua_pushnumber(state, load<std::uint32_t>(from));
        case FieldType::U8: return lua_pushnumber(state, load<std::uint8_t>(from));
        case FieldType::Bool: return lua_pushboolean(state, load<std::uint8_t>(from) != 0 ? 1 : 0);
        default: return lua_pushnil(state);  // refused by the Lua half
    }
}

// Nothing here allocates but the array itself, and that runs no finalizer: rows stay where they are.
std::size_t readList(std::uint32_t link, std::uint32_t view, const std::string& component,
                     const std::string& field, const sol::table& into, sol::this_state state) {
    const Place place = Place::of(link, view, component, field);
    sol::stack::push(state, into);
    const int array = lua_gettop(state);
    int row = 0;
    for (const std::byte* each : place.rows) {
        if (isEmpty(each))
            lua_pushboolean(state, 0);
        else
            pushField(state, place.field, each + place.field.offset);
        lua_rawseti(state, array, ++row);
    }
    // What an earlier, longer list left behind.
    for (int beyond = row + 1;; ++beyond) {
        lua_rawgeti(state, array, beyond);
        const bool isEnd = lua_isnil(state, -1);
        lua_pop(state, 1);
        if (isEnd) break;
        lua_pushnil(state);
        lua_rawseti(state, array, beyond);
    }
    lua_pop(state, 1);
    return place.rows.size();
}

struct Range {
    double low, high;
};
Range rangeOf(FieldType type) noexcept {
    switch (type) {
        case FieldType::I32: return {-2147483648.0, 2147483647.0};
        case FieldType::U32: return {0, 4294967295.0};
        case FieldType::U8: return {0, 255};
        default:
            return {-std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()};
    }
}

void storeField(const Field& field, std::byte* to, double number) noexcept {
    switch (field.type) {
        case FieldType::F32: return store<float>(to, number);
        case FieldType::F64: return store<double>(to, number);
        case FieldType::I32: return store<std::int32_t>(to, number);
        case FieldType::U32: return store<std::uint32_t>(to, number);
        default: return store<std::uint8_t>(to, number);
    }
}

// The values for all rows, or the first row, from 1, whose value does not fit. Rows without the component
// take none.
struct Taken {
    std::vector<double> numbers;
    std::size_t misfit = 0;
};
Taken takeValues(const Place& place, lua_State* state, int array) {
    const Range range = rangeOf(place.field.type);
    const bool isReal = place.field.type == FieldType::F32 || place.field.type == FieldType::F64;
    const int wanted = place.field.type == FieldType::Bool ? LUA_TBOOLEAN : LUA_TNUMBER;
    Taken taken{std::vector<double>(place.rows.size())};
    for (std::size_t row = 0; row < place.rows.size(); ++row) {
        if (isEmpty(place.rows[row])) continue;
        lua_rawgeti(state, array, static_cast<int>(row + 1));
        const bool isKind = lua_type(state, -1) == wanted;
        const double number =
            wanted == LUA_TBOOLEAN ? lua_toboolean(state, -1) : lua_tonumber(state, -1);
        lua_settop(state, array);
        const bool fits = isKind && (isReal || (number >= range.low && number <= range.high));
        if (!fits) return {{}, row + 1};
        taken.numbers[row] = number;
    }
    return taken;
}

// All or nothing. The Lua half has opened the column for writing. Returns the misfit, or 0.
std::size_t writeList(std::uint32_t link, std::uint32_t view, const std::string& component,
                      const std::string& field, const sol::table& values, sol::this_state state) {
    const Place place = Place::of(link, view, component, field);
    sol::stack::push(state, values);
    const Taken taken = takeValues(place, state, lua_gettop(state));
    lua_pop(state, 1);
    for (std::size_t row = 0; row < taken.numbers.size(); ++row)
        if (!isEmpty(place.rows[row]))
            storeField(place.field, place.rows[row] + place.field.offset, taken.numbers[row]);
    return taken.misfit;
}

}  // namespace

void bindFieldLists(sol::table& native) {
    native.set_function("readField", &readList);
    native.set_function("writeField", &writeList);
}

}  // namespace revenant
