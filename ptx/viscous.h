// Viscous stress, heat flux, and their flux through an area vector.
#pragma once

// tau.a and v.(tau.a) + k dT/dn |a| for the gradient g[variable][direction] of u, v, w, T:
// tau = mu (grad v + grad v^T) - 2/3 mu (div v) I, q = -k grad T. Both are linear in mu grad: J grad goes with mu/J.
template <class V>
INLINE void viscous_flux(const Primitive<V> &q, const V (*g)[3], const V *a, V mu, const Params &par, V *f) {
    const V dilatation = R(2.0 / 3.0) * (g[0][0] + g[1][1] + g[2][2]);
    UNROLL
    for (int m = 0; m < 3; ++m) {
        V s = -dilatation * a[m];
        UNROLL
        for (int n = 0; n < 3; ++n) s = vfma(g[m][n] + g[n][m], a[n], s);
        f[m] = mu * s;
    }
    const V heat = mu * par.conductivity_factor * dot3(g[3], a);
    f[3] = dot3(q.v, f) + heat;
}
