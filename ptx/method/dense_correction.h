// The correction of cells with dense operators. A lifting matrix multiplies the differences between the common values
// and the values of the cell at the face points, and adds them to the gradient or the divergence inside the cell.
#pragma once
#include "method/block.h"
#include "method/dense_divergence.h"
#include "method/dense_operators.h"
#include "method/metrics.h"
#include "method/neighbour.h"
#include "physics/riemann.h"
#include "physics/viscous.h"

#if ELEMENT != HEX
// Calls body(f, k) for the face points f of each face whose corrections reach a set, where k is the number of f among
// them, and done(face) after each face.
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

// Half the difference across the face, (q_o - q_i)/2 of u, v, w, T, at face point f; q holds the rows of the points.
INLINE void gradient_jump(const Params &par, long long block, int f, const vreal *q, vreal *jump) {
    const int face = face_of(f), l = f - face_offset(face);
    Primitive<vreal> o;
    vreal inside[4], across[4], half[4];
    neighbour(par, block, face, l, o);
    neighbour_for_gradient(par, block, face, l, o, across);
    read_row(q + 4 * constant_in_launch(par.face_points + f), inside);
    UNROLL
    for (int n = 0; n < 4; ++n) half[n] = R(0.5) * (across[n] - inside[n]);
    write_row(half, jump + 4 * f);
}

// Adds the corrections from the faces to the reference derivatives dq[w][d][v] of u, v, w, T at the points of a column.
// `jump` holds half the differences across the faces. The lifting matrix of a face acts along the normal of that face.
INLINE void add_gradient_corrections(const Params &par, const Column &c, const vreal *jump, vreal (*dq)[3][4]) {
    const vreal zero = {};
    vreal sum[POINTS_PER_THREAD][4];
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w)
        UNROLL
    for (int v = 0; v < 4; ++v) sum[w][v] = zero;
    over_lifts(
        c,
        [&](int f, int k) {
            vreal x[4];
            read_row(jump + 4 * f, x);
            UNROLL
            for (int w = 0; w < POINTS_PER_THREAD; ++w) {
                const real lift = lift_of(par, c.row[w], k);
                UNROLL
                for (int v = 0; v < 4; ++v) sum[w][v] = vfma(lift, x[v], sum[w][v]);
            }
        },
        [&](int face) {
            UNROLL
            for (int w = 0; w < POINTS_PER_THREAD; ++w)
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
}

#if ELEMENT == PRISM
// Adds the corrections from both ends of the line across the layers to the derivative at point w of a column.
INLINE void add_end_corrections(const Params &par, const Column &c, int w, const vreal *jump, vreal *dq) {
    const real lower = constant_in_launch(par.operators + OFFSET_ENDS + c.layer),
               upper = constant_in_launch(par.operators + OFFSET_ENDS + N - 1 - c.layer);
    vreal lo[4], hi[4];
    read_row(jump + 4 * c.row[w], lo);
    read_row(jump + 4 * (NT + c.row[w]), hi);
    UNROLL
    for (int v = 0; v < 4; ++v) dq[v] = vfma(lower, lo[v], vfma(-upper, hi[v], dq[v]));
}
#endif

// The difference between the common flux through face point f and the convective flux of the cell; `points` holds the
// values of the points. Sweep 1 has already subtracted the viscous flux of the cell.
INLINE void flux_jump(const Params &par, long long block, int f, const vreal *points, vreal *jump) {
    const int face = face_of(f), l = f - face_offset(face);
    Primitive<vreal> o;
    vreal a[3], common[5], own[5];
    neighbour(par, block, face, l, o);
    outward_area(par, block, face, f, a);
    const Primitive<vreal> i = state_at(points, constant_in_launch(par.face_points + f));
    common_convective_flux(i, o, a, par, common);
    take_interface_flux(par, block, face, l, common);
    convective_flux(i, a, par, own);
    if (par.viscosity != VISCOSITY_NONE) {
        const vreal *outgoing =
            block_of((const real *)par.own_traces, block, 4 * FACE_POINTS) + 4 * face_offset(face) + l;
        vreal trace[4];
        neighbour_trace(par, block, face, l, trace);
        UNROLL
        for (int v = 0; v < 4; ++v)
            common[1 + v] = common[1 + v] - common_viscous_flux(outgoing[v * face_size(face)], trace[v]);
    }
    UNROLL
    for (int v = 0; v < 5; ++v) jump[5 * f + v] = common[v] - own[v];
}

// Adds the corrections of all face points to the divergence at the points of a column.
INLINE void add_flux_corrections(const Params &par, const Column &c, const vreal *jumps, Divergence *of) {
    const auto add = [&](int f, int k) {
        vreal jump[5];
        UNROLL
        for (int v = 0; v < 5; ++v) jump[v] = jumps[5 * f + v];
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            const real lift = lift_of(par, c.row[w], k);
            UNROLL
            for (int v = 0; v < 5; ++v) of[w].r[v] = vfma(lift, jump[v], of[w].r[v]);
        }
    };
    over_lifts(c, add, [](int) {});
#if ELEMENT == PRISM
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        const real lower = constant_in_launch(par.operators + OFFSET_ENDS + c.layer),
                   upper = constant_in_launch(par.operators + OFFSET_ENDS + N - 1 - c.layer);
        const vreal *lo = jumps + 5 * c.row[w], *hi = lo + 5 * NT;
        UNROLL
        for (int v = 0; v < 5; ++v) of[w].r[v] = vfma(-upper, hi[v], vfma(-lower, lo[v], of[w].r[v]));
    }
#endif
}
#endif
