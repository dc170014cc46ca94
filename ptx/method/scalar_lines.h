// Passive scalars along the lines of hexahedra: gradient, diffusive flux, and the divergence of the complete flux.
// Arrays of a cell hold variable v of point p at [v * POINTS + place(p)].
#pragma once
#include "method/gradient.h"
#include "method/line_states.h"
#include "method/scalar.h"
#include "method/split_derivative.h"

#if ELEMENT == HEX
INLINE void load_scalars(const Params &par, long long block, int p, vreal *q) {
    vreal c[SCALARS];
    own_scalars(par, block, p, own_density(par, block, p), c);
    UNROLL
    for (int v = 0; v < SCALARS; ++v) (q + place(p))[v * POINTS] = c[v];
}

// Writes the reference derivative along line l of direction d with its correction to dq.
INLINE void scalar_line_gradient(const Params &par, long long block, const vreal *q, int d, int l, vreal *dq) {
    const int start = line_start(d, l);
    vreal lo[SCALARS], hi[SCALARS];
    scalars_across(par, block, 2 * d, l, lo);
    scalars_across(par, block, 2 * d + 1, l, hi);
    UNROLL
    for (int v = 0; v < SCALARS; ++v) {
        if (v >= par.scalar_count) continue;
        vreal values[N], derivative[N];
        UNROLL
        for (int m = 0; m < N; ++m) values[m] = (q + on_line(start, d, m))[v * POINTS];
        corrected_derivative(values, lo[v], hi[v], par, derivative);
        UNROLL
        for (int m = 0; m < N; ++m) (dq + on_line(start, d, m))[v * POINTS] = derivative[m];
    }
}

// The diffusive flux of scalar v along direction d, from the reference derivatives at[(direction * 5 + v) *
// POINTS] and the metric rows a of the point:
//     rho D/J Ja^d . sum_e Ja^e dc/dxi_e
INLINE vreal scalar_flux(const Params &par, const vreal *at, int v, const vreal (*a)[3], vreal inverse_j,
                         const Diffusion &diffusion, int d) {
    vreal sum = {};
    UNROLL
    for (int e = 0; e < 3; ++e) {
        const vreal derivative = at[(e * 5 + v) * POINTS], product = dot3(a[d], a[e]);
        sum = e == 0 ? product * derivative : vfma(product, derivative, sum);
    }
    return diffusion.of(par, v) * inverse_j * sum;
}

// Replaces the reference derivatives at point p by the diffusive fluxes along all three directions.
INLINE void scalar_fluxes(const Params &par, long long block, int p, vreal *w) {
    vreal a[3][3];
    const vreal inverse_j = metrics_of(par, block).rows(p, a);
    const Diffusion diffusion = diffusion_at(par, block, p);
    UNROLL
    for (int v = 0; v < SCALARS; ++v) {
        if (v >= par.scalar_count) continue;
        vreal flux[3];
        UNROLL
        for (int d = 0; d < 3; ++d) flux[d] = scalar_flux(par, w + place(p), v, a, inverse_j, diffusion, d);
        UNROLL
        for (int d = 0; d < 3; ++d) (w + place(p))[(d * 5 + v) * POINTS] = flux[d];
    }
}

// The common flux minus the own flux along +xi_d of all scalars at the end of a line on `face`, whose diffusive flux
// there is w[v * POINTS]; `at` is the place of the end, and p its point.
INLINE void scalar_jump(const Params &par, long long block, int face, int l, int p, int at, const vreal *flow,
                        const vreal *q, const vreal *w, vreal *jump) {
    const int d = face / 2;
    const real sign = (face & 1) ? R(1) : R(-1);
    const Metrics metric = metrics_of(par, block);
    const Primitive<vreal> i = primitives_at(flow, at);
    Primitive<vreal> o;
    vreal a[3], outward[3], c[SCALARS], trace[4];
    neighbour(par, block, face, l, o);
    neighbour_scalars(par, block, face, l, o.rho, c);
    metric.row(d, p, a);
    outward_area(par, block, metric, face, p, outward);
    const vreal own_mass = i.rho * dot3(i.v, a), mass = mass_flux(par, i, o, outward);
    UNROLL
    for (int v = 0; v < SCALARS; ++v) {
        const vreal inside = (q + at)[v * POINTS];
        jump[v] = sign * (mass * carried(mass, inside, c[v])) - own_mass * inside;
    }
    jump[SCALARS] = sign * mass - own_mass;
    if (par.viscosity == VISCOSITY_NONE) return;
    const Diffusion diffusion = diffusion_at(par, block, p);
    neighbour_trace(par, block, face, l, trace);
    take_ghost_values(par, par.scalars, block, face, l, c);
    UNROLL
    for (int v = 0; v < SCALARS; ++v) {
        if (v >= par.scalar_count) continue;
        const vreal own = (w + at)[v * POINTS], difference = c[v] - (q + at)[v * POINTS];
        const vreal penalty = scalar_penalty(par, diffusion, v, difference, dot3(a, a), metric.inverse_j(p));
        const vreal common = common_viscous_flux(sign * own + penalty, trace[v]);
        jump[v] = jump[v] + (own - sign * common);
    }
}

// Replaces the diffusive flux w of line l by the divergence of the complete flux. `flow` holds the primitives.
INLINE void scalar_line_divergence(const Params &par, long long block, const vreal *flow, const vreal *q, int d, int l,
                                   vreal *w) {
    const int start = line_start(d, l), stride = line_stride(d);
    const Metrics metric = metrics_of(par, block);
    const bool viscous = par.viscosity != VISCOSITY_NONE, split = par.split == SPLIT_KENNEDY_GRUBER;
    vreal jump_lo[5], jump_hi[5];
    scalar_jump(par, block, 2 * d, l, start, on_line(start, d, 0), flow, q, w, jump_lo);
    scalar_jump(par, block, 2 * d + 1, l, start + (N - 1) * stride, on_line(start, d, N - 1), flow, q, w, jump_hi);
    vreal rho[N], u_xi[N], mass[PAIRS];
    UNROLL
    for (int m = 0; m < N; ++m) {
        const Primitive<vreal> s = primitives_at(flow, on_line(start, d, m));
        vreal a[3];
        metric.row(d, start + m * stride, a);
        rho[m] = s.rho;
        u_xi[m] = dot3(s.v, a);
    }
    if (split) pair_mass_flux(rho, u_xi, mass);
    UNROLL
    for (int v = 0; v < 5; ++v) {
        if (!is_scalar(par, v)) continue;
        const bool diffuses = viscous && v < SCALARS;
        vreal c[N], r[N];
        UNROLL
        for (int m = 0; m < N; ++m) {
            c[m] = v < SCALARS ? (q + on_line(start, d, m))[v * POINTS] : vreal{} + R(1);
            r[m] = correction(par, m, jump_lo[v], jump_hi[v]);
        }
        UNROLL
        for (int m = 0; m < N; ++m) {
            vreal plain = {};
            if (diffuses) plain = -(w + on_line(start, d, m))[v * POINTS];
            if (!split) plain = vfma(rho[m] * u_xi[m], c[m], plain);
            if (diffuses || !split) add_derivative_of(m, plain, par, r);
        }
        if (split) add_split_derivative(mass, c, par, r);
        UNROLL
        for (int m = 0; m < N; ++m) (w + on_line(start, d, m))[v * POINTS] = r[m];
    }
}
#endif
