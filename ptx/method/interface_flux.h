// What faces of interfaces (method/interface.h) and of mortars (method/mortar.h) give their cells: a ghost state, and a
// common convective flux that replaces the one of the cell and this ghost.
#pragma once
#include "method/boundary_point.h"

// Where the common convective flux of face point l lies.
INLINE real *interface_flux(const Params &par, const BoundaryPoint &at, int l) {
    return par.interface_flux + (par.boundary_ghost[at.b] - par.ghost_base) + l;
}

// Writes the common convective flux at face point l, outward and for the area of the face, and the ghost state of this
// density, velocity and temperature.
INLINE void set_interface_ghost(const Params &par, const BoundaryPoint &at, int l, const real *flux, real rho,
                                const real *v, real t) {
    const long long row = par.cell_points;
    real *common = interface_flux(par, at, l), *state = const_cast<real *>(par.u) + par.boundary_ghost[at.b] + l;
    for (int n = 0; n < 5; ++n) common[n * row] = flux[n];
    state[0] = rho;
    for (int m = 0; m < 3; ++m) {
        state[(1 + m) * row] = rho * v[m];
        state[(5 + m) * row] = v[m];
    }
    state[4 * row] = rho * (par.cv * t + half_square(v));
    state[8 * row] = t;
}
