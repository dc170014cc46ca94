// Viscous stress and heat flux, and their flux through an area vector.
#pragma once

// tau = mu (grad v + grad v^T - 2/3 (div v) I), as xx, yy, zz, xy, xz, yz, and k grad T.
template <class V> struct Stress {
    V tau[6], heat[3];
};

// From the gradient g[variable][direction] of u, v, w, T. Linear in mu grad: J grad goes with mu/J.
template <class V> INLINE void stress(const V (*g)[3], V mu, const Params &par, Stress<V> &s) {
    const V dilatation = R(2.0 / 3.0) * (g[0][0] + g[1][1] + g[2][2]), k = mu * par.conductivity_factor;
    UNROLL
    for (int n = 0; n < 3; ++n) {
        s.tau[n] = mu * (g[n][n] + g[n][n] - dilatation);
        s.heat[n] = k * g[3][n];
    }
    s.tau[3] = mu * (g[0][1] + g[1][0]);
    s.tau[4] = mu * (g[0][2] + g[2][0]);
    s.tau[5] = mu * (g[1][2] + g[2][1]);
}

// tau.a and v.(tau.a) + k dT/dn |a|.
template <class V> INLINE void viscous_flux(const Primitive<V> &q, const Stress<V> &s, const V *a, V *f) {
    const V *t = s.tau;
    const V x[3] = {t[0], t[3], t[4]}, y[3] = {t[3], t[1], t[5]}, z[3] = {t[4], t[5], t[2]};
    f[0] = dot3(x, a);
    f[1] = dot3(y, a);
    f[2] = dot3(z, a);
    f[3] = dot3(q.v, f) + dot3(s.heat, a);
}
