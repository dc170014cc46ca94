// Viscous stress and heat flux, and their flux through an area vector.
#pragma once
#include "physics/gas.h"
#include "physics/subgrid.h"

// tau = mu (grad v + grad v^T - 2/3 (div v) I), as xx, yy, zz, xy, xz, yz, and k grad T.
template <class V> struct Stress {
    V tau[6], heat[3];
};

// From the gradient g[variable][direction] of u, v, w, T times `scale`: J grad goes with 1/J. Viscosity and conductivity are those of
// the gas with those of the sub-grid model.
INLINE void stress(const vreal (*g)[3], vreal scale, vreal inverse_j, vreal rho, vreal t, const Params &par, Stress<vreal> &s) {
    vreal mu = viscosity(t, par) * scale;
    const vreal dilatation = R(2.0 / 3.0) * (g[0][0] + g[1][1] + g[2][2]);
    vreal k = mu * par.conductivity_factor;
    if (par.sgs != SGS_NONE) {
        const vreal eddy = eddy_viscosity(g, scale, inverse_j, rho, par) * scale;
        mu = mu + eddy;
        k = k + eddy * par.sgs_conductivity_factor;
    }
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

// Adds what pulls a face's two sides together to the viscous flux that one of them offers there: mu |a|^2/J lambda (q_o - q_i)/2,
// lambda = |g'(end)|, as if the correction of this face acted once more on its own gradient (F. Bassi & S. Rebay, J. Comput. Phys. 131
// (1997) 267, name the modes that a mean of gradients does not see). `o` holds u, v, w, T across the face; the mean of both sides'
// fluxes stays antisymmetric. mu is that of the gas alone, also with a sub-grid model: what a jump needs beyond it the interface
// solver's upwinding gives, and sweep 2 has no gradient left from which a model could tell its part.
template <class V>
INLINE void add_penalty(const Primitive<V> &i, const V *o, V mu, V area2, V inverse_j, const Params &par, V *f) {
    const V strength = mu * (area2 * inverse_j) * (R(-0.5) * par.correction[0]);
    V pull[3];
    UNROLL
    for (int n = 0; n < 3; ++n) {
        pull[n] = strength * (o[n] - i.v[n]);
        f[n] = f[n] + pull[n];
    }
    f[3] = f[3] + vfma(strength * par.conductivity_factor, o[3] - i.t, dot3(i.v, pull));
}

// The common viscous flux of a face, outward as one cell sees it: the mean of what both cells send out, each along its own
// outward normal. The same in reverse: the trace that a ghost must have for the common flux to be `common`.
template <class V> INLINE V common_viscous_flux(V outgoing, V trace) { return R(0.5) * (outgoing - trace); }
template <class V> INLINE V trace_for_common_flux(V outgoing, V common) { return outgoing - R(2) * common; }
