// The velocity gradient of the polynomial inside a cell, without its neighbours.
#pragma once
#include "method/block.h"
#include "method/dense_operators.h"
#include "physics/gas.h"

// The reference derivatives [direction][variable] of u, v, w at point p of the polynomial inside the cell, without
// corrections: these would need the neighbours, and only the magnitude of the eddy viscosity is wanted.
INLINE void inner_gradient(const Params &par, const vreal *state, int p, vreal (*dq)[3]) {
    const auto add = [&](int d, real factor, int k) {
        vreal u[5];
        for (int v = 0; v < 5; ++v) u[v] = state[v * NP + k];
        Primitive<vreal> q;
        primitive(u, par, q);
        for (int v = 0; v < 3; ++v) dq[d][v] = vfma(factor, q.v[v], dq[d][v]);
    };
    for (int e = 0; e < 9; ++e) dq[e / 3][e % 3] = state[p] * R(0);
#if ELEMENT == HEX
    for (int d = 0; d < 3; ++d) {
        const int stride = line_stride(d), i = p / stride % N, start = p - i * stride;
        for (int k = 0; k < N; ++k) add(d, par.diff[i * N + k], start + k * stride);
    }
#else
    const int row = p % DENSE, first = p - row;
    for (int k = 0; k < DENSE; ++k)
        for (int d = 0; d < DIMENSIONS; ++d) add(d, diff_of(par, row, k, d), first + k);
#if ELEMENT == PRISM
    for (int m = 0; m < N; ++m)
        add(2, constant_in_launch(par.operators + OFFSET_LINE_DIFF + p / NT * N + m), row + NT * m);
#endif
#endif
}
