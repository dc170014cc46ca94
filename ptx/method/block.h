// Access to the values of a block of cells in the arrays of all cells.
#pragma once
#include "dialect/dialect.h"
#include "params.h"

// The values of a block, where each block has `size` values per cell. Variable v of point p of the state is
// block_of(...)[v * NP + p].
INLINE const vreal *block_of(const real *array, long long block, int size) {
    return (const vreal *)(array + block * size * LANE);
}
INLINE vreal *block_of(real *array, long long block, int size) { return (vreal *)(array + block * size * LANE); }
