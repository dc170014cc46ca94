// Boundary conditions, written as what lies on the other side of the face: a ghost trace of the state before sweep 1 and
// a ghost viscous flux before sweep 2. The sweeps then treat a boundary like any neighbour. Here is only where things
// lie; the conditions themselves are in conditions.h.
#include "machine.h"
#include "params.h"
#include "gas.h"
#include "kernels.h"
#include "conditions.h"

// Where the ghost of boundary face b lies: N ghosts share rows as long as a cell's, so that the variables of a ghost lie as
// far apart as those of a cell.
INLINE long long ghost_offset(const Params &par, long long b) {
    return par.ghost_base + b / N * (NEIGHBOUR_ROW * NP) + b % N * NL;
}

// Outward unit normal of a boundary face point (one lane of the block that `metric` points into).
INLINE void boundary_normal(const Params &par, long long b, int p, real *n) {
    const int face = par.boundary_face[b];
    for (int m = 0; m < 3; ++m) {
        if (par.metric_points == 1) n[m] = par.normals[par.boundary_metric[b] + m * LANE];
        else {
            const real t = par.metrics[par.boundary_metric[b] + ((3 * (face / 2) + m) * (long long)NP + p) * LANE];
            n[m] = (face & 1) ? t : -t;
        }
    }
    const real inverse = R(1) / vsqrt(dot3(n, n));
    for (int m = 0; m < 3; ++m) n[m] = n[m] * inverse;
}

INLINE Primitive<real> boundary_cell_state(const Params &par, long long b, int p) {
    real u[5];
    for (int v = 0; v < 5; ++v) u[v] = par.u[par.boundary_cell[b] + (v * (long long)NP + p) * LANE];
    Primitive<real> q;
    primitive(u, par, q);
    return q;
}

// Data of a boundary face point.
INLINE void boundary_values(const Params &par, long long b, int l, real *data) {
    for (int v = 0; v < 5; ++v) data[v] = par.boundary_data[(b * 5 + v) * NL + l];
}

// `u` is written here although the sweeps only read it: ghosts live behind the cells in the same array.
KERNEL(ghost_states) {
    FOR_RANGE(i, par.boundary_count * NL) {
        const long long b = i / NL;
        const int l = (int)(i % NL), p = face_point(par.boundary_face[b], l);
        const Primitive<real> q = boundary_cell_state(par, b, p);
        real *ghost = const_cast<real *>(par.u) + ghost_offset(par, b) + l;
        real n[3], data[5];
        boundary_normal(par, b, p, n);
        boundary_values(par, b, l, data);
        const Across a = across(par.boundary_kind[b], q, n, data, par);
        const Primitive<real> &g = a.state;
        ghost[0] = g.rho;
        for (int m = 0; m < 3; ++m) {
            ghost[(1 + m) * NP] = g.rho * g.v[m];
            ghost[(5 + m) * NP] = a.v[m];
        }
        ghost[4 * NP] = g.rho * (par.cv * g.t + half_square(g.v));
        ghost[8 * NP] = a.t;
    }
}
LAUNCHER(ghost_states)

// The ghost holds what makes the mean of both sides equal to the common viscous flux.
KERNEL(ghost_traces) {
    FOR_RANGE(i, par.boundary_count * NL) {
        const long long b = i / NL;
        const int l = (int)(i % NL), p = face_point(par.boundary_face[b], l);
        const real *own = par.traces + par.boundary_trace[b] + (long long)l * LANE;
        real *ghost = par.traces + par.ghost_trace_base + b * 4 * NL + l;
        real f[4], common[4], n[3], data[5];
        for (int v = 0; v < 4; ++v) f[v] = own[v * NL * LANE];
        boundary_normal(par, b, p, n);
        boundary_values(par, b, l, data);
        common_viscous_flux(par.boundary_kind[b], boundary_cell_state(par, b, p), n, data, f, par, common);
        for (int v = 0; v < 4; ++v) ghost[v * NL] = f[v] - R(2) * common[v];
    }
}
LAUNCHER(ghost_traces)
