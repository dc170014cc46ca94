// The divergence of the convective flux inside a cell with dense operators, and the balance of the cell.
#pragma once
#include "method/block.h"
#include "method/corrected_stages.h"
#include "method/dense_operators.h"
#include "method/dense_state.h"
#include "method/metrics.h"
#include "physics/entropy.h"
#include "physics/two_point.h"

#if ELEMENT != HEX
// The number of values of a point in shared memory (see write_point).
#define POINT_VALUES 10

// Writes the values of point p: two rows of four, with a quarter of the density, u, v, w, and H with the contravariant
// velocities; after the rows of all points, pressure and temperature.
INLINE void write_point(const Params &par, long long block, int p, vreal *points) {
    const Primitive<vreal> s = own_primitive(par, block, p);
    vreal a[3][3];
    metrics_of(par, block).rows(p, a);
    const vreal first[4] = {R(0.25) * s.rho, s.v[0], s.v[1], s.v[2]};
    const vreal second[4] = {total_enthalpy(s, par), dot3(s.v, a[0]), dot3(s.v, a[1]), dot3(s.v, a[2])};
    write_row(first, points + 8 * p);
    write_row(second, points + 8 * p + 4);
    points[8 * NP + 2 * p] = pressure(s, par);
    points[8 * NP + 2 * p + 1] = s.t;
}

// The values of a point that enter a pair: a quarter of its density, velocity, total enthalpy, contravariant
// velocities.
struct End {
    vreal rho, v[3], h, u[3];
};

INLINE void read_end(const vreal *points, int p, End &e) {
    vreal x[4];
    read_row(points + 8 * p, x);
    e.rho = x[0];
    UNROLL
    for (int n = 0; n < 3; ++n) e.v[n] = x[1 + n];
    read_row(points + 8 * p + 4, x);
    e.h = x[0];
    UNROLL
    for (int n = 0; n < 3; ++n) e.u[n] = x[1 + n];
}

INLINE vreal pressure_at(const vreal *points, int p) { return points[8 * NP + 2 * p]; }

// The state of a point, with the bits of own_primitive().
INLINE Primitive<vreal> state_at(const vreal *points, int p) {
    vreal x[4];
    read_row(points + 8 * p, x);
    return {R(4) * x[0], {x[1], x[2], x[3]}, points[8 * NP + 2 * p + 1]};
}

// The split derivative at point i, 2 sum_k D_ik {rho}{u}{phi} (physics/two_point.h), is summed as
//     sum_k m_ik + sum_k m_ik                                     phi = 1
//     phi_i sum_k m_ik + sum_k m_ik phi_k                         phi = v, H
// with the mass fluxes m_ik = (rho_i + rho_k)/4 sum_d D_d(i,k) (u_d(i) + u_d(k)). The loops over k compute the sums of
// m_ik and m_ik phi_k; complete_sums() does the rest. The divergence form, with m_ik = rho_k sum_d D_d(i,k) u_d(k),
// needs only the sums.

// Adds what point k carries with the mass flux to the sums.
INLINE void add_carried(vreal mass, const End &k, vreal *r) {
    r[0] = r[0] + mass;
    UNROLL
    for (int n = 0; n < 3; ++n) r[1 + n] = vfma(mass, k.v[n], r[1 + n]);
    r[4] = vfma(mass, k.h, r[4]);
}

// Adds the contribution of point k to the sums of point i.
INLINE void add_pair(const Params &par, const End &i, const End &k, const real *d, vreal *r) {
    const bool split = par.split == SPLIT_KENNEDY_GRUBER;
    vreal through = {};
    UNROLL
    for (int n = 0; n < DIMENSIONS; ++n) {
        const vreal u = split ? i.u[n] + k.u[n] : k.u[n];
        through = n == 0 ? d[0] * u : vfma(d[n], u, through);
    }
    add_carried(split ? two_point_mass(i.rho, k.rho, through) : R(4) * k.rho * through, k, r);
}

// Completes the sums of point i.
INLINE void complete_sums(const Params &par, const End &i, vreal *r) {
    if (par.split != SPLIT_KENNEDY_GRUBER) return;
    UNROLL
    for (int n = 0; n < 3; ++n) r[1 + n] = vfma(r[0], i.v[n], r[1 + n]);
    r[4] = vfma(r[0], i.h, r[4]);
    r[0] = R(2) * r[0];
}

// The derivative of the pressure terms p Ja^d at the points of a thread. Affine cells multiply by the metric terms once
// after all points are added.
struct PressureTerms {
    vreal sum[3];
    // Adds the pressure of point p, times d[n - FIRST] along direction n.
    template <int FIRST, int LAST>
    INLINE_MEMBER void add(vreal pressure, const vreal (*a)[3], bool affine, const real *d) {
        UNROLL
        for (int n = FIRST; n < LAST; ++n) {
            if (affine) {
                sum[n] = vfma(d[n - FIRST], pressure, sum[n]);
                continue;
            }
            UNROLL
            for (int m = 0; m < 3; ++m) sum[m] = vfma(d[n - FIRST], pressure * a[n][m], sum[m]);
        }
    }
};

// The divergence at a point, and the share of the point in the imbalance of its cell. For the entropy correction also
// the mass flux through the part of the boundary that belongs to the point, less that with the mass flux of point 0.
struct Divergence {
    vreal r[5], excess[5], entropy_through;
};

// The integral over the faces of the Lagrange function of point p times the area vector, from the metric rows a of the
// point. The area vectors of curved pyramids differ from those that follow from the metric terms, and are added up.
INLINE void boundary_area(const Params &par, long long block, int p, const vreal (*a)[3], vreal *area) {
#if ELEMENT == PYRAMID
    if (par.metric_points != 1) {
        UNROLL
        for (int m = 0; m < 3; ++m) area[m] = vreal{};
        for (int f = 0; f < FACE_POINTS; ++f) {
            if (constant_in_launch(par.face_points + f) != p) continue;
            const real weight = constant_in_launch(par.operators + OFFSET_FACE_WEIGHTS + f);
            vreal outward[3];
            outward_area(par, block, face_of(f), f, outward);
            UNROLL
            for (int m = 0; m < 3; ++m) area[m] = vfma(weight, outward[m], area[m]);
        }
        return;
    }
#endif
    (void)block;
    real b[3];
    UNROLL
    for (int d = 0; d < 3; ++d) b[d] = constant_in_launch(par.operators + OFFSET_BOUNDARY + d * NP + p);
    UNROLL
    for (int m = 0; m < 3; ++m) area[m] = vfma(b[2], a[2][m], vfma(b[1], a[1][m], b[0] * a[0][m]));
}

// Computes the share of point p in the imbalance from the divergence r inside the cell: its weight times the divergence
// minus its own flux through its part A of the boundary,
//     w r - (rho v.A [1, v, H] + p [0, A, 0])
INLINE void find_excess(const Params &par, int p, const End &q, vreal pressure, const vreal *area, Divergence &of) {
    const real weight = constant_in_launch(par.operators + OFFSET_WEIGHTS + p);
    const vreal mass = R(4) * q.rho * dot3(q.v, area);
    of.excess[0] = vfma(weight, of.r[0], -mass);
    UNROLL
    for (int m = 0; m < 3; ++m)
        of.excess[1 + m] = vfma(weight, of.r[1 + m], -vfma(mass, q.v[m], pressure * area[m]));
    of.excess[4] = vfma(weight, of.r[4], -(mass * q.h));
}

#if ELEMENT == PRISM
// Computes the sums along line t across the layers, r[point][5], with the derivative of the pressure. The mass flux of
// two points of the line serves both of them.
INLINE void sum_along_line(const Params &par, long long block, int t, const vreal *points, vreal *r) {
    const Metrics metric = metrics_of(par, block);
    const bool affine = metric.points == 1, split = par.split == SPLIT_KENNEDY_GRUBER;
    End end[N];
    vreal sum[N][5];
    UNROLL
    for (int i = 0; i < N; ++i) {
        read_end(points, t + NT * i, end[i]);
        UNROLL
        for (int v = 0; v < 5; ++v) sum[i][v] = vreal{};
    }
    UNROLL
    for (int i = 0; i < N; ++i)
        UNROLL
    for (int k = 0; k < N; ++k) {
        if (i == k && 0 < i && i < N - 1) continue; // D_ii is zero inside the line
        if (split && k < i) continue;               // the pair has had its turn
        const vreal mass = split ? two_point_mass(end[i].rho, end[k].rho, end[i].u[2] + end[k].u[2])
                                 : R(4) * end[k].rho * end[k].u[2];
        add_carried(par.diff[i * N + k] * mass, end[k], sum[i]);
        if (split && i != k) add_carried(par.diff[k * N + i] * mass, end[i], sum[k]);
    }
    vreal pressure[N];
    UNROLL
    for (int k = 0; k < N; ++k) pressure[k] = pressure_at(points, t + NT * k);
    UNROLL
    for (int i = 0; i < N; ++i) {
        PressureTerms terms = {};
        vreal a[3][3];
        UNROLL
        for (int k = 0; k < N; ++k) {
            if (i == k && 0 < i && i < N - 1) continue;
            const real d = par.diff[i * N + k];
            if (!affine) metric.row(2, t + NT * k, a[2]);
            terms.add<2, 3>(pressure[k], a, affine, &d);
        }
        if (affine) metric.row(2, t + NT * i, a[2]);
        UNROLL
        for (int m = 0; m < 3; ++m) sum[i][1 + m] = sum[i][1 + m] + (affine ? a[2][m] * terms.sum[2] : terms.sum[m]);
        UNROLL
        for (int v = 0; v < 5; ++v) r[5 * (t + NT * i) + v] = sum[i][v];
    }
}
#endif

// The divergence of the convective flux inside the cell at the points of a column, before any correction. In a prism
// `line` holds the sums along the lines across the layers, [point][5].
INLINE void inner_divergence(const Params &par, long long block, const Column &c, const vreal *points,
                             const vreal *line, Divergence *of) {
    const Metrics metric = metrics_of(par, block);
    const bool affine = metric.points == 1;
    End own[POINTS_PER_THREAD];
    PressureTerms terms[POINTS_PER_THREAD];
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        read_end(points, c.point[w], own[w]);
        UNROLL
        for (int v = 0; v < 5; ++v) of[w].r[v] = line ? line[5 * c.point[w] + v] : vreal{};
        terms[w] = {};
    }
    for (int k = 0; k < DENSE; ++k) {
        End end;
        vreal a[3][3];
        read_end(points, c.first + k, end);
        const vreal pressure = pressure_at(points, c.first + k);
        if (!affine) metric.rows(c.first + k, a);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            real d[DIMENSIONS];
            UNROLL
            for (int n = 0; n < DIMENSIONS; ++n) d[n] = diff_of(par, c.row[w], k, n);
            add_pair(par, own[w], end, d, of[w].r);
            terms[w].add<0, DIMENSIONS>(pressure, a, affine, d);
        }
    }
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        vreal a[3][3];
        metric.rows(c.point[w], a);
        complete_sums(par, own[w], of[w].r);
        UNROLL
        for (int m = 0; m < 3; ++m) {
            const vreal *sum = terms[w].sum;
            of[w].r[1 + m] = of[w].r[1 + m] + (affine ? vfma(a[2][m], sum[2], vfma(a[1][m], sum[1], a[0][m] * sum[0]))
                                                      : sum[m]);
        }
        vreal area[3];
        boundary_area(par, block, c.point[w], a, area);
        find_excess(par, c.point[w], own[w], pressure_at(points, c.point[w]), area, of[w]);
        if (CORRECTS_ENTROPY) {
            End reference;
            vreal flow[3];
            read_end(points, 0, reference);
            momentum_difference(Primitive<vreal>{reference.rho, {reference.v[0], reference.v[1], reference.v[2]}, {}},
                                Primitive<vreal>{own[w].rho, {own[w].v[0], own[w].v[1], own[w].v[2]}, {}}, flow);
            of[w].entropy_through = R(4) * dot3(flow, area);
        }
    }
}

// Writes the divergence and the excess of the points of a column in place of the values of the points.
INLINE void write_divergence(const Column &c, const Divergence *of, vreal *points) {
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        if (!c.there[w]) continue;
        vreal *out = points + POINT_VALUES * c.point[w];
        UNROLL
        for (int v = 0; v < 5; ++v) out[v] = of[w].r[v], out[5 + v] = of[w].excess[v];
    }
}

// The integral of the divergence of variable v over the cell minus the flux through its faces, per volume of the
// reference cell, from the excess of all points.
INLINE vreal imbalance(const Params &par, int v, const vreal *points) {
    vreal sum = {};
    for (int i = 0; i < NP; ++i) sum = sum + points[POINT_VALUES * i + 5 + v];
    return constant_in_launch(par.operators + OFFSET_INVERSE_VOLUME) * sum;
}
#endif
