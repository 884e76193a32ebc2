// ErrorList: what listeners, hooks and systems threw, kept until all have had their turn.
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

namespace revenant {

class ErrorList {
public:
    void add(std::exception_ptr error);
    void add(ErrorList&& others);
    bool empty() const noexcept { return errors_.empty(); }
    void clear() noexcept {
        errors_.clear();
        left_ = 0;
    }
    // Throws what it has, and is empty then: a single error as it was thrown, several as one Error that
    // names all. Does nothing where there are none.
    void raise();

private:
    static constexpr std::size_t most = 32;  // that are kept; the others are counted

    std::vector<std::exception_ptr> errors_;
    std::size_t left_ = 0;
};

}  // namespace revenant
