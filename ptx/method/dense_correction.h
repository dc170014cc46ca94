// The correction of cells with dense operators. A lifting matrix multiplies the differences between the common values
// and the values of the cell at the face points, and adds them to the gradient or the divergence inside the cell.
#pragma once
#include "method/block.h"
#include "method/dense_operators.h"
#include "method/dense_state.h"
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

// Values of a face point in shared memory: the common flux minus the own flux (5), and the common flux (5).
#define FACE_VALUES 10

// The common flux through face point f minus the own flux of the cell, and the common flux.
INLINE void face_flux(const Params &par, long long block, int f, vreal *out) {
    const int face = face_of(f), l = f - face_offset(face);
    const Primitive<vreal> i = own_primitive(par, block, constant_in_launch(par.face_points + f));
    Primitive<vreal> o;
    vreal a[3], common[5], own[5];
    neighbour(par, block, face, l, o);
    outward_area(par, block, face, f, a);
    common_convective_flux(i, o, a, par, common);
    convective_flux(i, a, par, own);
    if (par.viscosity != VISCOSITY_NONE) {
        const int p = constant_in_launch(par.face_points + f);
        const vreal *outgoing =
            block_of((const real *)par.own_traces, block, 4 * FACE_POINTS) + 4 * face_offset(face) + l;
        const vreal *stored = block_of((const real *)par.viscous, block, 12 * NP) + p;
        vreal trace[4];
        neighbour_trace(par, block, face, l, trace);
        UNROLL
        for (int v = 0; v < 4; ++v) {
            common[1 + v] = common[1 + v] - common_viscous_flux(outgoing[v * face_size(face)], trace[v]);
            own[1 + v] =
                own[1 + v] - normal_component(face, stored[v * NP], stored[(4 + v) * NP], stored[(8 + v) * NP]);
        }
    }
    UNROLL
    for (int v = 0; v < 5; ++v) {
        out[f * FACE_VALUES + v] = common[v] - own[v];
        out[f * FACE_VALUES + 5 + v] = common[v];
    }
}

// Adds the corrections of all face points to the divergence r[5 * point] at the points of a column.
INLINE void add_flux_corrections(const Params &par, const Column &c, const vreal *faces, vreal *r) {
    vreal sum[POINTS_PER_THREAD][5];
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w)
        UNROLL
    for (int v = 0; v < 5; ++v) sum[w][v] = r[5 * c.point[w] + v];
    const auto add = [&](int f, int k) {
        vreal jump[5];
        UNROLL
        for (int v = 0; v < 5; ++v) jump[v] = faces[f * FACE_VALUES + v];
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            const real lift = lift_of(par, c.row[w], k);
            UNROLL
            for (int v = 0; v < 5; ++v) sum[w][v] = vfma(lift, jump[v], sum[w][v]);
        }
    };
    over_lifts(c, add, [](int) {});
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
#if ELEMENT == PRISM
        const real lower = constant_in_launch(par.operators + OFFSET_ENDS + c.layer),
                   upper = constant_in_launch(par.operators + OFFSET_ENDS + N - 1 - c.layer);
        const vreal *lo = faces + c.row[w] * FACE_VALUES, *hi = lo + NT * FACE_VALUES;
        UNROLL
        for (int v = 0; v < 5; ++v) sum[w][v] = vfma(-upper, hi[v], vfma(-lower, lo[v], sum[w][v]));
#endif
        if (!c.there[w]) continue;
        UNROLL
        for (int v = 0; v < 5; ++v) r[5 * c.point[w] + v] = sum[w][v];
    }
}
#endif
