#include "views/rows/view_tables.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace revenant {

namespace {

// Bytes that a row takes just after the rows have grown, lists of a pass included.
std::size_t rowBytesOf(const ViewSignature& signature) noexcept {
    constexpr std::size_t passBytes = 128;
    const std::size_t columns = signature.mustHave.size() + signature.optional.size();
    return passBytes + 2 * (sizeof(RowHead) + columns * sizeof(std::byte*));
}

}  // namespace

std::shared_ptr<ViewRows> ViewTables::getRows(const ViewSignature& signature) {
    std::weak_ptr<ViewRows>& known = rows_[signature];
    if (auto rows = known.lock()) return rows;
    std::shared_ptr<ViewRows> rows(new ViewRows(world_, signature, spreadRule_),
                                   [this, alive = std::weak_ptr<bool>(alive_)](ViewRows* dying) {
                                       if (!alive.expired()) forget(dying);
                                       delete dying;
                                   });
    known = rows;
    weigh();
    const auto& shapes = world_.components().shapes().all();
    for (std::size_t id = 0; id < byShape_.size(); ++id)
        if (byShape_[id].known && signature.matches(shapes[id]))
            byShape_[id].rows.push_back(rows.get());
    return rows;
}

void ViewTables::weigh() noexcept {
    rowBytes_ = 0;
    for (const auto& [signature, weak] : rows_) rowBytes_ += rowBytesOf(signature);
}

void ViewTables::forget(const ViewRows* rows) {
    // After a reset there may be other rows with the same signature.
    if (auto found = rows_.find(rows->signature()); found != rows_.end() && found->second.expired())
        rows_.erase(found);
    weigh();
    for (Matches& matches : byShape_) std::erase(matches.rows, rows);
    std::erase(wide_, rows);
    std::erase_if(views_, [](const auto& view) { return view.second.expired(); });
}

namespace {

// Two requests for the same compare equal, however they were written.
Requirements orderedByName(Requirements requirements) {
    std::ranges::sort(requirements);
    const auto twice = std::ranges::adjacent_find(requirements, {}, &Requirement::component);
    if (twice != requirements.end())
        fail(ErrorCode::BadArgument, "view: component '", twice->component, "' is asked for twice");
    return requirements;
}

}  // namespace

std::shared_ptr<ComponentsView> ViewTables::get(const Requirements& requirements) {
    world_.refuseInSection("asking for a view");
    const Requirements ordered = orderedByName(requirements);
    const ViewSignature signature = signatureOf(world_.components(), ordered);
    if (auto known = views_.find(ordered); known != views_.end())
        if (auto view = known->second.lock()) return view;
    auto view = std::make_shared<ComponentsView>(getRows(signature), ordered);
    views_[ordered] = view;
    return view;
}

const std::vector<ViewRows*>& ViewTables::rowsFor(const Shape& shape) {
    if (shape.id() >= byShape_.size()) byShape_.resize(shape.id() + 1);
    Matches& matches = byShape_[shape.id()];
    if (!matches.known) {
        matches.known = true;
        for (const auto& [signature, weak] : rows_)
            if (signature.matches(shape))
                if (auto rows = weak.lock()) matches.rows.push_back(rows.get());
    }
    return matches.rows;
}

void ViewTables::onReconcile(const ChangeSet& changes) {
    if (rows_.empty()) return;
    for (const Change& change : changes.left) {
        if (!change.visibleBefore) continue;
        for (ViewRows* rows : rowsFor(*change.visibleBefore)) {
            touch(*rows);
            rows->drop(change);
        }
    }
    for (const Change& change : changes.changed) {
        const Shape* before = change.visibleBefore;
        const Shape* after = change.visible;
        if (before == after && !change.moved && !change.rebound) continue;
        if (before)
            for (ViewRows* rows : rowsFor(*before)) {
                const bool stays = !change.moved && after && rows->signature().matches(*after);
                if (stays && !rows->isRebound(change)) continue;
                touch(*rows);
                if (stays)
                    rows->rebind(change);
                else
                    rows->drop(change);
            }
        if (after)
            for (ViewRows* rows : rowsFor(*after)) {
                const bool isNew = !before || !rows->signature().matches(*before);
                if (!isNew && !change.moved) continue;
                touch(*rows);
                rows->add(change, isNew);
            }
    }
    if (!changes.relabelled.empty())
        for (const auto& [signature, weak] : rows_)
            if (auto rows = weak.lock(); rows && !rows->isTouched())
                rows->relabel(changes.relabelled);
    for (ViewRows* rows : touched_) {
        rows->apply(changes);
        if (rows->holdsPeak() && std::ranges::find(wide_, rows) == wide_.end())
            wide_.push_back(rows);
    }
    touched_.clear();
}

void ViewTables::onClockRaised() {
    std::erase_if(wide_, [](ViewRows* rows) {
        rows->settlePeak();
        return !rows->holdsPeak();
    });
}

void ViewTables::onReset() {
    for (const auto& [requirements, weak] : views_)
        if (auto view = weak.lock()) view->letGo();
    views_.clear();
    for (const auto& [signature, weak] : rows_)
        if (auto rows = weak.lock()) rows->clear();
    rows_.clear();
    rowBytes_ = 0;
    byShape_.clear();
    wide_.clear();
}

std::shared_ptr<const ViewRows> ViewTables::findRows(
    const std::vector<ComponentTypeId>& mustHave,
    const std::vector<ComponentTypeId>& without) const {
    for (const auto& [signature, weak] : rows_)
        if (signature.mustHave == mustHave && signature.without == without)
            if (auto rows = weak.lock()) return rows;
    return nullptr;
}

std::size_t ViewTables::viewCount() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(views_, [](const auto& view) { return !view.second.expired(); }));
}

std::size_t ViewTables::rowsCount() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows_, [](const auto& rows) { return !rows.second.expired(); }));
}

std::vector<ViewInfo> ViewTables::list() const {
    std::vector<ViewInfo> all;
    for (const auto& [signature, weak] : rows_) {
        const auto rows = weak.lock();
        if (!rows) continue;
        ViewInfo info;
        auto append = [&](const std::vector<ComponentTypeId>& types, std::string_view prefix) {
            for (const ComponentTypeId type : types) {
                if (!info.name.empty()) info.name += ' ';
                info.name += prefix;
                info.name += world_.components().at(type).schema.name;
            }
        };
        append(signature.mustHave, "");
        append(signature.optional, "?");
        append(signature.without, "!");
        for (const auto& [requirements, view] : views_)
            if (const auto alive = view.lock(); alive && &alive->rows() == rows.get()) ++info.views;
        info.stats = rows->stats();
        all.push_back(std::move(info));
    }
    return all;
}

std::string ViewTables::dump() const {
    // Not by a stream: those bring a third of a megabyte into a module that links the C++ library statically.
    const auto padded = [](const std::string& text, std::size_t width) {
        return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
    };
    const auto line = [&](std::string name, const std::array<std::string, 6>& columns) {
        constexpr std::array<std::size_t, 6> widths{9, 9, 11, 9, 12, 10};
        if (name.size() < 48) name.resize(48, ' ');
        for (std::size_t i = 0; i < widths.size(); ++i) name += padded(columns[i], widths[i]);
        return name + '\n';
    };
    std::string out = line("view", {"rows", "passes", "moved", "segments", "contiguous", "us"});
    for (const auto& [name, views, stats] : list())
        out += line(
            name, {std::to_string(stats.rows), std::to_string(stats.passes),
                   std::to_string(stats.rowsMoved), std::to_string(stats.segments),
                   std::to_string(stats.contiguousRows), std::to_string(stats.nanoseconds / 1000)});
    return out;
}

void ViewTables::validate(std::vector<std::string>& problems) const {
    for (const auto& [signature, weak] : rows_)
        if (auto rows = weak.lock()) rows->validate(problems);
}

std::shared_ptr<ComponentsView> World::getComponentsView(const Requirements& requirements) {
    return WorldCore::of(*this).observer<ViewTables>().get(requirements);
}

}  // namespace revenant
