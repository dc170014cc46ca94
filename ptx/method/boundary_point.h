// Access to the values of a boundary face point: the state of the cell, the ghost across the face, and the data of the
// boundary.
#pragma once
#include "dialect/dialect.h"
#include "params.h"
#include "physics/gas.h"

// Point l of face b of the launch, which has a boundary of this kind.
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

// The outward unit normal.
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

// Whether the fluctuations of turbulence are added to the first three values of a boundary of this kind, its velocity.
INLINE bool takes_turbulence(int kind) { return kind == BOUNDARY_VELOCITY_INLET; }

// The data of the boundary at the point, with the turbulence of its inlet.
INLINE void boundary_values(const Params &par, const BoundaryPoint &at, real *data) {
    for (int v = 0; v < 5; ++v) data[v] = par.boundary_data[(at.b * 5 + v) * par.face_size + at.l];
    if (par.turbulence && takes_turbulence(at.kind)) {
        const real *fluctuation = par.boundary_fluctuation + 3 * (at.b * par.face_size + at.l);
        for (int m = 0; m < 3; ++m) data[m] = data[m] + fluctuation[m];
    }
}

// The state of the ghost, as the cell reads it.
INLINE Primitive<real> boundary_ghost_state(const Params &par, const BoundaryPoint &at) {
    const real *ghost = par.u + par.boundary_ghost[at.b] + at.l;
    real u[5];
    for (int v = 0; v < 5; ++v) u[v] = ghost[v * par.cell_points];
    Primitive<real> q;
    primitive(u, par, q);
    return q;
}
