// revenant::math: elementary functions that give the same bits on every platform.
//
// The C library's sin, cos, exp, log and pow differ in the last bit between systems, and even between
// processors of one system, so a game that uses them cannot be replayed elsewhere. These use only
// additions, multiplications, divisions and square roots of IEEE doubles, which are the same everywhere,
// and are compiled without fused multiply-add.
//
// Results are within one unit in the last place (tan, asin, acos and atan2: two). Special values are
// those of the C standard: NaN in gives NaN out, log(0) is -infinity, pow(x, 0) is 1. All are pure:
// any thread may call them.
#pragma once

namespace revenant::math {

double sin(double radians) noexcept;
double cos(double radians) noexcept;
double tan(double radians) noexcept;
double asin(double x) noexcept;
double acos(double x) noexcept;
double atan(double x) noexcept;
double atan2(double y, double x) noexcept;
double exp(double x) noexcept;
double log(double x) noexcept;  // natural
double pow(double x, double y) noexcept;
double sqrt(double x) noexcept;
// The remainder with the sign of the divisor, exact, as `%` of Lua 5.3: mod(-1, 3) is 2. NaN where the
// divisor is 0 or the dividend is infinite.
double mod(double dividend, double divisor) noexcept;

}  // namespace revenant::math
