// PendingList: records with a change waiting for the next reconcile, in the order of the requests.
// A record is in it at most once, and can be taken out again in O(1).
//
// Invariant: there is room for twice as many as may be in it, so that a request never allocates;
// one taken out leaves a gap, and when the gaps have used up the room they are closed.
// Road not taken: an intrusive list. Measured, a walk from record to record waits for each in turn;
// from an array of them a reconcile can fetch many ahead.
// Owned by Forest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "world/storage/entity_record.hpp"
#include "world/storage/peak_watch.hpp"

namespace revenant {

class PendingList {
public:
    // Makes room for so many records.
    void reserve(std::size_t count) {
        if (count * 2 <= places_.capacity()) [[likely]]
            return;
        places_.reserve(std::max(count, places_.capacity()) * 2);
    }
    // REQUIRES: it is not in it, and there is room.
    void pushBack(EntityRecord& record) noexcept {
        if (places_.size() == places_.capacity()) closeGaps();
        places_.push_back(&record);
        record.pendingPlace = static_cast<std::uint32_t>(places_.size());
        ++count_;
    }
    // REQUIRES: it is in it.
    void erase(EntityRecord& record) noexcept {
        places_[record.pendingPlace - 1] = nullptr;
        record.pendingPlace = 0;
        --count_;
    }
    void clear() noexcept {
        forEach([](EntityRecord& record) { record.pendingPlace = 0; });
        places_.clear();
        count_ = 0;
    }
    // Empties the list into `records`. The records still say that they are in it: the caller that takes
    // them goes through them anyway.
    void takeAll(std::vector<EntityRecord*>& records) {
        records.clear();
        forEach([&](EntityRecord& record) { records.push_back(&record); });
        places_.clear();
        count_ = 0;
    }

    // Once many were in it: the room stays, but what was written to goes back to the system.
    void giveBack(GivenBack& givenBack) noexcept {
        if (count_ > 0) return;
        try {
            std::vector<EntityRecord*> fresh;
            fresh.reserve(places_.capacity());
            places_.swap(fresh);
            fresh.clear();
            givenBack.take(fresh);
        } catch (const std::bad_alloc&) {
            return;  // then it stays
        }
    }

    bool empty() const noexcept { return count_ == 0; }
    template <class Visit>
    void forEach(Visit visit) const {
        for (EntityRecord* record : places_)
            if (record) visit(*record);
    }
    template <class Predicate>
    bool anyOf(Predicate predicate) const {
        return std::ranges::any_of(
            places_, [&](const EntityRecord* record) { return record && predicate(*record); });
    }

private:
    void closeGaps() noexcept {
        std::erase(places_, nullptr);
        for (std::size_t i = 0; i < places_.size(); ++i)
            places_[i]->pendingPlace = static_cast<std::uint32_t>(i + 1);
    }

    std::vector<EntityRecord*> places_;
    std::size_t count_ = 0;
};

}  // namespace revenant
