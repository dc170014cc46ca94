// Cells that compute no right-hand side in a stage of the paired scheme, but whose neighbours do.
#include "method/block.h"
#include "method/note.h"
#include "element/element.h"

// Carries the state from the start of the step by the first rate alone: out = u_n + weight dt k_1.
KERNEL(rest) {
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const vreal *start = block_of((const real *)par.u_n, block, 5 * NP) + p;
        const vreal *rate = block_of((const real *)par.acc, block, 5 * NP) + p;
        vreal *out = block_of(par.out, block, 5 * NP) + p;
        const real step = par.weight * *par.dt;
        vreal next[5];
        UNROLL
        for (int v = 0; v < 5; ++v) out[v * NP] = next[v] = vfma(step, rate[v * NP], start[v * NP]);
        note_state(par, block, next);
    });
}
LAUNCHER(rest)
