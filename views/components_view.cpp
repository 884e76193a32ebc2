#include "views/components_view.hpp"

#include <algorithm>

#include "views/rows/view_rows.hpp"

namespace revenant {

Column::Column(const ViewRows& rows, const ViewColumn& column, bool readOnly)
    : rows_(&rows), column_(&column), schema_(&column.type->schema), readOnly_(readOnly) {}

void Column::throwReleased() {
    fail(ErrorCode::ReleasedView,
         "this view was released when the world was reset; ask for it again");
}

const std::byte* Column::read(std::size_t row) const {
    if (row >= count())
        fail(ErrorCode::BadArgument, "column '", getName(), "' has no row ", row, ", only ",
             count(), " rows");
    if (const Task* task = rows_->world().task()) task->checkRead(*data().type);
    return data().pointers[rows_->placeOf(row)];
}

std::size_t Column::count() const {
    data();  // throws for a view that was released
    return rows_->count();
}

Clock Column::getChangedAt(std::size_t row) const {
    const std::byte* component = read(row);
    return isEmpty(static_cast<const void*>(component)) ? 0
                                                        : column_->type->pool.changedAt(component);
}

std::byte* Column::write(std::size_t row) const {
    if (readOnly_)
        fail(ErrorCode::WrongState, "column '", getName(),
             "' was asked for read-only; ask for read-write to write to it");
    if (isEmpty(read(row)))
        fail(ErrorCode::MissingComponent, "row ", row, " of column '", getName(),
             "' is EMPTY: the entity has no such component to write to");
    if (const Task* task = rows_->world().task()) task->checkWrite(*column_->type);
    std::byte* component = column_->pointers[rows_->placeOf(row)];
    column_->type->pool.markChanged(component, rows_->world().getClock());
    return component;
}

ComponentsView::ComponentsView(std::shared_ptr<ViewRows> rows, const Requirements& requirements)
    : rows_(std::move(rows)) {
    for (const auto& [name, desc] : requirements) {
        if (desc.presence == Presence::Without) continue;
        const ComponentTypeId type = rows_->world().components().require(name).id;
        columns_.push_back(Column(*rows_, *rows_->findColumn(type), desc.readOnly));
    }
}

std::size_t ComponentsView::count() const {
    return rows().count();
}

std::span<const Column> ComponentsView::getColumns() const noexcept {
    return columns_;
}

SystemAccess ComponentsView::access(const std::shared_ptr<ComponentsView>& view) {
    SystemAccess access;
    for (const Column& column : view->getColumns())
        (column.isReadOnly() ? access.reads : access.writes).push_back(column.getName());
    access.views.push_back({view, [](const void* held) {
                                const auto& self = *static_cast<const ComponentsView*>(held);
                                if (self.isValid()) self.rows().prepare();
                            }});
    return access;
}

bool ComponentsView::isDirty() const {
    return rows().isDirty();
}

ViewStats ComponentsView::getStats() const {
    return rows().stats();
}

Entity ComponentsView::getEntity(std::size_t row) const {
    if (row >= count())
        fail(ErrorCode::BadArgument, "the view has no row ", row, ", only ", count(), " rows");
    return rows().world().entity(rows().idOf(row));
}

Clock ComponentsView::getAddedAt(std::size_t row) const {
    getEntity(row);  // throws for a row that is not there
    return rows().addedAt(row);
}

std::vector<Entity> ComponentsView::getEntities() const {
    std::vector<Entity> entities;
    entities.reserve(count());
    for (std::size_t row = 0; row < count(); ++row)
        entities.push_back(rows().world().entity(rows().idOf(row)));
    return entities;
}

std::ptrdiff_t ComponentsView::rowOf(Entity entity) const {
    return entity.getWorld() == &rows().world().world() ? rows().rowOf(entity.getId()) : -1;
}

const Column& ComponentsView::getColumn(std::string_view component) const {
    rows();
    auto found = std::ranges::find(columns_, component, &Column::getName);
    if (found != columns_.end()) return *found;
    std::string known;
    for (const Column& column : columns_) known += (known.empty() ? "" : ", ") + column.getName();
    fail(ErrorCode::UnknownComponent, "the view has no column '", component,
         "'; its columns are: ", known.empty() ? "none" : known);
}

void ComponentsView::letGo() noexcept {
    // The columns stay, so that a column that a caller kept can raise an error.
    for (Column& column : columns_) column.column_ = nullptr;
    rows_.reset();
}

}  // namespace revenant
