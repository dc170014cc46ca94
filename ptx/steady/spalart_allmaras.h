// The model of P. R. Spalart & S. R. Allmaras (Recherche Aerospatiale 1 (1994) 5) with the trip term ft2, and its
// negative branch by S. R. Allmaras, F. T. Johnson & P. R. Spalart (ICCFD7-1902, 2012), which equals the standard model
// where the working variable is not negative. Constants as in NASA's Turbulence Modeling Resource.
#pragma once
#include "physics/gas.h"
#include "steady/functions.h"

#define SA_CB1 R(0.1355)
#define SA_CB2 R(0.622)
#define SA_SIGMA R(2.0 / 3.0)
#define SA_KAPPA2 R(0.41 * 0.41)
#define SA_CW1 R(0.1355 / (0.41 * 0.41) + 1.622 * 1.5)

// The eddy viscosity: rho nu~ fv1, and 0 where nu~ < 0.
//     fv1 = chi^3/(chi^3 + cv1^3),    chi = rho nu~/mu
template <class V> INLINE V eddy_viscosity_of(V rho, V nu, V mu) {
    const V zero = {}, chi = vmax(rho * nu / mu, zero), cube = chi * chi * chi;
    return rho * vmax(nu, zero) * (cube / (cube + R(357.911)));
}

// What rho nu~ diffuses with, times sigma: mu + rho nu~ fn, fn = 1 and where nu~ < 0
//     fn = (16 + chi^3)/(16 - chi^3)
template <class V> INLINE V eddy_diffusivity(V rho, V nu, V mu) {
    const V zero = {}, chi = vmin(rho * nu / mu, zero), cube = chi * chi * chi;
    return vfma(rho * nu, (R(16) + cube) / (R(16) - cube), mu);
}

// What spreads nu~ at a vertex i,
//     rho/sigma (div((nu + nu~ fn) grad nu~) + cb2 |grad nu~|^2),
// has this factor of the gradient at the facet to j. With |grad nu~|^2 = div(nu~ grad nu~) - nu~ div grad nu~, as
// Spalart and Allmaras have it for their scheme, and with D = (mu + rho nu~ fn)/rho, it is
//     rho_i/sigma ((D_i + D_j)/2 + cb2 (nu~_j - nu~_i)/2)
// It is positive where nu~ is, so that a peak of nu~ decays. The square of a gradient at the vertex may exceed what
// diffuses where spacings jump; a peak would then grow like its square. `here` and `there` are rho D of both ends.
template <class V> INLINE V eddy_spreading(V rho, V nu, V here, V far_rho, V far_nu, V there) {
    const V both = here / rho + there / far_rho;
    return R(0.5) / SA_SIGMA * rho * (both + SA_CB2 * (far_nu - nu));
}

// Production less destruction of nu~ per time, and the rate at which it decays with nu~, at least 0: its derivative
// with the change of fw, and with S~ as it is. Without that of fw, steps of large CFL numbers overshoot where r is
// about 1.
template <class V> struct EddySource {
    V value, decay;
};

//     P = cb1 (1 - ft2) S~ nu~,    D = (cw1 fw - cb1 ft2/kappa^2) (nu~/d)^2
//     S~ = Omega + S' >= 0.3 Omega (the smooth limit of the negative model),    S' = nu~ fv2/(kappa d)^2
//     fv2 = 1 - chi/(1 + chi fv1),    ft2 = 1.2 exp(-chi^2/2)
//     fw = g (65/(g^6 + 64))^(1/6),    g = r + 0.3 (r^6 - r),    r = min(nu~/(S~ kappa^2 d^2), 10)
// and where nu~ < 0
//     P = cb1 (1 - 1.2) Omega nu~,    D = -cw1 (nu~/d)^2
template <class V> INLINE EddySource<V> eddy_source(V nu, V chi, V vorticity, V distance) {
    const V zero = {}, one = zero + R(1), inverse_d2 = one / (distance * distance);
    const V inverse_kd2 = inverse_d2 * (R(1) / SA_KAPPA2), square = chi * chi, cube = square * chi;
    const V fv1 = cube / (cube + R(357.911)), fv2 = one - chi / vfma(chi, fv1, one);
    const V ft2 = R(1.2) * exponential(vmax(R(-0.5) * square, zero - R(700)));
    const V extra = nu * fv2 * inverse_kd2, least = R(-0.7) * vorticity;
    const V limited = vorticity + vorticity * vfma(vorticity, zero + R(0.49), R(0.9) * extra) /
                                      (R(-0.5) * vorticity - extra);
    const V shear = extra >= least ? vorticity + extra : limited;
    const V ratio = nu * inverse_kd2;
    const V r = ratio < R(10) * shear ? ratio / shear : zero + R(10);
    const V r2 = r * r, g = vfma(r2 * r2 * r2 - r, zero + R(0.3), r), g2 = g * g;
    const V g6 = vfma(g2 * g2, g2, zero + R(64)), root = sixth_root(R(65) / g6), fw = g * root;
    // r dfw/dr
    const V fw_slope = r * root * (R(64) / g6) * vfma(r2 * r2, R(1.8) * r, zero + R(0.7));
    const V destruction = vfma(zero + SA_CW1, fw, ft2 * (-SA_CB1 / SA_KAPPA2)), share = nu * inverse_d2;
    EddySource<V> s;
    s.value = SA_CB1 * (one - ft2) * shear * nu - destruction * nu * share;
    s.decay = vmax(SA_CW1 * vfma(zero + R(2), fw, fw_slope) * share - SA_CB1 * shear, zero);
    const V value = vfma(SA_CW1 * nu, share, R(-0.2) * SA_CB1 * vorticity * nu);
    const V decay = vfma(zero + R(-2) * SA_CW1, share, R(0.2) * SA_CB1 * vorticity);
    s.value = nu < zero ? value : s.value;
    s.decay = nu < zero ? decay : s.decay;
    return s;
}
