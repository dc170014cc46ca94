// The common convective flux at an interface, as one cell sees it: `i` is its own state, `o` is the state of the other
// side, and `a` is the outward area vector.
//
// Both cells of a face compute the flux. Every formula is therefore written such that exchanging i and o and reversing
// a changes the sign of the result and nothing else, to the last bit: sums over the two sides are a*b + c*d without
// fma, jumps are plain differences, and waves are paired before they are added. This makes conservation exact without
// storing fluxes on faces.
#pragma once
#include "physics/entropy.h"
#include "physics/gas.h"
#include "physics/two_point.h"

// |lambda|, smoothed by a parabola below delta (A. Harten), so that no wave has zero dissipation.
template <class V> INLINE V harten(V lambda, V delta, V inverse_delta) {
    const V magnitude = vabs(lambda);
    return magnitude < delta ? R(0.5) * (lambda * lambda * inverse_delta + delta) : magnitude;
}

// The flux (f_i + f_o - d)/2 with the dissipation d.
template <class V>
INLINE void upwind(const Primitive<V> &i, const Primitive<V> &o, const V *a, const Params &par, const V *d, V *f) {
    V fi[5], fo[5];
    convective_flux(i, a, par, fi);
    convective_flux(o, a, par, fo);
    UNROLL
    for (int m = 0; m < 5; ++m) f[m] = R(0.5) * ((fi[m] + fo[m]) - d[m]);
}

// The speed of the fastest wave of both sides, times the area.
template <class V>
INLINE V fastest_wave(const Primitive<V> &i, const Primitive<V> &o, const V *a, const Params &par) {
    const V area = vsqrt(dot3(a, a)), gr = i.rho * R(0) + par.gamma * par.gas_constant;
    return vmax(vfma(area, vsqrt(gr * i.t), vabs(dot3(i.v, a))), vfma(area, vsqrt(gr * o.t), vabs(dot3(o.v, a))));
}

// Roe's flux (P. L. Roe, J. Comput. Phys. 43 (1981) 357), with A. Harten's entropy fix (J. Comput. Phys. 49 (1983) 357)
// on the acoustic waves slower than 0.1 c.
//
// With averages weighted by sqrt(rho), D = (o) - (i) and u = v.n, the jump of the conserved variables is a sum of four
// waves. The dissipation is half the sum of |speed| times strength times eigenvector:
//     wave             speed    strength                   eigenvector
//     left acoustic    u - c    (Dp - rho c Du)/(2 c^2)    (1, v - c n, h - c u)
//     entropy          u        Drho - Dp/c^2              (1, v, |v|^2/2)
//     shear            u        rho                        (0, Dv - Du n, v.Dv - u Du)
//     right acoustic   u + c    (Dp + rho c Du)/(2 c^2)    (1, v + c n, h + c u)
// In the code each strength includes its |speed|, the factor 1/2 and the area. The normal is written as the area vector
// times the inverse area.
template <class V>
INLINE void roe_flux(const Primitive<V> &i, const Primitive<V> &o, const V *a, const Params &par, V *f) {
    V v[3], dv[3], area, inverse_area, c, inverse_c;
    roots(dot3(a, a), area, inverse_area);
    const V half_area = R(0.5) * area;
    // Roe's averages of velocity, total enthalpy, speed of sound and density.
    const V ri = vsqrt(i.rho), ro = vsqrt(o.rho), share = inverse(ri + ro), wi = ri * share, wo = ro * share;
    UNROLL
    for (int m = 0; m < 3; ++m) {
        v[m] = wi * i.v[m] + wo * o.v[m];
        dv[m] = o.v[m] - i.v[m];
    }
    const V qi = dot3(i.v, a), qo = dot3(o.v, a), hi = total_enthalpy(i, par), ho = total_enthalpy(o, par);
    const V pi = pressure(i, par), po = pressure(o, par);
    const V ke = half_square(v), h = wi * hi + wo * ho;
    roots((par.gamma - R(1)) * (h - ke), c, inverse_c);
    const V rho = ri * ro, vn = (wi * qi + wo * qo) * inverse_area, dvn = (qo - qi) * inverse_area;
    const V inverse_c2 = inverse_c * inverse_c, drho = o.rho - i.rho, dp = po - pi;
    // Acoustic waves, with the entropy fix.
    const V delta = R(0.1) * c, inverse_delta = R(10) * inverse_c;
    const V jump = rho * c * dvn, scale = R(0.5) * inverse_c2 * half_area;
    const V left = harten(vn - c, delta, inverse_delta) * ((dp - jump) * scale);
    const V right = harten(vn + c, delta, inverse_delta) * ((dp + jump) * scale);
    // Entropy and shear waves, which move with the gas.
    const V speed = vabs(vn) * half_area, entropy = speed * vfma(-dp, inverse_c2, drho), shear = rho * speed;
    // All waves carry v and mass, the acoustic ones also -+ c n in the momentum.
    const V both = left + right, mass = both + entropy, acoustic = (right - left) * c;
    // The factor of n in the momentum: acoustic waves less the normal part of the shear.
    const V normal = vfma(-shear, dvn, acoustic) * inverse_area;
    // Both sides' fluxes through half the area.
    const V mi = R(0.5) * (i.rho * qi), mo = R(0.5) * (o.rho * qo), p = R(0.5) * (pi + po);
    f[0] = (mi + mo) - mass;
    UNROLL
    for (int m = 0; m < 3; ++m) {
        const V dissipation = vfma(mass, v[m], vfma(normal, a[m], shear * dv[m]));
        f[1 + m] = vfma(p, a[m], mi * i.v[m] + mo * o.v[m]) - dissipation;
    }
    const V tangential = vfma(-vn, dvn, dot3(v, dv));
    f[4] = (mi * hi + mo * ho) - vfma(both, h, vfma(acoustic, vn, vfma(entropy, ke, shear * tangential)));
}

// Roe's flux with the least dissipation beside its own that makes it entropy stable, so that [v].f <= [psi]
// (physics/entropy.h). E. Tadmor, Acta Numer. 12 (2003) 451, has the condition. What is added is alpha [U], where
//     alpha = ([v].f - [psi]) / [v].[U]
// is not negative and not larger than half the speed of the fastest wave, which is the dissipation of Rusanov's flux.
template <class V>
INLINE void roe_entropy_stable_flux(const Primitive<V> &i, const Primitive<V> &o, const V *a, const Params &par, V *f) {
    roe_flux(i, o, a, par, f);
    V v[5], du[5], flow[3];
    entropy_difference(i, o, entropy_of_rest(i, o, par), par, v);
    conserved_difference(i, o, par, du);
    UNROLL
    for (int n = 0; n < 3; ++n) flow[n] = du[1 + n];
    V production = v[0] * f[0], distance = v[0] * du[0];
    UNROLL
    for (int m = 1; m < 5; ++m) {
        production = vfma(v[m], f[m], production);
        distance = vfma(v[m], du[m], distance);
    }
    production = production - dot3(flow, a);
    const V half_fastest = R(0.5) * fastest_wave(i, o, a, par);
    // Where both states are the same, [v].[U] is zero and so is [U].
    const V bounded = production < half_fastest * distance ? production * inverse(distance) : half_fastest;
    const V zero = production * R(0), alpha = production > zero ? bounded : zero;
    UNROLL
    for (int m = 0; m < 5; ++m) f[m] = f[m] - alpha * du[m];
}

// Rusanov (local Lax-Friedrichs; V. V. Rusanov, USSR Comput. Math. Math. Phys. 1 (1962) 304): the jump of the conserved
// variables is dissipated at the speed of the fastest wave of both sides.
template <class V>
INLINE void rusanov_flux(const Primitive<V> &i, const Primitive<V> &o, const V *a, const Params &par, V *f) {
    const V lambda = fastest_wave(i, o, a, par);
    V d[5];
    d[0] = lambda * (o.rho - i.rho);
    UNROLL
    for (int m = 0; m < 3; ++m) d[1 + m] = lambda * (o.rho * o.v[m] - i.rho * i.v[m]);
    d[4] = lambda * (o.rho * (par.cv * o.t + half_square(o.v)) - i.rho * (par.cv * i.t + half_square(i.v)));
    upwind(i, o, a, par, d, f);
}

// The flux in the star region of HLLC on the side of state q, whose outer wave has speed s; sm is the speed of the
// contact:
//     F + s (U* - U)
template <class V>
INLINE void hllc_side(const Primitive<V> &q, const V *n, V vn, V s, V sm, const Params &par, V *f) {
    const V p = pressure(q, par), factor = q.rho * ((s - vn) * inverse(s - sm));
    const V e = par.cv * q.t + half_square(q.v);
    convective_flux(q, n, par, f);
    f[0] = f[0] + s * (factor - q.rho);
    UNROLL
    for (int m = 0; m < 3; ++m) f[1 + m] = f[1 + m] + s * (factor * (q.v[m] + (sm - vn) * n[m]) - q.rho * q.v[m]);
    f[4] = f[4] + s * (factor * (e + (sm - vn) * (sm + p * inverse(q.rho * (s - vn)))) - q.rho * e);
}

// HLLC (E. F. Toro, M. Spruce & W. Speares, Shock Waves 4 (1994) 25) with the wave speeds of Einfeldt, from the Roe
// average and each side.
template <class V>
INLINE void hllc_flux(const Primitive<V> &i, const Primitive<V> &o, const V *a, const Params &par, V *f) {
    V n[3], v[3], area, inverse_area;
    roots(dot3(a, a), area, inverse_area);
    const V wi = vsqrt(i.rho), wo = vsqrt(o.rho), w = inverse(wi + wo);
    UNROLL
    for (int m = 0; m < 3; ++m) {
        n[m] = a[m] * inverse_area;
        v[m] = (wi * i.v[m] + wo * o.v[m]) * w;
    }
    const V h = (wi * total_enthalpy(i, par) + wo * total_enthalpy(o, par)) * w;
    const V c = vsqrt((par.gamma - R(1)) * (h - half_square(v))), vn = dot3(v, n);
    const real gr = par.gamma * par.gas_constant;
    const V ni = dot3(i.v, n), no = dot3(o.v, n);
    const V si = vmin(ni - vsqrt(gr * i.t), vn - c), so = vmax(no + vsqrt(gr * o.t), vn + c);
    const V mi = i.rho * (si - ni), mo = o.rho * (so - no);
    const V sm = ((pressure(o, par) - pressure(i, par)) + (mi * ni - mo * no)) * inverse(mi - mo);
    V fi[5], fo[5], hi[5], ho[5];
    convective_flux(i, n, par, fi);
    convective_flux(o, n, par, fo);
    hllc_side(i, n, ni, si, sm, par, hi);
    hllc_side(o, n, no, so, sm, par, ho);
    UNROLL
    for (int m = 0; m < 5; ++m) {
        // Where the contact does not move, both star states are valid. Their mean keeps the symmetry of the two sides.
        const V inner = sm > R(0) ? hi[m] : (sm < R(0) ? ho[m] : R(0.5) * (hi[m] + ho[m]));
        f[m] = (si > R(0) ? fi[m] : (so < R(0) ? fo[m] : inner)) * area;
    }
}

// A flux without dissipation: the two-point flux of the split form, or the mean of both fluxes where there is no split
// form.
template <class V>
INLINE void central_flux(const Primitive<V> &i, const Primitive<V> &o, const V *a, const Params &par, V *f) {
    const V zero = i.rho * R(0), d[5] = {zero, zero, zero, zero, zero};
    switch ((Split)par.split) {
    case SPLIT_NONE: return upwind(i, o, a, par, d, f);
    case SPLIT_KENNEDY_GRUBER: return two_point_flux(i, o, a, par, f);
    }
}

template <class V>
INLINE void common_convective_flux(const Primitive<V> &i, const Primitive<V> &o, const V *a, const Params &par, V *f) {
    switch ((Riemann)par.riemann) {
    case RIEMANN_ROE: return roe_flux(i, o, a, par, f);
    case RIEMANN_ROE_ENTROPY_STABLE: return roe_entropy_stable_flux(i, o, a, par, f);
    case RIEMANN_HLLC: return hllc_flux(i, o, a, par, f);
    case RIEMANN_RUSANOV: return rusanov_flux(i, o, a, par, f);
    case RIEMANN_CENTRAL: return central_flux(i, o, a, par, f);
    }
}
