// Bars at the points of the cells that they may meet. The host lists these cells and the positions of their points.
#pragma once
#include "method/block.h"
#include "physics/bars.h"

// What all bars add at a point: mass is not touched, and a mask of zero means nothing at all.
struct BarSource {
    vreal mask, momentum[3], energy;
};

// Whether a bar may meet a cell of the block.
INLINE bool bars_meet(const Params &par, long long block) {
    return par.bars && par.bar_cells[par.first_block + block] >= 0;
}

// x and y of point p of a block that bars may meet, and the state there.
INLINE void load_bar_point(const Params &par, long long block, int p, vreal &x, vreal &y, Primitive<vreal> &q) {
    const vreal *at = (const vreal *)(par.bar_points + par.bar_cells[par.first_block + block]) + p;
    x = at[0], y = at[NP];
    const vreal *state = block_of(par.own, block, 5 * NP) + p;
    vreal u[5];
    UNROLL
    for (int v = 0; v < 5; ++v) u[v] = state[v * NP];
    primitive(u, par, q);
}

// The time of the input of this stage.
INLINE double stage_time(const Params &par) { return *par.time + par.stage_time * (double)*par.dt; }

// The sum over all rows at point p of a block that bars may meet.
OUTLINE void bar_source(const Params &par, long long block, int p, BarSource &sum) {
    vreal x, y, number, f[4];
    Primitive<vreal> q;
    load_bar_point(par, block, p, x, y, q);
    const double time = stage_time(par);
    sum = BarSource{};
    for (int r = 0; r < par.bars; ++r) {
        const BarRow row = bars_at(par.bar_rows[r], time);
        const vreal chi = bar_mask(row, x, y, number);
        bar_force(row, chi, q, par, f);
        sum.mask = sum.mask + chi;
        UNROLL
        for (int n = 0; n < 3; ++n) sum.momentum[n] = sum.momentum[n] + f[n];
        sum.energy = sum.energy + vfma(f[1], vreal{} + row.speed, f[3]);
    }
}
