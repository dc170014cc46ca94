// The lines of a hexahedron, and where they meet its faces.
#pragma once
#include "dialect/base.h"
#include "elements.h"

#if ELEMENT == HEX
// Points are numbered i + N (j + N k). A line runs through the cell in one reference direction d, which has NL lines.
// Line l of direction d starts at face point l of face 2 d and ends at face point l of face 2 d + 1, so that lines and
// face points have the same numbers.
INLINE int line_stride(int d) { return d == 0 ? 1 : (d == 1 ? N : NL); }
INLINE int line_start(int d, int l) { return d == 0 ? l * N : (d == 1 ? l % N + NL * (l / N) : l); }
INLINE int face_point(int face, int l) {
    return line_start(face / 2, l) + (face & 1) * (N - 1) * line_stride(face / 2);
}
#endif
