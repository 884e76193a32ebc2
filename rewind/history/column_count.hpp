// ColumnCount: about how many words of a block's frames become columns over time. What the packer and a reader of the block
// work on grows with it, so that a block of few words but many columns has to be short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rewind/history/frame.hpp"

namespace revenant {

class ColumnCount {
public:
    // REQUIRES: frames come in their order.
    void add(const Frame& frame);
    std::size_t words() const noexcept;

private:
    // The components of a type that change in the first frame: mostly the same as in the frames behind it.
    struct Type {
        ComponentTypeId type = 0;
        std::size_t components = 0;
        std::vector<std::uint32_t>
            masks{};  // of the words that change in any frame, of any component
    };
    Type* find(ComponentTypeId type) noexcept;

    std::vector<Type> types_;
    std::size_t others_ = 0;  // words of the others, whether they change or not
};

}  // namespace revenant
