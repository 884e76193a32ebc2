#include "rewind/file/history_file.hpp"

#include <algorithm>
#include <cstring>

#include "rewind/record/recorder.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// Throws a sentence where a field, or the whole schema, differs.
void checkSame(const ComponentSchema& ours, const ComponentSchema& theirs) {
    auto differs = [&](const std::string& field, const char* how) {
        fail(ErrorCode::WrongType, "component '", ours.name, "', field '", field, "' ", how,
             "; load into a world that defines it as the file does, or not at all");
    };
    for (const Field& field : theirs.fields) {
        const Field* here = ours.findField(field.name);
        if (!here) differs(field.name, "is in the file, but not in this world");
        if (here->type != field.type || here->count != field.count ||
            here->isArray != field.isArray)
            differs(field.name, "has another type in the file than in this world");
        if (here->offset != field.offset)
            differs(field.name, "has another place in the file than in this world");
        if (here->blend != field.blend)
            differs(field.name, "is blended otherwise in the file than in this world");
        const std::size_t size = std::size_t{sizeOf(field.type)} * field.count;
        if (std::memcmp(&ours.defaults[field.offset], &theirs.defaults[field.offset], size) != 0)
            differs(field.name, "has another default in the file than in this world");
    }
    for (const Field& field : ours.fields)
        if (!theirs.findField(field.name))
            differs(field.name, "is in this world, but not in the file");
    if (ours.size != theirs.size || ours.alignment != theirs.alignment)
        fail(ErrorCode::WrongType, "component '", ours.name,
             "' has another size in the file than in this world, though the same fields; load "
             "into a world that defines it as the file does, or not at all");
}

}  // namespace

HistoryFile takeHistory(const WorldCore& world, History& history, const Recorder& recorder,
                        std::int64_t shown) {
    HistoryFile file;
    file.snapshot = recorder.takeSnapshot();
    file.shown = shown;
    const auto types = static_cast<ComponentTypeId>(world.components().count());
    for (ComponentTypeId id = 0; id < types; ++id) {
        const ComponentType& type = world.components().at(id);
        file.components.push_back(type.schema);
        if (!type.hooks || !type.hooks->isRewound()) continue;
        if (auto makes = type.hooks->getMakes(); !makes.empty())
            file.makes.emplace(id, std::move(makes));
    }
    for (std::uint32_t id = 0; id < world.components().strings().idLimit(); ++id)
        file.strings.push_back(world.components().strings().text({id}));
    file.blocks = history.packAll();
    return file;
}

void checkFits(const HistoryFile& file, WorldCore& world) {
    if (const std::uint32_t alive = world.forest().pool.alive())
        fail(ErrorCode::WrongState, "the world has ", alive, alive == 1 ? " entity" : " entities",
             " of its own; load into a world that was made for it");
    std::vector<EntityId> ids;
    for (const Snapshot::Known& known : file.snapshot.entities) ids.push_back(known.id);
    if (!world.forest().pool.canOpen(ids))
        fail(ErrorCode::WrongState,
             "the world has had entities, whose handles would mean others now; load into a "
             "world that was made for it");
    ComponentStore& components = world.components();
    // Strings come first, as defaults may be strings.
    const StringTable& strings = components.strings();
    if (const std::uint32_t id = strings.findClash(file.strings)) {
        constexpr std::string_view cure =
            "load before strings are used, or components defined that have some";
        if (strings.isUsed({id}))
            fail(ErrorCode::WrongState, "the string '", strings.text({id}),
                 "' of this world has the number of '", file.strings[id], "' in the file; ", cure);
        fail(ErrorCode::WrongState, "the string '", file.strings[id],
             "' has another number in this world than in the file; ", cure);
    }
    for (std::size_t id = 0; id < file.components.size(); ++id) {
        const ComponentSchema& theirs = file.components[id];
        const ComponentType* ours = components.find(theirs.name);
        if (id >= components.count() && !ours) {
            components.checkDefinition(theirs);
        } else if (!ours || ours->id != id) {
            fail(ErrorCode::WrongState, "component '", theirs.name, "' is the ", id + 1,
                 ". that was defined, in this world it is not; define the same ones in the same "
                 "order before loading, or none");
        } else {
            checkSame(ours->schema, theirs);
        }
    }
}

void openHistory(HistoryFile file, WorldCore& world, History& history, Recorder& recorder) {
    const WorldGlobals globals = world.getGlobals();
    ComponentStore& components = world.components();
    components.strings().open(file.strings);
    for (std::size_t id = components.count(); id < file.components.size(); ++id)
        components.define(std::move(file.components[id]));
    for (std::size_t id = 0; id < components.count(); ++id) {
        const auto type = static_cast<ComponentTypeId>(id);
        if (auto& hooks = components.at(type).hooks) hooks->setMakes(std::move(file.makes[type]));
    }
    std::vector<Crossing> crossings;
    for (const PackedBlock& block : file.blocks)
        crossings.insert(crossings.end(), block.crossings.begin(), block.crossings.end());
    history.open(std::move(file.blocks), file.begin);
    recorder.open(file.snapshot, crossings, history.momentOf(file.shown));
    try {
        recorder.states().restore();
    } catch (...) {
        recorder.close();
        history.clear();
        world.setGlobals(globals);
        throw;
    }
}

}  // namespace revenant
