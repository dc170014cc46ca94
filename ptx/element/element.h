// The reference element of a translation unit in numbers. Points, faces and face points are numbered as in src/element.
//
// Hexahedra are products of lines and have their own kernels, which work along lines. Prisms, tetrahedra and pyramids
// share kernels in which a point interacts with every point of a set of DENSE points: in a tetrahedron or pyramid with
// all points, in a prism with the triangle of its own layer. The third direction of a prism is a line.
//
// Every kind defines:
//   NP, FACES, FACE_POINTS    the number of points of a cell, of its faces, of the points of all faces together
//   REFERENCE_VOLUME          the volume of the reference element
//   face_size, face_offset    the number of points of a face, and its first face point
// All kinds but hexahedra also define:
//   DENSE, SETS               the number of points of a set, and of sets of a cell
//   DIMENSIONS                the number of directions of the dense operators
//   DENSE_FACE_POINTS         the number of face points whose corrections a set receives
//   face_of                   the face of a face point
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
// The number of columns of a set and of a cell. A column has POINTS_PER_THREAD points of one set; the last column of a
// set may have fewer.
#define COLUMNS_OF_SET ((DENSE + POINTS_PER_THREAD - 1) / POINTS_PER_THREAD)
#define COLUMNS (SETS * COLUMNS_OF_SET)
#endif
