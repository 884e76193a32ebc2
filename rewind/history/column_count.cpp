#include "rewind/history/column_count.hpp"

#include <algorithm>

namespace revenant {

ColumnCount::Type* ColumnCount::find(ComponentTypeId type) noexcept {
    const auto found = std::ranges::find(types_, type, &Type::type);
    return found == types_.end() ? nullptr : &*found;
}

void ColumnCount::add(const Frame& frame) {
    const bool isFirst = types_.empty();
    if (!isFirst) others_ += frame.bases.size();
    for (const Step& step : frame.delta.arrivals) others_ += step.image.words;
    for (const Rebinding& rebinding : frame.delta.rebindings) others_ += rebinding.after.words;
    for (WordCursor at(frame.delta.words); !at.isAtEnd(); at.skipGroup()) {
        Type* type = find(at.type());
        if (!type && isFirst) type = &types_.emplace_back(Type{.type = at.type()});
        if (!type) continue;
        if (isFirst) type->components += at.groupSize();
        if (type->masks.size() < at.masks().size()) type->masks.resize(at.masks().size());
        for (std::size_t i = 0; i < at.masks().size(); ++i) type->masks[i] |= at.masks()[i];
    }
}

std::size_t ColumnCount::words() const noexcept {
    std::size_t words = others_;
    for (const Type& type : types_) {
        std::size_t width = 0;
        for (const std::uint32_t mask : type.masks) width += countBits(mask);
        words += type.components * width;
    }
    return words;
}

}  // namespace revenant
