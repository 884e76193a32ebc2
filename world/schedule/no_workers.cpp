// Workers of a build without threads: none.
#include "world/schedule/workers.hpp"

namespace revenant {

std::unique_ptr<Workers> makeWorkers(int /*threads*/) {
    return nullptr;
}

}  // namespace revenant
