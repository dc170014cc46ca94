// Pyramids: the square base at z = 0 is face 0, the apex is at (0, 0, 1).
#pragma once
#include "element/element.h"

#if ELEMENT == PYRAMID
#define NP (N * (N + 1) * (2 * N + 1) / 6)
#define FACES 5
#define FACE_POINTS (NL + 4 * NT)
#define REFERENCE_VOLUME R(4.0 / 3.0)
#define DENSE NP
#define DENSE_FACE_POINTS FACE_POINTS
#define DIMENSIONS 3
#define SETS 1

INLINE int face_size(int face) { return face == 0 ? NL : NT; }
INLINE int face_offset(int face) { return face == 0 ? 0 : NL + (face - 1) * NT; }
INLINE int face_of(int f) { return f < NL ? 0 : 1 + (f - NL) / NT; }

// The component of a vector in reference space along the outward normal of a face, times the area of the face over that
// of the standard square or triangle. The sum of normal_d Ja^d is then the same area vector from both sides.
template <class V> INLINE V normal_component(int face, V x, V y, V z) {
    return face == 0 ? -z : R(0.5) * (z + (face == 1 ? -y : face == 2 ? x : face == 3 ? y : -x));
}
#endif
