// An edge as the equations of a turbulence model see it.
#pragma once
#include "physics/gas.h"
#include "steady/facet.h"

// The mass that flows to the other end per time, that which comes from there (at most 0), and what the facet's gradient
// needs.
struct Transport {
    vreal a[3], r[3], direction[3], flow, entering;
};
INLINE Transport transport(const Params &par, const Vertex &at, int k, const Primitive<vreal> &own,
                           const Primitive<vreal> &far) {
    const vreal zero = {};
    Transport t;
    vreal mass[3];
    edge_vector(par.area, at, k, t.a);
    edge_vector(par.displacement, at, k, t.r);
    facet_direction(t.a, t.r, t.direction);
    UNROLL
    for (int d = 0; d < 3; ++d) mass[d] = R(0.5) * (own.rho * own.v[d] + far.rho * far.v[d]);
    t.flow = dot3(mass, t.a);
    t.entering = vmin(t.flow, zero);
    return t;
}

// What diffuses from the other end per jump, with a diffusivity that is that of the facet.
INLINE vreal diffusive_coupling(const Transport &t, vreal diffusivity) {
    const vreal zero = {};
    return vmax(diffusivity, zero) * dot3(t.direction, t.a);
}
