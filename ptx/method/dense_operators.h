// Cells whose points meet many others: prisms, tetrahedra and pyramids. Their derivative is a small dense matrix, or in a
// prism one in the layer and a line across; corrections come by lifting matrices from all face points of the cell, or in a
// prism from the layer's edges and from both ends of the line.
//
// A thread holds a column of WIDE points of a set and goes through all points of the set, whose values lie in shared memory in
// rows of four: what it reads of a point serves its whole column. Shared memory is what limits these kernels.
#pragma once
#include "dialect/dialect.h"
#include "element/element.h"
#include "params.h"

#if ELEMENT != HEX
// Operators, one after the other. The dense ones are laid out as their readers meet them: threads are neighbouring points
// of one column on a GPU, while a CPU goes along a row.
#define OFFSET_DIFF 0                                                // D_d(i,k)
#define OFFSET_LIFT (OFFSET_DIFF + DENSE * DENSE * DIMENSIONS)           // corrections of point i by face point f
#define OFFSET_WEIGHTS (OFFSET_LIFT + DENSE * DENSE_FACE_POINTS)         // integrals of the Lagrange functions, [point]
#define OFFSET_FACE_WEIGHTS (OFFSET_WEIGHTS + NP)                        // the same on the faces, [face point]
#define OFFSET_INVERSE_VOLUME (OFFSET_FACE_WEIGHTS + FACE_POINTS)        // one over the sum of the weights
#define OFFSET_LINE_DIFF (OFFSET_INVERSE_VOLUME + 1)                          // prism: D_jm of the line, rows of N
#define OFFSET_ENDS (OFFSET_LINE_DIFF + N * N)                                // prism: correction of layer j by the lower end, [N]

INLINE real diff_of(const Params &par, int i, int k, int d) {
#ifdef ONE_LANE
    return constant_in_launch(par.operators + OFFSET_DIFF + (k * DIMENSIONS + d) * DENSE + i);
#else
    return par.operators[OFFSET_DIFF + (i * DENSE + k) * DIMENSIONS + d];
#endif
}
INLINE real lift_of(const Params &par, int i, int f) {
#ifdef ONE_LANE
    return constant_in_launch(par.operators + OFFSET_LIFT + f * DENSE + i);
#else
    return par.operators[OFFSET_LIFT + i * DENSE_FACE_POINTS + f];
#endif
}

// The points of a column. Where a set does not fill its last columns, `there` is false and the point another one, which is
// computed and not written.
struct Column {
    int point[WIDE]; // in the cell
    int row[WIDE];   // in the set
    bool there[WIDE];
    int first, layer; // first point of the set, and its number
};

INLINE Column column_of(int i) {
    Column c;
    c.layer = i / COLUMNS_OF_SET;
    c.first = c.layer * DENSE;
    UNROLL
    for (int w = 0; w < WIDE; ++w) {
        const int row = i % COLUMNS_OF_SET + w * COLUMNS_OF_SET;
        c.there[w] = row < DENSE;
        c.row[w] = c.there[w] ? row : DENSE - 1;
        c.point[w] = c.first + c.row[w];
    }
    return c;
}
#endif
