// A linear system on the vertices, in blocks of B x B: blocks of a vertex's neighbours in single precision in the order
// of its edges, [slice][edge of the vertex][row][column][vertex of the slice], the own block and its triangular factors
// as [row][column][slot], and vectors as [row][slot]. Slots of no vertex have the identity and zeros.
//
// The factors and the vectors that the method keeps are in single precision too: a preconditioner need not be exact,
// and its result is multiplied as it was stored. All arithmetic is in double precision.
#pragma once
#include "steady/dense_block.h"
#include "steady/vertex.h"

template <int B> INLINE long long block_place(const Vertex &at, int k, int row, int col) {
    return ((at.first + (long long)k * WIDTH) * B + (long long)row * WIDTH) * B + (long long)col * WIDTH + at.lane;
}

// Adds `sign` times the product of the k-th neighbour's block with the values x there to a sum.
template <int B>
INLINE void add_neighbour(const Params &par, const Vertex &at, int k, const vreal *x, real sign, vreal *sum) {
    UNROLL
    for (int row = 0; row < B; ++row)
        UNROLL
        for (int col = 0; col < B; ++col)
            sum[row] = vfma(sign * load_single(par.offdiagonal, block_place<B>(at, k, row, col)), x[col], sum[row]);
}
template <int B, class T> INLINE void neighbour_values(const Params &par, const T *vector, const Ends &to, vreal *x) {
    UNROLL
    for (int v = 0; v < B; ++v) x[v] = gather(vector + v * par.slots, to);
}
template <int B, class T> INLINE void own_values(const Params &par, const T *vector, const Vertex &at, vreal *x) {
    UNROLL
    for (int v = 0; v < B; ++v) x[v] = load(vector + v * par.slots, at);
}
template <int B, class T> INLINE void store_values(const Params &par, T *vector, const Vertex &at, const vreal *x) {
    UNROLL
    for (int v = 0; v < B; ++v) store(vector + v * par.slots, at, x[v]);
}
template <int B> INLINE void solve_own(const Params &par, const Vertex &at, vreal *x) {
    solve<B>([&](int row, int col) { return load(par.factors + (B * row + col) * par.slots, at); }, x);
}
