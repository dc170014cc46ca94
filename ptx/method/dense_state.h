// The state at one point of a cell with dense operators.
#pragma once
#include "method/block.h"
#include "physics/gas.h"

#if ELEMENT != HEX
INLINE Primitive<vreal> own_primitive(const Params &par, long long block, int p) {
    const vreal *state = block_of(par.own, block, 5 * NP) + p;
    vreal u[5];
    UNROLL
    for (int v = 0; v < 5; ++v) u[v] = constant_in_launch(state + v * NP);
    Primitive<vreal> q;
    primitive(u, par, q);
    return q;
}
#endif
