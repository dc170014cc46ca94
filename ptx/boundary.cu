// Boundary conditions, written as what lies on the other side of the face: a ghost trace of the state before sweep 1 and
// a ghost viscous flux before sweep 2. The sweeps then treat a boundary like any neighbour. Here is only where things
// lie; the conditions themselves are in conditions.h. What flows through the boundaries is summed here, too, and what faces
// between ranks show to the other side is packed.
#include "machine.h"
#include "params.h"
#include "gas.h"
#include "kernels.h"
#include "conditions.h"

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

// Data of the point.
INLINE void boundary_values(const Params &par, const BoundaryPoint &at, real *data) {
    for (int v = 0; v < 5; ++v) data[v] = par.boundary_data[(at.b * 5 + v) * par.face_size + at.l];
}

// Turns a vector of the other cell back to this side: the transpose of what carries vectors there.
INLINE void rotate_back(const Params &par, const BoundaryPoint &at, real *v) {
    const real *r = par.rotations + 9 * par.boundary_rotation[at.b];
    real turned[3];
    for (int m = 0; m < 3; ++m) turned[m] = r[m] * v[0] + r[3 + m] * v[1] + r[6 + m] * v[2];
    for (int m = 0; m < 3; ++m) v[m] = turned[m];
}

// `count` values of the other cell at a point of a face with a partner.
INLINE void partner_values(const real *array, const Place &place, const Params &par, int l, int count, real *u) {
    for (int v = 0; v < count; ++v) u[v] = array[place.base + par.tables[place.table + l] + (long long)v * place.stride];
}

// `u` is written here although the sweeps only read it: ghosts live behind the cells in the same array.
KERNEL(ghost_states) {
    FOR_RANGE(i, par.boundary_count) {
        const BoundaryPoint at = boundary_point(par, i);
        const long long row = par.cell_points;
        if (at.kind == BOUNDARY_ROTATED) {
            real u[5], *there = const_cast<real *>(par.u) + par.boundary_ghost[at.b] + at.l;
            partner_values(par.u, par.boundary_partner[at.b].state, par, at.l, 5, u);
            rotate_back(par, at, u + 1);
            Primitive<real> q;
            primitive(u, par, q);
            for (int v = 0; v < 5; ++v) there[v * row] = u[v];
            for (int m = 0; m < 3; ++m) there[(5 + m) * row] = q.v[m];
            there[8 * row] = q.t;
            continue;
        }
        const Primitive<real> q = boundary_cell_state(par, at);
        real *ghost = const_cast<real *>(par.u) + par.boundary_ghost[at.b] + at.l;
        real n[3], data[5];
        boundary_normal(par, at, n);
        boundary_values(par, at, data);
        const Across a = across(at.kind, q, n, data, par);
        const Primitive<real> &g = a.state;
        ghost[0] = g.rho;
        for (int m = 0; m < 3; ++m) {
            ghost[(1 + m) * row] = g.rho * g.v[m];
            ghost[(5 + m) * row] = a.v[m];
        }
        ghost[4 * row] = g.rho * (par.cv * g.t + half_square(g.v));
        ghost[8 * row] = a.t;
    }
}
LAUNCHER(ghost_states)

// The ghost holds what makes the mean of both sides equal to the common viscous flux.
KERNEL(ghost_traces) {
    FOR_RANGE(i, par.boundary_count) {
        const BoundaryPoint at = boundary_point(par, i);
        const long long next = par.face_size;
        const real *own = par.traces + par.boundary_trace[at.b] + (long long)at.l * LANE;
        real *ghost = par.traces + par.boundary_ghost_trace[at.b] + at.l;
        real f[4], common[4], n[3], data[5];
        if (at.kind == BOUNDARY_ROTATED) {
            partner_values(par.traces, par.boundary_partner[at.b].trace, par, at.l, 4, f);
            rotate_back(par, at, f);
            for (int v = 0; v < 4; ++v) ghost[v * next] = f[v];
            continue;
        }
        for (int v = 0; v < 4; ++v) f[v] = own[v * next * LANE];
        boundary_normal(par, at, n);
        boundary_values(par, at, data);
        common_viscous_flux(at.kind, boundary_cell_state(par, at), n, data, f, par, common);
        for (int v = 0; v < 4; ++v) ghost[v * next] = f[v] - R(2) * common[v];
    }
}
LAUNCHER(ghost_traces)

// The state of the ghost as the cell sees it.
INLINE Primitive<real> boundary_ghost_state(const Params &par, const BoundaryPoint &at) {
    const real *ghost = par.u + par.boundary_ghost[at.b] + at.l;
    real u[5];
    for (int v = 0; v < 5; ++v) u[v] = ghost[v * par.cell_points];
    Primitive<real> q;
    primitive(u, par, q);
    return q;
}

// Common fluxes at a point of a boundary, for the area vector of the face there: the very ones that sweep 2 gives the cell,
// the interface solver's between own state and ghost, and half the difference of own and ghost's viscous trace. Ghosts and
// traces are those that the right-hand side of `u` leaves.
INLINE void common_flux(const Params &par, const BoundaryPoint &at, real *f, double *viscous) {
    const real *area = par.boundary_area + 4 * at.b * par.face_size + at.l;
    real a[3];
    for (int m = 0; m < 3; ++m) a[m] = area[m * par.face_size];
    common_convective_flux(boundary_cell_state(par, at), boundary_ghost_state(par, at), a, par, f);
    for (int v = 0; v < 4; ++v) viscous[v] = 0;
    if (par.viscosity != INVISCID) {
        const real *own = par.traces + par.boundary_trace[at.b] + (long long)at.l * LANE;
        const real *ghost = par.traces + par.boundary_ghost_trace[at.b] + at.l;
        for (int v = 0; v < 4; ++v) {
            const long long of = v * par.face_size;
            viscous[v] = (double)(R(0.5) * (own[of * LANE] - ghost[of]));
        }
    }
}

// What flows out of the domain through each boundary face: mass, momentum, the viscous part of the momentum, energy. It
// balances the change of the domain's integrals. A face is one item, its points are added in their order: the sum is the
// same on every machine.
KERNEL(boundary_fluxes) {
    FOR_RANGE(b, par.boundary_count / par.face_size) {
        double sum[8] = {};
        for (int l = 0; l < par.face_size; ++l) {
            const BoundaryPoint at = {b, l, par.boundary_kind[b]};
            const double weight = (double)par.boundary_area[(4 * b + 3) * par.face_size + l];
            real f[5];
            double viscous[4];
            common_flux(par, at, f, viscous);
            sum[0] += weight * (double)f[0];
            for (int m = 0; m < 3; ++m) {
                sum[1 + m] += weight * ((double)f[1 + m] - viscous[m]);
                sum[4 + m] -= weight * viscous[m];
            }
            sum[7] += weight * ((double)f[4] - viscous[3]);
        }
        for (int q = 0; q < 8; ++q) par.boundary_fluxes[8 * b + q] = sum[q];
    }
}
LAUNCHER(boundary_fluxes)

// The same at every point, for the area vector of the face there: density, velocity and temperature of the cell; the
// convective and the viscous part of the momentum that flows out; the heat that does. Heat is the viscous part of the energy
// less the work of the viscous part of the force, on a wall's own velocity where there is one, else on the gas.
KERNEL(surface_values) {
    FOR_RANGE(i, par.boundary_count) {
        const BoundaryPoint at = boundary_point(par, i);
        const Primitive<real> q = boundary_cell_state(par, at);
        const bool wall = at.kind == BOUNDARY_NO_SLIP_ADIABATIC || at.kind == BOUNDARY_NO_SLIP_ISOTHERMAL;
        real f[5], data[5];
        double viscous[4], work = 0;
        common_flux(par, at, f, viscous);
        boundary_values(par, at, data);
        for (int m = 0; m < 3; ++m) work += (double)(wall ? data[m] : q.v[m]) * viscous[m];
        double *out = par.surface_values + SURFACE_VALUES * at.b * par.face_size + at.l;
        out[0] = (double)q.rho;
        for (int m = 0; m < 3; ++m) {
            out[(1 + m) * par.face_size] = (double)q.v[m];
            out[(5 + m) * par.face_size] = (double)f[1 + m];
            out[(8 + m) * par.face_size] = -viscous[m];
        }
        out[4 * par.face_size] = (double)q.t;
        out[11 * par.face_size] = at.kind == BOUNDARY_SLIP ? 0 : work - viscous[3];
    }
}
LAUNCHER(surface_values)

// Packs what other ranks need of the states, or of the viscous traces, as their ghosts hold it.
KERNEL(pack) {
    FOR_RANGE(i, par.boundary_count) {
        const Sent s = par.sent[i];
        for (long long v = 0; v < par.sent_values; ++v) par.out[s.to + v * s.to_stride] = par.u[s.from + v * s.from_stride];
    }
}
LAUNCHER(pack)

// The conserved variables at places within cells: the cell's Lagrange functions there times its values, added in the order of
// the points and in double precision, so that every machine gives the same. Products of lines and triangles have weights for
// each factor.
KERNEL(sample) {
    FOR_RANGE(i, par.boundary_count) {
        const Sampled at = par.sampled[i / 5];
        const real *u = par.u + at.from + i % 5 * (long long)(NP * LANE);
        const double *w = par.sample_weights + at.weights;
        double sum = 0;
#if ELEMENT == HEX
        for (int l = 0; l < NL; ++l) {
            double line = 0;
            for (int m = 0; m < N; ++m) line += w[m] * (double)u[(l * N + m) * LANE];
            sum += w[N + l % N] * w[2 * N + l / N] * line;
        }
#elif ELEMENT == PRISM
        for (int l = 0; l < N; ++l) {
            double layer = 0;
            for (int m = 0; m < NT; ++m) layer += w[m] * (double)u[(l * NT + m) * LANE];
            sum += w[NT + l] * layer;
        }
#else
        for (int p = 0; p < NP; ++p) sum += w[p] * (double)u[p * LANE];
#endif
        par.samples[5 * at.to + i % 5] = sum;
    }
}
LAUNCHER(sample)
