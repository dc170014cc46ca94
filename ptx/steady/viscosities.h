// The viscosities at a vertex.
#pragma once
#include "steady/spalart_allmaras.h"
#include "steady/vertex.h"

// The viscosity of the gas, and the eddy viscosity.
struct Viscosities {
    vreal gas, eddy;
};
// Those of the vertex with the mean-flow state q, and those of the other end. That of a model with two equations is an
// array, since it depends on gradients.
INLINE Viscosities own_viscosities(const Params &par, const Vertex &at, const Primitive<vreal> &q) {
    const vreal mu = viscosity(q.t, par);
    if (has_two_equations(par)) return {mu, load(par.closure, at)};
    return {mu, par.turbulence ? eddy_viscosity_of(q.rho, own_eddy(par, at), mu) : mu * R(0)};
}
INLINE Viscosities far_viscosities(const Params &par, const Ends &to, const Primitive<vreal> &q) {
    const vreal mu = viscosity(q.t, par);
    if (has_two_equations(par)) return {mu, gather(par.closure, to)};
    return {mu, par.turbulence ? eddy_viscosity_of(q.rho, far_eddy(par, to), mu) : mu * R(0)};
}
