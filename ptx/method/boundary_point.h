// Access to the values of a boundary face point: the state of the cell, the ghost across the face, and the data of the
// boundary.
#pragma once
#include "dialect/dialect.h"
#include "params.h"
#include "physics/boundary.h"
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

// The area vector of the face there.
INLINE void boundary_area(const Params &par, const BoundaryPoint &at, real *a) {
    const real *area = par.boundary_area + 4 * at.b * par.face_size + at.l;
    for (int m = 0; m < 3; ++m) a[m] = area[m * par.face_size];
}

// The state of the cell at point m of the face.
INLINE Primitive<real> boundary_cell_state(const Params &par, const BoundaryPoint &at, int m) {
    const real *first = par.u + par.boundary_cell[at.b] + par.tables[par.boundary_points[at.b] + m];
    real u[5];
    for (int v = 0; v < 5; ++v) u[v] = first[v * par.cell_points * LANE];
    Primitive<real> q;
    primitive(u, par, q);
    return q;
}

// The state of the cell at the point.
INLINE Primitive<real> boundary_cell_state(const Params &par, const BoundaryPoint &at) {
    return boundary_cell_state(par, at, at.l);
}

// Whether the fluctuations of turbulence are added to the first three values of a boundary of this kind, its velocity.
INLINE bool takes_turbulence(int kind) {
    return kind == BOUNDARY_VELOCITY_INLET || kind == BOUNDARY_RELAXED_VELOCITY_INLET;
}

// The data of the boundary at the point, with the turbulence of its inlet.
INLINE void boundary_values(const Params &par, const BoundaryPoint &at, real *data) {
    const real *first = par.boundary_data + at.b * BOUNDARY_VALUES * par.face_size + at.l;
    for (int v = 0; v < BOUNDARY_VALUES; ++v) data[v] = first[v * par.face_size];
    if (par.turbulence && takes_turbulence(at.kind)) {
        const real *fluctuation = par.boundary_fluctuation + 3 * (at.b * par.face_size + at.l);
        for (int m = 0; m < 3; ++m) data[m] = data[m] + fluctuation[m];
    }
}

// The velocity of the frame in which the condition of a point is applied. It is not 0 at two kinds of inlet:
//   - Relaxed total inlets with turbulence: their frame moves with the turbulence, so that total pressure and total
//     temperature are those of the mean flow.
//   - Total inlets of the absolute frame: seen from a mesh that rotates, this frame moves backwards.
// Returns whether the point belongs to such an inlet.
INLINE bool condition_frame(const Params &par, const BoundaryPoint &at, real *velocity) {
    const bool relaxed = at.kind == BOUNDARY_RELAXED_TOTAL_INLET, total = relaxed || at.kind == BOUNDARY_TOTAL_INLET;
    const bool turbulent = par.turbulence && relaxed, rotates = par.rotates && total;
    const long long first = 3 * (at.b * par.face_size + at.l);
    for (int m = 0; m < 3; ++m) {
        velocity[m] = turbulent ? par.boundary_fluctuation[first + m] : R(0);
        if (rotates) velocity[m] = velocity[m] - par.boundary_frame[first + m];
    }
    return turbulent || rotates;
}

// The state as seen from a frame that moves.
INLINE Primitive<real> seen_from(const Primitive<real> &q, const real *velocity) {
    Primitive<real> seen = q;
    for (int m = 0; m < 3; ++m) seen.v[m] = q.v[m] - velocity[m];
    return seen;
}

// The relaxed value of the point, if its boundary relaxes.
INLINE real relaxed_value(const Params &par, const BoundaryPoint &at) {
    return is_relaxed(at.kind) ? (real)par.relaxed[at.b * par.face_size + at.l] : R(0);
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
