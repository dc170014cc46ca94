// The divergence of the complete flux along one line of a hexahedron: the derivative of the polynomial in the cell, and
// the correction that replaces the own flux at both ends by the common flux.
#pragma once
#include "method/corrected_stages.h"
#include "method/correction.h"
#include "method/entropy_correction.h"
#include "method/line_states.h"
#include "method/metrics.h"
#include "method/split_derivative.h"
#include "physics/viscous.h"

#if ELEMENT == HEX
// The outward viscous fluxes of the other side at both ends of a line.
struct LineTraces {
    vreal f[2][4];
};

INLINE void load_traces(const Params &par, long long block, int d, int l, LineTraces &traces) {
    if (par.viscosity == VISCOSITY_NONE) return;
    neighbour_trace(par, block, 2 * d, l, traces.f[0]);
    neighbour_trace(par, block, 2 * d + 1, l, traces.f[1]);
}

// Replaces the reference gradient in w[(d * 5 + v) * POINTS] by the viscous flux along all three directions.
INLINE void viscous_fluxes(const Params &par, const Metrics &metric, int p, const vreal *q, vreal *w) {
    vreal a[3][3], g[4][3], f[4];
    Stress<vreal> s;
    const int at = place(p);
    const vreal inverse_j = metric.rows(p, a);
    physical_gradient(w + at, 5, a, g);
    const Primitive<vreal> state = primitives_at(q, at);
    stress(g, inverse_j, a, inverse_j, state.rho, state.t, par, s);
    UNROLL
    for (int d = 0; d < 3; ++d) {
        vreal own[3];
        metric.row(d, p, own);
        viscous_flux(state, s, own, f);
        UNROLL
        for (int v = 0; v < 4; ++v) (w + at)[(d * 5 + v) * POINTS] = f[v];
    }
}

// Replaces the viscous flux w[v * POINTS + place(p)] (4 variables) of line l by the divergence of the complete flux (5
// variables). `entropy` is what the correction of the entropy keeps of the cell.
INLINE void line_divergence(const Params &par, long long block, const vreal *q, int d, int l, const LineEnds &ends,
                            const LineTraces &traces, vreal *w, vreal *entropy) {
    const int start = line_start(d, l), stride = line_stride(d);
    const Metrics metric = metrics_of(par, block);
    const bool viscous = par.viscosity != VISCOSITY_NONE, split = par.split == SPLIT_KENNEDY_GRUBER;
    vreal jump_lo[5] = {}, jump_hi[5] = {}, through = {};
    // Both passes read `other` and `trace` and write jump_hi. The second pass first moves the result of the first one
    // to jump_lo. No register is therefore indexed at run time where the loop is not unrolled.
    Primitive<vreal> other = ends.o[0];
    vreal trace[4] = {};
    if (viscous) {
        UNROLL
        for (int v = 0; v < 4; ++v) trace[v] = traces.f[0][v];
    }
    UNROLL_IN_SINGLE
    for (int side = 0; side < 2; ++side) {
        const int p = start + side * (N - 1) * stride, at = on_line(start, d, side * (N - 1));
        vreal own[4] = {};
        if (viscous) {
            UNROLL
            for (int v = 0; v < 4; ++v) own[v] = (w + at)[v * POINTS];
        }
        UNROLL
        for (int v = 0; v < 5; ++v) jump_lo[v] = jump_hi[v];
        vreal at_end[5] = {};
        if (CORRECTS_ENTROPY) {
            UNROLL
            for (int v = 0; v < 5; ++v) at_end[v] = (entropy + at)[v * POINTS];
        }
        const Primitive<vreal> reference = primitives_at(q, place(0));
        through = through + flux_jump(par, block, metric, 2 * d + side, l, p, primitives_at(q, at), other, own, trace,
                                      at_end, reference, jump_hi);
        other = ends.o[1];
        if (viscous) {
            UNROLL
            for (int v = 0; v < 4; ++v) trace[v] = traces.f[1][v];
        }
    }
    vreal rho[N], u_xi[N], p_of[N], mass[PAIRS];
    UNROLL
    for (int m = 0; m < N; ++m) {
        const Primitive<vreal> s = primitives_at(q, on_line(start, d, m));
        vreal a[3];
        metric.row(d, start + m * stride, a);
        rho[m] = s.rho;
        u_xi[m] = dot3(s.v, a);
        p_of[m] = pressure(s, par); // used below for N <= 6, where the registers suffice
    }
    if (split) pair_mass_flux(rho, u_xi, mass);

    // The energy (v = 4) comes first: its result goes to an unused place, and each later result replaces a viscous flux
    // that has already been read.
    UNROLL
    for (int v = 4; v >= 0; --v) {
        vreal phi[N], r[N];
        UNROLL
        for (int m = 0; m < N; ++m) r[m] = correction(par, m, jump_lo[v], jump_hi[v]);
        UNROLL
        for (int m = 0; m < N; ++m) {
            const int p = start + m * stride, at = on_line(start, d, m);
            const Primitive<vreal> s = primitives_at(q, at);
            const vreal zero = {}, viscous_part = viscous && v > 0 ? -(w + at)[(v - 1) * POINTS] : zero;
            vreal a[3], plain = viscous_part;
            metric.row(d, p, a);
            if (v > 0 && v < 4) plain = vfma(N > 6 ? pressure(s, par) : p_of[m], a[v - 1], plain);
            if (v > 0) phi[m] = v == 4 ? total_enthalpy(s, par) : s.v[v - 1];
            if (!split) plain = v == 0 ? rho[m] * u_xi[m] : vfma(rho[m] * u_xi[m], phi[m], plain);
            if (!split || (v > 0 && v < 4) || (v == 4 && viscous)) add_derivative_of(m, plain, par, r);
        }
        if (split && v == 0) add_split_derivative(mass, par, r);
        if (split && v > 0) add_split_derivative(mass, phi, par, r);
        UNROLL
        for (int m = 0; m < N; ++m) (w + on_line(start, d, m))[v * POINTS] = r[m];
    }
    if (CORRECTS_ENTROPY) entropy[ENTROPY_LINES + d * NL + l] = par.weights[l % N] * par.weights[l / N] * through;
}
#endif
