#include "rewind/history/frame_columns.hpp"

#include <algorithm>
#include <bit>

#include "rewind/history/frame_unpacker.hpp"

namespace revenant {

namespace {

std::uint64_t keyOf(std::uint32_t index, ComponentTypeId type) noexcept {
    return std::uint64_t{index} << 16 | type;
}

}  // namespace

void FrameColumns::add(const Frame& frame, const Run& run) {
    switch (run.kind) {
        case Run::Kind::Base:
            for (std::size_t at = run.begin.group; at < run.end.group;) {
                const std::uint32_t head = frame.bases[at + 1];
                addBase(frame.bases[at], typeOf(head), &frame.bases[at + 2], wordsOf(head));
                at += 2 + wordsOf(head);
            }
            break;
        case Run::Kind::Difference: addDifferences(frame.delta.words, run); break;
        case Run::Kind::Arrival: {
            // A component that is bound again is another one, with other values, under the same name.
            const Step& step = frame.delta.arrivals[run.begin.group];
            const auto image = frame.delta.imageAt(step.image);
            for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at]))
                begin(step.id.index, typeOf(image[at]), &image[at + 1], wordsOf(image[at]));
            break;
        }
        case Run::Kind::Rebound: {
            const Rebinding& rebinding = frame.delta.rebindings[run.begin.group];
            const auto after = frame.delta.imageAt(rebinding.after);
            begin(rebinding.id.index, rebinding.type, after.data(), after.size());
            break;
        }
    }
}

void FrameColumns::addGlobals(std::span<const std::uint32_t> words, std::uint32_t frame) {
    if (globals_.words == 0) {
        widen(globals_, words.size());
        std::ranges::copy(words, &now_[globals_.state]);
    }
    for (std::size_t i = 0; i < words.size(); ++i)
        if (now_[globals_.state + i] != words[i]) set(globals_, i, words[i], frame);
}

void FrameColumns::addDifferences(const Words& words, const Run& run) {
    for (WordCursor at(words, run.begin); at.place() != run.end; at.next()) {
        Component& component = find(at.index(), at.type());
        const std::uint32_t* difference = at.words().data();
        for (std::size_t group = 0; group < at.masks().size(); ++group)
            for (std::uint32_t bits = at.masks()[group]; bits != 0; bits &= bits - 1) {
                const std::size_t word =
                    group * maskBits + static_cast<std::size_t>(std::countr_zero(bits));
                if (component.words <= word) widen(component, word + 1);
                set(component, word, now_[component.state + word] ^ *difference++, run.frame);
            }
    }
}

FrameColumns::Component& FrameColumns::begin(std::uint32_t index, ComponentTypeId type,
                                             const std::uint32_t* words, std::size_t count) {
    const auto number = static_cast<std::uint32_t>(components_.size());
    const auto [found, isNew] = current_.insert_or_assign(keyOf(index, type), number);
    hasRenewed_ = hasRenewed_ || !isNew;
    last_ = number;
    Component& component = components_.emplace_back(Component{.index = index, .type = type});
    widen(component, count);
    std::copy(words, words + count, now_.data() + component.state);
    return component;
}

// Frames mostly list components in the same order: the next is behind the last. While `hasRenewed_` is
// false, no component has a newer one under its name.
FrameColumns::Component& FrameColumns::find(std::uint32_t index, ComponentTypeId type) {
    if (++last_ < components_.size() && !hasRenewed_ && components_[last_].index == index &&
        components_[last_].type == type)
        return components_[last_];
    auto found = current_.find(keyOf(index, type));
    if (found == current_.end()) return begin(index, type, nullptr, 0);
    last_ = found->second;
    return components_[last_];
}

// Makes room for more words; those are zero.
void FrameColumns::widen(Component& component, std::size_t words) {
    if (words <= component.words) return;
    const std::size_t state = now_.size();
    now_.resize(state + words);
    streams_.resize(state + words);
    const auto from = static_cast<std::ptrdiff_t>(component.state);
    const auto to = static_cast<std::ptrdiff_t>(state);
    const auto old = static_cast<std::ptrdiff_t>(component.words);
    std::copy_n(now_.begin() + from, old, now_.begin() + to);
    std::copy_n(streams_.begin() + from, old, streams_.begin() + to);
    std::fill(now_.begin() + to + old, now_.end(), 0);
    component.state = static_cast<std::uint32_t>(state);
    component.words = static_cast<std::uint32_t>(words);
}

void FrameColumns::addBase(std::uint32_t index, ComponentTypeId type, const std::uint32_t* words,
                           std::size_t count) {
    Component& component = find(index, type);
    widen(component, count);
    for (std::size_t i = 0; i < count; ++i)
        if (streams_[component.state + i].count == 0) now_[component.state + i] = words[i];
}

void FrameColumns::set(Component& component, std::size_t word, std::uint32_t value,
                       std::uint32_t frame) {
    Stream& stream = streams_[component.state + word];
    std::uint32_t& now = now_[component.state + word];
    if (stream.count == 0) {
        component.changes = true;
        stream.first = frame;
        stream.before = now;
        stream.values = static_cast<std::uint32_t>(values_.size());
        values_.resize(values_.size() + frames_ - frame);
    }
    std::uint32_t* const values = &values_[stream.values];
    const std::uint32_t place = frame - stream.first;
    while (stream.count < place) values[stream.count++] = now;
    values[place] = value;
    stream.count = place + 1;
    now = value;
}

void FrameColumns::finish(BlockWords& words, std::vector<Owner>& owners) {
    std::vector<std::uint32_t> used;
    std::vector<std::uint32_t> numbers(components_.size());
    for (std::uint32_t i = 0; i < components_.size(); ++i) {
        const Component& component = components_[i];
        if (!component.changes) continue;
        numbers[i] = static_cast<std::uint32_t>(owners.size());
        used.push_back(i);
        owners.push_back(
            {component.index, component.type, static_cast<std::uint16_t>(component.words)});
    }
    // The order of the keys: by type, by word, by number.
    auto byType = [this](std::uint32_t each) { return components_[each].type; };
    if (!std::ranges::is_sorted(used, {}, byType)) std::ranges::stable_sort(used, {}, byType);
    words.frames = frames_;
    words.streams.clear();
    words.values.clear();
    words.values.reserve(values_.size());
    for (auto first = used.begin(); first != used.end();) {
        const ComponentTypeId type = byType(*first);
        auto last = std::find_if(first, used.end(),
                                 [&](std::uint32_t each) { return byType(each) != type; });
        collect(type, {first, last}, numbers, words);
        first = last;
    }
    if (globals_.changes) {
        const auto number = static_cast<std::uint32_t>(components_.size());
        components_.push_back(globals_);
        numbers.push_back(0);
        collect(globalsType, {&number, 1}, numbers, words);
    }
    components_.clear();
    now_.clear();
    streams_.clear();
    values_.clear();
    current_.clear();
    last_ = 0;
    hasRenewed_ = false;
    globals_ = {};
}

void FrameColumns::collect(ComponentTypeId type, std::span<const std::uint32_t> components,
                           std::span<const std::uint32_t> numbers, BlockWords& into) const {
    std::size_t words = 0;
    for (const std::uint32_t each : components)
        words = std::max<std::size_t>(words, components_[each].words);
    for (std::size_t word = 0; word < words; ++word)
        for (const std::uint32_t each : components) {
            const Component& component = components_[each];
            if (component.words <= word) continue;
            const Stream& stream = streams_[component.state + word];
            if (stream.count == 0) continue;
            into.streams.push_back(
                {std::uint64_t{type} << 48 | std::uint64_t{word} << 32 | numbers[each],
                 stream.first, stream.count, stream.before});
            const auto values = values_.begin() + static_cast<std::ptrdiff_t>(stream.values);
            into.values.insert(into.values.end(), values, values + stream.count);
        }
}

}  // namespace revenant
