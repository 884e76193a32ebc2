#include "lua/state/stay_loaded.hpp"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

namespace revenant {

// Elsewhere a flag of the linker does it.
void stayLoaded() noexcept {
#ifdef _WIN32
    static const char here = 0;
    HMODULE module = nullptr;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       &here, &module);
#endif
}

}  // namespace revenant
