// Each part of this file tries to get at the inside of the library, and must not compile against an installed one.
// Without a number it compiles: what fails is the reaching in, not the program around it.
#include <memory>

#include "rewind/time_rewind_sys.hpp"
#include "views/query.hpp"
#include "views/view.hpp"
#include "world/world.hpp"

#if REACH == 1
#include "world/core/world_core.hpp"
#elif REACH == 2
#include "world/storage/component_store.hpp"
#elif REACH == 3
#include "views/rows/view_rows.hpp"
#elif REACH == 4
#include "rewind/history/history.hpp"
#elif REACH == 5
#include "rewind/time_rewind_parts.hpp"
#endif

struct Body {
    float x = 0;
};

int main() {
    revenant::World world;
    world.defineComponent<Body>("BodyCMP", {revenant::field("x", &Body::x)});
    const auto view = world.view<Body>();
    const auto rewind = std::make_shared<revenant::TimeRewindSys>(world);
#if REACH == 6
    world.setGlobals({});
#elif REACH == 7
    world.forest().order.clear();
#elif REACH == 8
    revenant::WorldCore::of(world).forest().order.clear();
#elif REACH == 9
    view.untyped()->rows().clear();
#elif REACH == 10
    view.untyped()->getColumns()[0].data();
#elif REACH == 11
    rewind->history_.clear();
#elif REACH == 12
    world.core_ = nullptr;
#endif
    return view.count() == 0 ? 0 : 1;
}
