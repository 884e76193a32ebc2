// ComponentsView: a live, shared, ordered table of components: one column per component name, one
// row per matching active entity. Requests that are equal in access, too, get the very same
// object, counted by shared_ptr; the rows are shared more widely and freed with their last user.
// Changes only at reconcile. World::reset and the end of the world release every view:
// using a released view or its columns throws.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "views/detail/view_table.hpp"
#include "views/empty.hpp"
#include "views/requirements.hpp"
#include "views/view_stats.hpp"
#include "world/world.hpp"

namespace revenant {

class ViewRows;
class ViewTables;

// One column of a view, as its access allows it. Keeps its identity for the view's life.
class Column {
public:
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    Column(Column&&) noexcept = default;
    Column& operator=(Column&&) noexcept = default;
    const std::string& getName() const noexcept { return schema_->name; }
    const ComponentSchema& getSchema() const noexcept { return *schema_; }
    bool isReadOnly() const noexcept { return readOnly_; }
    bool isOptional() const { return data().optional; }
    std::size_t count() const;

    // The component of a row, or EMPTY. Throws Error{BadArgument} for a row that is not there.
    const std::byte* read(std::size_t row) const;
    // When, by World::getClock, the component of a row may last have been written; 0 for EMPTY.
    Clock getChangedAt(std::size_t row) const;
    // The same for writing: marks it changed. Throws for a read-only column and for EMPTY.
    std::byte* write(std::size_t row) const;

private:
    friend class ComponentsView;
    friend class ViewRows;  // the library's way in

    Column(const ViewRows& rows, const detail::ViewColumn& column, bool readOnly);
    [[noreturn]] static void throwReleased();
    const detail::ViewColumn& data() const {
        if (!column_) [[unlikely]]
            throwReleased();
        return *column_;
    }

    const ViewRows* rows_;
    const detail::ViewColumn* column_;  // null: the view was released
    const ComponentSchema* schema_;
    bool readOnly_;
};

class ComponentsView {
public:
    ComponentsView(std::shared_ptr<ViewRows> rows, const Requirements& requirements);

    std::size_t count() const;
    // The entity of a row. Throws Error{BadArgument} for a row that is not there.
    Entity getEntity(std::size_t row) const;
    std::vector<Entity> getEntities() const;
    Clock getAddedAt(std::size_t row) const;  // when the row came into the view
    // The row of an entity, or -1. O(1), but for the first lookups after a change, which search or index.
    std::ptrdiff_t rowOf(Entity entity) const;
    // Throws Error{UnknownComponent} for a component that the view was not asked for. The column lives as long
    // as the view.
    const Column& getColumn(std::string_view component) const;
    std::span<const Column> getColumns() const noexcept;
    // What a system that loops over it touches, for SystemOptions.
    static SystemAccess access(const std::shared_ptr<ComponentsView>& view);
    bool isDirty() const;
    bool isValid() const noexcept { return rows_ != nullptr; }
    ViewStats getStats() const;

private:
    friend class ViewRows;  // the library's way in
    friend class ViewTables;

    ViewRows& rows() const {
        if (!rows_) [[unlikely]]
            Column::throwReleased();
        return *rows_;
    }
    void letGo() noexcept;

    std::shared_ptr<ViewRows> rows_;
    std::vector<Column> columns_;
};

}  // namespace revenant
