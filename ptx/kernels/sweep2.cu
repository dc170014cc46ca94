// Sweep 2: the divergence of the flux and the Runge-Kutta update, in one pass over the cell. The gradient is computed
// again rather than stored (24 values a point less to move); lines then gather the split convective derivative, the
// viscous and pressure derivative and the correction by the common fluxes at both ends; points add the three
// directions up and advance the stage.
#include "method/divergence.h"
#include "method/update.h"

KERNEL(sweep2) {
    SHARED_MEMORY;
    SHARED(vreal, q, 5 * POINTS);
    SHARED(vreal, w, 15 * POINTS); // [direction][5][POINTS]: reference gradient (4), viscous flux (4), divergence (5)
    PRIVATE(LineEnds, ends);
    OF_LINES(LineTraces, traces);
    OF_POINTS(OldPoint, old);
    FOR_LINES(c, d, l) load_ends(par, GROUP * CELLS + c, d, l, MINE(ends, d * NL + l));
    FOR_POINTS(c, p) load_primitives(par, GROUP * CELLS + c, p, q[c]);
    BARRIER();
    if (par.viscosity != INVISCID) {
        EARLY_LINES(c, d, l) load_traces(par, GROUP * CELLS + c, d, l, traces);
        FOR_LINES(c, d, l)
            line_gradient(par, GROUP * CELLS + c, q[c], d, l, MINE(ends, d * NL + l).o, w[c] + d * 5 * POINTS);
        BARRIER();
        FOR_POINTS(c, p) viscous_fluxes(par, metrics_of(par, GROUP * CELLS + c), p, q[c], w[c]);
        BARRIER();
    }
    FOR_LINES(c, d, l) {
        LATE load_traces(par, GROUP * CELLS + c, d, l, traces);
        line_divergence(par, GROUP * CELLS + c, q[c], d, l, MINE(ends, d * NL + l), traces, w[c] + d * 5 * POINTS);
    }
    EARLY_POINTS(c, p) load_old(par, GROUP * CELLS + c, p, OF_POINT(old));
    BARRIER();
    FOR_POINTS(c, p) {
        LATE load_old(par, GROUP * CELLS + c, p, OF_POINT(old));
        vreal divergence[5], velocity[3];
        UNROLL
        for (int v = 0; v < 5; ++v) {
            const vreal *from = w[c] + place(p) + v * POINTS;
            divergence[v] = (from[0] + from[5 * POINTS]) + from[10 * POINTS];
        }
        UNROLL
        for (int n = 0; n < 3; ++n) velocity[n] = (q[c] + place(p))[(1 + n) * POINTS];
        update_point(par, GROUP * CELLS + c, p, velocity, divergence, OF_POINT(old));
    }
}
LAUNCHER(sweep2)
