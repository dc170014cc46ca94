// A perfect gas: p = rho R T, E = cv T + |v|^2/2, H = cp T + |v|^2/2.
#pragma once
#include "dialect/dialect.h"
#include "params.h"

// Primitive variables of a point: density, velocity, temperature.
template <class V> struct Primitive {
    V rho, v[3], t;
};

template <class V> INLINE V half_square(const V *v) { return R(0.5) * dot3(v, v); }

// Computes the primitive variables from the conserved variables [rho, rho v, rho E].
template <class V> INLINE void primitive(const V *u, const Params &par, Primitive<V> &q) {
    const V specific_volume = inverse(u[0]);
    q.rho = u[0];
    UNROLL
    for (int n = 0; n < 3; ++n) q.v[n] = u[1 + n] * specific_volume;
    q.t = vfma(u[4], specific_volume, -half_square(q.v)) * (R(1) / par.cv);
}

template <class V> INLINE V pressure(const Primitive<V> &q, const Params &par) {
    return q.rho * par.gas_constant * q.t;
}

template <class V> INLINE V total_enthalpy(const Primitive<V> &q, const Params &par) {
    return par.cp * q.t + half_square(q.v);
}

// Dynamic viscosity: constant, or Sutherland's law with T^1.5 written as T sqrt(T).
template <class V> INLINE V viscosity(V t, const Params &par) {
    switch ((ViscosityLaw)par.viscosity) {
    case VISCOSITY_CONSTANT: return t * R(0) + par.mu;
    case VISCOSITY_SUTHERLAND: return par.sutherland_factor * t * vsqrt(t) * inverse(t + par.sutherland_s);
    case VISCOSITY_NONE: break;
    }
    return t * R(0);
}

// The convective flux through the area vector a:
//     [rho, rho v, rho H] (v.a) + [0, p a, 0]
template <class V> INLINE void convective_flux(const Primitive<V> &q, const V *a, const Params &par, V *f) {
    const V p = pressure(q, par);
    f[0] = q.rho * dot3(q.v, a);
    UNROLL
    for (int n = 0; n < 3; ++n) f[1 + n] = vfma(f[0], q.v[n], p * a[n]);
    f[4] = f[0] * total_enthalpy(q, par);
}
