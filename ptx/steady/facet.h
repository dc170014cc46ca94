// Gradients at the facet of an edge, for the diffusive fluxes.
#pragma once
#include "steady/vertex.h"

// The gradient of a variable at the facet of an edge: the mean g of both ends, whose part along the edge is replaced by
// the difference D of the values,
//     g + (D - g.r) a/(a.r)
// (the face-tangent form; A. Haselbacher & J. Blazek, AIAA J. 38 (2000) 2094, have it along the edge). Where the area
// is almost parallel to the edge, r takes the place of a.
INLINE void facet_gradient(const vreal *here, const vreal *there, const vreal *r, const vreal *direction, vreal jump,
                           vreal *g) {
    UNROLL
    for (int d = 0; d < 3; ++d) g[d] = R(0.5) * (here[d] + there[d]);
    const vreal missing = jump - dot3(g, r);
    UNROLL
    for (int d = 0; d < 3; ++d) g[d] = vfma(missing, direction[d], g[d]);
}

// The vector a/(a.r), or r/(r.r).
INLINE void facet_direction(const vreal *a, const vreal *r, vreal *direction) {
    const vreal along = dot3(a, r), r2 = dot3(r, r), a2 = dot3(a, a);
    const auto usual = along * vabs(along) > R(0.01) * r2 * a2;
    const vreal scale = R(1) / (usual ? along : r2);
    UNROLL
    for (int d = 0; d < 3; ++d) direction[d] = (usual ? a[d] : r[d]) * scale;
}
