#include "lua/state/flat_capture.hpp"

#include <algorithm>
#include <cstring>
#include <lua.hpp>

#include "lua/state/error_carrier.hpp"
#include "lua/state/session.hpp"
#include "world/codec/plain_data.hpp"

namespace revenant {

namespace {

using Tag = PlainTag;

constexpr std::size_t mostNumbers = 40;
constexpr int mostTables = 4;
constexpr int framesAfterSample = 15;
constexpr int framesAfterStops = 120;

// Writes the Lua function that reads states of one form, and notes where its numbers are.
class Writer {
public:
    Writer(std::span<const std::byte> sample, bool isHooked)
        : reader_(sample), size_(sample.size()), isHooked_(isHooked) {}

    std::vector<std::uint32_t> offsets;

    // Empty where the sample is not of the form.
    std::string write() {
        const Tag tag = reader_.tag();
        if (tag != Tag::Table && tag != Tag::List) return {};
        table(tag, isHooked_ ? "s" : "t", 0);
        if (!fits_ || offsets.empty() || !reader_.atEnd()) return {};
        const std::string begin =
            "local ffi, rawget, next, type, getmetatable, names, metas, placesAt, valuesAt, "
            "cellsAt "
            "= ...\n"
            "local places = ffi.cast('const uint32_t *', placesAt)\n"
            "local values = ffi.cast('double *', valuesAt)\n"
            "local cells = ffi.cast('double *', cellsAt)\n"
            "return function(tables, first, count)\n"
            "for i = first, count - 1 do\n"
            "local t = tables[places[i]]\n"
            "cells[0] = i\n"
            "if type(t) ~= 'table' then return i end\n"
            "local get = t.getRewindState\n";
        const std::string take =
            isHooked_
                ? "if get == nil then return i end\n"
                  "cells[1] = 1\n"
                  "local s = get(t)\n"
                  "cells[1] = 0\n"
                  "if type(s) ~= 'table' or getmetatable(s) ~= nil then return i, true, s end\n"
                : "if get ~= nil or t.rewindIgnore ~= nil then return i end\n";
        return begin + take + reads_ + "local at = i * " + std::to_string(offsets.size()) + "\n" +
               writes_ + "end\nreturn count\nend\n";
    }

private:
    std::string stop() const {
        return isHooked_ ? " then return i, true, s end\n" : " then return i end\n";
    }

    static std::string quoted(std::string_view text) {
        std::string result = "'";
        for (const char character : text) {
            const auto byte = static_cast<unsigned char>(character);
            result += {'\\', static_cast<char>('0' + byte / 100),
                       static_cast<char>('0' + byte / 10 % 10), static_cast<char>('0' + byte % 10)};
        }
        return result + "'";
    }

    void table(Tag tag, const std::string& name, int depth) {
        std::size_t keys = 0;
        if (tag == Tag::List) {
            const auto count = reader_.take<std::uint32_t>();
            for (; fits_ && keys < count; ++keys) value(name, std::to_string(keys + 1), depth);
            fits_ = fits_ && reader_.tag() == Tag::End;
        } else {
            for (; fits_; ++keys) {
                const Tag key = reader_.tag();
                if (key == Tag::End) break;
                fits_ = key == Tag::Text;
                if (fits_) value(name, quoted(reader_.text()), depth);
            }
        }
        if (!fits_) return;
        // All of the keys are there; checks that there are no others.
        for (std::size_t i = 1; i <= keys; ++i)
            reads_ += i == 1 ? "local k = next(" + name + ")\n" : "k = next(" + name + ", k)\n";
        reads_ += "if next(" + name + (keys > 0 ? ", k" : "") + ") ~= nil" + stop();
    }

    void value(const std::string& table, const std::string& key, int depth) {
        const Tag tag = reader_.tag();
        const std::string read = " = rawget(" + table + ", " + key + ")\n";
        if (tag == Tag::Number && offsets.size() < mostNumbers) {
            const std::string name = "n" + std::to_string(offsets.size());
            reads_ += "local " + name + read + "if type(" + name + ") ~= 'number'" + stop();
            writes_ += "values[at + " + std::to_string(offsets.size()) + "] = " + name + "\n";
            offsets.push_back(static_cast<std::uint32_t>(size_ - reader_.left()));
            reader_.take<double>();
        } else if ((tag == Tag::Table || tag == Tag::List) && depth == 0 && tables_ < mostTables) {
            const std::string name = "t" + std::to_string(++tables_);
            reads_ += "local " + name + read + "if type(" + name + ") ~= 'table' or getmetatable(" +
                      name + ") ~= nil or names[" + name + "] ~= nil or " + name +
                      (isHooked_ ? " == s" : " == t");
            for (int i = 1; i < tables_; ++i) reads_ += " or " + name + " == t" + std::to_string(i);
            reads_ += stop();
            // It may be the class of the component, which is written by name.
            if (!isHooked_)
                reads_ += "do local m = getmetatable(t) if m ~= nil and (not metas[m] or " + name +
                          " == m or " + name + " == rawget(m, '__index'))" +
                          " then return i end end\n";
            // Its local variables are in a block of their own: a Lua function has room for few at a time.
            this->table(tag, name, depth + 1);
        } else {
            fits_ = false;
        }
    }

    PlainReader reader_;
    std::size_t size_;
    bool isHooked_;
    bool fits_ = true;
    int tables_ = 0;
    std::string reads_;
    std::string writes_;
};

}  // namespace

FlatCapture::FlatCapture() = default;
FlatCapture::~FlatCapture() = default;

void FlatCapture::forget() noexcept {
    function_.reset();
    wait_ = 0;
}

bool FlatCapture::wantsSample() noexcept {
    if (isReady()) return false;
    if (wait_ > 0) {
        --wait_;
        return false;
    }
    wait_ = framesAfterSample;
    return true;
}

void FlatCapture::noteStops(std::size_t stops, std::size_t count) noexcept {
    if (stops * 4 <= count) return;
    forget();
    wait_ = framesAfterStops;
}

void FlatCapture::learn(lua_State* state, const Session& session, std::span<const std::byte> sample,
                        bool isHooked) {
    if (sample.empty()) return;
    Writer writer(sample, isHooked);
    const std::string source = writer.write();
    if (source.empty()) return;
    const std::size_t numbers = writer.offsets.size();
    image_.assign(sample.begin(), sample.end());
    offsets_ = std::move(writer.offsets);
    values_.assign(numbers * most, 0);
    const int top = lua_gettop(state);
    session.pushCore(state, "makeFlatCapture");
    lua_pushlstring(state, source.data(), source.size());
    for (const void* address :
         {static_cast<const void*>(places_.data()), static_cast<const void*>(values_.data()),
          static_cast<const void*>(cells_.data())})
        lua_pushnumber(state, static_cast<lua_Number>(reinterpret_cast<std::uintptr_t>(address)));
    callLua(state, 4, 1);
    if (lua_isfunction(state, -1)) function_ = std::make_unique<LuaReference>(state);
    lua_settop(state, top);
}

std::size_t FlatCapture::run(lua_State* state, int tables, std::size_t first, std::size_t count) {
    cells_ = {static_cast<double>(first), 0};
    function_->push(state);
    lua_pushvalue(state, tables);
    lua_pushnumber(state, static_cast<lua_Number>(first));
    lua_pushnumber(state, static_cast<lua_Number>(count));
    callLua(state, 3, 3);
    isHookCalled_ = lua_toboolean(state, -2) != 0;
    return static_cast<std::size_t>(lua_tonumber(state, -3));
}

std::span<const std::byte> FlatCapture::stateOf(std::size_t place) noexcept {
    const double* value = values_.data() + place * offsets_.size();
    for (const std::uint32_t offset : offsets_) {
        const double number = plainNumber(*value++);
        std::memcpy(image_.data() + offset, &number, sizeof number);
    }
    return image_;
}

}  // namespace revenant
