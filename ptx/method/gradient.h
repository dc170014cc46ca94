// The gradient of the primitives u, v, w, T of a hexahedron: the derivative of the polynomial in the cell, and the
// correction that replaces the values at the ends of every line by the common value, which is the mean of both sides.
#pragma once
#include "method/correction.h"
#include "method/neighbour.h"

#if ELEMENT == HEX

// The derivative d/dxi_d along one line: q[m] are the values of the line, lo and hi those across its two ends.
INLINE void corrected_derivative(const vreal *q, vreal lo, vreal hi, const Params &par, vreal *dq) {
    const vreal jump_lo = R(0.5) * (lo - q[0]), jump_hi = R(0.5) * (hi - q[N - 1]);
    UNROLL
    for (int i = 0; i < N; ++i) {
        vreal s = correction(par, i, jump_lo, jump_hi);
        UNROLL
        for (int k = 0; k < N; ++k) {
            if (i == k && 0 < i && i < N - 1) continue; // D_ii is zero inside the line
            s = vfma(par.diff[i * N + k], q[k], s);
        }
        dq[i] = s;
    }
}

// J times the physical gradient, [variable][direction], from the metric rows Ja^d of a point and the reference
// derivatives at[(d * stride + variable) * POINTS].
INLINE void physical_gradient(const vreal *at, int stride, const vreal (*a)[3], vreal (*g)[3]) {
    UNROLL
    for (int v = 0; v < 4; ++v) {
        UNROLL
        for (int n = 0; n < 3; ++n) {
            vreal s = a[0][n] * at[v * POINTS];
            s = vfma(a[1][n], at[(stride + v) * POINTS], s);
            g[v][n] = vfma(a[2][n], at[(2 * stride + v) * POINTS], s);
        }
    }
}

// The reference derivatives of u, v, w, T along line l of direction d of one cell, from the primitives
// q[variable * POINTS + place(p)] (density first) and the values across both ends.
INLINE void line_gradient(const vreal *q, int d, int l, const vreal *lo, const vreal *hi, const Params &par,
                          vreal *dq) {
    const int start = line_start(d, l);
    UNROLL
    for (int v = 0; v < 4; ++v) {
        vreal values[N], derivative[N];
        UNROLL
        for (int m = 0; m < N; ++m) values[m] = (q + on_line(start, d, m))[(1 + v) * POINTS];
        corrected_derivative(values, lo[v], hi[v], par, derivative);
        UNROLL
        for (int m = 0; m < N; ++m) (dq + on_line(start, d, m))[v * POINTS] = derivative[m];
    }
}

// The same, with the values across both ends from the states `o` of the neighbours.
INLINE void line_gradient(const Params &par, long long block, const vreal *q, int d, int l, const Primitive<vreal> *o,
                          vreal *dq) {
    vreal lo[4], hi[4];
    neighbour_for_gradient(par, block, 2 * d, l, o[0], lo);
    neighbour_for_gradient(par, block, 2 * d + 1, l, o[1], hi);
    line_gradient(q, d, l, lo, hi, par, dq);
}
#endif
