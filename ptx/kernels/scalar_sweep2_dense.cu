// Sweep 2 of the passive scalars in cells with dense operators: the divergence of the flux of rho c, and its
// Runge-Kutta update, by the scheme of the flow (sweep2_dense.cu). It reads the input of a stage of the flow.
#include "method/scalar_dense.h"

KERNEL(scalar_sweep2) {
    SHARED_MEMORY;
    // Values of the points of the flow, then the divergence and the excess [point][10], and finally the imbalance [5].
    SHARED(vreal, points, POINT_VALUES *NP + 5);
    SHARED(vreal, q, 4 * NP);
    SHARED(vreal, jumps, 5 * FACE_POINTS);
    SHARED_TOTAL(scalar_sweep2, sizeof(*points) + sizeof(*q) + sizeof(*jumps));
    FOR_ITEMS(c, p, NP) {
        write_point(par, GROUP * CELLS_PER_BLOCK + c, p, points[c]);
        write_scalars(par, GROUP * CELLS_PER_BLOCK + c, p, q[c]);
    }
    BARRIER();
    FOR_ITEMS_ROLLED(c, f, FACE_POINTS)
    scalar_flux_jump(par, GROUP * CELLS_PER_BLOCK + c, f, points[c], q[c], jumps[c]);
    BARRIER();
    ColumnValues<Divergence[POINTS_PER_THREAD]> divergence;
    for_each_column([&](int c, int i) {
        const Column column = column_of(i);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w)
            inner_scalar_divergence(par, GROUP * CELLS_PER_BLOCK + c, column, w, points[c], q[c], divergence.of(i)[w]);
        add_flux_corrections(par, column, jumps[c], divergence.of(i));
    });
    BARRIER();
    for_each_column([&](int c, int i) { write_divergence(column_of(i), divergence.of(i), points[c]); });
    BARRIER();
    FOR_ITEMS(c, v, 5) points[c][POINT_VALUES * NP + v] = imbalance(par, v, points[c]);
    BARRIER();
    FOR_ITEMS(c, p, NP) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        vreal sum[5];
        UNROLL
        for (int v = 0; v < 5; ++v) {
            sum[v] = points[c][POINT_VALUES * p + v] - points[c][POINT_VALUES * NP + v];
            if (par.viscosity != VISCOSITY_NONE && v < SCALARS)
                sum[v] = sum[v] - (block_of((const real *)par.viscous, block, 4 * NP) + p)[v * NP];
        }
        update_scalars(par, block, p, sum);
    }
}
LAUNCHER(scalar_sweep2)
