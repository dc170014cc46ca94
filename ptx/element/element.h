// The reference elements in numbers: points, faces, face points (src/element numbers them in the same way).
//
// Hexahedra are products of lines, and have kernels of their own that work along lines. Prisms, tetrahedra and pyramids
// share kernels in which a point meets every other point of a set of DENSE ones: all points of a tetrahedron or pyramid,
// the triangle of its own layer in a prism, whose third direction is a line again.
#pragma once

#define HEX 0
#define PRISM 1
#define TET 2
#define PYRAMID 3
#ifndef ELEMENT
#define ELEMENT HEX
#endif
#ifndef ORDER
#define ORDER 4
#endif

#define N (ORDER + 1)      // points of a line
#define NL (N * N)         // points of a quadrilateral face, and lines of one direction of a hexahedron
#define NT (N * (N + 1) / 2) // points of a triangular face

#if ELEMENT == HEX
#define NP (N * N * N) // points of a cell
#define FACES 6
#define FACE_POINTS (6 * NL)
#elif ELEMENT == PRISM
#define NP (NT * N)
#define FACES 5
#define FACE_POINTS (2 * NT + 3 * NL)
#define DENSE NT                 // points of a set
#define DENSE_FACE_POINTS (3 * N) // face points whose corrections a set receives
#define DIMENSIONS 2             // directions of the dense operators
#define SETS N                   // of a cell
#elif ELEMENT == TET
#define NP (N * (N + 1) * (N + 2) / 6)
#define FACES 4
#define FACE_POINTS (4 * NT)
#define DENSE NP
#define DENSE_FACE_POINTS FACE_POINTS
#define DIMENSIONS 3
#define SETS 1
#else
#define NP (N * (N + 1) * (2 * N + 1) / 6)
#define FACES 5
#define FACE_POINTS (NL + 4 * NT)
#define DENSE NP
#define DENSE_FACE_POINTS FACE_POINTS
#define DIMENSIONS 3
#define SETS 1
#endif
// Columns of WIDE points that lie in one set; the last of a set may have fewer.
#define COLUMNS_OF_SET ((DENSE + WIDE - 1) / WIDE)
#define COLUMNS (SETS * COLUMNS_OF_SET)
