// Viscous stress and heat flux, and their flux through an area vector.
#pragma once
#include "physics/bulk_viscosity.h"
#include "physics/gas.h"
#include "physics/subgrid.h"

// The viscous stress and the heat flux k grad T. The components of tau are xx, yy, zz, xy, xz, yz.
//     tau = mu (grad v + grad v^T - 2/3 (div v) I)
template <class V> struct Stress {
    V tau[6], heat[3];
};

// Stress and heat flux from the gradient `scale` * g[variable][direction] of u, v, w, T; for g = J grad, scale is 1/J.
// Viscosity and conductivity are the sums of those of the gas and of the sub-grid model. `a` holds the rows Ja^d, which
// with 1/J say how large the cell is for an artificial bulk viscosity.
INLINE void stress(const vreal (*g)[3], vreal scale, const vreal (*a)[3], vreal inverse_j, vreal rho, vreal t,
                   const Params &par, Stress<vreal> &s) {
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
    if (par.bulk_factor > R(0)) {
        const vreal beta = bulk_viscosity(g, scale, a, inverse_j, rho, par) * scale;
        UNROLL
        for (int n = 0; n < 3; ++n) s.tau[n] = vfma(beta, g[0][0] + g[1][1] + g[2][2], s.tau[n]);
    }
}

// The viscous flux through the area vector a:
//     tau.a,    v.(tau.a) + k dT/dn |a|
template <class V> INLINE void viscous_flux(const Primitive<V> &q, const Stress<V> &s, const V *a, V *f) {
    const V *t = s.tau;
    const V x[3] = {t[0], t[3], t[4]}, y[3] = {t[3], t[1], t[5]}, z[3] = {t[4], t[5], t[2]};
    f[0] = dot3(x, a);
    f[1] = dot3(y, a);
    f[2] = dot3(z, a);
    f[3] = dot3(q.v, f) + dot3(s.heat, a);
}

// Adds a penalty on the jump across a face to the outgoing viscous flux of one side:
//     mu |a|^2/J lambda (q_o - q_i)/2,    lambda = |g'(end)|
// It has the size of a second application of the correction of this face to its own gradient. Without it, the mean of
// both gradients does not see some modes (F. Bassi & S. Rebay, J. Comput. Phys. 131 (1997) 267). `o` holds u, v, w, T
// across the face. The mean of the fluxes of both sides stays antisymmetric.
//
// mu is the viscosity of the gas alone, also with a sub-grid model or an artificial bulk viscosity: the upwinding of
// the interface solver damps larger jumps, and sweep 2 no longer has the gradient from which a model computes its
// viscosity.
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

// The common viscous flux of a face, outward as one cell sees it: the mean of the outgoing fluxes of both cells, each
// along its own outward normal. The second function is the inverse: it returns the trace of a ghost for which the
// common flux is `common`.
template <class V> INLINE V common_viscous_flux(V outgoing, V trace) { return R(0.5) * (outgoing - trace); }
template <class V> INLINE V trace_for_common_flux(V outgoing, V common) { return outgoing - R(2) * common; }
