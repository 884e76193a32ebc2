// ErrorReport: what went wrong in a script, how often, and how long ago: for the screen and for stderr.
// While one error is shown, others wait: they often follow from it.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace revenant::game {

class Canvas;

class ErrorReport {
public:
    // `text`: a message, a traceback behind its first line. Says it on stderr, each
    // but once.
    void add(const std::string& where, const std::string& text);
    // One step has passed: after some seconds without an error nothing is shown any more.
    void advance() noexcept;
    void dismiss() noexcept { stepsLeft_ = 0; }

    bool isShown() const noexcept { return stepsLeft_ > 0; }
    std::int64_t count() const noexcept { return count_; }
    const std::string& text() const noexcept { return text_; }
    // Over what was drawn: the message, and as much of the traceback as there is room for.
    void draw(Canvas& canvas) const;

private:
    static constexpr int shownSteps = 300;

    std::string text_;
    std::set<std::string> said_;
    std::int64_t count_ = 0;    // of all errors
    std::int64_t repeats_ = 0;  // of this one
    int stepsLeft_ = 0;
};

}  // namespace revenant::game
