// Sweep 2 of cells with dense operators: the divergence of the flux and the Runge-Kutta update. Face points compute the
// jump of the flux; points sum the split convective derivative and the derivative of the pressure over the points of
// their set, and the corrections; finally a constant makes the balance of the cell exact, and the viscous part of sweep
// 1 is subtracted.
//
// The constant is needed because the split form does not satisfy summation by parts with a dense mass matrix: the
// integral of the split derivative over the cell differs from the flux through its faces by an aliasing error of the
// order of the scheme. Subtracting the difference as a constant preserves the order and the free stream, and conserves
// to round-off.
#include "method/dense_correction.h"
#include "method/dense_divergence.h"
#include "method/dense_tiles.h"
#include "method/entropy_correction.h"
#include "method/update.h"

// What the update of a point reads from memory.
struct Late {
    OldPoint old;
    vreal viscous[4];
};

INLINE void load_late(const Params &par, long long block, int p, Late &of) {
    load_old(par, block, p, of.old);
    if (par.viscosity == VISCOSITY_NONE) return;
    const vreal *viscous = block_of((const real *)par.viscous, block, 4 * NP) + p;
    UNROLL
    for (int v = 0; v < 4; ++v) of.viscous[v] = viscous[v * NP];
}

KERNEL(sweep2) {
    SHARED_MEMORY;
    // Values of the points, then the divergence and the excess [point][10], and finally the imbalance [5] of the cell.
    SHARED(vreal, points, POINT_VALUES *NP + 5);
    SHARED(vreal, jumps, 5 * FACE_POINTS);
#if ELEMENT == PRISM
    SHARED(vreal, lines, 5 * NP); // sums along the lines across the layers
    const int line_bytes = sizeof(*lines);
#else
    const int line_bytes = 0;
#endif
#ifdef ENTROPY_CORRECTION
    SHARED(vreal, entropies, ENTROPY_VALUES);
    SHARED_TOTAL(sweep2, sizeof(*points) + sizeof(*jumps) + line_bytes + sizeof(*entropies));
    const auto entropy = [&](int c) { return entropies[c]; };
#else
    SHARED_TOTAL(sweep2, sizeof(*points) + sizeof(*jumps) + line_bytes);
    const auto entropy = [](int) { return (vreal *)0; };
#endif
    FOR_ITEMS(c, p, NP) write_point(par, GROUP * CELLS_PER_BLOCK + c, p, points[c]);
    if (CORRECTS_ENTROPY) FOR_ITEMS(c, p, NP) write_entropy(par, GROUP * CELLS_PER_BLOCK + c, p, entropy(c));
    BARRIER();
#if ELEMENT == PRISM
    FOR_ITEMS(c, l, NT) sum_along_line(par, GROUP * CELLS_PER_BLOCK + c, l, points[c], lines[c]);
#endif
    FOR_ITEMS_ROLLED(c, f, FACE_POINTS) {
        flux_jump(par, GROUP * CELLS_PER_BLOCK + c, f, points[c], jumps[c]);
        if (CORRECTS_ENTROPY) write_entropy_of_jump(par, f, jumps[c], entropy(c));
    }
    if (CORRECTS_ENTROPY) FOR_ITEMS(c, m, 5) find_mean(m, points[c], entropy(c));
    BARRIER();
    ColumnValues<Divergence[POINTS_PER_THREAD]> divergence;
    for_each_column([&](int c, int i) {
        const Column column = column_of(i);
#if ELEMENT == PRISM
        const vreal *line = lines[c];
#else
        const vreal *line = 0;
#endif
        inner_divergence(par, GROUP * CELLS_PER_BLOCK + c, column, points[c], line, divergence.of(i));
        if (CORRECTS_ENTROPY) find_entropy_through(par, column, entropy(c), divergence.of(i));
#ifndef TENSOR_CORES
        add_flux_corrections(par, column, jumps[c], divergence.of(i));
#endif
        if (CORRECTS_ENTROPY)
            write_entropy_terms(par, GROUP * CELLS_PER_BLOCK + c, column, divergence.of(i), entropy(c));
    });
    BARRIER();
    for_each_column([&](int c, int i) { write_divergence(column_of(i), divergence.of(i), points[c]); });
    PrefetchedPoints<Late> late;
    const auto load_point = [&](int c, int p, Late &of) { load_late(par, GROUP * CELLS_PER_BLOCK + c, p, of); };
    late.begin(load_point);
    BARRIER();
#ifdef TENSOR_CORES
    correction_tiles(par, jumps, points);
#endif
    FOR_ITEMS(c, v, 5) points[c][POINT_VALUES * NP + v] = imbalance(par, v, points[c]);
    if (CORRECTS_ENTROPY) FOR_ITEMS(c, which, ENTROPY_SUM_COUNT) sum_entropy(par, which, entropy(c));
    BARRIER();
    late.for_each(load_point, [&](int c, int p, const Late &of) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        vreal sum[5], velocity[3] = {};
        UNROLL
        for (int v = 0; v < 5; ++v) sum[v] = points[c][POINT_VALUES * p + v] - points[c][POINT_VALUES * NP + v];
        if (CORRECTS_ENTROPY) {
            const vreal factor = cell_correction(par, block, entropy(c), points[c] + POINT_VALUES * NP);
            vreal direction[5];
            read_five(entropy(c) + ENTROPY_DIRECTION, p, direction);
            UNROLL
            for (int v = 0; v < 5; ++v) sum[v] = vfma(factor, direction[v], sum[v]);
        }
        if (par.viscosity != VISCOSITY_NONE) {
            UNROLL
            for (int v = 0; v < 4; ++v) sum[1 + v] = sum[1 + v] - of.viscous[v];
        }
        if (par.source || par.force || par.rotates) {
            const Primitive<vreal> s = own_primitive(par, block, p);
            UNROLL
            for (int n = 0; n < 3; ++n) velocity[n] = s.v[n];
        }
        update_point(par, block, p, velocity, sum, of.old);
    });
}
LAUNCHER(sweep2)
