// Elementary functions in + - * / sqrt and fma, with the same bits on all machines; within 2 units in the last place.
#pragma once
#include "dialect/dialect.h"

// x^(1/6) for x > 0: the cube root of the square root s. The inverse cube root y gives c = s y^2, which one step of
// Newton's method for c^3 = s corrects.
template <class V> INLINE V sixth_root(V x) {
    const V s = vsqrt(x), y = inverse_cube_root(s), c = s * (y * y);
    const V square = c * c, error = vfma(square, c, -s);
    return c - error * (y * y) * R(1.0 / 3.0);
}

// exp(x) for -700 <= x <= 700: x = k ln 2 + r with |r| <= ln(2)/2, where ln 2 is the sum of a number with trailing
// zeros and a rest, and a series for exp(r). k is rounded by adding 1.5 2^52, which leaves it in the last bits.
template <class V> INLINE V exponential(V x) {
    const real round = 6755399441055744.0;
    const V zero = {}, shifted = vfma(x, zero + R(1.4426950408889634), zero + round), k = shifted - round;
    const V r = vfma(k, zero - R(1.9082149292705877e-10), vfma(k, zero - R(6.93147180369123816490e-01), x));
    V sum = zero + R(1.0 / 6227020800.0);
    const real inverse_factorial[] = {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
                                      1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,     1.0 / 120.0,
                                      1.0 / 24.0,        1.0 / 6.0,        0.5,             1.0};
    UNROLL
    for (int n = 0; n < 12; ++n) sum = vfma(sum, r, zero + inverse_factorial[n]);
    const V value = vfma(sum, r, zero + R(1));
    return real_of(bits_of(value) + (bits_of(shifted) << 52));
}
