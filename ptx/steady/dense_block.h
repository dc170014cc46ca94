// Small dense matrices of a vertex: triangular factors without pivoting, which keeps the order of operations fixed.
#pragma once
#include "steady/vertex.h"

// Replaces a matrix by its factors: the unit lower one, and the upper one with the inverses of its diagonal.
template <int B> INLINE void factorise(vreal (*m)[B]) {
    UNROLL
    for (int p = 0; p < B; ++p) {
        m[p][p] = R(1) / m[p][p];
        UNROLL
        for (int row = 0; row < B; ++row) {
            if (row <= p) continue;
            m[row][p] = m[row][p] * m[p][p];
            UNROLL
            for (int col = 0; col < B; ++col)
                if (col > p) m[row][col] = vfma(-m[row][p], m[p][col], m[row][col]);
        }
    }
}

// Solves for x in place with the factors that factor(row, column) returns.
template <int B, class F> INLINE void solve(F &&factor, vreal *x) {
    UNROLL
    for (int row = 1; row < B; ++row)
        UNROLL
        for (int col = 0; col < row; ++col) x[row] = vfma(-factor(row, col), x[col], x[row]);
    UNROLL
    for (int row = B - 1; row >= 0; --row) {
        UNROLL
        for (int col = B - 1; col > row; --col) x[row] = vfma(-factor(row, col), x[col], x[row]);
        x[row] = x[row] * factor(row, row);
    }
}
