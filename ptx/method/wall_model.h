// The common viscous flux at a point of a modelled wall, from the state at its matching point.
#pragma once
#include "method/boundary_point.h"
#include "physics/wall_model.h"

// The height of the matching point of a boundary point over the wall, and the state there.
INLINE real matching_height(const Params &par, const BoundaryPoint &at) {
    return par.matching_height[at.b * par.face_size + at.l];
}
INLINE Primitive<real> matching_state(const Params &par, const BoundaryPoint &at) {
    Primitive<real> q;
    primitive(par.u + par.matching_state[at.b * par.face_size + at.l], par, q);
    return q;
}

// The flux through the area vector of the face: the traction, and its work on the velocity of the wall with the heat.
INLINE void modelled_wall_flux(const Params &par, const BoundaryPoint &at, const real *n, const real *data,
                               real *common) {
    real a[3];
    boundary_area(par, at, a);
    const real size = vsqrt(dot3(a, a));
    const WallLoad load = wall_load(matching_state(par, at), n, matching_height(par, at), data, par);
    for (int m = 0; m < 3; ++m) common[m] = load.traction[m] * size;
    common[3] = vfma(load.heat, size, dot3(data + WALL_VELOCITY, common));
}
