// The boundary conditions, which give values on the other side of the face: a ghost state before sweep 1 and a ghost
// viscous trace before sweep 2. The sweeps then treat a boundary like any neighbour. These kernels only move data; the
// conditions are in physics/boundary.h.
#include "method/boundary_point.h"
#include "method/interface.h"
#include "method/mortar.h"
#include "method/relaxed_value.h"
#include "method/wall_model.h"
#include "physics/boundary.h"
#include "physics/viscous.h"

// Rotates a vector of the other cell back to this side, by the transpose of the matrix that carries vectors there.
INLINE void rotate_back(const Params &par, const BoundaryPoint &at, real *v) {
    const real *r = par.rotations + 9 * par.boundary_rotation[at.b];
    real turned[3];
    for (int m = 0; m < 3; ++m) turned[m] = r[m] * v[0] + r[3 + m] * v[1] + r[6 + m] * v[2];
    for (int m = 0; m < 3; ++m) v[m] = turned[m];
}

// Reads `count` values of the other cell at a point of a face that is periodic by rotation.
INLINE void partner_values(const real *array, const GatherIndex &place, const Params &par, int l, int count, real *u) {
    for (int v = 0; v < count; ++v)
        u[v] = array[place.base + par.tables[place.table + l] + (long long)v * place.stride];
}

// The number of a face of the launch among those at mortars, or -1 if it is at an interface.
INLINE int mortar_number(const Params &par, long long b) { return par.mortars ? -2 - par.interface_face[b] : -1; }

// What both sides of interfaces and mortars have at the Gauss points of their parts, before the ghost states. Items of
// mortars follow those of interfaces.
KERNEL(interface_states) {
    if (!par.interfaces) return;
    for_each_in_range(par, GROUP, par.interface_items + par.mortar_items, [&](long long i) {
        if (par.mortars && i >= par.interface_items)
            mortar_flux(par, i - par.interface_items);
        else
            interface_state(par, gauss_item(par, i));
    });
}
LAUNCHER(interface_states)

// The viscous traces of the other side at these points, before the ghost traces.
KERNEL(interface_traces) {
    if (!par.interfaces) return;
    for_each_in_range(par, GROUP, par.interface_items + par.mortar_items, [&](long long i) {
        if (par.mortars && i >= par.interface_items)
            mortar_trace(par, i - par.interface_items);
        else
            interface_trace(par, gauss_item(par, i));
    });
}
LAUNCHER(interface_traces)

// `u` is written here although the sweeps only read it: the ghosts follow the cells in the same array.
KERNEL(ghost_states) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const BoundaryPoint at = boundary_point(par, i);
        const long long row = par.cell_points;
        if (par.interfaces && at.kind == BOUNDARY_INTERFACE) {
            const int mortar = mortar_number(par, at.b);
            if (mortar >= 0)
                mortar_ghost_state(par, at, par.mortar_faces[mortar]);
            else
                interface_ghost_state(par, at);
            return;
        }
        if (at.kind == BOUNDARY_ROTATED) {
            real u[5], *there = const_cast<real *>(par.u) + par.boundary_ghost[at.b] + at.l;
            partner_values(par.u, par.boundary_exterior[at.b].state, par, at.l, 5, u);
            rotate_back(par, at, u + 1);
            Primitive<real> q;
            primitive(u, par, q);
            for (int v = 0; v < 5; ++v) there[v * row] = u[v];
            for (int m = 0; m < 3; ++m) there[(5 + m) * row] = q.v[m];
            there[8 * row] = q.t;
            return;
        }
        Primitive<real> q = boundary_cell_state(par, at);
        real *ghost = const_cast<real *>(par.u) + par.boundary_ghost[at.b] + at.l;
        real n[3], data[BOUNDARY_VALUES];
        boundary_normal(par, at, n);
        boundary_values(par, at, data);
        real frame[3];
        const bool moves = condition_frame(par, at, frame);
        if (moves) q = seen_from(q, frame);
        GhostState a = ghost_state(at.kind, q, n, data, relaxed_value(par, at), par);
        for (int m = 0; m < 3 && moves; ++m) {
            a.state.v[m] = a.state.v[m] + frame[m];
            a.v[m] = a.v[m] + frame[m];
        }
        const Primitive<real> &g = a.state;
        ghost[0] = g.rho;
        for (int m = 0; m < 3; ++m) {
            ghost[(1 + m) * row] = g.rho * g.v[m];
            ghost[(5 + m) * row] = a.v[m];
        }
        ghost[4 * row] = g.rho * (par.cv * g.t + half_square(g.v));
        ghost[8 * row] = a.t;
        if (is_relaxed(at.kind)) advance_relaxed(par, at, q, n, data);
    });
}
LAUNCHER(ghost_states)

// The ghost trace is chosen such that the mean of both sides is the common viscous flux of the boundary.
KERNEL(ghost_traces) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const BoundaryPoint at = boundary_point(par, i);
        const long long next = par.face_size;
        const real *own = par.traces + par.boundary_trace[at.b] + (long long)at.l * LANE;
        real *ghost = par.traces + par.boundary_ghost_trace[at.b] + at.l;
        real f[4], common[4], n[3], data[BOUNDARY_VALUES];
        if (par.interfaces && at.kind == BOUNDARY_INTERFACE) {
            const int mortar = mortar_number(par, at.b);
            if (mortar >= 0)
                mortar_ghost_trace(par, at, par.mortar_faces[mortar]);
            else
                interface_ghost_trace(par, at);
            return;
        }
        if (at.kind == BOUNDARY_ROTATED) {
            partner_values(par.traces, par.boundary_exterior[at.b].trace, par, at.l, 4, f);
            rotate_back(par, at, f);
            for (int v = 0; v < 4; ++v) ghost[v * next] = f[v];
            return;
        }
        for (int v = 0; v < 4; ++v) f[v] = own[v * next * LANE];
        boundary_normal(par, at, n);
        boundary_values(par, at, data);
        if (par.wall_models && at.kind == BOUNDARY_WALL_MODEL) {
            modelled_wall_flux(par, at, n, data, common);
            for (int v = 0; v < 4; ++v) ghost[v * next] = trace_for_common_flux(f[v], common[v]);
            return;
        }
        const Primitive<real> q = boundary_cell_state(par, at);
        real frame[3];
        const Primitive<real> seen = condition_frame(par, at, frame) ? seen_from(q, frame) : q;
        const bool enters = ghost_state(at.kind, seen, n, data, relaxed_value(par, at), par).enters;
        boundary_viscous_flux(at.kind, q, n, data, enters, f, common);
        for (int v = 0; v < 4; ++v) ghost[v * next] = trace_for_common_flux(f[v], common[v]);
    });
}
LAUNCHER(ghost_traces)
