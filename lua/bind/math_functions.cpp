#include "lua/bind/ffi_function.hpp"
#include "world/math.hpp"

namespace revenant {

std::span<const FfiFunction> mathFunctions() {
    static const FfiFunction functions[] = {
        ffiFunction("mathSin", &math::sin),     ffiFunction("mathCos", &math::cos),
        ffiFunction("mathTan", &math::tan),     ffiFunction("mathAsin", &math::asin),
        ffiFunction("mathAcos", &math::acos),   ffiFunction("mathAtan", &math::atan),
        ffiFunction("mathAtan2", &math::atan2), ffiFunction("mathExp", &math::exp),
        ffiFunction("mathLog", &math::log),     ffiFunction("mathPow", &math::pow),
        ffiFunction("mathSqrt", &math::sqrt),   ffiFunction("mathMod", &math::mod),
    };
    return functions;
}

}  // namespace revenant
