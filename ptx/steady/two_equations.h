// The models of turbulence with equations of k and omega: D. C. Wilcox, AIAA J. 46 (2008) 2823 (the model of 2006), and
// the shear-stress transport of F. R. Menter, AIAA J. 32 (1994) 1598, with production by vorticity. Constants and
// limits as in NASA's Turbulence Modeling Resource (Wilcox2006m and SST-Vm): the isotropic part 2/3 rho k of the stress
// is left out.
#pragma once
#include "physics/gas.h"
#include "steady/functions.h"

#define BETA_STAR R(0.09)

// What the models take of the gradients at a vertex, besides distance from the wall.
template <class V> struct Shear {
    V strain;     // sqrt(2 S_ij S_ij), S without its trace
    V vorticity;  // sqrt(2 W_ij W_ij)
    V stretching; // |W_ij W_jk S^_ki|, S^ = S - div v/2 I
    V cross;      // grad k . grad omega
};

// Production less destruction of rho k and rho omega per volume and time, and the rates at which each decays with
// itself, at least 0.
template <class V> struct TwoSources {
    V k, omega, decay_k, decay_omega;
};

// The values of gas that enters with the speed squared v2 and the viscosity mu, in `inflow`: k = 3/2 (intensity v)^2,
// and omega from the ratio mu_t/mu, or where that is 0 from the length L = sqrt(k)/(beta*^(1/4) omega).
struct TwoValues {
    real k, omega;
};
INLINE TwoValues inflow_of(real rho, real v2, real mu, const Params &par) {
    const real k = R(1.5) * par.boundary_intensity * par.boundary_intensity * v2;
    if (par.boundary_ratio > R(0)) return {k, rho * k / (mu * par.boundary_ratio)};
    return {k, vsqrt(k) / (vsqrt(vsqrt(BETA_STAR)) * par.boundary_length)};
}

// The eddy viscosity of Wilcox's model: rho k/max(omega, 7/8 strain/sqrt(beta*)).
template <class V> INLINE V wilcox_viscosity(V rho, V k, V omega, const Shear<V> &g) {
    return rho * vmax(k, k * R(0)) / vmax(omega, R(0.875 / 0.3) * g.strain);
}

//     P = min(mu_t strain^2, 20 beta* rho omega k),    k: P - beta* rho omega k
//     omega: gamma (omega/k) mu_t strain^2 - beta rho omega^2 + (1/8 if > 0) rho/omega grad k . grad omega
//     gamma = 13/25,    beta = 0.0708 (1 + 85 X)/(1 + 100 X),    X = |W W S^|/(beta* omega)^3
template <class V> INLINE TwoSources<V> wilcox_sources(V rho, V k, V omega, const Shear<V> &g) {
    const V zero = {}, decay = BETA_STAR * omega, square = g.strain * g.strain;
    const V limited = vmax(omega, R(0.875 / 0.3) * g.strain), x = g.stretching / (decay * decay * decay);
    const V beta = R(0.0708) * (R(1) + R(85) * x) / (R(1) + R(100) * x);
    const V production = rho * k * square / limited, cross = R(0.125) * rho / omega * vmax(g.cross, zero);
    TwoSources<V> s;
    s.k = vmin(production, R(20) * decay * rho * k) - decay * rho * k;
    s.omega = R(13.0 / 25.0) * rho * (omega / limited) * square - beta * rho * omega * omega + cross;
    s.decay_k = decay;
    s.decay_omega = R(2) * beta * omega;
    return s;
}

// tanh x for x >= 0: (1 - e)/(1 + e) with e = exp(-2 x); 1 from x = 20 on.
template <class V> INLINE V hyperbolic_tangent(V x) {
    const V zero = {}, e = exponential(R(-2) * vmin(x, zero + R(20)));
    return (R(1) - e) / (R(1) + e);
}

// The functions F1 and F2 of Menter's model at the distance d from the wall:
//     F1 = tanh(arg1^4),    arg1 = min(max(sqrt(k)/(beta* omega d), 500 nu/(d^2 omega)), 4 rho 0.856 k/(CD d^2))
//     CD = max(2 rho 0.856 grad k . grad omega/omega, 1e-20)
//     F2 = tanh(arg2^2),    arg2 = max(2 sqrt(k)/(beta* omega d), 500 nu/(d^2 omega))
template <class V> struct Blending {
    V f1, f2;
};
template <class V> INLINE Blending<V> blending(V rho, V k, V omega, V nu, V d, const Shear<V> &g) {
    const V zero = {}, inner = vsqrt(vmax(k, zero)) / (BETA_STAR * omega * d), d2 = d * d;
    const V viscous = R(500) * nu / (d2 * omega);
    const V diffusion = vmax(R(2 * 0.856) * rho * g.cross / omega, zero + R(1e-20));
    const V far = R(4 * 0.856) * rho * k / (diffusion * d2), most = zero + R(5);
    // tanh is 1 to the last bit long before, and powers of large numbers would overflow.
    const V arg1 = vmin(vmin(vmax(inner, viscous), far), most), arg2 = vmin(vmax(R(2) * inner, viscous), most);
    const V square = arg1 * arg1;
    return {hyperbolic_tangent(square * square), hyperbolic_tangent(arg2 * arg2)};
}

template <class V> INLINE V blended(V f1, real inner, real outer) { return outer + f1 * (inner - outer); }

// The eddy viscosity of Menter's model: rho a1 k/max(a1 omega, W F2), a1 = 0.31.
template <class V> INLINE V sst_viscosity(V rho, V k, V omega, V f2, const Shear<V> &g) {
    const V zero = {};
    return R(0.31) * rho * vmax(k, zero) / vmax(R(0.31) * omega, g.vorticity * f2);
}

//     P = min(mu_t W^2, 20 beta* rho omega k),    k: P - beta* rho omega k,    W the vorticity
//     omega: gamma rho W^2 - beta rho omega^2 + 2 (1 - F1) rho 0.856/omega grad k . grad omega
//     gamma_i = beta_i/beta* - sigma_i kappa^2/sqrt(beta*), kappa = 0.41: inner 0.075, 0.5, outer 0.0828, 0.856
template <class V> INLINE TwoSources<V> sst_sources(V rho, V k, V omega, V eddy, V f1, const Shear<V> &g) {
    const V zero = {}, decay = BETA_STAR * omega, square = g.vorticity * g.vorticity;
    const V beta = blended(f1, R(0.075), R(0.0828));
    const V gamma = blended(f1, R(0.075 / 0.09 - 0.5 * 0.1681 / 0.3), R(0.0828 / 0.09 - 0.856 * 0.1681 / 0.3));
    const V diffusion = R(2 * 0.856) * (R(1) - f1) * rho / omega * g.cross;
    TwoSources<V> s;
    s.k = vmin(eddy * square, R(20) * decay * rho * k) - decay * rho * k;
    s.omega = gamma * rho * square - beta * rho * omega * omega + diffusion;
    s.decay_k = decay;
    s.decay_omega = R(2) * beta * omega + vmax(-diffusion, zero) / (rho * omega);
    return s;
}
