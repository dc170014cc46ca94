// Sweep 1 of the passive scalars in hexahedra: their outgoing diffusive flux at the faces of each cell, by the scheme
// of the flow's viscous flux (sweep1.cu).
#include "method/scalar_lines.h"

KERNEL(scalar_sweep1) {
    SHARED_MEMORY;
    SHARED(vreal, q, SCALARS * POINTS);
    SHARED(vreal, w, 3 * 5 * POINTS); // [direction][5], of which the scalars are used
    SHARED_TOTAL(scalar_sweep1, sizeof(*q) + sizeof(*w));
    for_each_point([&](int c, int p) { load_scalars(par, GROUP * CELLS_PER_BLOCK + c, p, q[c]); });
    BARRIER();
    for_each_line([&](int c, int d, int l) {
        scalar_line_gradient(par, GROUP * CELLS_PER_BLOCK + c, q[c], d, l, w[c] + d * 5 * POINTS);
    });
    BARRIER();
    for_each_line([&](int c, int d, int l) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const Metrics metric = metrics_of(par, block);
        UNROLL_IN_SINGLE
        for (int side = 0; side < 2; ++side) {
            const int face = 2 * d + side, p = face_point(face, l);
            vreal a[3][3], across[SCALARS];
            const vreal inverse_j = metric.rows(p, a);
            const Diffusion diffusion = diffusion_at(par, block, p);
            scalars_across(par, block, face, l, across);
            vreal *trace = block_of(par.own_traces, block * FACES + face, 4 * NL) + l;
            UNROLL
            for (int v = 0; v < SCALARS; ++v) {
                if (v >= par.scalar_count) continue;
                const vreal along = scalar_flux(par, w[c] + place(p), v, a, inverse_j, diffusion, d);
                const vreal jump = across[v] - (q[c] + place(p))[v * POINTS];
                const vreal penalty = scalar_penalty(par, diffusion, v, jump, dot3(a[d], a[d]), inverse_j);
                trace[v * NL] = (side ? along : -along) + penalty;
            }
        }
    });
}
LAUNCHER(scalar_sweep1)
