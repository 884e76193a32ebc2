// ComponentFit: how the rows of a component in a save become components of a world that may have defined it
// otherwise since: matched by the names of fields, numbers converted where nothing is lost.
//
// It is made before anything is changed: a field that cannot fit, whatever its values, throws Error{WrongType}
// then, with component, field and reason; a value that does not fit throws when its row is written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "save/image/entity_references.hpp"
#include "save/image/save_image.hpp"
#include "world/storage/component_store.hpp"

namespace revenant {

// Strings and entities of a save in the world that it is loaded into.
struct SaveNames {
    std::function<StringId(std::uint32_t)> stringOf;
    EntityTranslation entityOf;
    const std::vector<std::string>& strings;
};

class ComponentFit {
public:
    ComponentFit(const SavedComponent& saved, ComponentType& type);

    ComponentType& type() const noexcept { return *type_; }
    // Whether its version is an earlier one, and a migration brings it into this one.
    bool isMigrated() const noexcept { return isMigrated_; }
    // Writes a whole component: the defaults, and over them what the row has.
    void write(const std::byte* row, const SaveNames& names, StringTable& strings,
               std::byte* component) const;

private:
    struct Step {
        const SavedField* from;
        const Field* to;
        std::uint32_t elements;
        bool isCopy;  // of bytes that mean the same
    };

    void addStep(const SavedField& field);
    void writeElement(const Step& step, std::uint32_t element, const std::byte* row,
                      const SaveNames& names, std::byte* component) const;
    void migrate(const std::byte* row, const SaveNames& names, StringTable& strings,
                 std::byte* component) const;
    [[noreturn]] void refuse(const SavedField& field, const std::string& why) const;

    const SavedComponent* saved_;
    ComponentType* type_;
    std::vector<Step> steps_;
    bool isMigrated_ = false;
};

}  // namespace revenant
