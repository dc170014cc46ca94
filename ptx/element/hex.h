// Hexahedra: [-1, 1]^3, faces in the order -x, +x, -y, +y, -z, +z.
#pragma once
#include "element/element.h"

#if ELEMENT == HEX
#define NP (N * N * N)
#define FACES 6
#define FACE_POINTS (6 * NL)
#define REFERENCE_VOLUME R(8)

INLINE int face_size(int) { return NL; }
INLINE int face_offset(int face) { return face * NL; }

// Points are numbered i + N (j + N k). A line runs through the cell in one reference direction d. Line l of direction d
// starts at face point l of face 2 d and ends at face point l of face 2 d + 1, so that lines and face points have the
// same numbers.
INLINE int line_stride(int d) { return d == 0 ? 1 : (d == 1 ? N : NL); }
INLINE int line_start(int d, int l) { return d == 0 ? l * N : (d == 1 ? l % N + NL * (l / N) : l); }
INLINE int face_point(int face, int l) {
    return line_start(face / 2, l) + (face & 1) * (N - 1) * line_stride(face / 2);
}
#endif
