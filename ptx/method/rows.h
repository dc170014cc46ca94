// The division of the points of a cell into rows, for diagnostics. A diagnostic writes one column of numbers per cell.
// Its sums over points have a fixed order and are in double precision, and the host adds cells in global order. The
// result therefore does not depend on lanes, threads, ranks or device.
#pragma once
#include "element/element.h"

// The number of rows of N points. Each row is summed first, then the rows.
#define ROWS ((NP + N - 1) / N)
