// Listeners: the functions to call for each event. Events are named; the world's own come first, others are
// defined by the code that emits them, so that a misspelt name is an error.
// Listeners may be added and removed from inside a listener: a new one is called from the next
// event on, a removed one is not called again. If one throws, the others are still called.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "world/core/error_list.hpp"
#include "world/event.hpp"
#include "world/storage/lasting_count.hpp"

namespace revenant {

class Listeners {
public:
    Listeners();

    std::uint16_t defineEvent(std::string name);
    std::uint16_t requireEvent(std::string_view name) const;
    const std::string& eventName(std::uint16_t id) const { return names_.at(id); }

    ListenerToken add(std::uint16_t event, Listener listener, ListenerOptions options = {});
    void remove(ListenerToken token);
    bool any(EventKind kind) const noexcept {
        return !byEvent_[static_cast<std::size_t>(kind)].empty();
    }

    bool empty() const noexcept;

    // Calls every listener; what they throw goes to `errors`. While a tick is run again, confirmed
    // listeners are left out.
    void fire(const Event& event, ErrorList& errors);
    void setResimulating(bool isOn) noexcept {
        isResimulating_ = isOn;
        changes_.raise();
    }
    // Raised whenever the answer of `forListeners` may have become another.
    const LastingCount& changes() const noexcept { return changes_; }
    // Calls visit(token, listener) for each that an event would reach now, in order.
    template <class Visit>
    void forListeners(std::uint16_t event, Visit visit) const {
        for (const Entry& entry : byEvent_[event])
            if (entry.call && !(isResimulating_ && entry.confirmed)) visit(entry.token, entry.call);
    }
    bool isFiring() const noexcept { return firing_ > 0; }
    void clear() noexcept;

private:
    struct Entry {
        ListenerToken token;
        Listener call;  // empty: removed while firing
        bool confirmed = false;
    };

    void sweep();

    std::vector<std::string> names_;
    std::vector<std::vector<Entry>> byEvent_;
    LastingCount changes_;
    std::uint64_t lastToken_ = 0;
    int firing_ = 0;
    bool swept_ = true;
    bool isResimulating_ = false;
};

}  // namespace revenant
