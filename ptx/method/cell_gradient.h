// The gradient of u, v, w and T at all points of a cell, with its correction by the neighbours, and the state and the
// physical gradient at one of them. It serves kernels that evaluate a state and do not advance it.
#pragma once
#include "method/dense_gradient.h"
#include "method/dense_state.h"
#include "method/line_states.h"
#include "method/metrics.h"

#if ELEMENT == HEX
// Computes the primitives q[variable * POINTS] and the reference derivatives dq[(direction * 4 + variable) * POINTS] of
// the cells of a group, both at place(p). A barrier must follow.
template <class Q, class D> INLINE void cell_gradient(const Params &par, long long group, Q q, D dq) {
    LineValues<LineEnds> ends;
    for_each_line([&](int c, int d, int l) { load_ends(par, group * CELLS_PER_BLOCK + c, d, l, ends.of(d, l)); });
    for_each_point([&](int c, int p) { load_primitives(par, group * CELLS_PER_BLOCK + c, p, q[c]); });
    BARRIER();
    for_each_line([&](int c, int d, int l) {
        line_gradient(par, group * CELLS_PER_BLOCK + c, q[c], d, l, ends.of(d, l).o, dq[c] + d * 4 * POINTS);
    });
}

// The state at point p of a block, and J times its physical gradient from the metric rows a.
INLINE Primitive<vreal> gradient_at(const Params &, long long, int p, const vreal *q, const vreal *dq,
                                    const vreal (*a)[3], vreal (*g)[3]) {
    physical_gradient(dq + place(p), 4, a, g);
    return primitives_at(q, place(p));
}
#else
// Computes the variables q[point][4], their jumps at the face points, and the reference derivatives
// dq[point][direction][4] of the cells of a group. A barrier must follow.
template <class Q, class J, class D>
INLINE void cell_gradient(const Params &par, long long group, Q q, J jump, D dq) {
    for_each_point([&](int c, int p) {
        const Primitive<vreal> s = own_primitive(par, group * CELLS_PER_BLOCK + c, p);
        const vreal row[4] = {s.v[0], s.v[1], s.v[2], s.t};
        write_row(row, q[c] + 4 * p);
    });
    BARRIER();
    for_each<FACE_POINTS>([&](int c, int f) { gradient_jump(par, group * CELLS_PER_BLOCK + c, f, q[c], jump[c]); });
    BARRIER();
    for_each_column([&](int c, int i) {
        const Column column = column_of(i);
        vreal derivative[POINTS_PER_THREAD][3][4];
        dense_gradient(par, column, q[c], jump[c], derivative);
        for (int w = 0; w < POINTS_PER_THREAD; ++w)
            for (int d = 0; d < 3; ++d)
                if (column.there[w]) write_row(derivative[w][d], dq[c] + (3 * column.point[w] + d) * 4);
    });
}

// The state at point p of a block, and J times its physical gradient from the metric rows a.
INLINE Primitive<vreal> gradient_at(const Params &par, long long block, int p, const vreal *, const vreal *dq,
                                    const vreal (*a)[3], vreal (*g)[3]) {
    const vreal *d = dq + 12 * p;
    for (int v = 0; v < 4; ++v)
        for (int n = 0; n < 3; ++n) g[v][n] = vfma(a[2][n], d[8 + v], vfma(a[1][n], d[4 + v], a[0][n] * d[v]));
    return own_primitive(par, block, p);
}
#endif
