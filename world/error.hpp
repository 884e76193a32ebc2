// Errors, of three kinds kept apart: bad input throws `Error`, a sentence with a code; a
// programmer's mistake fails an assertion in validating builds; everything else is a bug.
// Exactly one place (lua/) carries either of them into Lua.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace revenant {

enum class ErrorCode : std::uint8_t {
    NullEntity,        // an entity was expected, none was given
    StaleEntity,       // the entity was destroyed (or is not born yet)
    OtherWorld,        // the entity belongs to another world
    Cycle,             // an entity would become its own ancestor
    ParentIsOut,       // a child cannot come in before its parent
    NotAChild,         // removeChild of another parent's child
    WrongState,        // the call is not possible in the state the entity is in
    InPast,            // the call would change the past frame that is current
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
    // Zero bytes in the sentence, which names may have, are spelled out: `what` would end at the first.
    Error(ErrorCode code, const std::string& sentence);

    ErrorCode code() const noexcept { return code_; }
    // Throws the same error with a sentence before its own.
    [[noreturn]] virtual void throwBehind(const std::string& prefix) const;

private:
    ErrorCode code_;
};

// A part of a sentence: text, a letter, or a number, spelled as an ostream spells it.
class SentencePart {
public:
    SentencePart(std::string_view text) noexcept : text_(text), kind_(Kind::Text) {}
    SentencePart(const std::string& text) noexcept : SentencePart(std::string_view(text)) {}
    SentencePart(const char* text) noexcept : SentencePart(std::string_view(text)) {}
    SentencePart(char letter) noexcept : letter_(letter), kind_(Kind::Letter) {}
    SentencePart(double number) noexcept : real_(number), kind_(Kind::Real) {}
    template <std::integral Number>
    SentencePart(Number number) noexcept
        : integer_(static_cast<std::uint64_t>(static_cast<std::int64_t>(number))),
          kind_(std::signed_integral<Number> ? Kind::Signed : Kind::Unsigned) {}

    void appendTo(std::string& sentence) const;

private:
    enum class Kind : std::uint8_t { Text, Letter, Signed, Unsigned, Real };

    union {
        std::string_view text_;
        char letter_;
        std::uint64_t integer_;
        double real_;
    };
    Kind kind_;
};

std::string joined(std::initializer_list<SentencePart> parts);

// Joins its arguments to one string: the message of an error is a sentence built from parts.
template <class... Parts>
std::string sentence(const Parts&... parts) {
    return joined({SentencePart(parts)...});
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
