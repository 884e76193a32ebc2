#include "views/empty.hpp"

namespace revenant {

constinit const EmptyComponent emptyComponent{};

}  // namespace revenant
