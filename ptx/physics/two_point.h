// The split form of the convective flux (C. A. Kennedy & A. Gruber, J. Comput. Phys. 227 (2008) 1676; S. Pirozzoli, J.
// Comput. Phys. 229 (2010) 7180). Written as a flux between two points i and k, with {a} = (a_i + a_k)/2 and the
// contravariant velocity u = v.a, it is
//     {rho}{u}{phi},  phi = 1, v, H,  and {p} a in the momentum.
//
// Lines of hexahedra, pairs of points of dense elements, and the central interface flux all use the first two functions
// below. Factors of two are exact, so that each caller applies them where they cost nothing.
#pragma once
#include "physics/gas.h"

// {rho}{u} from a quarter of each density and the sum of both velocities.
template <class V> INLINE V two_point_mass(V quarter_rho_i, V quarter_rho_k, V sum_u) {
    return (quarter_rho_i + quarter_rho_k) * sum_u;
}

// 2 {phi}: twice the mean of the variable that the mass flux carries.
template <class V> INLINE V two_point_sum(V phi_i, V phi_k) { return phi_i + phi_k; }

// The complete two-point flux of two states through the area vector a.
template <class V>
INLINE void two_point_flux(const Primitive<V> &i, const Primitive<V> &k, const V *a, const Params &par, V *f) {
    const V p = R(0.5) * (pressure(i, par) + pressure(k, par));
    f[0] = two_point_mass(R(0.25) * i.rho, R(0.25) * k.rho, dot3(i.v, a) + dot3(k.v, a));
    UNROLL
    for (int m = 0; m < 3; ++m) f[1 + m] = f[0] * (R(0.5) * two_point_sum(i.v[m], k.v[m])) + p * a[m];
    f[4] = f[0] * (R(0.5) * two_point_sum(total_enthalpy(i, par), total_enthalpy(k, par)));
}
