// The linear operators of cells with dense operators as products of small matrices on tensor cores, in double precision
// with fast arithmetic. An operator multiplies the values of all sets of a thread block at once: the columns of the
// right factor are the variables of the sets, one set after the other. A warp computes tiles of 8 points by
// 8 * TILE_GROUP columns, in which a value read serves 8 points and a coefficient of the operator all columns.
#pragma once
#include "method/dense_correction.h"
#include "method/dense_operators.h"

#if ELEMENT != HEX && defined(TENSOR_CORES)
#ifndef TILE_GROUP
#define TILE_GROUP 2
#endif
#define FULL_WARPS (THREADS / 32)
#define ROW_TILES ((DENSE + 7) / 8)
#define BLOCK_SETS (CELLS_PER_BLOCK * SETS)
static_assert(FULL_WARPS > 0, "a tile needs a whole warp");

// Calls body(first row, first column) for the tiles of a product with this number of columns.
template <int columns, class F> INLINE void for_each_tile(F &&body) {
    const int groups = (columns + 8 * TILE_GROUP - 1) / (8 * TILE_GROUP), warp = threadIdx.x / 32;
    if (warp >= FULL_WARPS) return;
    for (int t = warp; t < ROW_TILES * groups; t += FULL_WARPS)
        body(t % ROW_TILES * 8, t / ROW_TILES * (8 * TILE_GROUP));
}
INLINE int at_most(int a, int b) { return a < b ? a : b; }

// The first of the face points of a set, and its face point k relative to that.
INLINE int first_face_point(int layer) { return ELEMENT == PRISM ? 2 * NT + N * layer : 0; }
INLINE int face_point(int k) { return ELEMENT == PRISM ? k / N * NL + k % N : k; }

// The reference derivatives along the dense directions with their corrections, as rows of four [point][3].
INLINE void gradient_tiles(const Params &par, const real *q, const real *jump, real *derivatives) {
    const int row = threadIdx.x % 32 / 4, part = threadIdx.x % 4;
    const int columns = 4 * BLOCK_SETS;
    for_each_tile<columns>([&](int first_row, int first_column) {
        const int i = at_most(first_row + row, DENSE - 1);
        real sum[DIMENSIONS][TILE_GROUP][2] = {};
        const real *values[TILE_GROUP], *jumps[TILE_GROUP];
        UNROLL
        for (int g = 0; g < TILE_GROUP; ++g) {
            const int column = at_most(first_column + 8 * g + row, columns - 1), set = column / 4;
            values[g] = q + 4 * DENSE * set + column % 4;
            jumps[g] = jump + 4 * (FACE_POINTS * (set / SETS) + first_face_point(set % SETS)) + column % 4;
        }
        UNROLL
        for (int first = 0; first < DENSE; first += 4) {
            const int k = at_most(first + part, DENSE - 1);
            UNROLL
            for (int d = 0; d < DIMENSIONS; ++d) {
                const real a = first + part < DENSE ? diff_of(par, i, k, d) : R(0);
                UNROLL
                for (int g = 0; g < TILE_GROUP; ++g) multiply_tile(a, values[g][4 * k], sum[d][g]);
            }
        }
        UNROLL
        for (int side = 0; side < (ELEMENT == PRISM ? 3 : FACES); ++side) {
            const int face = ELEMENT == PRISM ? 2 + side : side;
            const int start = ELEMENT == PRISM ? N * side : face_offset(side);
            const int size = ELEMENT == PRISM ? N : face_size(side);
            real lifted[TILE_GROUP][2] = {};
            UNROLL
            for (int first = 0; first < size; first += 4) {
                const int k = start + at_most(first + part, size - 1);
                const real a = first + part < size ? lift_of(par, i, k) : R(0);
                UNROLL
                for (int g = 0; g < TILE_GROUP; ++g) multiply_tile(a, jumps[g][4 * face_point(k)], lifted[g]);
            }
            UNROLL
            for (int d = 0; d < DIMENSIONS; ++d) {
                const real normal = normal_component(face, R(d == 0), R(d == 1), R(d == 2));
                UNROLL
                for (int e = 0; e < 2 * TILE_GROUP; ++e)
                    sum[d][e / 2][e % 2] = vfma(normal, lifted[e / 2][e % 2], sum[d][e / 2][e % 2]);
            }
        }
        if (first_row + row >= DENSE) return;
        UNROLL
        for (int g = 0; g < TILE_GROUP; ++g) {
            const int column = first_column + 8 * g + 2 * part;
            if (column >= columns) return;
            real *out = derivatives + 12 * (DENSE * (column / 4) + i) + column % 4;
            UNROLL
            for (int d = 0; d < DIMENSIONS; ++d) *(double2 *)(out + 4 * d) = make_double2(sum[d][g][0], sum[d][g][1]);
        }
    });
}

// The derivative of pressure and viscous flux along the dense directions, written to r[5 * point + 1].
INLINE void linear_divergence_tiles(const Params &par, const real *rows, int rows_of_cell, real *r, int r_of_cell) {
    const int row = threadIdx.x % 32 / 4, part = threadIdx.x % 4;
    const int columns = 4 * BLOCK_SETS;
    for_each_tile<columns>([&](int first_row, int first_column) {
        const int i = at_most(first_row + row, DENSE - 1);
        real sum[TILE_GROUP][2] = {};
        const real *values[TILE_GROUP];
        UNROLL
        for (int g = 0; g < TILE_GROUP; ++g) {
            const int column = at_most(first_column + 8 * g + row, columns - 1), set = column / 4;
            values[g] = rows + rows_of_cell * (set / SETS) + POINT_ROWS * 4 * DENSE * (set % SETS) + 8 + column % 4;
        }
        UNROLL
        for (int first = 0; first < DENSE; first += 4) {
            const int k = at_most(first + part, DENSE - 1);
            UNROLL
            for (int d = 0; d < DIMENSIONS; ++d) {
                const real a = first + part < DENSE ? diff_of(par, i, k, d) : R(0);
                UNROLL
                for (int g = 0; g < TILE_GROUP; ++g)
                    multiply_tile(a, values[g][POINT_ROWS * 4 * k + 4 * d], sum[g]);
            }
        }
        if (first_row + row >= DENSE) return;
        UNROLL
        for (int g = 0; g < TILE_GROUP; ++g) {
            const int column = first_column + 8 * g + 2 * part, set = column / 4;
            if (column >= columns) return;
            real *out = r + r_of_cell * (set / SETS) + 5 * (DENSE * (set % SETS) + i) + 1 + column % 4;
            out[0] = sum[g][0], out[1] = sum[g][1];
        }
    });
}

// Adds the corrections of all face points to the divergence r[5 * point].
INLINE void flux_correction_tiles(const Params &par, const real *faces, int faces_of_cell, real *r, int r_of_cell) {
    const int row = threadIdx.x % 32 / 4, part = threadIdx.x % 4;
    const int columns = 5 * BLOCK_SETS;
    for_each_tile<columns>([&](int first_row, int first_column) {
        const int i = at_most(first_row + row, DENSE - 1);
        real sum[TILE_GROUP][2], *out[TILE_GROUP][2];
        const real *jumps[TILE_GROUP];
        UNROLL
        for (int g = 0; g < TILE_GROUP; ++g) {
            const int column = at_most(first_column + 8 * g + row, columns - 1), set = column / 5;
            jumps[g] = faces + faces_of_cell * (set / SETS) + FACE_VALUES * first_face_point(set % SETS) + column % 5;
            UNROLL
            for (int e = 0; e < 2; ++e) {
                const int own = at_most(first_column + 8 * g + 2 * part + e, columns - 1), s = own / 5, v = own % 5;
                out[g][e] = r + r_of_cell * (s / SETS) + 5 * (DENSE * (s % SETS) + i) + v;
                sum[g][e] = *out[g][e];
#if ELEMENT == PRISM
                const real lower = constant_in_launch(par.operators + OFFSET_ENDS + s % SETS),
                           upper = constant_in_launch(par.operators + OFFSET_ENDS + N - 1 - s % SETS);
                const real *lo = faces + faces_of_cell * (s / SETS) + FACE_VALUES * i + v, *hi = lo + NT * FACE_VALUES;
                sum[g][e] = vfma(-upper, *hi, vfma(-lower, *lo, sum[g][e]));
#endif
            }
        }
        UNROLL
        for (int first = 0; first < DENSE_FACE_POINTS; first += 4) {
            const int k = at_most(first + part, DENSE_FACE_POINTS - 1);
            const real a = first + part < DENSE_FACE_POINTS ? lift_of(par, i, k) : R(0);
            UNROLL
            for (int g = 0; g < TILE_GROUP; ++g) multiply_tile(a, jumps[g][FACE_VALUES * face_point(k)], sum[g]);
        }
        if (first_row + row >= DENSE) return;
        UNROLL
        for (int g = 0; g < TILE_GROUP; ++g)
            UNROLL
        for (int e = 0; e < 2; ++e)
            if (first_column + 8 * g + 2 * part + e < columns) *out[g][e] = sum[g][e];
    });
}
#endif
