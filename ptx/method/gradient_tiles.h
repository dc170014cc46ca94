// The gradient of tetrahedra and pyramids on tensor cores, in double precision with fast arithmetic.
//
// The reference derivatives of u, v, w, T with their corrections are products of matrices,
//     dq_d = D_d q + sum over the faces of n_d L_face jump_face,
// with one row for each point. The columns are the four variables of all cells of the thread block, one cell after the
// other. A warp computes tiles of 8 points by 8 * TILE_GROUP columns, in steps over 4 points or face points k, where
// lane l holds what multiply_tile wants:
//     of the operator:  row l/4, k = l%4
//     of the values:    k = l%4, column l/4
//     of the sum:       row l/4, columns 2 (l%4) and 2 (l%4) + 1
// A value that a warp reads serves 8 points, and a coefficient of an operator 8 * TILE_GROUP columns. In
// dense_gradient.h a value serves the points of one thread, and the reads fill the first-level cache. Rows, columns and
// k beyond the last repeat the last; the coefficients of those k are 0, and those rows and columns are not written.
#pragma once
#include "method/dense_operators.h"

#ifdef TENSOR_CORES
static_assert(SETS == 1 && sizeof(real) == 8, "tiles are for cells with one set of points, in double precision");
#define TILE_GROUP 2
#define TILE_VARIABLES (4 * CELLS_PER_BLOCK)
// A warp that the block does not fill has no tiles.
#define FULL_WARPS (THREADS / 32)

INLINE int at_most(int a, int b) { return a < b ? a : b; }

// Adds the products of operators a(d, k) with rows of four values, k = 0 to size - 1, to the sums of a tile. The values
// of this lane begin at values[g].
template <int operators, class A>
INLINE void add_products(int size, A &&a, const real *const *values, real (*sum)[TILE_GROUP][2]) {
    UNROLL
    for (int first = 0; first < size; first += 4) {
        const int next = first + threadIdx.x % 4, k = at_most(next, size - 1);
        UNROLL
        for (int d = 0; d < operators; ++d) {
            const real coefficient = next < size ? a(d, k) : R(0);
            UNROLL
            for (int g = 0; g < TILE_GROUP; ++g) multiply_tile(coefficient, values[g][4 * k], sum[d][g]);
        }
    }
}

// The tile of the reference derivatives from a row and a column on.
INLINE void gradient_tile(const Params &par, int first_row, int first_column, const real *q, const real *jump,
                          real *derivatives) {
    const int lane = threadIdx.x % 32, row = first_row + lane / 4, i = at_most(row, NP - 1);
    const real *values[TILE_GROUP], *jumps[TILE_GROUP];
    UNROLL
    for (int g = 0; g < TILE_GROUP; ++g) {
        const int column = at_most(first_column + 8 * g + lane / 4, TILE_VARIABLES - 1);
        values[g] = q + 4 * NP * (column / 4) + column % 4;
        jumps[g] = jump + 4 * FACE_POINTS * (column / 4) + column % 4;
    }
    real sum[3][TILE_GROUP][2] = {};
    add_products<3>(NP, [&](int d, int k) { return diff_of(par, i, k, d); }, values, sum);
    UNROLL
    for (int face = 0; face < FACES; ++face) {
        const int start = face_offset(face);
        const auto lift = [&](int, int k) { return lift_of(par, i, start + k); };
        const real *across[TILE_GROUP];
        UNROLL
        for (int g = 0; g < TILE_GROUP; ++g) across[g] = jumps[g] + 4 * start;
        real lifted[1][TILE_GROUP][2] = {};
        add_products<1>(face_size(face), lift, across, lifted);
        UNROLL
        for (int d = 0; d < 3; ++d) {
            const real normal = normal_component(face, R(d == 0), R(d == 1), R(d == 2));
            UNROLL
            for (int g = 0; g < TILE_GROUP; ++g)
                UNROLL
            for (int e = 0; e < 2; ++e) sum[d][g][e] = vfma(normal, lifted[0][g][e], sum[d][g][e]);
        }
    }
    UNROLL
    for (int g = 0; g < TILE_GROUP; ++g) {
        const int column = first_column + 8 * g + 2 * (lane % 4);
        if (row >= NP || column >= TILE_VARIABLES) continue;
        real *out = derivatives + 12 * (NP * (column / 4) + row) + column % 4;
        UNROLL
        for (int d = 0; d < 3; ++d) out[4 * d] = sum[d][g][0], out[4 * d + 1] = sum[d][g][1];
    }
}

// The reference derivatives of u, v, w, T with their corrections, as rows of four [cell][point][direction], from the
// rows of the points q and of half the differences across the faces `jump`, each [cell].
INLINE void gradient_tiles(const Params &par, const real *q, const real *jump, real *derivatives) {
    const int rows = (NP + 7) / 8, groups = (TILE_VARIABLES + 8 * TILE_GROUP - 1) / (8 * TILE_GROUP);
    const int warp = threadIdx.x / 32;
    if (warp >= FULL_WARPS) return;
    for (int t = warp; t < rows * groups; t += FULL_WARPS) {
        gradient_tile(par, t % rows * 8, t / rows * (8 * TILE_GROUP), q, jump, derivatives);
        __syncwarp(); // a tensor core needs all lanes again
    }
}
#endif
