// Sweep 2 of cells with dense operators: the divergence of the flux and the Runge-Kutta update. Points sum the split
// convective derivative and the derivative of pressure and viscous flux over the points of their set; face points
// compute the common flux; points sum the corrections; finally a constant makes the balance of the cell exact.
//
// The constant is needed because the split form does not satisfy summation by parts with a dense mass matrix: the
// integral of the split derivative over the cell differs from the flux through its faces by an aliasing error of the
// order of the scheme. Subtracting the difference as a constant preserves the order and the free stream, and conserves
// to round-off.
#include "method/dense_correction.h"
#include "method/dense_divergence.h"
#include "method/update.h"

// The rows of the points and the fluxes at the faces occupy the same memory, one after the other.
#define SHARED_ROWS (POINT_ROWS * 4 * NP)
#define SHARED_FACES (FACE_VALUES * FACE_POINTS)
#define SHARED_VALUES (SHARED_ROWS > SHARED_FACES ? SHARED_ROWS : (SHARED_FACES + 3) / 4 * 4)

KERNEL(sweep2) {
    SHARED_MEMORY;
    SHARED(vreal, work, SHARED_VALUES); // rows of the points, then fluxes at the faces
    SHARED(vreal, r, (5 * NP + 5 + 3) / 4 * 4); // divergence [point][5], then the imbalance of the cell [5]
    SHARED_TOTAL(sweep2, sizeof(*work) + sizeof(*r));
    FOR_ITEMS(c, p, NP) write_rows(par, GROUP * CELLS_PER_BLOCK + c, p, work[c]);
    BARRIER();
    for_each_column([&](int c, int i) {
        const Column column = column_of(i);
        vreal sum[POINTS_PER_THREAD][5];
        inner_divergence(par, column, work[c], sum);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w)
            UNROLL
        for (int v = 0; v < 5; ++v)
            if (column.there[w]) r[c][5 * column.point[w] + v] = sum[w][v];
    });
    BARRIER();
    FOR_ITEMS(c, f, FACE_POINTS) face_flux(par, GROUP * CELLS_PER_BLOCK + c, f, work[c]);
    BARRIER();
    for_each_column([&](int c, int i) { add_flux_corrections(par, column_of(i), work[c], r[c]); });
    BARRIER();
    FOR_ITEMS(c, v, 5) r[c][5 * NP + v] = imbalance(par, v, work[c], r[c]);
    BARRIER();
    FOR_ITEMS(c, p, NP) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        OldPoint old;
        load_old(par, block, p, old);
        vreal divergence[5], velocity[3] = {};
        UNROLL
        for (int v = 0; v < 5; ++v) divergence[v] = r[c][5 * p + v] - r[c][5 * NP + v];
        if (par.source || par.force || par.rotates) {
            const Primitive<vreal> s = own_primitive(par, block, p);
            UNROLL
            for (int n = 0; n < 3; ++n) velocity[n] = s.v[n];
        }
        update_point(par, block, p, velocity, divergence, old);
    }
}
LAUNCHER(sweep2)
