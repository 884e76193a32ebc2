#include "world/core/listeners.hpp"

#include <algorithm>

#include "world/error.hpp"
#include "world/storage/make_room.hpp"
#include "world/storage/memory_reserve.hpp"

namespace revenant {

Listeners::Listeners()
    : names_{"entityAdded",     "entityResurrected", "entityRemoved",
             "entityDestroyed", "componentAdded",    "componentRemoved",
             "entityEnabled",   "entityDisabled",    "worldLoaded"},
      byEvent_(names_.size()) {}

std::uint16_t Listeners::defineEvent(std::string name) {
    if (auto found = std::ranges::find(names_, name); found != names_.end())
        return static_cast<std::uint16_t>(found - names_.begin());
    if (names_.size() >= UINT16_MAX) fail(ErrorCode::LimitReached, "too many kinds of events");
    makeRoom(byEvent_);
    names_.push_back(std::move(name));
    byEvent_.emplace_back();
    return static_cast<std::uint16_t>(names_.size() - 1);
}

std::uint16_t Listeners::requireEvent(std::string_view name) const {
    if (auto found = std::ranges::find(names_, name); found != names_.end())
        return static_cast<std::uint16_t>(found - names_.begin());
    std::string known;
    for (const std::string& each : names_) known += (known.empty() ? "" : ", ") + each;
    fail(ErrorCode::UnknownListener, "there is no event '", name,
         "'; define it with defineEvent first; the events are: ", known);
}

ListenerToken Listeners::add(std::uint16_t event, Listener listener, ListenerOptions options) {
    if (!listener) fail(ErrorCode::BadArgument, "a listener must be something that can be called");
    if (event >= byEvent_.size())
        fail(ErrorCode::UnknownListener, "there is no event number ", event);
    const ListenerToken token{++lastToken_};
    changes_.raise();
    byEvent_[event].push_back({token, std::move(listener), options.confirmed});
    return token;
}

void Listeners::remove(ListenerToken token) {
    for (auto& entries : byEvent_)
        for (Entry& entry : entries)
            if (entry.token == token && entry.call) {
                changes_.raise();
                // Destroyed when the lists are in order again: its destructor may call in here.
                const Listener dying = std::move(entry.call);
                swept_ = false;
                sweep();
                return;
            }
    fail(ErrorCode::UnknownListener, "no listener has the token ", token.value,
         "; it was removed before, or never added");
}

void Listeners::sweep() {
    if (firing_ > 0 || swept_) return;
    for (auto& entries : byEvent_)
        std::erase_if(entries, [](const Entry& entry) { return !entry.call; });
    swept_ = true;
}

void Listeners::fire(const Event& event, ErrorList& errors) {
    // By index and size: a listener may add others, which moves the entries.
    const std::size_t count = byEvent_[event.id].size();
    ++firing_;
    for (std::size_t i = 0; i < count && i < byEvent_[event.id].size(); ++i) {
        const Listener call = byEvent_[event.id][i].call;
        if (!call || (isResimulating_ && byEvent_[event.id][i].confirmed)) continue;
        try {
            const MemoryReserve::Pause pause;
            call(event);
        } catch (...) {
            errors.add(std::current_exception());
        }
    }
    --firing_;
    sweep();
}

bool Listeners::empty() const noexcept {
    return std::ranges::all_of(byEvent_, [](const auto& entries) {
        return std::ranges::none_of(
            entries, [](const Entry& entry) { return static_cast<bool>(entry.call); });
    });
}

void Listeners::clear() noexcept {
    changes_.raise();
    // Each is destroyed when the lists are in order again: its destructor may call in here, and make either list longer.
    // NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t event = 0; event < byEvent_.size(); ++event)
        for (std::size_t i = byEvent_[event].size(); i-- > 0;) {
            if (i >= byEvent_[event].size()) continue;
            const Listener dying = std::move(byEvent_[event][i].call);
        }
    swept_ = false;
    sweep();
}

}  // namespace revenant
