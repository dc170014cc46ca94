// Prisms: a triangle times a line, faces in the order bottom, top, then the three sides.
#pragma once
#include "element/element.h"

#if ELEMENT == PRISM
#define NP (NT * N)
#define FACES 5
#define FACE_POINTS (2 * NT + 3 * NL)
#define REFERENCE_VOLUME R(4)
#define DENSE NT
#define DENSE_FACE_POINTS (3 * N)
#define DIMENSIONS 2
#define SETS N

INLINE int face_size(int face) { return face < 2 ? NT : NL; }
INLINE int face_offset(int face) { return face < 2 ? face * NT : 2 * NT + (face - 2) * NL; }
INLINE int face_of(int f) { return f < 2 * NT ? f / NT : 2 + (f - 2 * NT) / NL; }

// The component of a vector in reference space along the outward normal of a face, times the area of the face over that
// of the standard square or triangle. The sum of normal_d Ja^d is then the same area vector from both sides.
template <class V> INLINE V normal_component(int face, V x, V y, V z) {
    return face == 0 ? -z : face == 1 ? z : face == 2 ? -y : face == 3 ? x + y : -x;
}
#endif
