// Derivatives along one line of a hexahedron: of the two-point flux (physics/two_point.h) with phi = 1, u, v, w, H, and
// of a plain flux f:
//     2 sum_k D_ik {rho}{u_xi}{phi},    sum_k D_ik f_k
#pragma once
#include "dialect/dialect.h"
#include "element/element.h"
#include "params.h"
#include "physics/two_point.h"

#if ELEMENT == HEX
// Computes the mass flux {rho}{u_xi} of every pair i <= k of points.
#define PAIR(i, k) ((i) * N - (i) * ((i) - 1) / 2 + (k) - (i))
#define PAIRS (N * (N + 1) / 2)

INLINE void pair_mass_flux(const vreal *rho, const vreal *u_xi, vreal *mass) {
    vreal quarter[N];
    UNROLL
    for (int i = 0; i < N; ++i) quarter[i] = R(0.25) * rho[i];
    UNROLL
    for (int i = 0; i < N; ++i) {
        UNROLL
        for (int k = i; k < N; ++k) mass[PAIR(i, k)] = two_point_mass(quarter[i], quarter[k], u_xi[i] + u_xi[k]);
    }
}

// Adds 2 sum_k D_ik {rho}{u_xi}{phi} to r. On Gauss-Lobatto points only the end points have a diagonal entry in D.
INLINE void add_split_derivative(const vreal *mass, const vreal *phi, const Params &par, vreal *r) {
    UNROLL
    for (int i = 0; i < N; ++i) {
        UNROLL
        for (int k = i + 1; k < N; ++k) {
            const vreal f = mass[PAIR(i, k)] * two_point_sum(phi[i], phi[k]);
            r[i] = vfma(par.diff[i * N + k], f, r[i]);
            r[k] = vfma(par.diff[k * N + i], f, r[k]);
        }
    }
    r[0] = vfma(par.diff[0], mass[PAIR(0, 0)] * two_point_sum(phi[0], phi[0]), r[0]);
    r[N - 1] = vfma(par.diff[N * N - 1], mass[PAIR(N - 1, N - 1)] * two_point_sum(phi[N - 1], phi[N - 1]), r[N - 1]);
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

// Adds D_ik f to r, which is the contribution of point k to the derivative along a line.
INLINE void add_derivative_of(int k, vreal f, const Params &par, vreal *r) {
    UNROLL
    for (int i = 0; i < N; ++i) {
        if (i == k && 0 < i && i < N - 1) continue; // D_ii is zero inside the line
        r[i] = vfma(par.diff[i * N + k], f, r[i]);
    }
}
#endif
