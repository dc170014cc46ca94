// Sweep 2 of hexahedra: the divergence of the flux and the Runge-Kutta update, in one pass over the cell. The gradient
// is computed again rather than stored, which saves the transfer of 24 values per point. Each line then sums the split
// convective derivative, the derivative of pressure and viscous flux, and the correction by the common fluxes at both
// ends. Each point adds the three directions and advances the stage.
#include "method/divergence.h"
#include "method/update.h"

KERNEL(sweep2) {
    SHARED_MEMORY;
    SHARED(vreal, q, 5 * POINTS);
    SHARED(vreal, w, 15 * POINTS); // [direction][5][POINTS]: reference gradient (4), viscous flux (4), divergence (5)
#ifdef ENTROPY_CORRECTION
    SHARED(vreal, entropies, ENTROPY_VALUES);
    SHARED_TOTAL(sweep2, sizeof(*q) + sizeof(*w) + sizeof(*entropies));
    const auto entropy = [&](int c) { return entropies[c]; };
#else
    SHARED_TOTAL(sweep2, sizeof(*q) + sizeof(*w));
    const auto entropy = [](int) { return (vreal *)0; };
#endif
    LineValues<LineEnds> ends;
    PrefetchedLines<LineTraces> traces;
    PrefetchedPoints<OldPoint> olds;
    const auto load_line = [&](int c, int d, int l, LineTraces &t) {
        load_traces(par, GROUP * CELLS_PER_BLOCK + c, d, l, t);
    };
    const auto load_point = [&](int c, int p, OldPoint &old) { load_old(par, GROUP * CELLS_PER_BLOCK + c, p, old); };
    for_each_line([&](int c, int d, int l) { load_ends(par, GROUP * CELLS_PER_BLOCK + c, d, l, ends.of(d, l)); });
    for_each_point([&](int c, int p) {
        load_primitives(par, GROUP * CELLS_PER_BLOCK + c, p, q[c]);
        if (CORRECTS_ENTROPY) write_entropy(par, GROUP * CELLS_PER_BLOCK + c, p, q[c], entropy(c));
    });
    BARRIER();
    if (par.viscosity != VISCOSITY_NONE) {
        traces.begin(load_line);
        for_each_line([&](int c, int d, int l) {
            line_gradient(par, GROUP * CELLS_PER_BLOCK + c, q[c], d, l, ends.of(d, l).o, w[c] + d * 5 * POINTS);
        });
        BARRIER();
        for_each_point([&](int c, int p) {
            viscous_fluxes(par, metrics_of(par, GROUP * CELLS_PER_BLOCK + c), p, q[c], w[c]);
        });
        BARRIER();
    }
    for_each_line([&](int c, int d, int l) {
        line_divergence(par, GROUP * CELLS_PER_BLOCK + c, q[c], d, l, ends.of(d, l), traces.of(c, d, l, load_line),
                        w[c] + d * 5 * POINTS, entropy(c));
    });
    if (!CORRECTS_ENTROPY) olds.begin(load_point);
    BARRIER();
    if (CORRECTS_ENTROPY) {
        for_each_point([&](int c, int p) { find_entropy_terms(par, p, q[c], entropy(c), w[c]); });
        olds.begin(load_point);
        BARRIER();
        for_each<2 * NL>([&](int c, int row) { sum_entropy_row(row, w[c], entropy(c)); });
        BARRIER();
        for_each<2 * N>([&](int c, int part) { sum_entropy_rows(part, entropy(c)); });
        BARRIER();
    }
    olds.for_each(load_point, [&](int c, int p, const OldPoint &old) {
        vreal divergence[5], velocity[3];
        const vreal factor = CORRECTS_ENTROPY ? cell_correction(par, GROUP * CELLS_PER_BLOCK + c, entropy(c)) : vreal{};
        UNROLL
        for (int v = 0; v < 5; ++v) {
            const vreal *from = w[c] + place(p) + v * POINTS;
            if (CORRECTS_ENTROPY) divergence[v] = vfma(factor, from[POINT_DIRECTION * POINTS], from[0]);
            else divergence[v] = (from[0] + from[5 * POINTS]) + from[10 * POINTS];
        }
        UNROLL
        for (int n = 0; n < 3; ++n) velocity[n] = (q[c] + place(p))[(1 + n) * POINTS];
        update_point(par, GROUP * CELLS_PER_BLOCK + c, p, velocity, divergence, old);
    });
}
LAUNCHER(sweep2)
