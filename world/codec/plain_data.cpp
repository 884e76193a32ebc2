#include "world/codec/plain_data.hpp"

#include <cmath>

namespace revenant {

namespace {

using Tag = PlainTag;

class PlainTranslator {
public:
    PlainTranslator(std::span<const std::byte> data, const EntityTranslation& translate,
                    const ComponentTranslation& translateComponent)
        : reader_(data), translate_(translate), translateComponent_(translateComponent) {
        out_.reserve(data.size());
    }

    std::vector<std::byte> run() {
        value(0);
        if (!reader_.atEnd()) PlainReader::broken();
        return std::move(out_);
    }

private:
    void put(Tag tag) { out_.push_back(static_cast<std::byte>(tag)); }
    void put(const void* bytes, std::size_t count) {
        const auto* first = static_cast<const std::byte*>(bytes);
        out_.insert(out_.end(), first, first + count);
    }
    void text() { text(reader_.text()); }
    void text(std::string_view text) {
        const auto length = static_cast<std::uint32_t>(text.size());
        put(&length, sizeof length);
        put(text.data(), text.size());
    }

    void value(int depth) {
        const Tag tag = reader_.tag();
        if (tag == Tag::Entity) return entity();
        if (tag == Tag::Component) return component();
        put(tag);
        switch (tag) {
            case Tag::Nil:
            case Tag::False:
            case Tag::True:
            case Tag::OwnClass: return;
            case Tag::Number: number(); return;
            case Tag::Text:
            case Tag::Class:
            case Tag::Method: return text();
            case Tag::Again: return again();
            case Tag::Table:
            case Tag::List: return table(tag, depth);
            case Tag::Instance: {
                text();
                const Tag inner = reader_.tag();
                if (inner != Tag::Table && inner != Tag::List) PlainReader::broken();
                put(inner);
                return table(inner, depth);
            }
            case Tag::Hooked:
                text();
                ++tables_;
                if (depth >= deepestPlain)
                    fail(ErrorCode::BadArgument, "tables are nested more than ", deepestPlain,
                         " deep");
                return value(depth + 1);
            default: PlainReader::broken();
        }
    }
    double number() {
        const auto number = reader_.take<double>();
        put(&number, sizeof number);
        return number;
    }
    void entity() {
        const EntityId id = translate_(reader_.take<EntityId>());
        if (id.isNull()) return put(Tag::Nil);
        put(Tag::Entity);
        put(&id, sizeof id);
    }
    void component() {
        PlainComponent component = reader_.component();
        if (translateComponent_) {
            component = translateComponent_(component);
        } else {
            component.owner = translate_(component.owner);
            if (component.table != PlainComponent::lostTable)
                component.table = PlainComponent::unknownTable;
        }
        if (component.owner.isNull()) return put(Tag::Nil);
        put(Tag::Component);
        put(&component.owner, sizeof component.owner);
        put(&component.table, sizeof component.table);
        text(component.name);
    }
    void again() {
        const auto which = reader_.take<std::uint32_t>();
        if (which >= tables_) PlainReader::broken();
        put(&which, sizeof which);
    }
    void table(Tag tag, int depth) {
        if (depth >= deepestPlain)
            fail(ErrorCode::BadArgument, "tables are nested more than ", deepestPlain, " deep");
        ++tables_;
        if (tag == Tag::List) {
            const auto count = reader_.take<std::uint32_t>();
            put(&count, sizeof count);
            for (std::uint32_t i = 0; i < count; ++i) value(depth + 1);
        }
        while (reader_.peek() != Tag::End || reader_.atEnd()) {
            key();
            value(depth + 1);
        }
        reader_.tag();
        put(Tag::End);
    }
    // Values that a script can use as keys. The reader of a state leaves out nil.
    void key() {
        switch (reader_.tag()) {
            case Tag::Nil: return put(Tag::Nil);
            case Tag::False: return put(Tag::False);
            case Tag::True: return put(Tag::True);
            case Tag::Text: put(Tag::Text); return text();
            case Tag::Entity: return entity();
            case Tag::Component: return component();
            case Tag::Number:
                put(Tag::Number);
                if (std::isnan(number())) PlainReader::broken();
                return;
            default: PlainReader::broken();
        }
    }

    PlainReader reader_;
    const EntityTranslation& translate_;
    const ComponentTranslation& translateComponent_;
    std::vector<std::byte> out_;
    std::uint32_t tables_ = 0;
};

}  // namespace

std::vector<std::byte> translatePlain(std::span<const std::byte> data,
                                      const EntityTranslation& translate,
                                      const ComponentTranslation& translateComponent) {
    return PlainTranslator(data, translate, translateComponent).run();
}

}  // namespace revenant
