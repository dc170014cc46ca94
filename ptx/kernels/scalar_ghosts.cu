// What boundaries give the passive scalars: a ghost value before sweep 1 and a ghost trace before sweep 2 of the
// scalars. Both run when the ghosts of the flow are there.
//
// Where the flow enters through an open boundary, the ghost has the value of the boundary; elsewhere it has that of the
// cell. A wall that holds a value gives it to the gradient, whose mean of both sides it is; nothing diffuses through
// other walls, nor through an open boundary where the flow leaves.
#include "method/boundary_point.h"
#include "physics/viscous.h"

// Whether a boundary of this kind is a wall or a symmetry plane.
INLINE bool is_closed(int kind) {
    return kind == BOUNDARY_SLIP || kind == BOUNDARY_NO_SLIP_ADIABATIC || kind == BOUNDARY_NO_SLIP_ISOTHERMAL ||
           kind == BOUNDARY_WALL_MODEL;
}

// Whether the flow enters at a point of an open boundary: by the mean of the momenta of the cell and the ghost.
INLINE bool flow_enters(const Params &par, const BoundaryPoint &at) {
    const Primitive<real> q = boundary_cell_state(par, at), g = boundary_ghost_state(par, at);
    real n[3];
    boundary_normal(par, at, n);
    return q.rho * dot3(q.v, n) + g.rho * dot3(g.v, n) < R(0);
}

// Value v of the boundary at the point: those of the scalars, then 1 for each that a wall holds.
INLINE real scalar_data(const Params &par, const BoundaryPoint &at, int v) {
    return par.scalar_data[(at.b * 2 * SCALARS + v) * par.face_size + at.l];
}

// The values are written behind those of the cells, as the ghosts of the flow are.
KERNEL(scalar_ghosts) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const BoundaryPoint at = boundary_point(par, i);
        const long long row = par.cell_points;
        const real *cell = par.scalars + par.boundary_cell[at.b] + par.tables[par.boundary_points[at.b] + at.l];
        real *ghost = const_cast<real *>(par.scalars) + par.boundary_ghost[at.b] + at.l;
        const real rho = boundary_ghost_state(par, at).rho;
        const real inner_volume = inverse(boundary_cell_state(par, at).rho);
        const bool closed = is_closed(at.kind), enters = !closed && flow_enters(par, at);
        for (int v = 0; v < SCALARS; ++v) {
            if (at.kind == BOUNDARY_ROTATED) {
                const GatherIndex &place = par.boundary_exterior[at.b].state;
                const real value = par.scalars[place.base + par.tables[place.table + at.l] + v * place.stride];
                ghost[v * row] = value;
                ghost[(5 + v) * row] = value * inverse(rho);
                continue;
            }
            const real inner = cell[v * par.cell_points * LANE] * inner_volume, value = scalar_data(par, at, v);
            const bool held = enters || (closed && scalar_data(par, at, SCALARS + v) > R(0));
            ghost[v * row] = rho * (enters ? value : inner);
            ghost[(5 + v) * row] = held ? R(2) * value - inner : inner;
        }
    });
}
LAUNCHER(scalar_ghosts)

// The ghost trace is chosen such that the mean of both sides is the common diffusive flux of the boundary.
KERNEL(scalar_ghost_traces) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const BoundaryPoint at = boundary_point(par, i);
        const long long next = par.face_size;
        const real *own = par.traces + par.boundary_trace[at.b] + (long long)at.l * LANE;
        real *ghost = par.traces + par.boundary_ghost_trace[at.b] + at.l;
        const bool closed = is_closed(at.kind), enters = !closed && flow_enters(par, at);
        for (int v = 0; v < SCALARS; ++v) {
            if (at.kind == BOUNDARY_ROTATED) {
                const GatherIndex &place = par.boundary_exterior[at.b].trace;
                ghost[v * next] = par.traces[place.base + par.tables[place.table + at.l] + v * place.stride];
                continue;
            }
            const real f = own[v * next * LANE];
            const bool passes = enters || (closed && scalar_data(par, at, SCALARS + v) > R(0));
            ghost[v * next] = trace_for_common_flux(f, passes ? f : R(0));
        }
    });
}
LAUNCHER(scalar_ghost_traces)
