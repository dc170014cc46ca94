// The reference element of a translation unit. elements.h, which the build script generates from element/kind.rs,
// defines its points, faces and normals. Points, faces and face points are numbered as in crates/base/src/element.
//
// Hexahedra are products of lines and have their own kernels, which work along lines. Prisms, tetrahedra and pyramids
// share kernels in which a point interacts with every point of a set of DENSE points: in a tetrahedron or pyramid with
// all points, in a prism with the triangle of its own layer. The third direction of a prism is a line.
#pragma once
#include "dialect/base.h"
#include "element/hex.h"
#include "elements.h"

// The number of points of a set, of face points whose corrections a set receives, of directions of the dense operators,
// and of sets of a cell.
#if ELEMENT == PRISM
#define DENSE NT
#define DENSE_FACE_POINTS (3 * N)
#define DIMENSIONS 2
#define SETS N
#elif ELEMENT != HEX
#define DENSE NP
#define DENSE_FACE_POINTS FACE_POINTS
#define DIMENSIONS 3
#define SETS 1
#endif

// The output rule (element/output_rule.rs) takes a cell as LAYERS sections of SECTION points, in which there are
// SECTION_DIMENSIONS directions.
#if ELEMENT == HEX
#define LAYERS N
#define SECTION NL
#define SECTION_DIMENSIONS 2
#else
#define LAYERS SETS
#define SECTION DENSE
#define SECTION_DIMENSIONS DIMENSIONS
#endif

#if ELEMENT != HEX
// The number of columns of a set and of a cell. A column has POINTS_PER_THREAD points of one set; the last column of a
// set may have fewer.
#define COLUMNS_OF_SET ((DENSE + POINTS_PER_THREAD - 1) / POINTS_PER_THREAD)
#define COLUMNS (SETS * COLUMNS_OF_SET)
#endif
