// Whole fields of a view as Lua arrays, and back: for games that run without LuaJIT's compiler, where each access to
// an FFI struct costs hundreds of instructions.

#include <algorithm>
#include <limits>
#include <memory>
#include <sol/sol.hpp>
#include <span>
#include <string>
#include <type_traits>

#include "lua/bind/binding.hpp"
#include "lua/state/world_link.hpp"
#include "views/empty.hpp"
#include "views/rows/view_rows.hpp"
#include "world/codec/field_bytes.hpp"

namespace revenant {

namespace {

// A field of a column, and the components of the view's rows.
struct Place {
    const Field& field;
    std::span<std::byte* const> rows;

    static Place of(std::uint32_t link, std::uint32_t view, const std::string& component,
                    const std::string& field) {
        const ComponentsView& rows = *WorldLink::require(link).views.at(view).view;
        const Column& column = rows.getColumn(component);
        const auto& fields = column.getSchema().fields;
        const auto found = std::ranges::find(fields, field, &Field::name);
        if (found == fields.end())
            fail(ErrorCode::BadArgument, "component '", component, "' has no field '", field, "'");
        return {*found, {ViewRows::of(rows).pointersByRow(ViewRows::of(column)), column.count()}};
    }
};

// Sets array[1], array[2], ... to a field of type T of all rows.
template <class T>
void readRows(lua_State* state, int array, const Place& place) noexcept {
    int row = 0;
    for (const std::byte* each : place.rows) {
        if (isEmpty(each))
            lua_pushboolean(state, 0);
        else if constexpr (std::is_same_v<T, bool>)
            lua_pushboolean(state, loadAs<std::uint8_t>(each + place.field.offset) != 0 ? 1 : 0);
        else
            lua_pushnumber(state, loadAs<T>(each + place.field.offset));
        lua_rawseti(state, array, ++row);
    }
}

void readRows(lua_State* state, int array, const Place& place) noexcept {
    switch (place.field.type) {
        case FieldType::F32: return readRows<float>(state, array, place);
        case FieldType::F64: return readRows<double>(state, array, place);
        case FieldType::I32: return readRows<std::int32_t>(state, array, place);
        case FieldType::U32: return readRows<std::uint32_t>(state, array, place);
        case FieldType::U8: return readRows<std::uint8_t>(state, array, place);
        case FieldType::Bool: return readRows<bool>(state, array, place);
        default: return;  // refused by the Lua half
    }
}

// Only the array itself allocates here, and that runs no finalizer, so that rows stay where they are.
std::size_t readList(std::uint32_t link, std::uint32_t view, const std::string& component,
                     const std::string& field, const sol::table& into, sol::this_state state) {
    const Place place = Place::of(link, view, component, field);
    sol::stack::push(state, into);
    const int array = lua_gettop(state);
    readRows(state, array, place);
    // Clears what an earlier, longer list left behind.
    for (int beyond = static_cast<int>(place.rows.size()) + 1;; ++beyond) {
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

// Whether a field of type T takes the value, and the number that it takes.
template <class T>
bool takes(lua_State* state, int index, double& number) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        number = lua_toboolean(state, index);
        return lua_type(state, index) == LUA_TBOOLEAN;
    } else {
        number = lua_tonumber(state, index);
        if (lua_type(state, index) != LUA_TNUMBER) return false;
        if constexpr (std::is_floating_point_v<T>)
            return true;
        else
            return number >= std::numeric_limits<T>::min() &&
                   number <= std::numeric_limits<T>::max();
    }
}

// All or nothing: returns the first row, from 1, whose value does not fit, or 0. Rows without the component take none.
// Values are pushed in batches, as taking each from the stack by itself costs as much as reading it.
template <class T>
std::size_t writeRows(lua_State* state, int array, const Place& place) {
    constexpr std::size_t batch = 64;
    if (lua_checkstack(state, batch) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    const std::size_t count = place.rows.size();
    const auto numbers = std::make_unique_for_overwrite<double[]>(count);
    for (std::size_t first = 0; first < count; first += batch) {
        const std::size_t end = std::min(first + batch, count);
        for (std::size_t row = first; row < end; ++row)
            lua_rawgeti(state, array, static_cast<int>(row + 1));
        for (std::size_t row = first; row < end; ++row)
            if (!takes<T>(state, array + 1 + static_cast<int>(row - first), numbers[row]) &&
                !isEmpty(place.rows[row]))
                return row + 1;
        lua_settop(state, array);
    }
    using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    for (std::size_t row = 0; row < count; ++row)
        if (!isEmpty(place.rows[row]))
            storeAs(place.rows[row] + place.field.offset, static_cast<Stored>(numbers[row]));
    return 0;
}

// The Lua half has opened the column for writing. Returns the misfit, or 0.
std::size_t writeList(std::uint32_t link, std::uint32_t view, const std::string& component,
                      const std::string& field, const sol::table& values, sol::this_state state) {
    const Place place = Place::of(link, view, component, field);
    sol::stack::push(state, values);
    const int array = lua_gettop(state);
    auto write = [&] {
        switch (place.field.type) {
            case FieldType::F32: return writeRows<float>(state, array, place);
            case FieldType::F64: return writeRows<double>(state, array, place);
            case FieldType::I32: return writeRows<std::int32_t>(state, array, place);
            case FieldType::U32: return writeRows<std::uint32_t>(state, array, place);
            case FieldType::Bool: return writeRows<bool>(state, array, place);
            default: return writeRows<std::uint8_t>(state, array, place);
        }
    };
    const std::size_t misfit = write();
    lua_settop(state, array - 1);
    return misfit;
}

}  // namespace

void bindFieldLists(sol::table& native) {
    native.set_function("readField", &readList);
    native.set_function("writeField", &writeList);
}

}  // namespace revenant
