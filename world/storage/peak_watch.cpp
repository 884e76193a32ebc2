#include "world/storage/peak_watch.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace revenant {

void trimMemory() noexcept {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

}  // namespace revenant
