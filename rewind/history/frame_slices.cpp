#include "rewind/history/frame_slices.hpp"

#include <algorithm>
#include <utility>

namespace revenant {

namespace {

class Slices {
public:
    explicit Slices(std::span<const Frame> frames) {
        for (std::uint32_t i = 0; i < frames.size(); ++i)
            add(frames[i], i, static_cast<std::uint32_t>(frames.size()) - i);
        if (slices_.empty()) slices_.emplace_back();
    }
    std::vector<std::vector<Run>> take() { return std::move(slices_); }

private:
    static constexpr std::size_t mostWords = std::size_t{1} << 18;  // of columns, in a slice, about

    void add(const Frame& frame, std::uint32_t number, std::size_t framesLeft) {
        const Words& bases = frame.bases;
        for (std::size_t at = 0; at < bases.size();) {
            const std::size_t words = wordsOf(bases[at + 1]);
            note(bases[at], words * framesLeft,
                 {number,
                  Run::Kind::Base,
                  {static_cast<std::uint32_t>(at)},
                  {static_cast<std::uint32_t>(at + 2 + words)}});
            at += 2 + words;
        }
        for (WordCursor at(frame.delta.words); !at.isAtEnd();) {
            const std::uint32_t index = at.index();
            const std::size_t changed = at.words().size();
            const WordCursor::Place begin = at.place();
            at.next();
            note(index, changed * framesLeft, {number, Run::Kind::Difference, begin, at.place()});
        }
        const auto& arrivals = frame.delta.arrivals;
        for (std::uint32_t i = 0; i < arrivals.size(); ++i)
            if (arrivals[i].image.words > 0)
                note(arrivals[i].id.index, arrivals[i].image.words,
                     {number, Run::Kind::Arrival, {i}, {i + 1}});
        const auto& rebindings = frame.delta.rebindings;
        for (std::uint32_t i = 0; i < rebindings.size(); ++i)
            if (rebindings[i].has)
                note(rebindings[i].id.index, rebindings[i].after.words,
                     {number, Run::Kind::Rebound, {i}, {i + 1}});
    }
    // Entities come in the same order in every frame, mostly: then runs are long.
    void note(std::uint32_t index, std::size_t words, const Run& run) {
        if (index >= sliceOf_.size())
            sliceOf_.resize(std::max<std::size_t>(index + 1, 2 * sliceOf_.size()), 0);
        std::uint32_t& slice = sliceOf_[index];
        if (slice == 0) {
            if (slices_.empty() || words_ + words > mostWords) {
                slices_.emplace_back();
                words_ = 0;
            }
            words_ += words;
            slice = static_cast<std::uint32_t>(slices_.size());
        }
        std::vector<Run>& runs = slices_[slice - 1];
        if (!runs.empty() && runs.back().frame == run.frame && runs.back().kind == run.kind &&
            runs.back().end == run.begin)
            runs.back().end = run.end;
        else
            runs.push_back(run);
    }

    std::vector<std::vector<Run>> slices_;
    std::vector<std::uint32_t> sliceOf_;  // by entity: its number + 1
    std::size_t words_ = 0;               // of the last
};

}  // namespace

std::vector<std::vector<Run>> sliceFrames(std::span<const Frame> frames) {
    return Slices(frames).take();
}

}  // namespace revenant
