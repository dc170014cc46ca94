// The running mean towards which a sponge drives the flow.
#include "method/sponge.h"

// Advances the running mean m of the state U by `sample_weight`, the time since the last update: dm/dt = (U - m)/T, the
// exponential filter of C. D. Pruett, T. B. Gatski, C. E. Grosch, W. D. Thacker, Phys. Fluids 15 (2003) 2127, by the
// implicit Euler method, which is stable for any T. Targets that are given have 1/T = 0 and stay as they are.
KERNEL(sponge_means) {
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c, at = par.sponge_cells[par.first_block + block];
        if (at < 0) return;
        const vwide share = par.sample_weight * ((const vwide *)(par.sponge_mean + at))[p];
        const vwide factor = share / (1.0 + share);
        const vreal *state = block_of(par.own, block, 5 * NP) + p;
        vwide *target = sponge_target(par, block, p);
        for (int v = 0; v < 5; ++v)
            target[v * NP] = target[v * NP] + factor * (widen(state[v * NP]) - target[v * NP]);
    });
}
LAUNCHER(sponge_means)
