// Cells whose points meet many others: prisms, tetrahedra and pyramids. Their derivative is a small dense matrix, or in a
// prism one in the layer and a line across; corrections come by lifting matrices from all face points of the cell, or in a
// prism from the layer's edges and from both ends of the line.
//
// A thread holds a column of WIDE points of a set and goes through all points of the set, whose values lie in shared memory in
// rows of four: what it reads of a point serves its whole column. Shared memory is what limits these kernels.
#pragma once
#include "method/cell.h"

#if ELEMENT != HEX

// Operators, one after the other. The dense ones are laid out as their readers meet them: threads are neighbouring points
// of one column on a GPU, while a CPU goes along a row.
#define OF_DIFF 0                                                // D_d(i,k)
#define OF_LIFT (OF_DIFF + DENSE * DENSE * DIMENSIONS)           // corrections of point i by face point f
#define OF_WEIGHTS (OF_LIFT + DENSE * DENSE_FACE_POINTS)         // integrals of the Lagrange functions, [point]
#define OF_FACE_WEIGHTS (OF_WEIGHTS + NP)                        // the same on the faces, [face point]
#define OF_INVERSE_VOLUME (OF_FACE_WEIGHTS + FACE_POINTS)        // one over the sum of the weights
#define OF_LINE (OF_INVERSE_VOLUME + 1)                          // prism: D_jm of the line, rows of N
#define OF_ENDS (OF_LINE + N * N)                                // prism: correction of layer j by the lower end, [N]

INLINE real diff_of(const Params &par, int i, int k, int d) {
#ifdef ONE_LANE
    return constant_in_launch(par.operators + OF_DIFF + (k * DIMENSIONS + d) * DENSE + i);
#else
    return par.operators[OF_DIFF + (i * DENSE + k) * DIMENSIONS + d];
#endif
}
INLINE real lift_of(const Params &par, int i, int f) {
#ifdef ONE_LANE
    return constant_in_launch(par.operators + OF_LIFT + f * DENSE + i);
#else
    return par.operators[OF_LIFT + i * DENSE_FACE_POINTS + f];
#endif
}

// Component of a vector in reference space along the outward normal of a face, times the face's area over that of the
// standard square or triangle, so that the sum of normal_d Ja^d is the same area vector from both sides.
template <class V> INLINE V normal_component(int face, V x, V y, V z) {
#if ELEMENT == PRISM
    return face == 0 ? -z : face == 1 ? z : face == 2 ? -y : face == 3 ? x + y : -x;
#elif ELEMENT == TET
    return face == 0 ? -z : face == 1 ? -y : face == 2 ? x + y + z : -x;
#else
    return face == 0 ? -z : R(0.5) * (z + (face == 1 ? -y : face == 2 ? x : face == 3 ? y : -x));
#endif
}

// Outward area vector of face point f, the same to the last bit on both sides up to its sign.
INLINE void outward_area(const Params &par, long long block, int face, int f, vreal *a) {
    vreal r[4];
    if (par.metric_points == 1) load_row(block_of(par.normals, block * FACES + face, 4), r);
    else load_row(block_of(par.normals, block * FACE_POINTS + f, 4), r);
    UNROLL
    for (int n = 0; n < 3; ++n) a[n] = r[n];
}

INLINE Primitive<vreal> own_primitive(const Params &par, long long block, int p) {
    const vreal *state = block_of(par.own, block, 5 * NP) + p;
    vreal u[5];
    UNROLL
    for (int v = 0; v < 5; ++v) u[v] = state[v * NP];
    Primitive<vreal> q;
    primitive(u, par, q);
    return q;
}

// Half the difference across the face, (q_o - q_i)/2 of u, v, w, T, at face point f.
INLINE void gradient_jump(const Params &par, long long block, int f, vreal *jump) {
    const int face = face_of(f), l = f - face_offset(face);
    const Primitive<vreal> i = own_primitive(par, block, constant_in_launch(par.face_points + f));
    Primitive<vreal> o;
    vreal across[4];
    neighbour(par, block, face, l, o);
    neighbour_for_gradient(par, block, face, l, o, across);
    vreal half[4];
    UNROLL
    for (int n = 0; n < 3; ++n) half[n] = R(0.5) * (across[n] - i.v[n]);
    half[3] = R(0.5) * (across[3] - i.t);
    write_row(half, jump + 4 * f);
}

// The points of a column. Where a set does not fill its last columns, `there` is false and the point another one, which is
// computed and not written.
struct Column {
    int point[WIDE]; // in the cell
    int row[WIDE];   // in the set
    bool there[WIDE];
    int first, layer; // first point of the set, and its number
};

INLINE Column column_of(int i) {
    Column c;
    c.layer = i / COLUMNS_OF_SET;
    c.first = c.layer * DENSE;
    UNROLL
    for (int w = 0; w < WIDE; ++w) {
        const int row = i % COLUMNS_OF_SET + w * COLUMNS_OF_SET;
        c.there[w] = row < DENSE;
        c.row[w] = c.there[w] ? row : DENSE - 1;
        c.point[w] = c.first + c.row[w];
    }
    return c;
}

// Calls body(f, k) for the face points f of each face whose corrections reach a set, k its number among them, and done(face)
// after each face.
template <class F, class G> INLINE void over_lifts(const Column &c, F body, G done) {
#if ELEMENT == PRISM
    for (int e = 0; e < 3; ++e) {
        for (int m = 0; m < N; ++m) body(2 * NT + e * NL + N * c.layer + m, e * N + m);
        done(2 + e);
    }
#else
    (void)c; // one set
    for (int face = 0; face < FACES; ++face) {
        const int first = face_offset(face), size = face_size(face);
        for (int l = 0; l < size; ++l) body(first + l, first + l);
        done(face);
    }
#endif
}

// Reference derivatives dq[w][d][v] of u, v, w, T at the points of a column, from rows q[4 * point] and the jumps at the faces.
INLINE void dense_gradient(const Params &par, const Column &c, const vreal *q, const vreal *jump, vreal (*dq)[3][4]) {
    const vreal zero = {};
    UNROLL
    for (int w = 0; w < WIDE; ++w)
        UNROLL
    for (int e = 0; e < 12; ++e) dq[w][e / 4][e % 4] = zero;
    for (int k = 0; k < DENSE; ++k) {
        vreal x[4];
        read_row(q + 4 * (c.first + k), x);
        UNROLL
        for (int w = 0; w < WIDE; ++w)
            UNROLL
        for (int n = 0; n < DIMENSIONS; ++n) {
            const real d = diff_of(par, c.row[w], k, n);
            UNROLL
            for (int v = 0; v < 4; ++v) dq[w][n][v] = vfma(d, x[v], dq[w][n][v]);
        }
    }
    vreal sum[WIDE][4];
    UNROLL
    for (int w = 0; w < WIDE; ++w)
        UNROLL
    for (int v = 0; v < 4; ++v) sum[w][v] = zero;
    over_lifts(
        c,
        [&](int f, int k) {
            vreal x[4];
            read_row(jump + 4 * f, x);
            UNROLL
            for (int w = 0; w < WIDE; ++w) {
                const real lift = lift_of(par, c.row[w], k);
                UNROLL
                for (int v = 0; v < 4; ++v) sum[w][v] = vfma(lift, x[v], sum[w][v]);
            }
        },
        [&](int face) {
            UNROLL
            for (int w = 0; w < WIDE; ++w)
                UNROLL
            for (int v = 0; v < 4; ++v) {
                UNROLL
                for (int n = 0; n < DIMENSIONS; ++n) {
                    const real normal = normal_component(face, R(n == 0), R(n == 1), R(n == 2));
                    dq[w][n][v] = vfma(normal, sum[w][v], dq[w][n][v]);
                }
                sum[w][v] = zero;
            }
        });
#if ELEMENT == PRISM
    UNROLL
    for (int w = 0; w < WIDE; ++w) {
        for (int m = 0; m < N; ++m) {
            const real d = constant_in_launch(par.operators + OF_LINE + c.layer * N + m);
            vreal x[4];
            read_row(q + 4 * (c.row[w] + NT * m), x);
            UNROLL
            for (int v = 0; v < 4; ++v) dq[w][2][v] = vfma(d, x[v], dq[w][2][v]);
        }
        const real lower = constant_in_launch(par.operators + OF_ENDS + c.layer),
                   upper = constant_in_launch(par.operators + OF_ENDS + N - 1 - c.layer);
        vreal lo[4], hi[4];
        read_row(jump + 4 * c.row[w], lo);
        read_row(jump + 4 * (NT + c.row[w]), hi);
        UNROLL
        for (int v = 0; v < 4; ++v) dq[w][2][v] = vfma(lower, lo[v], vfma(-upper, hi[v], dq[w][2][v]));
    }
#endif
}
#endif
