#include "world/listeners.hpp"

#include <algorithm>

#include "world/error.hpp"

namespace revenant {

Listeners::Listeners()
    : names_{"entityAdded",    "entityResurrected", "entityRemoved", "entityDestroyed",
             "componentAdded", "componentRemoved",  "entityEnabled", "entityDisabled"},
      byEvent_(names_.size()) {}

std::uint16_t Listeners::defineEvent(std::string name) {
    if (auto found = std::ranges::find(names_, name); found != names_.end())
        return static_cast<std::uint16_t>(found - names_.begin());
    if (names_.size() >= UINT16_MAX) fail(ErrorCode::LimitReached, "too many kinds of events");
    names_.push_back(std::move(name));
    byEvent_.emplace_back();
    return static_cast<std::uint16_t>(names_.size() - 1);
}

std::uint16_t Listeners::requireEvent(std::string_view name) const {
    if (auto found = std::ranges::find(names_, name); found != names_.end())
        return static_cast<std::uint16_t>(found - names_.begin());
    std::string known;
    for (const std::string& each : names_) known += (known.empty() ? "" : ", ") + each;
    fail(ErrorCode::UnknownListener, "there is no event '", name, "'; the events are: ", known);
}

ListenerToken Listeners::add(std::uint16_t event, Listener listener) {
    if (!listener) fail(ErrorCode::BadArgument, "a listener must be something that can be called");
    if (event >= byEvent_.size())
        fail(ErrorCode::UnknownListener, "there is no event number ", event);
    const ListenerToken token{++lastToken_};
    byEvent_[event].push_back({token, std::make_shared<const Listener>(std::move(listener))});
    return token;
}

void Listeners::remove(ListenerToken token) {
    for (auto& entries : byEvent_)
        for (Entry& entry : entries)
            if (entry.token == token && entry.call) {
                entry.call = nullptr;
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

void Listeners::fire(const Event& event, std::exception_ptr& firstError) {
    // By index and size: a listener may add others, which moves the entries.
    const std::size_t count = byEvent_[event.id].size();
    ++firing_;
    for (std::size_t i = 0; i < count && i < byEvent_[event.id].size(); ++i) {
        const auto call = byEvent_[event.id][i].call;
        if (!call) continue;
        try {
            (*call)(event);
        } catch (...) {
            if (!firstError) firstError = std::current_exception();
        }
    }
    --firing_;
    sweep();
}

void Listeners::clear() noexcept {
    // They die when the lists are in order again: what they own may call in here.
    std::vector<std::shared_ptr<const Listener>> dying;
    for (auto& entries : byEvent_)
        for (Entry& entry : entries) dying.push_back(std::move(entry.call));
    swept_ = false;
    sweep();
}

}  // namespace revenant
