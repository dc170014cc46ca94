// The gradient of the primitives u, v, w, T of a cell with dense operators, without and with its correction.
#pragma once
#include "method/dense_correction.h"
#include "method/dense_operators.h"

#if ELEMENT != HEX
// The reference derivatives dq[w][d][v] of u, v, w, T at the points of a column by the dense operators, from the rows
// q[4 * point].
INLINE void inner_derivatives(const Params &par, const Column &c, const vreal *q, vreal (*dq)[3][4]) {
    const vreal zero = {};
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w)
        UNROLL
    for (int e = 0; e < 12; ++e) dq[w][e / 4][e % 4] = zero;
    for (int k = 0; k < DENSE; ++k) {
        vreal x[4];
        read_row(q + 4 * (c.first + k), x);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w)
            UNROLL
        for (int n = 0; n < DIMENSIONS; ++n) {
            const real d = diff_of(par, c.row[w], k, n);
            UNROLL
            for (int v = 0; v < 4; ++v) dq[w][n][v] = vfma(d, x[v], dq[w][n][v]);
        }
    }
}

#if ELEMENT == PRISM
// Adds the derivative across the layers at point w of a column.
INLINE void add_line_derivative(const Params &par, const Column &c, int w, const vreal *q, vreal *dq) {
    for (int m = 0; m < N; ++m) {
        const real d = constant_in_launch(par.operators + OFFSET_LINE_DIFF + c.layer * N + m);
        vreal x[4];
        read_row(q + 4 * (c.row[w] + NT * m), x);
        UNROLL
        for (int v = 0; v < 4; ++v) dq[v] = vfma(d, x[v], dq[v]);
    }
}
#endif

// The weak divergence of the viscous flux at the points of a column: the part of the divergence that depends on the
// flux inside the cell alone. `flux` holds rows [point][direction].
INLINE void weak_divergence(const Params &par, const Column &c, const vreal *flux, vreal (*sum)[4]) {
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w)
        UNROLL
    for (int v = 0; v < 4; ++v) sum[w][v] = vreal{};
    for (int k = 0; k < DENSE; ++k) {
        UNROLL
        for (int d = 0; d < DIMENSIONS; ++d) {
            vreal x[4];
            read_row(flux + (3 * (c.first + k) + d) * 4, x);
            UNROLL
            for (int w = 0; w < POINTS_PER_THREAD; ++w) {
                const real weak = weak_of(par, c.row[w], k, d);
                UNROLL
                for (int v = 0; v < 4; ++v) sum[w][v] = vfma(weak, x[v], sum[w][v]);
            }
        }
    }
#if ELEMENT == PRISM
    for (int m = 0; m < N; ++m) {
        const real weak = constant_in_launch(par.operators + OFFSET_WEAK_LINE + c.layer * N + m);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            vreal x[4];
            read_row(flux + (3 * (c.row[w] + NT * m) + 2) * 4, x);
            UNROLL
            for (int v = 0; v < 4; ++v) sum[w][v] = vfma(weak, x[v], sum[w][v]);
        }
    }
#endif
}

// All reference derivatives with their corrections; `jump` holds half the differences across the faces.
INLINE void dense_gradient(const Params &par, const Column &c, const vreal *q, const vreal *jump, vreal (*dq)[3][4]) {
    inner_derivatives(par, c, q, dq);
    add_gradient_corrections(par, c, jump, dq);
#if ELEMENT == PRISM
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        add_line_derivative(par, c, w, q, dq[w][2]);
        add_end_corrections(par, c, w, jump, dq[w][2]);
    }
#endif
}
#endif
