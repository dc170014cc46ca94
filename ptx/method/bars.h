// Bars at the points of the cells that they may meet. The host lists these cells and the positions of their points.
#pragma once
#include "method/block.h"
#include "physics/bars.h"

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

// Adds to dU/dt what all rows do at point p of a block that bars may meet. Outside a bar nothing is added, not even
// zero: the bits of a cell must not depend on the cells of its block.
OUTLINE void add_bar_source(const Params &par, long long block, int p, vreal *rate) {
    vreal x, y, number, f[4], mask = {}, sum[4] = {};
    Primitive<vreal> q;
    load_bar_point(par, block, p, x, y, q);
    for (int r = 0; r < par.bars; ++r) {
        const BarRow row = bar_row(par.bar_rows[r]);
        const vreal chi = bar_mask(row, x, y, number);
        bar_force(row, chi, q, par, f);
        mask = mask + chi;
        UNROLL
        for (int n = 0; n < 3; ++n) sum[n] = sum[n] + f[n];
        sum[3] = sum[3] + vfma(f[1], vreal{} + row.speed, f[3]);
    }
    UNROLL
    for (int v = 1; v < 5; ++v) rate[v] = select(mask > vreal{}, rate[v] + sum[v - 1], rate[v]);
}
