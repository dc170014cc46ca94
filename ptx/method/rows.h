// The division of the points of a cell into rows, for diagnostics. A diagnostic writes one column of numbers per cell.
// Its sums over points have a fixed order and are in double precision, and the host adds cells in global order. The
// result therefore does not depend on lanes, threads, ranks or device.
#pragma once
#include "element/element.h"
#include "method/dense_operators.h"
#include "params.h"

// The number of rows of N points. Each row is summed first, then the rows.
#define ROWS ((NP + N - 1) / N)

// The integral of the Lagrange function of point p over the reference element.
INLINE real point_weight(const Params &par, int p) {
#if ELEMENT == HEX
    return par.weights[p % N] * par.weights[p / N % N] * par.weights[p / NL];
#else
    return par.operators[OFFSET_WEIGHTS + p];
#endif
}
