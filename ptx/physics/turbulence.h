// The waves of synthetic turbulence. crates/base/src/physics/turbulence describes the method.
#pragma once
#include "dialect/dialect.h"

// The number less the nearest whole one: adding and subtracting 1.5 times the power of two above which a number has no
// digits behind the point rounds it.
template <class T> INLINE T fraction_of(T x, real round) { return x - ((x + round) - round); }

// cos(2 pi x) by + - * fma alone, so that all machines give the same bits:
//     cos(2 pi x) = sin(2 pi (1/4 - |x - round(x)|))
// Eight terms of the series of the sine leave an error of 6e-12 at a quarter of a turn.
INLINE vreal cosine_of_turns(vreal x) {
    const vreal zero = {};
    const real c[8] = {R(6.283185307179586476925), R(-41.34170224039976023397), R(81.60524927607505420339),
                       R(-76.70585975306138584163), R(42.05869394489765314499), R(-15.09464257682299039182),
                       R(3.819952584848282127734), R(-0.7181223017785005122311)};
    const vreal a = R(0.25) - vabs(fraction_of(x, R(sizeof(real) == 8 ? 6755399441055744.0 : 12582912.0)));
    const vreal square = a * a;
    vreal sum = zero + c[7];
    UNROLL
    for (int j = 6; j >= 0; --j) sum = vfma(sum, square, zero + c[j]);
    return a * sum;
}
