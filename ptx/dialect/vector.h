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
// The natural logarithm of x > 0: of x = 2^k m with sqrt(1/2) <= m < sqrt(2) it is
//     k ln 2 + 2 artanh((m - 1)/(m + 1))
// k is the exponent of x over sqrt(1/2). Added to the bits of 1.5 times the power of two above which a number has no
// digits behind the point, it becomes a real. The series leaves an error below half a unit in the last place of 1.
template <class V> INLINE V natural_log(V x) {
    typedef Whole<sizeof(real)>::type whole;
    const int digits = sizeof(real) == 8 ? 52 : 23, terms = sizeof(real) == 8 ? 10 : 4;
    const whole root = (whole)(sizeof(real) == 8 ? 0x3FE6A09E667F3BCD : 0x3F3504F3);
    const whole round = (whole)(sizeof(real) == 8 ? 0x4338000000000000 : 0x4B400000);
    const auto k = (bits_of(x) - root) >> digits;
    const V m = real_of(bits_of(x) - k * ((whole)1 << digits));
    const V exponent = real_of(k + round) - R(sizeof(real) == 8 ? 6755399441055744.0 : 12582912.0);
    const V s = (m - R(1)) * inverse(m + R(1)), square = s * s, zero = {};
    V sum = zero + R(1) / R(2 * terms + 1);
    UNROLL
    for (int j = terms - 1; j >= 0; --j) sum = vfma(sum, square, zero + R(1) / R(2 * j + 1));
    return vfma(exponent, zero + R(0.693147180559945309417), R(2) * s * sum);
}
template <class V> INLINE V dot3(const V *a, const V *b) { return vfma(a[0], b[0], vfma(a[1], b[1], a[2] * b[2])); }
