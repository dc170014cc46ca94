// A vertex on a boundary, as the kernels over the points of one boundary see it.
#pragma once
#include "physics/boundary.h"
#include "steady/vertex.h"

// The state of a boundary vertex, and the state at the boundary there.
struct BoundaryVertex {
    Primitive<real> own;
    real area[3], normal[3], data[6], frame[3]; // `frame` moves away from that of the condition with this velocity
    long long slot;
};
INLINE BoundaryVertex boundary_vertex(const Params &par, long long b) {
    BoundaryVertex p;
    p.slot = par.boundary_vertex[b];
    const double *q = par.state + p.slot;
    const long long n = par.slots;
    p.own = {q[0], {q[n], q[2 * n], q[3 * n]}, q[4 * n]};
    for (int d = 0; d < 3; ++d) p.area[d] = par.boundary_area[3 * b + d];
    const real size = vsqrt(dot3(p.area, p.area));
    for (int d = 0; d < 3; ++d) p.normal[d] = p.area[d] / size;
    for (int d = 0; d < 6; ++d) p.data[d] = par.boundary_data[6 * b + d];
    for (int d = 0; d < 3; ++d) p.frame[d] = par.rotates ? par.boundary_frame[3 * b + d] : R(0);
    return p;
}

// The state that the condition of this kind has outside of a vertex with the state q.
INLINE Primitive<real> state_outside(const Params &par, const BoundaryVertex &p, int kind, const Primitive<real> &q) {
    if (!par.rotates) return ghost_state(kind, q, p.normal, p.data, R(0), par).state;
    Primitive<real> seen = q;
    for (int d = 0; d < 3; ++d) seen.v[d] = q.v[d] + p.frame[d];
    Primitive<real> outside = ghost_state(kind, seen, p.normal, p.data, R(0), par).state;
    for (int d = 0; d < 3; ++d) outside.v[d] = outside.v[d] - p.frame[d];
    return outside;
}
