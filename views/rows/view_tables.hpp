// ViewTables: all views of a world. The observer that brings them up to date at reconcile: which
// rows an entity concerns is looked up by its shape, never by asking all views.
// Owned by the world (World::observer).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "views/components_view.hpp"
#include "views/requirements.hpp"
#include "views/rows/view_rows.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/change_set.hpp"

namespace revenant {

// A set of rows as tools list it.
struct ViewInfo {
    std::string name;       // "TransformCMP ?SpriteCMP !HiddenCMP": optional, without
    std::size_t views = 0;  // that share the rows
    ViewStats stats;
};

class ViewTables final : public WorldObserver {
public:
    explicit ViewTables(WorldCore& world) : world_(world) {}
    ~ViewTables() override { onReset(); }

    std::shared_ptr<ComponentsView> get(const Requirements& requirements);
    // For tests, of rows that are made from now on.
    void setSpreadRule(const SpreadRule& rule) noexcept { spreadRule_ = rule; }
    // Rows that answer for the given sets, or nullptr: for queries.
    std::shared_ptr<const ViewRows> findRows(const std::vector<ComponentTypeId>& mustHave,
                                             const std::vector<ComponentTypeId>& without) const;
    std::size_t viewCount() const;
    std::size_t rowsCount() const;
    std::vector<ViewInfo> list() const;  // in the order of their signatures
    // A table of all views with their statistics, as text.
    std::string dump() const;

    void onReconcile(const ChangeSet& changes) override;
    void onClockRaised() override;
    void onReset() override;
    std::size_t bytesPerEntity() const noexcept override { return rowBytes_; }
    void validate(std::vector<std::string>& problems) const override;

private:
    const std::vector<ViewRows*>& rowsFor(const Shape& shape);
    std::shared_ptr<ViewRows> getRows(const ViewSignature& signature);
    void forget(const ViewRows* rows);
    void weigh() noexcept;
    void touch(ViewRows& rows) {
        if (!rows.isTouched()) touched_.push_back(&rows);
    }

    WorldCore& world_;
    SpreadRule spreadRule_;
    std::map<ViewSignature, std::weak_ptr<ViewRows>> rows_;
    std::map<Requirements, std::weak_ptr<ComponentsView>> views_;
    std::size_t rowBytes_ = 0;  // that an entity may take in all rows, which double when they grow
    struct Matches {
        bool known = false;
        std::vector<ViewRows*> rows;
    };
    std::vector<Matches> byShape_;    // by shape id
    std::vector<ViewRows*> touched_;  // by the reconcile under way
    std::vector<ViewRows*> wide_;     // that hold memory of a pass with many changes
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // rows may outlive the world
};

}  // namespace revenant
