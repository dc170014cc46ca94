// Arithmetic with the same text for a real and for a vector of reals. Only +, -, *, / and square roots are used, so
// that both machines give the same bits.
#pragma once
#include "dialect/cpu.h"
#include "dialect/cuda.h"

#ifndef FAST_MATH
template <class V> INLINE V inverse(V x) { return R(1) / x; }
// The square root and its inverse.
template <class V> INLINE void roots(V x, V &root, V &inverse) {
    root = vsqrt(x);
    inverse = R(1) / root;
}
#endif
template <class V> INLINE V vmax(V a, V b) { return a > b ? a : b; }
template <class V> INLINE V vmin(V a, V b) { return a < b ? a : b; }
// x^(-1/3) for x > 0. A third of the bit pattern, read as an integer, gives an approximation within 4 %. Each of the
// Newton steps squares the error.
template <class V> INLINE V inverse_cube_root(V x) {
    auto third = bits_of(x);
    third = (third >> 2) + (third >> 4);
    third += third >> 4;
    third += third >> 8;
    third += third >> 16;
    V y = real_of((Whole<sizeof(real)>::type)(sizeof(real) == 8 ? 0x553EF0FF289DD796 : 0x54A21D2A) - third);
    UNROLL
    for (int n = 0; n < 4; ++n) y = R(1.0 / 3.0) * y * (R(4) - x * y * y * y);
    return y;
}
template <class V> INLINE V dot3(const V *a, const V *b) { return vfma(a[0], b[0], vfma(a[1], b[1], a[2] * b[2])); }
