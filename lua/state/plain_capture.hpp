// PlainCapture: writes the plain data that most components are (tables with names or lists of numbers, booleans,
// strings, entities and such tables) as encodePlain does, byte for byte, several times as fast. It remembers
// which keys tables have (their shape): each value then goes straight to its place among the bytes. It
// learns new shapes; what does not fit (cycles, shared tables, classes, other keys, values that are an
// error) is left to encodePlain.
//
// While it writes it neither allocates in Lua nor calls a script, so that nothing can change under it.
//
// Owned by ScriptHooks. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct lua_State;

namespace revenant {

class LuaReference;
class WorldLink;

class PlainCapture {
public:
    // Where things are on the Lua stack.
    struct Places {
        int value = 0;
        int ignored = 0;           // the keys that are left out of the topmost table; 0: none
        bool isComponent = false;  // the topmost table's metatable is no concern of the data
        int unknown = 0;           // receives a table of an unknown shape
        int partsOf = 0;           // of the Lua half
        int identities = 0;        // of the Lua half
        int memberNames = 0;       // of the Lua half
        int indexName = 0;         // the string "__index"
    };

    PlainCapture();
    PlainCapture(const PlainCapture&) = delete;
    PlainCapture& operator=(const PlainCapture&) = delete;
    ~PlainCapture();

    // Appends the value. False: it does not fit, and `into` is as it was.
    bool encode(lua_State* state, WorldLink& link, const Places& places,
                std::vector<std::byte>& into);
    // Learns the shape that the last value needed and was not known, if there is one. May run
    // finalizers of the script's.
    void learn(lua_State* state, const Places& places);
    // For another Lua state.
    void forget() noexcept;

private:
    struct Shape;
    // Shapes that were seen in one place, the one that fitted last first.
    struct Shapes {
        Shapes();
        Shapes(Shapes&& other) noexcept;
        ~Shapes();

        std::vector<std::unique_ptr<Shape>> known;
        std::unique_ptr<Shapes> elements;  // of tables in a list that stands here
    };
    // The shapes of topmost tables that ignore the same keys.
    struct Topmost {
        std::unique_ptr<LuaReference> ignored;  // null: none
        const void* address = nullptr;
        Shapes shapes;
    };
    enum class Fit : std::uint8_t { Fits, OtherShape, Never };

    bool value(int index, Shapes& inner, int depth, std::vector<std::byte>& into);
    bool table(int index, Shapes& shapes, int depth, std::vector<std::byte>& into);
    bool list(int index, Shapes& shapes, int depth, std::vector<std::byte>& into);
    Fit keyed(int index, Shape& shape, int depth);
    bool entity(int index, std::vector<std::byte>& into);
    enum class Identity : std::uint8_t { None, Other, Written };
    Identity identify(int index, std::vector<std::byte>& into);
    bool named(int index, std::vector<std::byte>& into);
    bool isPlainTable(int index, int depth);
    Shapes& topmost();
    std::unique_ptr<Shape> makeShape(lua_State* state, int table, int ignored);
    const void* anchor(lua_State* state, const std::string& name);

    lua_State* state_ = nullptr;
    WorldLink* link_ = nullptr;
    Places places_;
    const void* ownMeta_ = nullptr;   // of a component
    const void* ownIndex_ = nullptr;  // the __index of that
    std::vector<const void*> seen_;   // tables of the value
    Shapes* unknown_ = nullptr;       // where a table of an unknown shape stood
    bool isUnknownTopmost_ = false;
    std::vector<std::unique_ptr<Topmost>> topmost_;
    std::unique_ptr<LuaReference> anchors_;  // a set of the names of all shapes
    int anchored_ = 0;
    int credit_;    // how many shapes may be learned
    int fits_ = 0;  // which earn more
};

}  // namespace revenant
