// The reference element of a translation unit in numbers: points, faces, face points, numbered as src/element numbers them.
// Each kind has one file, which holds all that the kernels know of it.
//
// Hexahedra are products of lines and have kernels of their own that work along lines. Prisms, tetrahedra and pyramids
// share kernels in which a point meets every other point of a set of DENSE points: all points of a tetrahedron or pyramid;
// in a prism the triangle of its own layer, and the third direction is a line again.
//
// For each kind: NP points of a cell, FACES, FACE_POINTS of all faces together, REFERENCE_VOLUME; face_size and face_offset, the
// number of points of a face and its first face point; and for kinds but hexahedra DENSE, SETS of a cell, DIMENSIONS of
// the dense operators, DENSE_FACE_POINTS whose corrections a set receives, and face_of, the face of a face point.
#pragma once
#include "dialect/base.h"

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

#define N (ORDER + 1)        // points of a line
#define NL (N * N)           // points of a quadrilateral face, and lines of one direction of a hexahedron
#define NT (N * (N + 1) / 2) // points of a triangular face

#include "element/hex.h"
#include "element/prism.h"
#include "element/pyramid.h"
#include "element/tet.h"

#if ELEMENT != HEX
// Columns of WIDE points that lie in one set; the last of a set may have fewer.
#define COLUMNS_OF_SET ((DENSE + WIDE - 1) / WIDE)
#define COLUMNS (SETS * COLUMNS_OF_SET)
#endif
