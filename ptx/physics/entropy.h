// The mathematical entropy S = -rho s/(gamma - 1) with s = ln(p/rho^gamma), and its variables v = dS/dU (T. J. Barth,
// in: An Introduction to Recent Developments in Theory and Numerics for Conservation Laws, Lect. Notes Comput. Sci.
// Eng. 5 (1999) 195):
//     v = ((gamma - s)/(gamma - 1) - |u|^2/(2 R T), u/(R T), -1/(R T))
// The potential of the flux f through an area a is psi = rho u.a, and the flux of S is v.f - psi.
//
// Only differences of v between two states are computed, and from differences of the states: in gas at low Mach number
// v varies little, and what follows from it must not be lost in round-off.
#pragma once
#include "physics/gas.h"

// ln(b/a), which changes its sign and nothing else where a and b are exchanged.
template <class V> INLINE V log_ratio(V a, V b) {
    const int terms = sizeof(real) == 8 ? 10 : 4;
    const V s = (b - a) * inverse(a + b), square = s * s, zero = {};
    V sum = zero + R(1) / R(2 * terms + 1);
    UNROLL
    for (int j = terms - 1; j >= 0; --j) sum = sum * square + R(1) / R(2 * j + 1);
    const V near = R(2) * s * sum;
    const auto far = vabs(s) > zero + R(0.17);
    if (!any_lane(far)) return near;
    return far ? R(0.5) * (natural_log(b * inverse(a)) - natural_log(a * inverse(b))) : near;
}

// The part of v_0(b) - v_0(a) that does not depend on the velocity.
template <class V> INLINE V entropy_of_rest(const Primitive<V> &a, const Primitive<V> &b, const Params &par) {
    return log_ratio(a.rho, b.rho) - (R(1) / (par.gamma - R(1))) * log_ratio(a.t, b.t);
}

// v(b) - v(a), from the part that does not depend on the velocity. Exchanging a and b changes the sign and nothing
// else.
template <class V>
INLINE void entropy_difference(const Primitive<V> &a, const Primitive<V> &b, V rest, const Params &par, V *v) {
    const V beta_a = inverse(par.gas_constant * a.t), beta_b = inverse(par.gas_constant * b.t);
    const V beta = beta_a + beta_b; // twice the mean of 1/(R T)
    v[4] = par.gas_constant * (b.t - a.t) * (beta_a * beta_b);
    V square = (dot3(a.v, a.v) + dot3(b.v, b.v)) * v[4]; // minus four times the mean of |u|^2/2 with the change of beta
    UNROLL
    for (int n = 0; n < 3; ++n) {
        const V change = b.v[n] - a.v[n], sum = a.v[n] + b.v[n];
        v[1 + n] = R(0.5) * (beta * change - sum * v[4]);
        square = square - beta * (change * sum);
    }
    v[0] = rest + R(0.25) * square;
}

// The matrix dU/dv at the state r, times g.
template <class V> INLINE void of_entropy_variables(const Primitive<V> &r, const V *g, const Params &par, V *d) {
    const V p = pressure(r, par), h = total_enthalpy(r, par);
    const V k = r.rho * vfma(h, g[4], g[0] + dot3(r.v, g + 1));
    d[0] = vfma(-p, g[4], k);
    UNROLL
    for (int n = 0; n < 3; ++n) d[1 + n] = vfma(r.v[n], k, p * g[1 + n]);
    d[4] = vfma(h, k, -(p * vfma(par.cp * r.t, g[4], g[0])));
}

// rho u (b) - rho u (a), from differences. Exchanging a and b changes the sign and nothing else.
template <class V> INLINE void momentum_difference(const Primitive<V> &a, const Primitive<V> &b, V *d) {
    const V rho = a.rho + b.rho, change = b.rho - a.rho;
    UNROLL
    for (int n = 0; n < 3; ++n) d[n] = R(0.5) * (rho * (b.v[n] - a.v[n]) + change * (a.v[n] + b.v[n]));
}

// U(b) - U(a), in the same way.
template <class V>
INLINE void conserved_difference(const Primitive<V> &a, const Primitive<V> &b, const Params &par, V *d) {
    d[0] = b.rho - a.rho;
    momentum_difference(a, b, d + 1);
    V change[3], sum[3];
    UNROLL
    for (int n = 0; n < 3; ++n) {
        change[n] = b.v[n] - a.v[n];
        sum[n] = a.v[n] + b.v[n];
    }
    // Of cv T + |u|^2/2: the change, and the sum of both sides.
    const V energy = par.cv * (b.t - a.t) + R(0.5) * dot3(sum, change);
    const V both = par.cv * (a.t + b.t) + (half_square(a.v) + half_square(b.v));
    d[4] = R(0.5) * ((a.rho + b.rho) * energy + d[0] * both);
}
