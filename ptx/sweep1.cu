// Sweep 1: the viscous flux that each cell offers at its faces. The gradient of the primitives with its correction,
// then at every face point tau.a and v.(tau.a) + k dT/dn |a| through the outward area vector: four numbers a face point,
// the only thing that the neighbours need of it.
#include "machine.h"
#include "params.h"
#include "gas.h"
#include "kernels.h"

KERNEL(sweep1) {
    SHARED_MEMORY;
    SHARED(vreal, q, 5 * POINTS);
    SHARED(vreal, dq, 12 * POINTS);
    PRIVATE(LineEnds, ends);
    FOR_LINES(c, d, l) load_ends(par, GROUP * CELLS + c, d, l, MINE(ends, d * NL + l));
    FOR_POINTS(c, p) load_primitives(par, GROUP * CELLS + c, p, q[c]);
    BARRIER();
    FOR_LINES(c, d, l) line_gradient(par, GROUP * CELLS + c, q[c], d, l, MINE(ends, d * NL + l).o, dq[c] + d * 4 * POINTS);
    BARRIER();
    FOR_LINES(c, d, l) {
        const long long block = GROUP * CELLS + c;
        const Metrics metric = metrics_of(par, block);
        UNROLL
        for (int side = 0; side < 2; ++side) {
            const int p = face_point(2 * d + side, l);
            const Primitive<vreal> state = primitives_at(q[c], place(p));
            const vreal a[3] = {metric(3 * d, p), metric(3 * d + 1, p), metric(3 * d + 2, p)};
            vreal g[4][3], f[4];
            Stress<vreal> s;
            physical_gradient(dq[c], 4, metric, p, g);
            stress(g, viscosity(state.t, par) * metric(9, p), par, s);
            viscous_flux(state, s, a, f);
            vreal *trace = block_of(par.traces, block * 6 + 2 * d + side, 4 * NL);
            UNROLL
            for (int v = 0; v < 4; ++v) trace[v * NL + l] = side ? f[v] : -f[v];
        }
    }
}
LAUNCHER(sweep1)
