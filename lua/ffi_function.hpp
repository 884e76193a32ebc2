// FfiFunction: a C function that the Lua half calls by FFI, with its C declaration. They are noexcept,
// call no Lua, and take plain numbers that the Lua half has checked; what they cannot do they say by
// returning 1 (see error_carrier.hpp).
#pragma once

#include <bit>
#include <span>

namespace revenant {

struct FfiFunction {
    const char* name;
    const char* declaration;  // as a pointer type
    void* address;
};

template <class Function>
FfiFunction ffiFunction(const char* name, Function* function, const char* declaration) noexcept {
    return {name, declaration, std::bit_cast<void*>(function)};
}

std::span<const FfiFunction> entityFunctions() noexcept;
std::span<const FfiFunction> componentFunctions() noexcept;
std::span<const FfiFunction> viewFunctions() noexcept;

}  // namespace revenant
