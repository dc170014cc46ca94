// The modes of a cell: orthonormal polynomials, or functions of the space of the pyramid, in ascending order of their
// degree. The degree of a mode is the largest one along a line of hexahedra and prisms, and the total degree in
// triangles and tetrahedra. The modes of a hexahedron are numbered as its points, i + N (j + N k).
//
// The operators are there if the case needs them. Their layout is that of the other operators of the machine
// (method/dense_operators.h).
#pragma once
#include "dialect/dialect.h"
#include "method/output_rule.h"
#include "params.h"

// Offsets in par.operators: MODES has the values of the modes at the points, COEFFICIENTS its inverse. A hexahedron has
// the operators of a line, stored as [point][mode] and [mode][point].
#define OFFSET_MODES OFFSET_AFTER_RULE
#if ELEMENT == HEX
#define OFFSET_COEFFICIENTS (OFFSET_MODES + N * N)
#else
#define OFFSET_COEFFICIENTS (OFFSET_MODES + NP * NP)
#endif

// Calls body(mode, value) for the modes of degree d, with their values at point p.
template <class F> INLINE void over_modes(const Params &par, int p, int d, F &&body) {
#if ELEMENT == HEX
    const real *x = par.operators + OFFSET_MODES + p % N * N, *y = par.operators + OFFSET_MODES + p / N % N * N,
               *z = par.operators + OFFSET_MODES + p / NL * N;
    for (int k = 0; k <= d; ++k)
        for (int j = 0; j <= d; ++j) {
            const real plane = y[j] * z[k];
            for (int i = (j == d || k == d) ? 0 : d; i <= d; ++i) body(i + N * (j + N * k), x[i] * plane);
        }
#else
    for (int k = modes_below(d); k < modes_below(d + 1); ++k) {
#ifdef ONE_LANE
        body(k, constant_in_launch(par.operators + OFFSET_MODES + k * NP + p));
#else
        body(k, par.operators[OFFSET_MODES + p * NP + k]);
#endif
    }
#endif
}

// Calls body(point, factor, value) for all points: the factor of the value there in the coefficient of a mode, and the
// value of the mode there.
template <class F> INLINE void over_points(const Params &par, int mode, F &&body) {
#if ELEMENT == HEX
    const int i = mode % N, j = mode / N % N, k = mode / NL;
    const real *value = par.operators + OFFSET_MODES, *factor = par.operators + OFFSET_COEFFICIENTS;
    for (int c = 0; c < N; ++c)
        for (int b = 0; b < N; ++b) {
            const real factors = factor[j * N + b] * factor[k * N + c], values = value[b * N + j] * value[c * N + k];
            for (int a = 0; a < N; ++a)
                body(a + N * (b + N * c), factor[i * N + a] * factors, value[a * N + i] * values);
        }
#else
    for (int p = 0; p < NP; ++p) {
#ifdef ONE_LANE
        body(p, constant_in_launch(par.operators + OFFSET_COEFFICIENTS + p * NP + mode),
             constant_in_launch(par.operators + OFFSET_MODES + mode * NP + p));
#else
        body(p, par.operators[OFFSET_COEFFICIENTS + mode * NP + p], par.operators[OFFSET_MODES + p * NP + mode]);
#endif
    }
#endif
}
