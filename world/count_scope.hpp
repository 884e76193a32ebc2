// CountScope: counts how deep something is nested, as long as it lives.
#pragma once

namespace revenant {

class CountScope {
public:
    explicit CountScope(int& count) noexcept : count_(count) { ++count_; }
    CountScope(const CountScope&) = delete;
    CountScope& operator=(const CountScope&) = delete;
    ~CountScope() { --count_; }

private:
    int& count_;
};

}  // namespace revenant
