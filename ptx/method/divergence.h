// Divergence of the complete flux along one line of a cell: derivative of the in-cell polynomial, and the correction
// that replaces the cell's own flux at both ends by the common one.
#pragma once
#include "method/line_states.h"
#include "physics/riemann.h"
#include "physics/viscous.h"

#if ELEMENT == HEX

// Kennedy-Gruber-Pirozzoli split form, C. A. Kennedy & A. Gruber, J. Comput. Phys. 227 (2008) 1676 and S. Pirozzoli,
// J. Comput. Phys. 229 (2010) 7180, as two-point flux 2 sum_k D_ik {rho}{u_xi}{phi}, {a} = (a_i + a_k)/2, phi = 1, u, v,
// w, H. `mass` holds {rho}{u_xi} of every pair i <= k, and with it the flux of phi is mass (phi_i + phi_k).
#define PAIR(i, k) ((i) * N - (i) * ((i) - 1) / 2 + (k) - (i))
#define PAIRS (N * (N + 1) / 2)

INLINE void pair_mass_flux(const vreal *rho, const vreal *u_xi, vreal *mass) {
    vreal quarter[N];
    UNROLL
    for (int i = 0; i < N; ++i) quarter[i] = R(0.25) * rho[i];
    UNROLL
    for (int i = 0; i < N; ++i) {
        UNROLL
        for (int k = i; k < N; ++k) mass[PAIR(i, k)] = (quarter[i] + quarter[k]) * (u_xi[i] + u_xi[k]);
    }
}

// Adds 2 sum_k D_ik {rho}{u_xi}{phi} to r; only the end points have a diagonal entry in D on Gauss-Lobatto points.
INLINE void add_split_derivative(const vreal *mass, const vreal *phi, const Params &par, vreal *r) {
    UNROLL
    for (int i = 0; i < N; ++i) {
        UNROLL
        for (int k = i + 1; k < N; ++k) {
            const vreal f = mass[PAIR(i, k)] * (phi[i] + phi[k]);
            r[i] = vfma(par.diff[i * N + k], f, r[i]);
            r[k] = vfma(par.diff[k * N + i], f, r[k]);
        }
    }
    r[0] = vfma(par.diff[0], mass[PAIR(0, 0)] * (phi[0] + phi[0]), r[0]);
    r[N - 1] = vfma(par.diff[N * N - 1], mass[PAIR(N - 1, N - 1)] * (phi[N - 1] + phi[N - 1]), r[N - 1]);
}

// The same for phi = 1.
INLINE void add_split_derivative(const vreal *mass, const Params &par, vreal *r) {
    UNROLL
    for (int i = 0; i < N; ++i) {
        UNROLL
        for (int k = i + 1; k < N; ++k) {
            r[i] = vfma(R(2) * par.diff[i * N + k], mass[PAIR(i, k)], r[i]);
            r[k] = vfma(R(2) * par.diff[k * N + i], mass[PAIR(i, k)], r[k]);
        }
    }
    r[0] = vfma(R(2) * par.diff[0], mass[PAIR(0, 0)], r[0]);
    r[N - 1] = vfma(R(2) * par.diff[N * N - 1], mass[PAIR(N - 1, N - 1)], r[N - 1]);
}

// Adds D_ik f to r, the part of point k in the derivative of a line.
INLINE void add_derivative_of(int k, vreal f, const Params &par, vreal *r) {
    UNROLL
    for (int i = 0; i < N; ++i) {
        if (i == k && 0 < i && i < N - 1) continue; // zero
        r[i] = vfma(par.diff[i * N + k], f, r[i]);
    }
}

// The other side's outward viscous fluxes at both ends of a line.
struct LineTraces {
    vreal f[2][4];
};

INLINE void load_traces(const Params &par, long long block, int d, int l, LineTraces &traces) {
    if (par.viscosity == INVISCID) return;
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
    stress(g, inverse_j, inverse_j, state.rho, state.t, par, s);
    UNROLL
    for (int d = 0; d < 3; ++d) {
        vreal own[3];
        metric.row(d, p, own);
        viscous_flux(state, s, own, f);
        UNROLL
        for (int v = 0; v < 4; ++v) (w + at)[(d * 5 + v) * POINTS] = f[v];
    }
}

// Common flux minus own flux at the end of a line on `face`, along +xi_d: convective from the interface solver, viscous
// from the mean of both sides' traces. `i` and `own` are the cell's state and viscous flux at face point l, `o` and `trace`
// the other's.
INLINE void end_correction(const Params &par, long long block, const Metrics &metric, int face, int l, int p,
                           const Primitive<vreal> &i, const Primitive<vreal> &o, const vreal *own, const vreal *trace,
                           vreal *jump) {
    const int d = face / 2;
    const real sign = (face & 1) ? R(1) : R(-1);
    vreal a[3];
    metric.row(d, p, a);
    const vreal mass = i.rho * dot3(i.v, a), pressure_i = pressure(i, par);
    vreal outward[3], f[5];
    outward_area(par, block, metric, face, p, outward);
    common_convective_flux(i, o, outward, par, f);
    jump[0] = sign * f[0] - mass;
    UNROLL
    for (int n = 0; n < 3; ++n) jump[1 + n] = sign * f[1 + n] - vfma(mass, i.v[n], pressure_i * a[n]);
    jump[4] = sign * f[4] - mass * total_enthalpy(i, par);
    if (par.viscosity == INVISCID) return;
    // The common viscous flux is (offered - trace)/2 outward; it replaces the own one and enters with the opposite sign.
    vreal across[4], offered[4];
    neighbour_for_gradient(par, block, face, l, o, across);
    UNROLL
    for (int v = 0; v < 4; ++v) offered[v] = sign * own[v];
    add_penalty(i, across, viscosity(i.t, par), dot3(a, a), metric.inverse_j(p), par, offered);
    UNROLL
    for (int v = 0; v < 4; ++v) jump[1 + v] = jump[1 + v] + (own[v] - sign * (R(0.5) * (offered[v] - trace[v])));
}

// Replaces the viscous flux w[v * POINTS + place(p)] (4 variables) of line l by the divergence of the complete flux (5).
INLINE void line_divergence(const Params &par, long long block, const vreal *q, int d, int l, const LineEnds &ends,
                            const LineTraces &traces, vreal *w) {
    const int start = line_start(d, l), stride = line_stride(d);
    const Metrics metric = metrics_of(par, block);
    const bool viscous = par.viscosity != INVISCID, split = par.split == SPLIT_KENNEDY_GRUBER;
    vreal jump_lo[5] = {}, jump_hi[5] = {};
    // The second pass finds its values where the first found its own, and leaves the first's result where it belongs: a loop
    // then needs no register that is indexed at run time.
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
        end_correction(par, block, metric, 2 * d + side, l, p, primitives_at(q, at), other, own, trace, jump_hi);
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
        p_of[m] = pressure(s, par); // kept where the registers suffice
    }
    if (split) pair_mass_flux(rho, u_xi, mass);

    // Energy first: it reads the viscous energy flux, whose place the density then momentum results overwrite.
    UNROLL
    for (int v = 4; v >= 0; --v) {
        vreal phi[N], r[N];
        UNROLL
        for (int m = 0; m < N; ++m) r[m] = vfma(par.correction[m], jump_lo[v], -(par.correction[N - 1 - m] * jump_hi[v]));
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
}
#endif
