// Errors, of three kinds kept apart: bad input throws `Error`, a sentence with a code; a
// programmer's mistake fails an assertion in validating builds; everything else is a bug.
// Exactly one place (lua/) carries either of them into Lua.
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace revenant {

enum class ErrorCode : std::uint8_t {
    NullEntity,        // an entity was expected, none was given
    StaleEntity,       // the entity was destroyed (or is not born yet)
    OtherWorld,        // the entity belongs to another world
    Cycle,             // an entity would become its own ancestor
    ParentIsOut,       // a child cannot come in before its parent
    NotAChild,         // removeChild of somebody else's child
    WrongState,        // the call is not possible in the state the entity is in
    PastOnShow,        // the call would change the past that is on show
    ReleaseBelowZero,  // more releases than retains
    UnknownComponent,
    UnknownField,
    UnknownSystem,
    UnknownListener,
    DuplicateComponent,  // defined twice, or bound twice
    DuplicateSystem,
    MissingComponent,  // the entity does not have it
    WrongType,         // a value that does not fit its field
    ReservedName,      // a name the engine needs itself
    SystemCycle,
    BadArgument,  // a number out of range, an empty name, ...
    Reentrant,    // update or reconcile called from inside one
    LimitReached,
    ReleasedView,
};

// The text with each zero byte as "\\0".
std::string withoutZeros(const std::string& text);

class Error : public std::runtime_error {
public:
    // What is not text in the sentence, zero bytes of names, is spelled out: `what` ends at the first.
    Error(ErrorCode code, const std::string& sentence)
        : std::runtime_error(withoutZeros(sentence)), code_(code) {}

    ErrorCode code() const noexcept { return code_; }

private:
    ErrorCode code_;
};

// Joins its arguments to one string: what an error says is a sentence built from parts.
template <class... Parts>
std::string sentence(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return std::move(out).str();
}

template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(ErrorCode code, const Parts&... parts) {
    throw Error(code, sentence(parts...));
}

// What a failed assertion does: prints and aborts, unless a handler was set (lua/ and the
// tests set one that throws). The handler may throw; it must not return normally.
using AssertionHandler = void (*)(const std::string& sentence);
AssertionHandler setAssertionHandler(AssertionHandler handler) noexcept;
void assertionFailed(const std::string& sentence);

#if defined(REVENANT_VALIDATE) && REVENANT_VALIDATE
inline constexpr bool validating = true;
#else
inline constexpr bool validating = false;
#endif

// Asserts a precondition in validating builds; costs nothing in others.
#define REVENANT_ASSERT(condition, ...)                                     \
    do {                                                                    \
        if (::revenant::validating && !(condition)) [[unlikely]]            \
            ::revenant::assertionFailed(::revenant::sentence(__VA_ARGS__)); \
    } while (false)

}  // namespace revenant
