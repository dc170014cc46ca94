// The divergence of the flux inside a cell with dense operators, and the balance of the cell.
#pragma once
#include "method/block.h"
#include "method/dense_correction.h"
#include "method/dense_operators.h"
#include "method/dense_state.h"
#include "method/metrics.h"
#include "physics/two_point.h"

#if ELEMENT != HEX
// The number of rows of four values that each point has in shared memory (see write_rows).
#define POINT_ROWS 5

// Writes the rows of point p: rho/4, u, v, w; H and the contravariant velocities; along each direction, the pressure
// term minus the viscous flux (4).
INLINE void write_rows(const Params &par, long long block, int p, vreal *rows) {
    const Primitive<vreal> s = own_primitive(par, block, p);
    vreal a[3][3];
    metrics_of(par, block).rows(p, a);
    const vreal pr = pressure(s, par);
    const vreal first[4] = {R(0.25) * s.rho, s.v[0], s.v[1], s.v[2]};
    const vreal second[4] = {total_enthalpy(s, par), dot3(s.v, a[0]), dot3(s.v, a[1]), dot3(s.v, a[2])};
    vreal *row = rows + POINT_ROWS * 4 * p;
    write_row(first, row);
    write_row(second, row + 4);
    const vreal *stored = par.viscosity != VISCOSITY_NONE ? block_of((const real *)par.viscous, block, 12 * NP) + p : 0;
    UNROLL
    for (int d = 0; d < 3; ++d) {
        vreal g[4] = {pr * a[d][0], pr * a[d][1], pr * a[d][2], vreal{}};
        if (stored) {
            UNROLL
            for (int v = 0; v < 4; ++v) g[v] = g[v] - stored[(4 * d + v) * NP];
        }
        write_row(g, row + 8 + 4 * d);
    }
}

// The values of a point that enter every pair: a quarter of its density, velocity, total enthalpy, contravariant
// velocities.
struct End {
    vreal rho, v[3], h, u[3];
};

INLINE void read_end(const vreal *row, End &e) {
    vreal x[4];
    read_row(row, x);
    e.rho = x[0];
    UNROLL
    for (int n = 0; n < 3; ++n) e.v[n] = x[1 + n];
    read_row(row + 4, x);
    e.h = x[0];
    UNROLL
    for (int n = 0; n < 3; ++n) e.u[n] = x[1 + n];
}

// The values of a point that enter a derivative along directions FIRST to LAST - 1.
template <int FIRST, int LAST> struct Row {
    End end;
    vreal g[LAST - FIRST][4];
};

template <int FIRST, int LAST> INLINE void read_point(const vreal *row, Row<FIRST, LAST> &x) {
    read_end(row, x.end);
    UNROLL
    for (int n = FIRST; n < LAST; ++n) read_row(row + 8 + 4 * n, x.g[n - FIRST]);
}

// Adds the contribution of point k to the divergence at point i: the two-point flux (physics/two_point.h) or the
// divergence form, and the plain derivative of pressure and viscous flux. The operator is first applied to the
// velocities, so that all directions share the products that follow:
//     through = sum_d D_d(i,k) (u_d(i) + u_d(k))
template <int FIRST, int LAST>
INLINE void add_pair(const Params &par, const End &i, const Row<FIRST, LAST> &row, const real *d, vreal *r) {
    const End &k = row.end;
    const bool split = par.split == SPLIT_KENNEDY_GRUBER;
    vreal through = {};
    UNROLL
    for (int n = FIRST; n < LAST; ++n) {
        const vreal u = split ? i.u[n] + k.u[n] : k.u[n];
        through = n == FIRST ? d[n - FIRST] * u : vfma(d[n - FIRST], u, through);
    }
    if (split) {
        const vreal mass = two_point_mass(i.rho, k.rho, through);
        r[0] = vfma(R(2), mass, r[0]);
        UNROLL
        for (int n = 0; n < 3; ++n) r[1 + n] = vfma(mass, two_point_sum(i.v[n], k.v[n]), r[1 + n]);
        r[4] = vfma(mass, two_point_sum(i.h, k.h), r[4]);
    } else {
        const vreal mass = R(4) * k.rho * through;
        r[0] = r[0] + mass;
        UNROLL
        for (int n = 0; n < 3; ++n) r[1 + n] = vfma(mass, k.v[n], r[1 + n]);
        r[4] = vfma(mass, k.h, r[4]);
    }
    UNROLL
    for (int n = FIRST; n < LAST; ++n)
        UNROLL
    for (int v = 0; v < 4; ++v) r[1 + v] = vfma(d[n - FIRST], row.g[n - FIRST][v], r[1 + v]);
}

// The divergence of the flux inside the cell at the points of a column, before any correction.
INLINE void inner_divergence(const Params &par, const Column &c, const vreal *rows, vreal (*r)[5]) {
    End own[POINTS_PER_THREAD];
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        read_end(rows + POINT_ROWS * 4 * c.point[w], own[w]);
        UNROLL
        for (int v = 0; v < 5; ++v) r[w][v] = vreal{};
    }
    for (int k = 0; k < DENSE; ++k) {
        Row<0, DIMENSIONS> row;
        read_point(rows + POINT_ROWS * 4 * (c.first + k), row);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            real d[DIMENSIONS];
            UNROLL
            for (int n = 0; n < DIMENSIONS; ++n) d[n] = diff_of(par, c.row[w], k, n);
            add_pair(par, own[w], row, d, r[w]);
        }
    }
#if ELEMENT == PRISM
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        for (int m = 0; m < N; ++m) {
            const real d = constant_in_launch(par.operators + OFFSET_LINE_DIFF + c.layer * N + m);
            Row<2, 3> row;
            read_point(rows + POINT_ROWS * 4 * (c.row[w] + NT * m), row);
            add_pair(par, own[w], row, &d, r[w]);
        }
    }
#endif
}

// The integral of the divergence of variable v over the cell minus the flux through its faces, per volume of the
// reference cell.
INLINE vreal imbalance(const Params &par, int v, const vreal *faces, const vreal *r) {
    const real *weights = par.operators + OFFSET_WEIGHTS, *face_weights = par.operators + OFFSET_FACE_WEIGHTS;
    vreal inside = {}, through = {};
    for (int i = 0; i < NP; ++i) inside = vfma(constant_in_launch(weights + i), r[5 * i + v], inside);
    for (int f = 0; f < FACE_POINTS; ++f)
        through = vfma(constant_in_launch(face_weights + f), faces[f * FACE_VALUES + 5 + v], through);
    return constant_in_launch(par.operators + OFFSET_INVERSE_VOLUME) * (inside - through);
}
#endif
