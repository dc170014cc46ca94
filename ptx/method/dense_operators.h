// Dense operators of prisms, tetrahedra and pyramids. The derivative is a small dense matrix; in a prism, one for the
// layer and one for the line across the layers. Corrections are lifting matrices from all face points of the cell; in a
// prism, from the edges of the layer and from both ends of the line.
//
// A thread owns a column of POINTS_PER_THREAD points of a set and loops over all points of the set, whose values are in
// shared memory in rows of four: a value that it reads serves its whole column. The bandwidth of shared memory limits
// these kernels.
#pragma once
#include "dialect/dialect.h"
#include "element/element.h"
#include "params.h"

#if ELEMENT != HEX
// Offsets of the operators in par.operators. Each machine stores the dense ones in the order in which it reads them:
// neighbouring threads of a GPU read a column of the matrix, a CPU reads a row.
//   DIFF: D_d(i,k). LIFT: correction of point i by face point f. WEIGHTS: integrals of the Lagrange functions, [point].
//   INVERSE_VOLUME: 1 / sum of WEIGHTS.
//   WEAK: the weak derivative, D_d(i,k) minus LIFT n_d where k is a face point, in the layout of DIFF. It is the
//   derivative together with that part of the correction which depends on the values of the cell itself.
//   BOUNDARY: the integral of the derivative D_d of the Lagrange functions, [direction][point]. It is the integral over
//   the faces of the Lagrange functions times n_d.
//   FACE_WEIGHTS: integrals of the Lagrange functions of the faces, [face point].
// Prisms also have
//   LINE_DIFF: D_jm of the line across the layers, rows of N. ENDS: correction of layer j by the lower end, [N].
//   WEAK_LINE: the weak derivative across the layers.
// For the entropy correction (method/entropy_correction.h) a set of points has
//   ENTROPY: pairs of entries of the mass matrix and of the matrix G. LINE_DAMPING: G of the line across the layers of
//   prisms, rows of N.
#define OFFSET_DIFF 0
#define OFFSET_LIFT (OFFSET_DIFF + DENSE * DENSE * DIMENSIONS)
#define OFFSET_WEIGHTS (OFFSET_LIFT + DENSE * DENSE_FACE_POINTS)
#define OFFSET_INVERSE_VOLUME (OFFSET_WEIGHTS + NP)
#define OFFSET_LINE_DIFF (OFFSET_INVERSE_VOLUME + 1)
#define OFFSET_ENDS (OFFSET_LINE_DIFF + N * N)
#define OFFSET_WEAK (OFFSET_ENDS + N)
#define OFFSET_WEAK_LINE (OFFSET_WEAK + DENSE * DENSE * DIMENSIONS)
#define OFFSET_BOUNDARY (OFFSET_WEAK_LINE + N * N)
#define OFFSET_FACE_WEIGHTS (OFFSET_BOUNDARY + 3 * NP)
#define OFFSET_ENTROPY ((OFFSET_FACE_WEIGHTS + FACE_POINTS + 1) / 2 * 2)
#define OFFSET_LINE_DAMPING (OFFSET_ENTROPY + 2 * DENSE * DENSE)
#define OFFSET_AFTER (OFFSET_LINE_DAMPING + N * N)

// The coefficient of point k in a derivative along d at point i.
INLINE real derivative_of(const real *matrix, int i, int k, int d) {
#ifdef ONE_LANE
    return constant_in_launch(matrix + (k * DIMENSIONS + d) * DENSE + i);
#else
    return matrix[(i * DENSE + k) * DIMENSIONS + d];
#endif
}
INLINE real diff_of(const Params &par, int i, int k, int d) {
    return derivative_of(par.operators + OFFSET_DIFF, i, k, d);
}
INLINE real weak_of(const Params &par, int i, int k, int d) {
    return derivative_of(par.operators + OFFSET_WEAK, i, k, d);
}
INLINE real lift_of(const Params &par, int i, int f) {
#ifdef ONE_LANE
    return constant_in_launch(par.operators + OFFSET_LIFT + f * DENSE + i);
#else
    return par.operators[OFFSET_LIFT + i * DENSE_FACE_POINTS + f];
#endif
}

// The points of a column. Where a set does not fill its last columns, `there` is false; the entry then repeats another
// point, whose result is computed but not written.
struct Column {
    int point[POINTS_PER_THREAD]; // in the cell
    int row[POINTS_PER_THREAD];   // in the set
    bool there[POINTS_PER_THREAD];
    int first, layer; // first point of the set, and its number
};

INLINE Column column_of(int i) {
    Column c;
    c.layer = i / COLUMNS_OF_SET;
    c.first = c.layer * DENSE;
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        const int row = i % COLUMNS_OF_SET + w * COLUMNS_OF_SET;
        c.there[w] = row < DENSE;
        c.row[w] = c.there[w] ? row : DENSE - 1;
        c.point[w] = c.first + c.row[w];
    }
    return c;
}
#endif
