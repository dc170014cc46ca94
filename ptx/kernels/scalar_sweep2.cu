// Sweep 2 of the passive scalars in hexahedra: the divergence of the convective and the diffusive flux of rho c, and
// its Runge-Kutta update. It reads the input of a stage of the flow.
#include "method/line_states.h"
#include "method/scalar_lines.h"
#include "method/split_derivative.h"

KERNEL(scalar_sweep2) {
    SHARED_MEMORY;
    SHARED(vreal, flow, 5 * POINTS);
    SHARED(vreal, q, SCALARS * POINTS);
    SHARED(vreal, w, 3 * 5 * POINTS); // [direction][5]: reference gradient, diffusive flux, divergence (5)
    SHARED_TOTAL(scalar_sweep2, sizeof(*flow) + sizeof(*q) + sizeof(*w));
    for_each_point([&](int c, int p) {
        load_primitives(par, GROUP * CELLS_PER_BLOCK + c, p, flow[c]);
        load_scalars(par, GROUP * CELLS_PER_BLOCK + c, p, q[c]);
    });
    BARRIER();
    if (par.viscosity != VISCOSITY_NONE) {
        for_each_line([&](int c, int d, int l) {
            scalar_line_gradient(par, GROUP * CELLS_PER_BLOCK + c, q[c], d, l, w[c] + d * 5 * POINTS);
        });
        BARRIER();
        for_each_point([&](int c, int p) { scalar_fluxes(par, GROUP * CELLS_PER_BLOCK + c, p, w[c]); });
        BARRIER();
    }
    for_each_line([&](int c, int d, int l) {
        scalar_line_divergence(par, GROUP * CELLS_PER_BLOCK + c, flow[c], q[c], d, l, w[c] + d * 5 * POINTS);
    });
    BARRIER();
    for_each_point([&](int c, int p) {
        vreal divergence[5];
        UNROLL
        for (int v = 0; v < 5; ++v) {
            const vreal *from = w[c] + place(p) + v * POINTS;
            divergence[v] = (from[0] + from[5 * POINTS]) + from[10 * POINTS];
        }
        update_scalars(par, GROUP * CELLS_PER_BLOCK + c, p, divergence);
    });
}
LAUNCHER(scalar_sweep2)
