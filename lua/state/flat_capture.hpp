// FlatCapture: takes the states of script components that are nothing but numbers in known places (fields, lists, tables
// one level down) by a Lua function that is made for them, which LuaJIT compiles: it reads the tables without
// their metamethods and leaves the numbers in a plain array. It leaves other states alone.
//
// Owned by ScriptHooks. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct lua_State;

namespace revenant {

class LuaReference;
class Session;

class FlatCapture {
public:
    static constexpr std::size_t most = 1024;  // components in one call

    FlatCapture();
    FlatCapture(const FlatCapture&) = delete;
    FlatCapture& operator=(const FlatCapture&) = delete;
    ~FlatCapture();

    bool isReady() const noexcept { return function_ != nullptr; }
    // The numbers of the tables of the next `run`.
    std::span<std::uint32_t, most> places() noexcept { return places_; }
    // Takes the states from `first` on; `tables`: where on the stack they are. Returns the first that is not
    // of the form, or `count`. If its hook was called, that is true and its state is on top of the stack.
    // Throws what was raised; `raisedAt` and `isRaisedByHook` say by which component.
    std::size_t run(lua_State* state, int tables, std::size_t first, std::size_t count);
    bool isHookCalled() const noexcept { return isHookCalled_; }
    std::size_t raisedAt() const noexcept { return static_cast<std::size_t>(cells_[0]); }
    bool isRaisedByHook() const noexcept { return cells_[1] != 0; }
    // A captured state in the encoding of encodePlain. Valid until the next call.
    std::span<const std::byte> stateOf(std::size_t place) noexcept;

    // Whether a state should be shown to `learn`: from time to time, unless it is ready.
    bool wantsSample() noexcept;
    // Makes the function for states like this one, as it was encoded, if it can.
    void learn(lua_State* state, const Session& session, std::span<const std::byte> sample,
               bool isHooked);
    // Counts components of a frame that were not of the form.
    void noteStops(std::size_t stops, std::size_t count) noexcept;
    // For another Lua state.
    void forget() noexcept;

private:
    std::unique_ptr<LuaReference> function_;
    std::vector<std::byte> image_;        // of a state
    std::vector<std::uint32_t> offsets_;  // of its numbers in the image
    std::vector<double> values_;          // of the components of a call, one behind the other
    std::array<std::uint32_t, most> places_{};
    std::array<double, 2> cells_{};  // which component is being taken, and whether its hook runs
    bool isHookCalled_ = false;
    int wait_ = 0;  // frames before it looks at a sample again
};

}  // namespace revenant
