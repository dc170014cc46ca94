// Divergence of the complete flux along one line of a cell: derivative of the in-cell polynomial, and the correction
// that replaces the cell's own flux at both ends by the common one.
#pragma once

// Kennedy-Gruber-Pirozzoli split form, C. A. Kennedy & A. Gruber, J. Comput. Phys. 227 (2008) 1676 and S. Pirozzoli,
// J. Comput. Phys. 229 (2010) 7180, as two-point flux 2 sum_k D_ik {rho}{u_xi}{phi}, {a} = (a_i + a_k)/2, phi = 1, u, v,
// w, H. `mass` holds {rho}{u_xi} of every pair i <= k, and with it the flux of phi is mass (phi_i + phi_k).
#define PAIR(i, k) ((i) * N - (i) * ((i) - 1) / 2 + (k) - (i))
#define PAIRS (N * (N + 1) / 2)

INLINE void pair_mass_flux(const vreal *rho, const vreal *u_xi, vreal *mass) {
    UNROLL
    for (int i = 0; i < N; ++i) {
        UNROLL
        for (int k = i; k < N; ++k) mass[PAIR(i, k)] = R(0.25) * ((rho[i] + rho[k]) * (u_xi[i] + u_xi[k]));
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

// Adds sum_k D_ik f_k to r.
INLINE void add_derivative(const vreal *f, const Params &par, vreal *r) {
    UNROLL
    for (int i = 0; i < N; ++i) {
        UNROLL
        for (int k = 0; k < N; ++k) r[i] = vfma(par.diff[i * N + k], f[k], r[i]);
    }
}

// Common flux minus own flux at one end of a line, along +xi_d: convective from the interface solver, viscous from the
// mean of both sides' traces. `u_xi`, `area` and `viscous` are the cell's own at that end.
INLINE void end_correction(const Params &par, long long block, const Metrics &metric, int face, int l, int p,
                           const Primitive<vreal> &i, const Primitive<vreal> &o, vreal u_xi, const vreal *area,
                           const vreal *viscous, vreal *jump) {
    vreal a[3], f[5];
    outward_area(par, block, metric, face, p, a);
    common_convective_flux(i, o, a, par, f);
    const vreal pressure_i = pressure(i, par), mass = i.rho * u_xi;
    const vreal own[5] = {mass, vfma(mass, i.v[0], pressure_i * area[0]), vfma(mass, i.v[1], pressure_i * area[1]),
                          vfma(mass, i.v[2], pressure_i * area[2]), mass * total_enthalpy(i, par)};
    UNROLL
    for (int v = 0; v < 5; ++v) jump[v] = ((face & 1) ? f[v] : -f[v]) - own[v];
    if (par.viscosity != INVISCID) {
        UNROLL
        for (int v = 0; v < 4; ++v) {
            const vreal outward = (face & 1) ? viscous[v] : -viscous[v];
            const vreal common = R(0.5) * (outward - neighbour_trace(par, block, face, l, v));
            jump[1 + v] = jump[1 + v] - ((face & 1) ? common : -common) + viscous[v];
        }
    }
}

// Replaces the viscous flux w[v * NP + p] (4 variables) of line l by the divergence of the complete flux (5 variables).
INLINE void line_divergence(const Params &par, long long block, const vreal *q, int d, int l, const Primitive<vreal> *o,
                            vreal *w) {
    const int start = line_start(d, l), stride = line_stride(d);
    const Metrics metric = metrics_of(par, block);
    const bool viscous = par.viscosity != INVISCID;
    vreal rho[N], u_xi[N], mass[PAIRS], jump_lo[5], jump_hi[5];
    UNROLL
    for (int m = 0; m < N; ++m) {
        const int p = start + m * stride;
        rho[m] = q[p];
        const vreal v[3] = {q[NP + p], q[2 * NP + p], q[3 * NP + p]};
        const vreal a[3] = {metric(3 * d, p), metric(3 * d + 1, p), metric(3 * d + 2, p)};
        u_xi[m] = dot3(v, a);
    }
    for (int side = 0; side < 2; ++side) {
        const int p = start + side * (N - 1) * stride;
        const vreal a[3] = {metric(3 * d, p), metric(3 * d + 1, p), metric(3 * d + 2, p)};
        vreal own[4] = {};
        if (viscous) {
            UNROLL
            for (int v = 0; v < 4; ++v) own[v] = w[v * NP + p];
        }
        end_correction(par, block, metric, 2 * d + side, l, p, primitives_at(q, p), o[side], side ? u_xi[N - 1] : u_xi[0], a,
                       own, side ? jump_hi : jump_lo);
    }
    if (par.split == SPLIT_KENNEDY_GRUBER) pair_mass_flux(rho, u_xi, mass);

    // Energy first: it reads the viscous energy flux, whose place the density then momentum results overwrite.
    UNROLL
    for (int v = 4; v >= 0; --v) {
        vreal phi[N], plain[N], r[N];
        UNROLL
        for (int m = 0; m < N; ++m) {
            const int p = start + m * stride;
            const Primitive<vreal> s = primitives_at(q, p);
            phi[m] = v == 0 ? s.rho * R(0) + R(1) : (v == 4 ? total_enthalpy(s, par) : s.v[v - 1]);
            plain[m] = v == 0 || v == 4 ? s.rho * R(0) : pressure(s, par) * metric(3 * d + v - 1, p);
            if (viscous && v > 0) plain[m] = plain[m] - w[(v - 1) * NP + p];
            if (par.split == SPLIT_NONE) plain[m] = vfma(rho[m] * u_xi[m], phi[m], plain[m]);
            r[m] = par.correction[m] * jump_lo[v] - par.correction[N - 1 - m] * jump_hi[v];
        }
        if (par.split == SPLIT_KENNEDY_GRUBER) add_split_derivative(mass, phi, par, r);
        if (v > 0 || par.split == SPLIT_NONE) add_derivative(plain, par, r);
        UNROLL
        for (int m = 0; m < N; ++m) w[v * NP + start + m * stride] = r[m];
    }
}
