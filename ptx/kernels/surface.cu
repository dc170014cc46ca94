// Fluxes through the boundaries: integrals over each boundary face, and values at each of its points.
#include "method/boundary_point.h"
#include "method/interface_flux.h"
#include "physics/boundary.h"
#include "physics/riemann.h"
#include "physics/viscous.h"

// The common fluxes at a point of a boundary, for the area vector of the face there. They are the fluxes that sweep 2
// gives the cell: the interface flux between the cell and the ghost, and the common viscous flux of both traces. The
// evaluation of the right-hand side of `u` must have left the ghosts and the traces.
INLINE void common_flux(const Params &par, const BoundaryPoint &at, real *f, double *viscous) {
    real a[3];
    boundary_area(par, at, a);
    if (par.interfaces && at.kind == BOUNDARY_INTERFACE) {
        const real *common = interface_flux(par, at, at.l);
        for (int v = 0; v < 5; ++v) f[v] = common[v * par.cell_points];
    } else {
        common_convective_flux(boundary_cell_state(par, at), boundary_ghost_state(par, at), a, par, f);
    }
    for (int v = 0; v < 4; ++v) viscous[v] = 0;
    if (par.viscosity != VISCOSITY_NONE) {
        const real *own = par.traces + par.boundary_trace[at.b] + (long long)at.l * LANE;
        const real *ghost = par.traces + par.boundary_ghost_trace[at.b] + at.l;
        for (int v = 0; v < 4; ++v) {
            const long long of = v * par.face_size;
            viscous[v] = (double)common_viscous_flux(own[of * LANE], ghost[of]);
        }
    }
}

// The outflow of mass, momentum, the viscous part of the momentum, and energy through each boundary face. It balances
// the change of the integrals over the domain. Two further sums are the pressure of the ghosts times the area, and the
// area through which gas flows against the sense of the boundary. A face is one item and its points are added in their
// order, so that the sum is the same on every machine.
KERNEL(boundary_fluxes) {
    for_each_in_range(par, GROUP, par.boundary_count / par.face_size, [&](long long b) {
        double sum[FLUXES] = {};
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
            const Primitive<real> ghost = boundary_ghost_state(par, at);
            real a[3];
            boundary_area(par, at, a);
            const double size = weight * (double)vsqrt(dot3(a, a));
            sum[8] += size * (double)pressure(ghost, par);
            if (against_its_sense(at.kind, dot3(ghost.v, a))) sum[9] += size;
        }
        for (int q = 0; q < FLUXES; ++q) par.boundary_fluxes[FLUXES * b + q] = sum[q];
    });
}
LAUNCHER(boundary_fluxes)

// Values at every point, for the area vector of the face there: density, velocity and temperature of the cell, the
// convective and the viscous part of the outflow of momentum, and the outflow of heat.
//
// The heat is the viscous energy flux minus the work of the viscous force on the velocity of the wall, or on that of
// the gas where there is no wall.
KERNEL(surface_values) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const BoundaryPoint at = boundary_point(par, i);
        const Primitive<real> q = boundary_cell_state(par, at);
        real f[5], data[BOUNDARY_VALUES];
        double viscous[4], work = 0;
        common_flux(par, at, f, viscous);
        boundary_values(par, at, data);
        const bool sticks = is_no_slip(at.kind);
        for (int m = 0; m < 3; ++m) work += (double)(sticks ? data[WALL_VELOCITY + m] : q.v[m]) * viscous[m];
        double *out = par.surface_values + SURFACE_VALUES * at.b * par.face_size + at.l;
        out[0] = (double)q.rho;
        for (int m = 0; m < 3; ++m) {
            out[(1 + m) * par.face_size] = (double)q.v[m];
            out[(5 + m) * par.face_size] = (double)f[1 + m];
            out[(8 + m) * par.face_size] = -viscous[m];
        }
        out[4 * par.face_size] = (double)q.t;
        out[11 * par.face_size] = at.kind == BOUNDARY_SLIP ? 0 : work - viscous[3];
    });
}
LAUNCHER(surface_values)
