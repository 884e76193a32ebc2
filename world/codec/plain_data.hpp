// The bytes of plain data: tables of numbers, texts, booleans, entities and tables, as scripts have them. A tag
// before each value. Numbers and texts follow theirs as they are. A table is a sequence of keys and
// values up to End; a List begins with a count and the values at 1, 2, ... up to it. Again names a table
// by how many began before it. Instance and Hooked name a registered class: the first is followed by a
// table, the second by the state that the class's hook returned. Class is a registered class itself, or another
// value that has a name; OwnClass the class of the component that holds it, Method a function of that class. Component is a script component, as a reference: its entity,
// a number of its table (0: none is known) and the component's name.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "world/entity_id.hpp"
#include "world/error.hpp"

namespace revenant {

enum class PlainTag : std::uint8_t {
    Nil,
    False,
    True,
    Number,
    Text,
    Entity,
    Table,
    End,
    Again,
    List,
    Instance,
    Hooked,
    Class,
    OwnClass,
    Component,
    Method
};

// A number as plain data holds it: all NaNs are one, LuaJIT's own, which is the only one that a script gets back.
// Processors differ in the sign of what 0 / 0 gives.
inline double plainNumber(double number) noexcept {
    return number == number ? number : std::bit_cast<double>(std::uint64_t{0xFFF8000000000000U});
}

// The number of a component's table means something only where it was written: in translations it is one of these.
struct PlainComponent {
    static constexpr std::uint64_t unknownTable = 0;  // the one that the entity has, if any
    static constexpr std::uint64_t lostTable = 1;     // one that the entity has lost

    EntityId owner;
    std::uint64_t table = 0;
    std::string_view name;
};

class PlainReader {
public:
    explicit PlainReader(std::span<const std::byte> data) : data_(data) {}

    bool atEnd() const noexcept { return data_.empty(); }
    std::size_t left() const noexcept { return data_.size(); }
    PlainTag tag() { return static_cast<PlainTag>(take<std::uint8_t>()); }
    PlainTag peek() const {
        return data_.empty() ? PlainTag::End : static_cast<PlainTag>(data_[0]);
    }
    template <class T>
    T take() {
        T value{};
        if (data_.size() < sizeof value) broken();
        std::memcpy(&value, data_.data(), sizeof value);
        data_ = data_.subspan(sizeof value);
        return value;
    }
    std::string_view text() {
        const auto length = take<std::uint32_t>();
        if (data_.size() < length) broken();
        const std::string_view result(reinterpret_cast<const char*>(data_.data()), length);
        data_ = data_.subspan(length);
        return result;
    }
    PlainComponent component() {
        PlainComponent component;
        component.owner = take<EntityId>();
        component.table = take<std::uint64_t>();
        component.name = text();
        return component;
    }
    [[noreturn]] static void broken() {
        fail(ErrorCode::BadArgument, "the recorded state of a script is damaged");
    }

private:
    std::span<const std::byte> data_;
};

// Tables may be nested this deep: what is read is no deeper than what can be written again.
inline constexpr int deepestPlain = 150;

// A null id where there is none on the other side.
using EntityTranslation = std::function<EntityId(EntityId)>;
// The same for components: their entity and table.
using ComponentTranslation = std::function<PlainComponent(const PlainComponent&)>;

// Plain data with its entities translated; those that have no counterpart become nil. Without `translateComponent`, entities of
// components are translated as others, and no table but a lost one is kept. The bytes may be anything: throws Error{BadArgument}
// where they are no plain data.
std::vector<std::byte> translatePlain(std::span<const std::byte> data,
                                      const EntityTranslation& translate,
                                      const ComponentTranslation& translateComponent = nullptr);

}  // namespace revenant
