// Forces of one row of bars on the gas in each cell.
#include "method/bars.h"
#include "method/metrics.h"
#include "method/rows.h"

enum { BAR_FORCE_X, BAR_FORCE_Y, BAR_HEAT, BAR_MOMENTUM_X, BAR_MOMENTUM_Y };
static_assert(BAR_MOMENTUM_Y + 1 == BAR_SUMS, "the host counts other values");

// Integrals over the cell for row `bar_row`: the force on the gas in x and y, the heat that it gets, and its momentum
// in x and y where the mask counts it as inside. They are given for bars of even number and for bars of odd number,
// since a cell may reach from one bar to the next.
KERNEL(bars) {
    SHARED_MEMORY;
    SHARED(vwide, line, ROWS * 2 * BAR_SUMS);
    SHARED_TOTAL(bars, sizeof(*line));
    for_each<ROWS>([&](int c, int l) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        vwide sum[2 * BAR_SUMS] = {};
        if (bars_meet(par, block)) {
            const Metrics metric = metrics_of(par, block);
            const BarRow row = bar_row(par.bar_rows[par.bar_row]);
            for (int m = 0; m < N && l * N + m < NP; ++m) {
                const int p = l * N + m;
                vreal x, y, number, f[4];
                Primitive<vreal> q;
                load_bar_point(par, block, p, x, y, q);
                const vreal chi = bar_mask(row, x, y, number), odd = number - R(2) * vfloor(R(0.5) * number);
                bar_force(row, chi, q, par, f);
                const vwide volume = widen(point_weight(par, p) / metric.inverse_j(p));
                const vreal inside = chi * q.rho, of_bar[2] = {R(1) - odd, odd};
                const vreal values[BAR_SUMS] = {f[0], f[1], f[3], inside * q.v[0], inside * q.v[1]};
                for (int parity = 0; parity < 2; ++parity)
                    for (int i = 0; i < BAR_SUMS; ++i) {
                        vwide &to = sum[parity * BAR_SUMS + i];
                        to = to + widen(of_bar[parity] * values[i]) * volume;
                    }
            }
        }
        for (int i = 0; i < 2 * BAR_SUMS; ++i) line[c][l * 2 * BAR_SUMS + i] = sum[i];
    });
    BARRIER();
    for_each<2 * BAR_SUMS>([&](int c, int i) {
        vwide s = line[c][i];
        for (int l = 1; l < ROWS; ++l) s = s + line[c][l * 2 * BAR_SUMS + i];
        ((vwide *)par.per_cell)[(par.first_block + GROUP * CELLS_PER_BLOCK + c) * 2 * BAR_SUMS + i] = s;
    });
}
LAUNCHER(bars)
