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
    FOR_SOME(c, i, 6 * NL) {
        const long long block = GROUP * CELLS + c;
        const int face = i / NL, l = i % NL, p = face_point(face, l);
        const Metrics metric = metrics_of(par, block);
        vreal g[4][3], f[4];
        physical_gradient(dq[c], 4, metric, p, g);
        const Primitive<vreal> state = primitives_at(q[c], p);
        const vreal a[3] = {metric(3 * (face / 2), p), metric(3 * (face / 2) + 1, p), metric(3 * (face / 2) + 2, p)};
        viscous_flux(state, g, a, viscosity(state.t, par) * metric(9, p), par, f);
        vreal *trace = block_of(par.traces, block * 6 + face, 4 * NL);
        UNROLL
        for (int v = 0; v < 4; ++v) trace[v * NL + l] = (face & 1) ? f[v] : -f[v];
    }
}
LAUNCHER(sweep1)
