// Sponges: the state U decays towards a target,
//     dU/dt = ... - rate (U - target),
// in conserved variables, at a rate that depends on the position. Only blocks with a cell in a sponge have values. The
// targets are in double precision, because those of running means change by less than single precision resolves.
// crates/base/src/physics/sponge.rs has regions and targets.
#pragma once
#include "method/block.h"

// Whether a cell of the block is in a sponge.
INLINE bool sponges_meet(const Params &par, long long block) {
    return par.sponges && par.sponge_cells[par.first_block + block] >= 0;
}

// The target of the first variable at point p of a block with a cell in a sponge.
INLINE vwide *sponge_target(const Params &par, long long block, int p) {
    return (vwide *)(par.sponge_target + 5 * par.sponge_cells[par.first_block + block]) + p;
}

// Adds to dU/dt the decay at point p of a block with a cell in a sponge. At points outside of it nothing is added, not
// even zero: the bits of a cell must not depend on the cells of its block.
OUTLINE void add_sponge_source(const Params &par, long long block, int p, vreal *rate) {
    const vreal decay = ((const vreal *)(par.sponge_rate + par.sponge_cells[par.first_block + block]))[p];
    const vwide *target = sponge_target(par, block, p);
    const vreal *state = block_of(par.own, block, 5 * NP) + p;
    UNROLL
    for (int v = 0; v < 5; ++v) {
        const vreal excess = state[v * NP] - narrow(target[v * NP]);
        rate[v] = select(decay > vreal{}, vfma(-decay, excess, rate[v]), rate[v]);
    }
}
