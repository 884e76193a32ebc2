#include "rewind/history/request.hpp"

#include "rewind/history/delta_bytes.hpp"

namespace revenant {

namespace {

constexpr std::uint8_t managedFlag = 1;
constexpr std::uint8_t movedFlag = 2;
constexpr std::uint8_t enabledFlag = 4;
constexpr std::uint8_t hasFlag = 1;
constexpr std::uint8_t stateFlag = 2;
constexpr std::uint8_t lastIntent = 2;

void writeBinding(ByteWriter& out, const Request::Binding& binding) {
    out.number(binding.type);
    unsigned flags = 0;
    if (binding.has) flags |= hasFlag;
    if (binding.state) flags |= stateFlag;
    out.plain(static_cast<std::uint8_t>(flags));
    if (binding.has) writeWords(out, binding.words);
    if (binding.state) out.sized(*binding.state);
}

Request::Binding readBinding(ByteReader& in) {
    Request::Binding binding;
    const std::uint64_t type = in.number();
    if (type > UINT16_MAX) in.damaged("a component type is too large");
    binding.type = static_cast<ComponentTypeId>(type);
    const auto flags = in.plain<std::uint8_t>();
    if (flags > (hasFlag | stateFlag)) in.damaged("a component has unknown flags");
    binding.has = (flags & hasFlag) != 0;
    if (binding.has) binding.words = readWords(in);
    if ((flags & stateFlag) != 0) {
        const auto bytes = in.sized();
        binding.state = StateBytes(bytes);
    }
    return binding;
}

}  // namespace

std::vector<std::byte> writeRequests(std::span<const Request> requests) {
    ByteWriter out;
    out.number(requests.size());
    for (const Request& request : requests) {
        writeId(out, request.id);
        writeId(out, request.parent);
        out.number(request.place);
        unsigned flags = 0;
        if (request.managed) flags |= managedFlag;
        if (request.moved) flags |= movedFlag;
        if (request.enabled) flags |= enabledFlag;
        out.plain(static_cast<std::uint8_t>(flags));
        out.plain(request.intent);
        out.number(request.disabled);
        out.number(request.bindings.size());
        for (const Request::Binding& binding : request.bindings) writeBinding(out, binding);
    }
    return out.take();
}

std::vector<Request> readRequests(std::span<const std::byte> bytes) {
    ByteReader in(bytes, "what waits for the next reconcile");
    std::vector<Request> requests(in.count());
    for (Request& request : requests) {
        request.id = readId(in);
        request.parent = readId(in);
        const std::uint64_t place = in.number();
        if (place > UINT32_MAX) in.damaged("a place is too large");
        request.place = static_cast<std::uint32_t>(place);
        const auto flags = in.plain<std::uint8_t>();
        if (flags > (managedFlag | movedFlag | enabledFlag)) in.damaged("it has unknown flags");
        request.managed = (flags & managedFlag) != 0;
        request.moved = (flags & movedFlag) != 0;
        request.enabled = (flags & enabledFlag) != 0;
        request.intent = in.plain<std::uint8_t>();
        if (request.intent > lastIntent) in.damaged("an intent is not known");
        request.disabled = in.number();
        request.bindings.resize(in.count());
        for (Request::Binding& binding : request.bindings) binding = readBinding(in);
    }
    in.expectEnd();
    return requests;
}

}  // namespace revenant
