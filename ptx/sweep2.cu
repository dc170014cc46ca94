// Sweep 2: the divergence of the flux and the Runge-Kutta update, in one pass over the cell. The gradient is computed
// again rather than stored (24 values a point less to move); lines then gather the split convective derivative, the
// viscous and pressure derivative and the correction by the common fluxes at both ends; points add the three
// directions up and advance the stage.
#include "machine.h"
#include "params.h"
#include "gas.h"
#include "kernels.h"
#include "divergence.h"
#include "update.h"

KERNEL(sweep2) {
    SHARED_MEMORY;
    SHARED(vreal, q, 5 * NP);
    SHARED(vreal, w, 15 * NP); // [direction][5][NP]: reference gradient (4), then viscous flux (4), then divergence (5)
    PRIVATE(Primitive<vreal>, across_ends, 2);
    FOR_POINTS(c, p) load_primitives(par, GROUP * CELLS + c, p, q[c]);
    BARRIER();
    FOR_LINES(c, d, l) {
        const long long block = GROUP * CELLS + c;
        Primitive<vreal> *o = MINE(across_ends, d * NL + l);
        neighbour(par, block, 2 * d, l, o[0]);
        neighbour(par, block, 2 * d + 1, l, o[1]);
        if (par.viscosity != INVISCID) {
            vreal lo[4], hi[4];
            neighbour_for_gradient(par, block, 2 * d, l, o[0], lo);
            neighbour_for_gradient(par, block, 2 * d + 1, l, o[1], hi);
            line_gradient(q[c], d, l, lo, hi, par, w[c] + d * 5 * NP);
        }
    }
    BARRIER();
    if (par.viscosity != INVISCID) {
        FOR_POINTS(c, p) {
            const Metrics metric = metrics_of(par, GROUP * CELLS + c);
            vreal g[4][3], f[4];
            physical_gradient(w[c], 5, metric, p, g);
            const Primitive<vreal> s = primitives_at(q[c], p);
            const vreal mu = viscosity(s.t, par);
            UNROLL
            for (int d = 0; d < 3; ++d) {
                const vreal a[3] = {metric(3 * d, p), metric(3 * d + 1, p), metric(3 * d + 2, p)};
                viscous_flux(s, g, a, mu, par, f);
                UNROLL
                for (int v = 0; v < 4; ++v) w[c][(d * 5 + v) * NP + p] = f[v];
            }
        }
        BARRIER();
    }
    FOR_LINES(c, d, l) line_divergence(par, GROUP * CELLS + c, q[c], d, l, MINE(across_ends, d * NL + l), w[c] + d * 5 * NP);
    BARRIER();
    FOR_POINTS(c, p) update_point(par, GROUP * CELLS + c, p, q[c], w[c]);
}
LAUNCHER(sweep2)
