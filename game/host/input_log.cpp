#include "game/host/input_log.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "world/error.hpp"

namespace revenant::game {

namespace {

constexpr std::int64_t mostSteps = std::int64_t{1} << 40;

class LineReader {
public:
    LineReader(const std::string& name, int line, std::string_view text)
        : name_(name), line_(line) {
        std::istringstream words{std::string(text.substr(0, text.find('#')))};
        for (std::string word; words >> word;) words_.push_back(std::move(word));
    }

    std::size_t count() const noexcept { return words_.size(); }
    const std::string& word(std::size_t at) const { return words_[at]; }
    template <class... Parts>
    [[noreturn]] void wrong(const Parts&... parts) const {
        fail(ErrorCode::BadArgument, name_, ":", line_, ": ", parts...);
    }
    void requireCount(std::size_t wanted, const char* form) const {
        if (count() != wanted) wrong("expected '", form, "'");
    }
    template <class Number>
    Number number(std::size_t at, const char* what, int base = 10) const {
        const std::string& text = words_[at];
        Number value{};
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), value, base);
        if (error != std::errc() || end != text.data() + text.size())
            wrong("'", text, "' is no ", what);
        return value;
    }
    std::int64_t step(std::size_t at) const {
        const auto value = number<std::int64_t>(at, "step");
        if (value < 0 || value > mostSteps) wrong("step ", value, " is out of range");
        return value;
    }

private:
    const std::string& name_;
    int line_;
    std::vector<std::string> words_;
};

void parseSpan(const LineReader& line, InputLog& log) {
    if (line.count() < 3) line.wrong("expected 'FIRST END ACTION...'");
    InputLog::Span span{line.step(0), line.step(1), {}};
    if (span.end <= span.first)
        line.wrong("the steps [", span.first, ", ", span.end, ") are none: the end must be larger");
    for (std::size_t at = 2; at < line.count(); ++at) {
        const auto action = actionOf(line.word(at));
        if (!action) {
            std::string names;
            for (const auto name : actionNames) names += sentence(names.empty() ? "" : ", ", name);
            line.wrong("there is no action '", line.word(at), "', only ", names);
        }
        span.held.add(*action);
    }
    log.spans.push_back(span);
}

void parseLine(const LineReader& line, InputLog& log) {
    if (line.count() == 0) return;
    const std::string& first = line.word(0);
    if (first == "level") {
        line.requireCount(2, "level NUMBER_OR_PATH");
        log.level = line.word(1);
    } else if (first == "seed") {
        line.requireCount(2, "seed NUMBER");
        log.seed = line.number<std::uint64_t>(1, "seed");
    } else if (first == "hash") {
        line.requireCount(3, "hash STEP SIXTEEN_DIGITS");
        const std::int64_t step = line.step(1);
        if (line.word(2).size() != 16) line.wrong("a hash has sixteen digits");
        if (!log.hashes.emplace(step, line.number<std::uint64_t>(2, "hash", 16)).second)
            line.wrong("step ", step, " has a hash already");
    } else {
        parseSpan(line, log);
    }
}

}  // namespace

ActionSet InputLog::heldIn(std::int64_t step) const noexcept {
    ActionSet held;
    for (const Span& span : spans)
        if (step >= span.first && step < span.end) held = held.with(span.held);
    return held;
}

std::int64_t InputLog::length() const noexcept {
    std::int64_t length = hashes.empty() ? 0 : hashes.rbegin()->first + 1;
    for (const Span& span : spans) length = std::max(length, span.end);
    return length;
}

void InputLog::append(std::int64_t step, ActionSet held) {
    if (held.empty()) return;
    if (!spans.empty() && spans.back().end == step && spans.back().held == held)
        ++spans.back().end;
    else
        spans.push_back({step, step + 1, held});
}

InputLog parseInputLog(std::string_view text, const std::string& name) {
    InputLog log;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        parseLine(LineReader(name, number, text.substr(0, length)), log);
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return log;
}

InputLog readInputLog(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        fail(ErrorCode::BadArgument, "cannot read the input log '", path, "'");
    return parseInputLog(text.str(), path);
}

std::string writeInputLog(const InputLog& log) {
    std::ostringstream out;
    if (log.level) out << "level " << *log.level << '\n';
    if (log.seed) out << "seed " << *log.seed << '\n';
    for (const InputLog::Span& span : log.spans) {
        out << span.first << ' ' << span.end;
        for (std::size_t i = 0; i < actionCount; ++i)
            if (span.held.has(static_cast<Action>(i))) out << ' ' << actionNames[i];
        out << '\n';
    }
    for (const auto& [step, hash] : log.hashes)
        out << "hash " << step << ' ' << std::hex << std::setw(16) << std::setfill('0') << hash
            << std::dec << '\n';
    return std::move(out).str();
}

void saveInputLog(const InputLog& log, const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    file << writeInputLog(log);
    if (!file.flush()) fail(ErrorCode::BadArgument, "cannot write the input log '", path, "'");
}

}  // namespace revenant::game
