// States that several kernels of hexahedra load: those across both ends of a line, and the primitives of a point.
#pragma once
#include "method/block.h"
#include "method/gradient.h"
#include "method/neighbour.h"

#if ELEMENT == HEX

// The states across both ends of line l of direction d.
struct LineEnds {
    Primitive<vreal> o[2];
};

INLINE void load_ends(const Params &par, long long block, int d, int l, LineEnds &ends) {
    neighbour(par, block, 2 * d, l, ends.o[0]);
    neighbour(par, block, 2 * d + 1, l, ends.o[1]);
}

// Writes the primitives rho, u, v, w, T of point p of a block to q[variable * POINTS + place(p)].
INLINE void load_primitives(const Params &par, long long block, int p, vreal *q) {
    const vreal *state = block_of(par.own, block, 5 * NP);
    vreal u[5];
    UNROLL
    for (int v = 0; v < 5; ++v) u[v] = state[v * NP + p];
    Primitive<vreal> s;
    primitive(u, par, s);
    vreal *at = q + place(p);
    at[0] = s.rho;
    UNROLL
    for (int n = 0; n < 3; ++n) at[(1 + n) * POINTS] = s.v[n];
    at[4 * POINTS] = s.t;
}

INLINE Primitive<vreal> primitives_at(const vreal *q, int at) {
    const vreal *x = q + at;
    Primitive<vreal> s = {x[0], {x[POINTS], x[2 * POINTS], x[3 * POINTS]}, x[4 * POINTS]};
    return s;
}
#endif
