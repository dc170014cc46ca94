// Where the values of a block of cells lie in the arrays of all cells.
#pragma once
#include "dialect/dialect.h"
#include "params.h"

// State of a block: variable v of point p is cell_state(...)[v * NP + p].
INLINE const vreal *block_of(const real *array, long long block, int size) {
    return (const vreal *)(array + block * size * LANE);
}
INLINE vreal *block_of(real *array, long long block, int size) { return (vreal *)(array + block * size * LANE); }
