// A component whose state is plain data kept beside it, as script components have theirs, without any Lua: and plain data
// at random, with cycles, lists, instances of classes and references to entities as values and as keys.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "save/image/entity_references.hpp"
#include "world/codec/byte_stream.hpp"
#include "world/codec/plain_data.hpp"
#include "world/core/world_core.hpp"
#include "world/forest/entity_serial.hpp"
#include "world/world.hpp"

namespace revenant::tests {

class PlainHooks : public ComponentHooks {
public:
    explicit PlainHooks(World& world) : world_(world) {}

    // What an entity has until it is given a state.
    static std::vector<std::byte> none() { return {std::byte{0}}; }
    void setState(EntityId owner, std::vector<std::byte> state) {
        states_[{owner.index, owner.generation}] = std::move(state);
    }

    bool isPlainData() const noexcept override { return true; }
    void getRewindState(EntityId owner, const std::byte*, std::vector<std::byte>& into) override {
        const auto found = states_.find({owner.index, owner.generation});
        const auto state = found == states_.end() ? none() : found->second;
        into.insert(into.end(), state.begin(), state.end());
    }
    void restoreRewindState(EntityId owner, std::byte*, std::span<const std::byte> state) override {
        setState(owner, {state.begin(), state.end()});
    }
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
        const auto bySerial = translatePlain(state, [this](EntityId id) {
            return EntityId{serialOf(WorldCore::of(world_).forest(), id), 1};
        });
        const std::string_view text(reinterpret_cast<const char*>(bySerial.data()),
                                    bySerial.size());
        return std::hash<std::string_view>()(text);
    }

private:
    World& world_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::byte>> states_;
};

inline std::shared_ptr<PlainHooks> definePlain(World& world) {
    auto hooks = std::make_shared<PlainHooks>(world);
    world.defineComponent("PlainCMP", std::vector<FieldSpec>{});
    world.setRewindHooks("PlainCMP", hooks);
    return hooks;
}

// Plain data as a script's encoder writes it: keys in order, none twice, no key and no list's end that is nil.
class RandomPlain {
public:
    RandomPlain(std::mt19937_64& engine, std::vector<EntityId> entities)
        : engine_(engine), entities_(std::move(entities)) {}

    std::vector<std::byte> make() {
        tables_ = 0;
        table(0);
        return out_.take();
    }

private:
    std::size_t below(std::size_t limit) { return engine_() % limit; }
    void put(PlainTag tag) { out_.plain(tag); }
    void text(PlainTag tag, const std::string& text) {
        put(tag);
        out_.plain(static_cast<std::uint32_t>(text.size()));
        out_.block(std::as_bytes(std::span(text)));
    }
    void number(double value) {
        put(PlainTag::Number);
        out_.plain(value);
    }
    void entity(EntityId id) {
        put(PlainTag::Entity);
        out_.plain(id);
    }

    void component(EntityId id) {
        put(PlainTag::Component);
        out_.plain(id);
        out_.plain(std::uint64_t{0});  // as a save has it
        const std::string name = "BrainCMP";
        out_.plain(static_cast<std::uint32_t>(name.size()));
        out_.block(std::as_bytes(std::span(name)));
    }

    void value(int depth) {
        static const double odd[] = {0.1, -0.0, HUGE_VAL, std::nan(""), 5e-324, 9007199254740993.0};
        static const std::string texts[] = {"", "calm", "$entity", std::string("\xFF\0x", 3)};
        switch (below(depth < 5 ? 14 : 10)) {
            case 0: return put(PlainTag::False);
            case 1: return put(PlainTag::True);
            case 2:
            case 3: return number(odd[below(std::size(odd))]);
            case 4: return text(PlainTag::Text, texts[below(std::size(texts))]);
            case 5: return entity(entities_[below(entities_.size())]);
            case 6:
                put(PlainTag::Again);
                return out_.plain(static_cast<std::uint32_t>(below(tables_)));
            case 7: return put(PlainTag::OwnClass);
            case 8: return component(entities_[below(entities_.size())]);
            case 9: return text(PlainTag::Method, "walk");
            case 10: text(PlainTag::Instance, "Item"); return table(depth);
            case 11:
                text(PlainTag::Hooked, "Hooked");
                ++tables_;
                return value(depth + 1);
            default: return table(depth);
        }
    }
    void table(int depth) {
        ++tables_;
        if (const std::size_t count = below(4); count > 0) {
            put(PlainTag::List);
            out_.plain(static_cast<std::uint32_t>(count));
            for (std::size_t i = 0; i < count; ++i) value(depth + 1);
        } else {
            put(PlainTag::Table);
        }
        for (int key = 0; key < 3; ++key)
            if (below(3) == 0) {
                number(key * 1.5 - 7);
                value(depth + 1);
            }
        for (const char* key : {"$class", "a", "b", "\xFE", "name"})
            if (below(3) == 0) {
                text(PlainTag::Text, key);
                value(depth + 1);
            }
        if (below(4) == 0) {
            put(PlainTag::True);
            value(depth + 1);
        }
        if (below(3) == 0) {
            entity(entities_[below(entities_.size())]);
            value(depth + 1);
        }
        if (below(4) == 0) {
            component(entities_[below(entities_.size())]);
            value(depth + 1);
        }
        put(PlainTag::End);
    }

    std::mt19937_64& engine_;
    std::vector<EntityId> entities_;
    ByteWriter out_;
    std::uint32_t tables_ = 0;
};

}  // namespace revenant::tests
