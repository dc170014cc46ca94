// Boundary conditions, written as what lies on the other side of the face: a ghost trace of the state before sweep 1 and
// a ghost viscous flux before sweep 2. The sweeps then treat a boundary like any neighbour.
//
// A ghost holds the state that the interface solver meets (5 values) and the u, v, w, T that the gradient averages with
// the cell's own (4 values). Walls reflect: the mean of both sides is the wall's velocity or temperature, and the
// interface solver sees equal density and pressure and the opposite normal velocity, so no mass passes a wall at rest.
#include "machine.h"
#include "params.h"
#include "gas.h"
#include "kernels.h"

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

// `u` is written here although the sweeps only read it: ghosts live behind the cells in the same array.
KERNEL(ghost_states) {
    FOR_RANGE(i, par.boundary_count * NL) {
        const long long b = i / NL;
        const int l = (int)(i % NL), p = face_point(par.boundary_face[b], l);
        const Primitive<real> q = boundary_cell_state(par, b, p);
        const real *data = par.boundary_data + b * 5 * NL + l;
        real *ghost = const_cast<real *>(par.u) + ghost_offset(par, b) + l;
        Primitive<real> g = q;
        real t = q.t; // what the gradient meets
        if (par.boundary_kind[b] == BOUNDARY_SLIP) {
            real n[3];
            boundary_normal(par, b, p, n);
            const real vn = dot3(q.v, n);
            for (int m = 0; m < 3; ++m) g.v[m] = q.v[m] - R(2) * vn * n[m];
        } else if (par.boundary_kind[b] == BOUNDARY_FAR_FIELD) {
            real u[5];
            for (int v = 0; v < 5; ++v) u[v] = data[v * NL];
            primitive(u, par, g);
            t = g.t;
        } else { // walls: data holds their velocity and temperature
            for (int m = 0; m < 3; ++m) g.v[m] = R(2) * data[m * NL] - q.v[m];
            if (par.boundary_kind[b] == BOUNDARY_NO_SLIP_ISOTHERMAL) t = R(2) * data[3 * NL] - q.t;
        }
        ghost[0] = g.rho;
        for (int m = 0; m < 3; ++m) {
            ghost[(1 + m) * NP] = g.rho * g.v[m];
            ghost[(5 + m) * NP] = g.v[m];
        }
        ghost[4 * NP] = g.rho * (par.cv * g.t + half_square(g.v));
        ghost[8 * NP] = t;
    }
}
LAUNCHER(ghost_states)

// Common viscous flux at a boundary: at walls the cell's own traction, which works on the wall's velocity, with the
// cell's own heat flux (isothermal) or none (adiabatic); at slip walls only the normal traction; at the far field the
// cell's own. The ghost holds what makes the mean of both sides equal to it.
KERNEL(ghost_traces) {
    FOR_RANGE(i, par.boundary_count * NL) {
        const long long b = i / NL;
        const int l = (int)(i % NL), p = face_point(par.boundary_face[b], l);
        const real *own = par.traces + par.boundary_trace[b] + (long long)l * LANE;
        const real *data = par.boundary_data + b * 5 * NL + l;
        real *ghost = par.traces + par.ghost_trace_base + b * 4 * NL + l;
        real f[4], common[4];
        for (int v = 0; v < 4; ++v) common[v] = f[v] = own[v * NL * LANE];
        if (par.boundary_kind[b] == BOUNDARY_SLIP) {
            real n[3];
            boundary_normal(par, b, p, n);
            const real fn = dot3(f, n);
            for (int m = 0; m < 3; ++m) common[m] = fn * n[m];
            common[3] = R(0);
        } else if (par.boundary_kind[b] != BOUNDARY_FAR_FIELD) {
            const real wall[3] = {data[0], data[NL], data[2 * NL]};
            common[3] = dot3(wall, f);
            if (par.boundary_kind[b] == BOUNDARY_NO_SLIP_ISOTHERMAL)
                common[3] = common[3] + (f[3] - dot3(boundary_cell_state(par, b, p).v, f));
        }
        for (int v = 0; v < 4; ++v) ghost[v * NL] = f[v] - R(2) * common[v];
    }
}
LAUNCHER(ghost_traces)
