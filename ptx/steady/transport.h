// An edge as the equations of a turbulence model see it, and the step of these equations.
#pragma once
#include "physics/gas.h"
#include "steady/facet.h"
#include "steady/layer.h"

// The mass that flows to the other end per time, that which comes from there (at most 0), what the facet's gradient
// needs, and at second order the displacements from both ends.
struct Transport {
    vreal a[3], r[3], direction[3], ahead[3], back[3], flow, entering;
};
INLINE Transport transport(const Params &par, const Vertex &at, int k, const Ends &to, const Primitive<vreal> &own,
                           const Primitive<vreal> &far) {
    const vreal zero = {};
    Transport t;
    vreal mass[3];
    edge_vector(par.area, at, k, t.a);
    edge_vector(par.displacement, at, k, t.r);
    facet_direction(t.a, t.r, t.direction);
    UNROLL
    for (int d = 0; d < 3; ++d) mass[d] = R(0.5) * (own.rho * own.v[d] + far.rho * far.v[d]);
    if (par.second_order_turbulence) follow_both(par, own_layer(par, at), at, k, to, t.r, t.ahead, t.back);
    t.flow = dot3(mass, t.a);
    t.entering = vmin(t.flow, zero);
    return t;
}

// What convection takes along of a variable with its gradients at both ends, less the own value. What enters has the
// value of the other end, or at second order the one upstream of the facet.
INLINE vreal convected(const Transport &t, const vreal *own_g, const vreal *far_g, vreal jump, const Params &par) {
    const vreal zero = {};
    if (!par.second_order_turbulence) return t.entering * jump;
    const vreal left = R(0.5) * dot3(own_g, t.ahead), right = vfma(zero + R(0.5), dot3(far_g, t.back), jump);
    return t.flow * (t.flow > R(0) ? left : right);
}

// What diffuses from the other end per jump, with the diffusivity of the facet.
INLINE vreal diffusive_coupling(const Transport &t, vreal diffusivity) {
    const vreal zero = {};
    return vmax(diffusivity, zero) * dot3(t.direction, t.a);
}

// The inverse of a local step at CFL number 1 is the sum of rho (|a| c + |v.a|)/2 over the edges and the boundaries.
INLINE vreal wave(const vreal *a, const Primitive<vreal> &q, vreal c) {
    return R(0.5) * q.rho * vfma(vsqrt(dot3(a, a)), c, vabs(dot3(q.v, a)));
}
INLINE vreal boundary_waves(const Params &par, const Vertex &at, const Primitive<vreal> &own, vreal c, vreal waves) {
    const Ends row = boundary_rows(par, at);
    for (int part = 0; part < (int)par.parts; ++part) {
        vreal a[3];
        boundary_part(par, row, part, a);
        waves = waves + wave(a, own, c);
    }
    return waves;
}
