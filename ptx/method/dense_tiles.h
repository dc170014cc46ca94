// Linear parts of tetrahedra and pyramids on tensor cores, in double precision with fast arithmetic: the gradient with
// its correction, the weak divergence of the viscous flux, and the corrections of the divergence.
//
// They are products of matrices, for instance the reference derivatives of u, v, w, T
//     dq_d = D_d q + sum over the faces of n_d L_face jump_face,
// with one row for each point. The columns are the variables of all cells of the thread block, one cell after the
// other. A warp computes tiles of 8 points by 8 * TILE_GROUP columns, in steps over 4 points or face points k, where
// lane l holds what multiply_tile wants:
//     of the operator:  row l/4, k = l%4
//     of the values:    k = l%4, column l/4
//     of the sum:       row l/4, columns 2 (l%4) and 2 (l%4) + 1
// A value that a warp reads serves 8 points, and a coefficient of an operator 8 * TILE_GROUP columns. In
// dense_gradient.h a value serves the points of one thread, and the reads fill the first-level cache. Rows, columns and
// k beyond the last repeat the last; the coefficients of those k are 0, and those rows and columns are not written.
#pragma once
#include "method/dense_divergence.h"

#ifdef TENSOR_CORES
static_assert(SETS == 1 && sizeof(real) == 8, "tiles are for cells with one set of points, in double precision");
#define TILE_GROUP 2
#define TILE_VARIABLES (4 * CELLS_PER_BLOCK)
// The same for the five variables of the divergence.
#define FLUX_GROUP 5
#define FLUX_VARIABLES (5 * CELLS_PER_BLOCK)
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

// Calls body(first row, first column) for the tiles of `width` columns that cover all points and `columns` columns.
// Warps take them in turn.
template <int width, int columns, class B> INLINE void for_each_tile(B &&body) {
    const int rows = (NP + 7) / 8, groups = (columns + width - 1) / width;
    const int warp = threadIdx.x / 32;
    if (warp >= FULL_WARPS) return;
    for (int t = warp; t < rows * groups; t += FULL_WARPS) {
        body(t % rows * 8, t / rows * width);
        __syncwarp(); // a tensor core needs all lanes again
    }
}

// The tile of the reference derivatives from a row and a column on.
template <class Q, class J, class D>
INLINE void gradient_tile(const Params &par, int first_row, int first_column, Q q, J jump, D derivatives) {
    const int lane = threadIdx.x % 32, row = first_row + lane / 4, i = at_most(row, NP - 1);
    const real *values[TILE_GROUP], *jumps[TILE_GROUP];
    UNROLL
    for (int g = 0; g < TILE_GROUP; ++g) {
        const int column = at_most(first_column + 8 * g + lane / 4, TILE_VARIABLES - 1);
        values[g] = q[column / 4] + column % 4;
        jumps[g] = jump[column / 4] + column % 4;
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
        real *out = derivatives[column / 4] + 12 * row + column % 4;
        UNROLL
        for (int d = 0; d < 3; ++d) out[4 * d] = sum[d][g][0], out[4 * d + 1] = sum[d][g][1];
    }
}

// The reference derivatives of u, v, w, T with their corrections, as rows of four [cell][point][direction], from the
// rows of the points q and of half the differences across the faces `jump`, each [cell].
template <class Q, class J, class D> INLINE void gradient_tiles(const Params &par, Q q, J jump, D derivatives) {
    for_each_tile<8 * TILE_GROUP, TILE_VARIABLES>(
        [&](int row, int column) { gradient_tile(par, row, column, q, jump, derivatives); });
}

// The tile of the weak divergence of the rows `flux` from a row and a column on. It goes to global memory.
template <class F> INLINE void weak_divergence_tile(const Params &par, int first_row, int first_column, F flux) {
    const int lane = threadIdx.x % 32, row = first_row + lane / 4, i = at_most(row, NP - 1);
    const real *values[TILE_GROUP];
    UNROLL
    for (int g = 0; g < TILE_GROUP; ++g) {
        const int column = at_most(first_column + 8 * g + lane / 4, TILE_VARIABLES - 1);
        values[g] = flux[column / 4] + column % 4;
    }
    real sum[TILE_GROUP][2] = {};
    UNROLL
    for (int first = 0; first < NP; first += 4) {
        const int next = first + lane % 4, k = at_most(next, NP - 1);
        UNROLL
        for (int d = 0; d < 3; ++d) {
            const real coefficient = next < NP ? weak_of(par, i, k, d) : R(0);
            UNROLL
            for (int g = 0; g < TILE_GROUP; ++g) multiply_tile(coefficient, values[g][12 * k + 4 * d], sum[g]);
        }
    }
    UNROLL
    for (int g = 0; g < TILE_GROUP; ++g) {
        const int column = first_column + 8 * g + 2 * (lane % 4);
        if (row >= NP || column >= TILE_VARIABLES) continue;
        real *out = block_of(par.viscous, GROUP * CELLS_PER_BLOCK + column / 4, 4 * NP) + column % 4 * NP + row;
        out[0] = sum[g][0], out[NP] = sum[g][1];
    }
}

// The weak divergence of the viscous flux, from its rows [cell][point][direction].
template <class F> INLINE void weak_divergence_tiles(const Params &par, F flux) {
    for_each_tile<8 * TILE_GROUP, TILE_VARIABLES>(
        [&](int row, int column) { weak_divergence_tile(par, row, column, flux); });
}

// Adds the tile of the corrections of the divergence from a row and a column on.
template <class J, class D>
INLINE void correction_tile(const Params &par, int first_row, int first_column, J jumps, D divergence) {
    const int lane = threadIdx.x % 32, row = first_row + lane / 4, i = at_most(row, NP - 1);
    const real *values[FLUX_GROUP];
    UNROLL
    for (int g = 0; g < FLUX_GROUP; ++g) {
        const int column = at_most(first_column + 8 * g + lane / 4, FLUX_VARIABLES - 1);
        values[g] = jumps[column / 5] + column % 5;
    }
    real sum[FLUX_GROUP][2] = {};
    UNROLL
    for (int first = 0; first < FACE_POINTS; first += 4) {
        const int next = first + lane % 4, f = at_most(next, FACE_POINTS - 1);
        const real coefficient = next < FACE_POINTS ? lift_of(par, i, f) : R(0);
        UNROLL
        for (int g = 0; g < FLUX_GROUP; ++g) multiply_tile(coefficient, values[g][5 * f], sum[g]);
    }
    UNROLL
    for (int g = 0; g < FLUX_GROUP; ++g)
        UNROLL
    for (int e = 0; e < 2; ++e) {
        const int column = first_column + 8 * g + 2 * (lane % 4) + e;
        if (row < NP && column < FLUX_VARIABLES)
            divergence[column / 5][POINT_VALUES * row + column % 5] += sum[g][e];
    }
}

// Adds the corrections of all face points to the divergence [cell][POINT_VALUES * point].
template <class J, class D> INLINE void correction_tiles(const Params &par, J jumps, D divergence) {
    for_each_tile<8 * FLUX_GROUP, FLUX_VARIABLES>(
        [&](int row, int column) { correction_tile(par, row, column, jumps, divergence); });
}
#endif
