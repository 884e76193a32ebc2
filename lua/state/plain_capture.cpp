// Over 300 lines: one class, with a short function per kind of value.
#include "lua/state/plain_capture.hpp"

#include <algorithm>
#include <cstring>
#include <lua.hpp>
#include <utility>

#include "lua/state/component_reference.hpp"
#include "lua/state/plain_shape.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/codec/plain_data.hpp"

namespace revenant {

namespace {

using Tag = PlainTag;

constexpr int luaCdata = 10;            // LuaJIT's own type, which lua.h does not name
constexpr int deepest = 8;              // of nested tables
constexpr std::size_t mostTables = 64;  // in one value
constexpr std::size_t mostShapes = 8;   // in one place
constexpr std::size_t mostTopmost = 16;
constexpr int mostAnchored = 4096;
constexpr int mostCredit = 64, fitsPerCredit = 32;

void put(std::vector<std::byte>& into, const void* bytes, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(bytes);
    into.insert(into.end(), first, first + count);
}

void putText(lua_State* state, int index, Tag tag, std::vector<std::byte>& into) {
    std::size_t length = 0;
    const char* characters = lua_tolstring(state, index, &length);
    const auto written = static_cast<std::uint32_t>(length);
    into.push_back(static_cast<std::byte>(tag));
    put(into, &written, sizeof written);
    put(into, characters, length);
}

}  // namespace

struct PlainCapture::Shape : PlainShape<Shapes> {};

PlainCapture::Shapes::Shapes() = default;
PlainCapture::Shapes::Shapes(Shapes&& other) noexcept = default;
PlainCapture::Shapes::~Shapes() = default;
PlainCapture::PlainCapture() : credit_(mostCredit) {}
PlainCapture::~PlainCapture() = default;

void PlainCapture::forget() noexcept {
    topmost_.clear();
    anchors_.reset();
    anchored_ = 0;
    unknown_ = nullptr;
}

// ---- writing

bool PlainCapture::encode(lua_State* state, WorldLink& link, const Places& places,
                          std::vector<std::byte>& into) {
    state_ = state;
    link_ = &link;
    places_ = places;
    ownMeta_ = ownIndex_ = nullptr;
    unknown_ = nullptr;
    seen_.clear();
    const std::size_t size = into.size();
    const int top = lua_gettop(state);
    if (value(places.value, topmost(), 0, into)) {
        if (++fits_ >= fitsPerCredit) {
            fits_ = 0;
            credit_ = std::min(credit_ + 1, mostCredit);
        }
        return true;
    }
    into.resize(size);
    lua_settop(state, top);
    return false;
}

bool PlainCapture::value(int index, Shapes& inner, int depth, std::vector<std::byte>& into) {
    switch (lua_type(state_, index)) {
        case LUA_TNIL: into.push_back(static_cast<std::byte>(Tag::Nil)); return true;
        case LUA_TBOOLEAN:
            into.push_back(
                static_cast<std::byte>(lua_toboolean(state_, index) ? Tag::True : Tag::False));
            return true;
        case LUA_TNUMBER: {
            const double number = plainNumber(lua_tonumber(state_, index));
            into.push_back(static_cast<std::byte>(Tag::Number));
            put(into, &number, sizeof number);
            return true;
        }
        case LUA_TSTRING: putText(state_, index, Tag::Text, into); return true;
        case LUA_TTABLE: {
            const Identity identity = depth > 0 ? identify(index, into) : Identity::None;
            if (identity != Identity::None) return identity == Identity::Written;
            return isPlainTable(index, depth) && table(index, inner, depth, into);
        }
        case luaCdata: return entity(index, into);
        case LUA_TFUNCTION:
        case LUA_TUSERDATA: return named(index, into);
        default: return false;
    }
}

// Leaves an entity of another world, or one that was destroyed, to encodePlain.
bool PlainCapture::entity(int index, std::vector<std::byte>& into) {
    lua_pushvalue(state_, places_.partsOf);
    lua_pushvalue(state_, index);
    lua_call(state_, 1, 3);
    const bool isOurs =
        lua_isnumber(state_, -3) != 0 && lua_tonumber(state_, -3) == link_->number();
    const EntityId id{static_cast<std::uint32_t>(lua_tonumber(state_, -2)),
                      static_cast<std::uint32_t>(lua_tonumber(state_, -1))};
    lua_pop(state_, 3);
    if (!isOurs || !link_->core().forest().pool.findKnown(id)) return false;
    into.push_back(static_cast<std::byte>(Tag::Entity));
    put(into, &id, sizeof id);
    return true;
}

// Writes a component of the world as a reference. Other: a class, a component that is out, or the one that is being
// written, all of which are left to encodePlain.
PlainCapture::Identity PlainCapture::identify(int index, std::vector<std::byte>& into) {
    lua_pushvalue(state_, index);
    lua_rawget(state_, places_.identities);
    if (lua_isnil(state_, -1)) {
        lua_pop(state_, 1);
        return Identity::None;
    }
    ComponentReference reference;
    if (!takeComponent(state_, *link_, reference) || !isInWorld(*link_, reference) ||
        std::ranges::find(seen_, lua_topointer(state_, index)) != seen_.end())
        return Identity::Other;
    appendComponent(*link_, reference, into);
    return Identity::Written;
}

// Writes what has a name: a value that the game shares, or a method of the component that was written before.
bool PlainCapture::named(int index, std::vector<std::byte>& into) {
    const int top = lua_gettop(state_);
    lua_pushvalue(state_, index);
    lua_rawget(state_, places_.identities);
    Tag tag = Tag::Class;
    if (!lua_isstring(state_, -1) && places_.isComponent &&
        lua_getmetatable(state_, places_.value) != 0) {
        lua_rawget(state_, places_.memberNames);
        if (lua_istable(state_, -1)) {
            lua_pushvalue(state_, index);
            lua_rawget(state_, -2);
            tag = Tag::Method;
        }
    }
    const bool isNamed = lua_type(state_, -1) == LUA_TSTRING;
    if (isNamed) putText(state_, -1, tag, into);
    lua_settop(state_, top);
    return isNamed;
}

// Not an instance, nor a table that is in the value already.
bool PlainCapture::isPlainTable(int index, int depth) {
    const void* address = lua_topointer(state_, index);
    if (depth >= deepest || seen_.size() >= mostTables ||
        std::ranges::find(seen_, address) != seen_.end())
        return false;
    seen_.push_back(address);
    if (depth == 0 && places_.isComponent) return true;
    if (lua_getmetatable(state_, index) != 0) {
        lua_pop(state_, 1);
        return false;
    }
    if (depth != 1 || !places_.isComponent) return true;
    // Libraries keep the class of an instance in it.
    if (!ownMeta_ && lua_getmetatable(state_, places_.value) != 0) {
        ownMeta_ = lua_topointer(state_, -1);
        lua_pushvalue(state_, places_.indexName);
        lua_rawget(state_, -2);
        ownIndex_ = lua_topointer(state_, -1);
        lua_pop(state_, 2);
    }
    return address != ownMeta_ && address != ownIndex_;
}

bool PlainCapture::table(int index, Shapes& shapes, int depth, std::vector<std::byte>& into) {
    const int top = lua_gettop(state_);
    lua_pushnil(state_);
    if (lua_next(state_, index) == 0) {
        into.push_back(static_cast<std::byte>(Tag::Table));
        into.push_back(static_cast<std::byte>(Tag::End));
        return true;
    }
    const int keyType = lua_type(state_, -2);
    lua_settop(state_, top);
    const bool mayBeList = depth > 0 || places_.ignored == 0;
    if (keyType == LUA_TNUMBER) return mayBeList && list(index, shapes, depth, into);
    if (keyType != LUA_TSTRING) return false;
    const std::size_t seen = seen_.size();
    for (std::size_t i = 0; i < shapes.known.size(); ++i) {
        Shape& shape = *shapes.known[i];
        const Fit fit = keyed(index, shape, depth);
        if (fit == Fit::Never) return false;
        if (fit == Fit::OtherShape) {
            lua_settop(state_, top);
            seen_.resize(seen);
            continue;
        }
        put(into, shape.image.data(), shape.image.size());
        if (i > 0)
            std::rotate(shapes.known.begin(), shapes.known.begin() + static_cast<std::ptrdiff_t>(i),
                        shapes.known.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        return true;
    }
    unknown_ = &shapes;
    isUnknownTopmost_ = depth == 0;
    lua_pushvalue(state_, index);
    lua_replace(state_, places_.unknown);
    return false;
}

// Only a table whose keys are 1, 2, ... and come in that order.
bool PlainCapture::list(int index, Shapes& shapes, int depth, std::vector<std::byte>& into) {
    if (!shapes.elements) shapes.elements = std::make_unique<Shapes>();
    into.push_back(static_cast<std::byte>(Tag::List));
    std::uint32_t count = 0;
    const std::size_t countAt = into.size();
    put(into, &count, sizeof count);
    for (lua_pushnil(state_); lua_next(state_, index) != 0; lua_pop(state_, 1)) {
        if (lua_type(state_, -2) != LUA_TNUMBER || lua_tonumber(state_, -2) != ++count)
            return false;
        if (!value(lua_gettop(state_), *shapes.elements, depth + 1, into)) return false;
    }
    std::memcpy(&into[countAt], &count, sizeof count);
    into.push_back(static_cast<std::byte>(Tag::End));
    return true;
}

// Writes the table to the image of the shape.
PlainCapture::Fit PlainCapture::keyed(int index, Shape& shape, int depth) {
    std::size_t count = 0;
    for (lua_pushnil(state_); lua_next(state_, index) != 0; lua_pop(state_, 1), ++count) {
        auto* slot = shape.find(count, lua_topointer(state_, -2));
        if (!slot) return Fit::OtherShape;
        if (slot->isIgnored) continue;
        switch (lua_type(state_, -1)) {
            case LUA_TNUMBER: shape.setNumber(*slot, plainNumber(lua_tonumber(state_, -1))); break;
            case LUA_TBOOLEAN: shape.setFlag(*slot, lua_toboolean(state_, -1) != 0); break;
            default:
                slot->bytes.clear();
                if (!value(lua_gettop(state_), slot->inner, depth + 1, slot->bytes))
                    return Fit::Never;
                shape.setBytes(*slot);
        }
    }
    if (count != shape.slots.size()) return Fit::OtherShape;
    shape.finish();
    return Fit::Fits;
}

PlainCapture::Shapes& PlainCapture::topmost() {
    const void* address = places_.ignored == 0 ? nullptr : lua_topointer(state_, places_.ignored);
    for (const auto& each : topmost_)
        if (each->address == address) return each->shapes;
    if (topmost_.size() >= mostTopmost) forget();
    auto made = std::make_unique<Topmost>();
    made->address = address;
    topmost_.push_back(std::move(made));
    return topmost_.back()->shapes;
}

// ---- learning

void PlainCapture::learn(lua_State* state, const Places& places) {
    if (!unknown_ || credit_ == 0) return;
    --credit_;
    if (anchored_ > mostAnchored) return forget();
    if (isUnknownTopmost_ && places.ignored != 0)
        for (const auto& each : topmost_)
            if (&each->shapes == unknown_ && !each->ignored) {
                lua_pushvalue(state, places.ignored);
                each->ignored = std::make_unique<LuaReference>(state);
            }
    auto shape = makeShape(state, places.unknown, isUnknownTopmost_ ? places.ignored : 0);
    Shapes* shapes = std::exchange(unknown_, nullptr);
    if (!shape || !shapes) return;
    if (shapes->known.size() >= mostShapes) shapes->known.pop_back();
    shapes->known.insert(shapes->known.begin(), std::move(shape));
}

// Null for a table that has no shape.
std::unique_ptr<PlainCapture::Shape> PlainCapture::makeShape(lua_State* state, int table,
                                                             int ignored) {
    auto shape = std::make_unique<Shape>();
    const int top = lua_gettop(state);
    std::vector<std::pair<std::string, bool>> names;
    bool hasShape = true;
    for (lua_pushnil(state); hasShape && lua_next(state, table) != 0; lua_pop(state, 1)) {
        hasShape =
            lua_type(state, -2) == LUA_TSTRING && names.size() < PlainShape<Shapes>::mostSlots;
        if (!hasShape) break;
        std::size_t length = 0;
        const char* characters = lua_tolstring(state, -2, &length);
        bool isIgnored = false;
        if (ignored != 0) {
            lua_pushvalue(state, -2);
            lua_rawget(state, ignored);
            isIgnored = lua_toboolean(state, -1) != 0;
            lua_pop(state, 1);
        }
        names.emplace_back(std::string(characters, length), isIgnored);
    }
    lua_settop(state, top);
    // The mark by which encodePlain knows a class.
    if (!hasShape ||
        std::ranges::count(names, "__instanceDict", &std::pair<std::string, bool>::first) > 0)
        return nullptr;
    std::ranges::sort(names);
    for (const auto& [name, isIgnored] : names) shape->add(name, anchor(state, name), isIgnored);
    return shape;
}

// Lua's own address of a name, which stays where it is from now on.
const void* PlainCapture::anchor(lua_State* state, const std::string& name) {
    if (!anchors_) {
        lua_newtable(state);
        anchors_ = std::make_unique<LuaReference>(state);
    }
    anchors_->push(state);
    lua_pushlstring(state, name.data(), name.size());
    const void* address = lua_topointer(state, -1);
    lua_pushboolean(state, 1);
    lua_rawset(state, -3);
    lua_pop(state, 1);
    ++anchored_;
    return address;
}

}  // namespace revenant
