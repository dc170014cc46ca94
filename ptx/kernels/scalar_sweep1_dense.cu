// Sweep 1 of the passive scalars in cells with dense operators: the outgoing diffusive flux at the faces, and the weak
// divergence of the diffusive flux, by the scheme of the flow's viscous flux (sweep1_dense.cu).
#include "method/scalar_dense.h"

KERNEL(scalar_sweep1) {
    SHARED_MEMORY;
    SHARED(vreal, flux, 12 * NP); // [point][direction][SCALARS]
    SHARED(vreal, q, 4 * NP);
    SHARED(vreal, jump, 4 * FACE_POINTS);
    SHARED_TOTAL(scalar_sweep1, sizeof(*flux) + sizeof(*q) + sizeof(*jump));
    FOR_ITEMS(c, p, NP) write_scalars(par, GROUP * CELLS_PER_BLOCK + c, p, q[c]);
    BARRIER();
    FOR_ITEMS_ROLLED(c, f, FACE_POINTS) scalar_gradient_jump(par, GROUP * CELLS_PER_BLOCK + c, f, q[c], jump[c]);
    BARRIER();
    for_each_column([&](int c, int i) {
        const Column column = column_of(i);
        vreal dq[POINTS_PER_THREAD][3][4];
        dense_gradient(par, column, q[c], jump[c], dq);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            if (!column.there[w]) continue;
            write_scalar_flux(par, GROUP * CELLS_PER_BLOCK + c, column.point[w], dq[w], flux[c]);
        }
    });
    BARRIER();
    for_each_column([&](int c, int i) {
        const Column column = column_of(i);
        vreal sum[POINTS_PER_THREAD][4];
        weak_divergence(par, column, flux[c], sum);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            if (!column.there[w]) continue;
            vreal *kept = block_of(par.viscous, GROUP * CELLS_PER_BLOCK + c, 4 * NP) + column.point[w];
            UNROLL
            for (int v = 0; v < 4; ++v) kept[v * NP] = sum[w][v];
        }
    });
    FOR_ITEMS_ROLLED(c, f, FACE_POINTS) write_scalar_trace(par, GROUP * CELLS_PER_BLOCK + c, f, jump[c], flux[c]);
}
LAUNCHER(scalar_sweep1)
