#include "lua/world_link.hpp"

#include <algorithm>
#include <lua.hpp>

#include "lua/error_carrier.hpp"
#include "lua/session.hpp"
#include "rewind/recorder.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/view_tables.hpp"

namespace revenant {

namespace {

// All links of the process, by number. Never freed: worlds may end after everything else.
std::vector<WorldLink*>& allLinks() {
    static auto* links = new std::vector<WorldLink*>(1, nullptr);
    return *links;
}

// The frames that a history of the world keeps; false where there is no history.
bool findFrames(World& world, std::int64_t& oldest, std::int64_t& newest) {
    if (!world.observer<Recorder>().isOn()) return false;
    oldest = 0;  // of a history nobody registered nothing is known: it may keep everything
    newest = 0;
    if (const auto* rewind = dynamic_cast<TimeRewindSys*>(world.getSystem("TimeRewindSys"))) {
        oldest = rewind->getOldestFrame().value_or(0);
        newest = rewind->getNewestFrame().value_or(0);
    }
    return true;
}

}  // namespace

WorldLink::WorldLink(Session& session, World& world)
    : session_(session), world_(&world), number_(static_cast<std::uint32_t>(allLinks().size())) {
    allLinks().push_back(this);
    world.observer<ViewTables>();  // first: columns are opened from rows that are up to date
    world.observer<WorldLinks>().add(*this);
}

WorldLink::~WorldLink() {
    allLinks()[number_] = nullptr;
}

WorldLink* WorldLink::find(std::uint32_t number) noexcept {
    return number < allLinks().size() ? allLinks()[number] : nullptr;
}

WorldLink& WorldLink::require(std::uint32_t number) {
    WorldLink* link = find(number);
    if (!link || !link->world_) fail(ErrorCode::WrongState, "this world has ended");
    return *link;
}

WorldLink& WorldLink::requireOpen(std::uint32_t number) {
    WorldLink& link = require(number);
    if (link.hooks_ > 0)
        fail(ErrorCode::Reentrant,
             "getRewindState and restoreRewindState only read and write their own state; they "
             "cannot "
             "change the world");
    return link;
}

World& WorldLink::world() const {
    if (!world_) fail(ErrorCode::WrongState, "this world has ended");
    return *world_;
}

void WorldLink::close() noexcept {
    if (!world_) return;
    for (const ListenerToken token : listeners) {
        try {
            world_->off(token);
        } catch (const Error&) {
            continue;  // went with a reset
        }
    }
    for (const auto& weak : systems)
        if (const auto system = weak.lock())
            if (world_->getSystem(system->getName()) == system.get())
                world_->unregisterSystem(*system);
    for (const auto& [id, count] : retained_)
        for (std::uint32_t i = 0; i < count && Entity(*world_, id).isValid(); ++i)
            Entity(*world_, id).release();
    world_->observer<WorldLinks>().remove(*this);
    forgetWorld();
}

void WorldLink::forgetWorld() noexcept {
    values_.clear();
    weak_.clear();
    watched_.clear();
    retained_.clear();
    open_.clear();
    views_.clear();
    world_ = nullptr;
}

// ---- values

void WorldLink::setHeld(std::uint32_t index, Held held) {
    Value& value = values_[index];
    value.held = held;
    if (held == Held::Weakly && !value.isListed) {
        value.isListed = true;
        weak_.push_back(index);
    }
}

const std::vector<std::uint32_t>& WorldLink::weakValues() {
    std::erase_if(weak_, [this](std::uint32_t index) {
        values_[index].isListed = values_[index].held == Held::Weakly;
        return !values_[index].isListed;
    });
    return weak_;
}

bool WorldLink::noteNewValue(Entity entity) {
    const std::uint32_t index = entity.getId().index;
    if (index >= values_.size())
        values_.resize(std::max<std::size_t>(index + 1, values_.size() * 2));
    const bool wasHeld = values_[index].held == Held::Strongly;
    values_[index].hold = HeldEntity(entity);
    setHeld(index, Held::Weakly);
    return wasHeld;
}

bool WorldLink::noteValue(Entity entity) {
    const EntityId id = entity.getId();
    const EntityRecord& record = world().requireRecord(entity, "value");
    if (id.index >= values_.size())
        values_.resize(std::max<std::size_t>(id.index + 1, values_.size() * 2));
    values_[id.index].hold = HeldEntity(entity);
    const bool strongly = record.managed || record.removed;
    setHeld(id.index, strongly ? Held::Strongly : Held::Weakly);
    if (record.removed) watched_.push_back(id);
    return strongly;
}

void WorldLink::dropValue(std::uint32_t index) noexcept {
    if (index >= values_.size()) return;
    setHeld(index, Held::No);
    values_[index].hold = HeldEntity();
}

void WorldLink::sweepValues() {
    const EntityPool& pool = world().forest().pool;
    // A long history keeps many zombies: look at a share of them each time.
    std::size_t looks = std::max<std::size_t>(1024, watched_.size() / 16);
    for (std::size_t i = watched_.size(); i-- > 0 && looks > 0; --looks) {
        const EntityId id = watched_[i];
        bool keep = false;
        if (id.index < values_.size() && values_[id.index].hold.get().getId() == id) {
            const EntityRecord& record = pool.at(id.index);
            if (record.id != id || (!record.alive && !record.unborn)) {
                moves.dropped.push_back(id.index);
                dropValue(id.index);
            } else if (record.alive && !record.managed && !record.removed) {
                if (values_[id.index].held == Held::Strongly) moves.demoted.push_back(id.index);
                setHeld(id.index, Held::Weakly);
            } else {
                keep = !record.managed;
            }
        }
        if (!keep) {
            watched_[i] = watched_.back();
            watched_.pop_back();
        }
    }
    if (looks == 0 && watched_.size() > 1)  // begin elsewhere next time
        std::rotate(watched_.begin(),
                    watched_.end() - static_cast<std::ptrdiff_t>(
                                         std::min<std::size_t>(watched_.size() - 1, 1024)),
                    watched_.end());
    tellMoves();
}

void WorldLink::tellMoves() {
    if (moves.promoted.empty() && moves.demoted.empty() && moves.dropped.empty()) return;
    lua_State* state = session_.state();
    if (lua_checkstack(state, 8) == 0) return;
    session_.pushCore(state, "moveValues");
    lua_pushnumber(state, number_);
    for (const auto* moved : {&moves.promoted, &moves.demoted, &moves.dropped}) {
        lua_pushnumber(state,
                       static_cast<lua_Number>(reinterpret_cast<std::uintptr_t>(moved->data())));
        lua_pushnumber(state, static_cast<lua_Number>(moved->size()));
    }
    callLua(state, 7, 0);
    moves.promoted.clear();
    moves.demoted.clear();
    moves.dropped.clear();
}

// ---- references

void WorldLink::retain(Entity entity) {
    entity.retain();
    ++retained_[entity.getId()];
}

void WorldLink::release(Entity entity) {
    const auto found = retained_.find(entity.getId());
    if (found == retained_.end() && entity.isValid())
        fail(ErrorCode::ReleaseBelowZero, "release: ", describe(entity),
             " is not retained by a script; every release needs a retain of the same entity before "
             "it");
    entity.release();
    if (--found->second == 0) retained_.erase(found);
}

// ---- views

std::uint32_t WorldLink::addView(std::shared_ptr<ComponentsView> view) {
    for (std::size_t i = 0; i < views_.size(); ++i)
        if (views_[i].view == view) return static_cast<std::uint32_t>(i);
    auto free = std::ranges::find_if(views_, [](const ViewLink& each) { return !each.view; });
    if (free == views_.end()) free = views_.insert(views_.end(), ViewLink{});
    *free = ViewLink{};
    free->view = std::move(view);
    free->cells.resize(free->view->getColumns().size() + 1);
    return static_cast<std::uint32_t>(free - views_.begin());
}

ViewLink& WorldLink::viewAt(std::uint32_t number) {
    if (number >= views_.size() || !views_[number].view)
        fail(ErrorCode::ReleasedView, "this view was released; ask for it again");
    return views_[number];
}

void WorldLink::releaseView(std::uint32_t number) {
    ViewLink& released = viewAt(number);
    for (ColumnCells* cells : released.cells) {
        if (!cells) continue;
        std::erase(open_, cells);
        cells->count = 0;
        cells->released = 1;
    }
    released = ViewLink{};
}

void WorldLink::openColumn(ColumnCells& cells) {
    const ViewLink& link = viewAt(cells.view);
    const ComponentsView& view = *link.view;
    const ViewRows& rows = view.rows();
    if (cells.column < 0) {
        cells.rows = rows.heads().data();
    } else {
        const Column& column = view.getColumns()[static_cast<std::size_t>(cells.column)];
        cells.rows = column.data().pointers.data();
        if (!column.isReadOnly()) rows.markOpen(column.data(), world().getTick());
    }
    if (cells.count == 0 && rows.count() > 0) open_.push_back(&cells);
    cells.count = static_cast<std::int32_t>(rows.count());
}

const std::vector<ViewLink::Run>& WorldLink::runs(ViewLink& link, std::uint64_t columns) {
    const ViewRows& rows = link.view->rows();
    auto known = std::ranges::find(link.runs, columns, &ViewLink::Runs::columns);
    if (known == link.runs.end()) known = link.runs.insert(known, {columns, 0, {}});
    if (known->asOf == rows.version()) return known->runs;
    known->asOf = rows.version();
    known->runs.clear();
    for (std::size_t first = 0; first < rows.count();) {
        std::size_t length = rows.count() - first;
        const auto all = link.view->getColumns();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((columns >> i & 1) == 0) continue;
            const ViewColumn& column = all[i].data();
            std::byte* const* pointers = column.pointers.data() + first;
            const std::size_t stride =
                isEmpty(static_cast<const void*>(pointers[0])) ? 0 : column.type->schema.size;
            std::size_t run = 1;
            while (run < length && pointers[run] == pointers[0] + run * stride) ++run;
            length = run;
        }
        known->runs.push_back(
            {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(length)});
        first += length;
    }
    return known->runs;
}

void WorldLink::closeColumns() noexcept {
    for (ColumnCells* cells : open_) cells->count = 0;
    open_.clear();
}

// ---- script components

std::uint32_t WorldLink::addTable(Entity owner, ComponentTypeId type) {
    std::uint32_t number = 0;
    if (freeTables_.empty()) {
        tables_.emplace_back();
        number = static_cast<std::uint32_t>(tables_.size());
    } else {
        number = freeTables_.back();
        freeTables_.pop_back();
    }
    tables_[number - 1] = {owner.getId(), type, -1};
    return number;
}

void WorldLink::sweepTables(std::vector<std::uint32_t>& freed) {
    freed.clear();
    std::int64_t oldest = 0;
    std::int64_t newest = 0;
    const bool hasHistory = findFrames(world(), oldest, newest);
    const EntityPool& pool = world().forest().pool;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        Table& table = tables_[i];
        if (table.owner.isNull()) continue;
        const EntityRecord& record = pool.at(table.owner.index);
        if (record.id == table.owner && (record.alive || record.unborn)) {
            if (record.unborn) continue;
            const auto* slot = reinterpret_cast<const ScriptReference*>(record.slotOf(table.type));
            if (slot && slot->table == i + 1 && slot->link == number_) {
                table.unboundSince = -1;
                continue;
            }
            // Seen unbound twice, and by no frame that is kept: nobody can bring it back.
            const bool isFirst = table.unboundSince < 0;
            if (isFirst) table.unboundSince = newest;
            if (isFirst || (hasHistory && oldest <= table.unboundSince)) continue;
        }
        table = Table{};
        freeTables_.push_back(static_cast<std::uint32_t>(i + 1));
        freed.push_back(static_cast<std::uint32_t>(i + 1));
    }
}

// ---- prefabs

std::uint32_t WorldLink::addPrefab(Prefab prefab) {
    prefabs_.push_back(std::make_unique<Prefab>(std::move(prefab)));
    return static_cast<std::uint32_t>(prefabs_.size() - 1);
}

const Prefab& WorldLink::prefabAt(std::uint32_t number) const {
    if (number >= prefabs_.size())
        fail(ErrorCode::BadArgument, "no prefab has the number ", number);
    return *prefabs_[number];
}

// ---- of the observer

void WorldLink::onTickRaised() noexcept {
    closeColumns();
}

void WorldLink::onReconcile(const ChangeSet& changes) {
    for (const Change& change : changes.left)
        if (change.id.index < values_.size() &&
            values_[change.id.index].hold.get().getId() == change.id)
            watched_.push_back(change.id);
    for (const Change& change : changes.changed) {
        const std::uint32_t index = change.id.index;
        if (!change.entered() || index >= values_.size() || values_[index].held == Held::No)
            continue;
        if (values_[index].hold.get().getId() != change.id) {
            dropValue(index);  // of an entity that had the slot before
            moves.dropped.push_back(index);
        } else if (values_[index].held == Held::Weakly) {
            setHeld(index, Held::Strongly);
            moves.promoted.push_back(index);
        }
    }
    tellMoves();
}

void WorldLink::onReset() noexcept {
    closeColumns();
    for (ViewLink& view : views_)
        for (ColumnCells* cells : view.cells)
            if (cells) cells->released = 1;
    views_.clear();
    values_.clear();
    weak_.clear();
    watched_.clear();
    retained_.clear();
    tables_.clear();
    freeTables_.clear();
    listeners.clear();
    lua_State* state = session_.state();
    if (lua_checkstack(state, 8) == 0) return;
    session_.pushCore(state, "forgetAll");
    lua_pushnumber(state, number_);
    if (lua_pcall(state, 1, 0, 0) != 0) lua_pop(state, 1);
}

// ---- WorldLinks

WorldLinks::~WorldLinks() {
    for (WorldLink* link : links_) link->forgetWorld();
}

void WorldLinks::onReconcile(const ChangeSet& changes) {
    for (WorldLink* link : links_) link->onReconcile(changes);
}

void WorldLinks::onTickRaised() {
    for (WorldLink* link : links_) link->onTickRaised();
}

void WorldLinks::onReset() {
    for (WorldLink* link : links_) link->onReset();
}

}  // namespace revenant
