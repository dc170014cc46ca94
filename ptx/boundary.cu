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

// One point of a boundary face: of face b of the launch, its point l.
struct BoundaryPoint {
    long long b;
    int l, kind;
};

INLINE BoundaryPoint boundary_point(const Params &par, long long i) {
    BoundaryPoint at;
    at.b = i / par.face_size;
    at.l = (int)(i % par.face_size);
    at.kind = par.boundary_kind[at.b];
    return at;
}

// Outward unit normal.
INLINE void boundary_normal(const Params &par, const BoundaryPoint &at, real *n) {
    for (int m = 0; m < 3; ++m) n[m] = par.boundary_normal[(at.b * 3 + m) * par.face_size + at.l];
}

// The state of the cell.
INLINE Primitive<real> boundary_cell_state(const Params &par, const BoundaryPoint &at) {
    const real *first = par.u + par.boundary_cell[at.b] + par.tables[par.boundary_points[at.b] + at.l];
    real u[5];
    for (int v = 0; v < 5; ++v) u[v] = first[v * par.cell_points * LANE];
    Primitive<real> q;
    primitive(u, par, q);
    return q;
}

// `u` is written here although the sweeps only read it: ghosts live behind the cells in the same array.
KERNEL(ghost_states) {
    FOR_RANGE(i, par.boundary_count) {
        const BoundaryPoint at = boundary_point(par, i);
        const Primitive<real> q = boundary_cell_state(par, at);
        const long long next = par.face_size, row = par.cell_points;
        const real *data = par.boundary_data + at.b * 5 * next + at.l;
        real *ghost = const_cast<real *>(par.u) + par.boundary_ghost[at.b] + at.l;
        Primitive<real> g = q;
        real t = q.t; // what the gradient meets
        if (at.kind == BOUNDARY_SLIP) {
            real n[3];
            boundary_normal(par, at, n);
            const real vn = dot3(q.v, n);
            for (int m = 0; m < 3; ++m) g.v[m] = q.v[m] - R(2) * vn * n[m];
        } else if (at.kind == BOUNDARY_FAR_FIELD) {
            real u[5];
            for (int v = 0; v < 5; ++v) u[v] = data[v * next];
            primitive(u, par, g);
            t = g.t;
        } else { // walls: data holds their velocity and temperature
            for (int m = 0; m < 3; ++m) g.v[m] = R(2) * data[m * next] - q.v[m];
            if (at.kind == BOUNDARY_NO_SLIP_ISOTHERMAL) t = R(2) * data[3 * next] - q.t;
        }
        ghost[0] = g.rho;
        for (int m = 0; m < 3; ++m) {
            ghost[(1 + m) * row] = g.rho * g.v[m];
            ghost[(5 + m) * row] = g.v[m];
        }
        ghost[4 * row] = g.rho * (par.cv * g.t + half_square(g.v));
        ghost[8 * row] = t;
    }
}
LAUNCHER(ghost_states)

// Common viscous flux at a boundary: at walls the cell's own traction, which works on the wall's velocity, with the
// cell's own heat flux (isothermal) or none (adiabatic); at slip walls only the normal traction; at the far field the
// cell's own. The ghost holds what makes the mean of both sides equal to it.
KERNEL(ghost_traces) {
    FOR_RANGE(i, par.boundary_count) {
        const BoundaryPoint at = boundary_point(par, i);
        const long long next = par.face_size;
        const real *own = par.traces + par.boundary_trace[at.b] + (long long)at.l * LANE;
        const real *data = par.boundary_data + at.b * 5 * next + at.l;
        real *ghost = par.traces + par.boundary_ghost_trace[at.b] + at.l;
        real f[4], common[4];
        for (int v = 0; v < 4; ++v) common[v] = f[v] = own[v * next * LANE];
        if (at.kind == BOUNDARY_SLIP) {
            real n[3];
            boundary_normal(par, at, n);
            const real fn = dot3(f, n);
            for (int m = 0; m < 3; ++m) common[m] = fn * n[m];
            common[3] = R(0);
        } else if (at.kind != BOUNDARY_FAR_FIELD) {
            const real wall[3] = {data[0], data[next], data[2 * next]};
            common[3] = dot3(wall, f);
            if (at.kind == BOUNDARY_NO_SLIP_ISOTHERMAL)
                common[3] = common[3] + (f[3] - dot3(boundary_cell_state(par, at).v, f));
        }
        for (int v = 0; v < 4; ++v) ghost[v * next] = f[v] - R(2) * common[v];
    }
}
LAUNCHER(ghost_traces)
