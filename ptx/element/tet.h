// Tetrahedra.
#pragma once
#include "element/element.h"

#if ELEMENT == TET
#define NP (N * (N + 1) * (N + 2) / 6)
#define FACES 4
#define FACE_POINTS (4 * NT)
#define REFERENCE_VOLUME R(4.0 / 3.0)
#define DENSE NP
#define DENSE_FACE_POINTS FACE_POINTS
#define DIMENSIONS 3
#define SETS 1

INLINE int face_size(int) { return NT; }
INLINE int face_offset(int face) { return face * NT; }
INLINE int face_of(int f) { return f / NT; }

// The component of a vector in reference space along the outward normal of a face, times the area of the face over that
// of the standard square or triangle. The sum of normal_d Ja^d is then the same area vector from both sides.
template <class V> INLINE V normal_component(int face, V x, V y, V z) {
    return face == 0 ? -z : face == 1 ? -y : face == 2 ? x + y + z : -x;
}
#endif
