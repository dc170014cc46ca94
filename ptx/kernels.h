// The headers of the method in their order, and the small steps that several kernels share.
#pragma once
#include "riemann.h"
#include "viscous.h"
#include "cell.h"
#include "gradient.h"

// Primitives of point p of a block into q[variable * NP + p]: rho, u, v, w, T.
INLINE void load_primitives(const Params &par, long long block, int p, vreal *q) {
    const vreal *state = block_of(par.u, block, 5 * NP);
    vreal u[5];
    UNROLL
    for (int v = 0; v < 5; ++v) u[v] = state[v * NP + p];
    Primitive<vreal> s;
    primitive(u, par, s);
    q[p] = s.rho;
    UNROLL
    for (int n = 0; n < 3; ++n) q[(1 + n) * NP + p] = s.v[n];
    q[4 * NP + p] = s.t;
}

INLINE Primitive<vreal> primitives_at(const vreal *q, int p) {
    Primitive<vreal> s = {q[p], {q[NP + p], q[2 * NP + p], q[3 * NP + p]}, q[4 * NP + p]};
    return s;
}
