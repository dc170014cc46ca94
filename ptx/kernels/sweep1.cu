// Sweep 1 of hexahedra: the outgoing viscous flux at the faces of each cell. The kernel computes the gradient of the
// primitives with its correction, and then four numbers at every face point, for the outward area vector a:
//     tau.a,    v.(tau.a) + k dT/dn |a|
// A neighbour needs nothing else of the gradient.
#include "method/line_states.h"
#include "method/metrics.h"
#include "physics/viscous.h"

KERNEL(sweep1) {
    SHARED_MEMORY;
    SHARED(vreal, q, 5 * POINTS);
    SHARED(vreal, dq, 12 * POINTS);
    SHARED_TOTAL(sweep1, sizeof(*q) + sizeof(*dq));
    LineValues<LineEnds> ends;
    for_each_line([&](int c, int d, int l) { load_ends(par, GROUP * CELLS_PER_BLOCK + c, d, l, ends.of(d, l)); });
    for_each_point([&](int c, int p) { load_primitives(par, GROUP * CELLS_PER_BLOCK + c, p, q[c]); });
    BARRIER();
    for_each_line([&](int c, int d, int l) {
        line_gradient(par, GROUP * CELLS_PER_BLOCK + c, q[c], d, l, ends.of(d, l).o, dq[c] + d * 4 * POINTS);
    });
    BARRIER();
    for_each_line([&](int c, int d, int l) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const Metrics metric = metrics_of(par, block);
        vreal f[2][4];
        UNROLL
        for (int side = 0; side < 2; ++side) {
            const int p = face_point(2 * d + side, l);
            const Primitive<vreal> state = primitives_at(q[c], place(p));
            vreal a[3][3], own[3], g[4][3];
            Stress<vreal> s;
            const vreal inverse_j = metric.rows(p, a);
            physical_gradient(dq[c] + place(p), 4, a, g);
            stress(g, inverse_j, a, inverse_j, state.rho, state.t, par, s);
            metric.row(d, p, own);
            viscous_flux(state, s, own, f[side]);
            vreal across[4], outward[4];
            neighbour_for_gradient(par, block, 2 * d + side, l, ends.of(d, l).o[side], across);
            UNROLL
            for (int v = 0; v < 4; ++v) outward[v] = side ? f[side][v] : -f[side][v];
            add_penalty(state, across, viscosity(state.t, par), dot3(own, own), inverse_j, par, outward);
            UNROLL
            for (int v = 0; v < 4; ++v) f[side][v] = outward[v];
        }
        // Both stores come last: a store between the two ends would make the compiler read the metric terms again.
        vreal *trace = block_of(par.own_traces, block * FACES + 2 * d, 4 * NL) + l;
        UNROLL
        for (int v = 0; v < 4; ++v) {
            trace[v * NL] = f[0][v];
            trace[(4 + v) * NL] = f[1][v];
        }
    });
}
LAUNCHER(sweep1)
