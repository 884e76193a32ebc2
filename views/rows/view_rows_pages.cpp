// The pages that the components of a view's rows lie in, counted by row: what a loop that writes opens.
#include <algorithm>

#include "views/empty.hpp"
#include "views/rows/view_rows.hpp"

namespace revenant {

void ViewRows::PageList::count(const ComponentPool& pool, const std::byte* component) {
    ComponentPool::Page& page = pool.pageOf(component);
    if (page.number >= rows.size()) rows.resize(pool.pages().size());
    if (rows[page.number]++ == 0) pages.push_back(&page);
}

void ViewRows::PageList::discount(const ComponentPool& pool, const std::byte* component) noexcept {
    ComponentPool::Page& page = pool.pageOf(component);
    if (--rows[page.number] == 0) std::erase(pages, &page);
}

void ViewRows::countRow(std::size_t row) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
        if (std::byte* component = columns_[i].pointers[row];
            pageLists_[i].asOf == version_ && !isEmpty(static_cast<const void*>(component)))
            pageLists_[i].count(columns_[i].type->pool, component);
}

void ViewRows::discountRow(std::size_t row) noexcept {
    for (std::size_t i = 0; i < columns_.size(); ++i)
        if (std::byte* component = columns_[i].pointers[row];
            pageLists_[i].asOf == version_ && !isEmpty(static_cast<const void*>(component)))
            pageLists_[i].discount(columns_[i].type->pool, component);
}

void ViewRows::findPages(const ViewColumn& column, PageList& list) const {
    list.asOf = 0;  // until all are found
    list.pages.clear();
    list.rows.clear();
    for (const std::byte* component : column.pointers)
        if (!isEmpty(static_cast<const void*>(component))) list.count(column.type->pool, component);
    list.asOf = version_;
}

void ViewRows::markOpen(const ViewColumn& column, Clock now) const {
    PageList& list = pageLists_[static_cast<std::size_t>(&column - columns_.data())];
    if (list.asOf != version_) findPages(column, list);
    for (ComponentPool::Page* page : list.pages) page->openedAt = now;
}

void ViewRows::validatePages(std::vector<std::string>& problems) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const PageList& list = pageLists_[i];
        if (list.asOf != version_) continue;
        PageList found;
        findPages(columns_[i], found);
        found.rows.resize(std::max(found.rows.size(), list.rows.size()));
        std::vector<std::uint32_t> rows = list.rows;
        rows.resize(found.rows.size());
        if (rows != found.rows || list.pages.size() != found.pages.size())
            problems.push_back(sentence("a view counts other pages of '",
                                        columns_[i].type->schema.name, "' than its rows are in"));
    }
}

}  // namespace revenant
