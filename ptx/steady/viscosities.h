// The viscosities at a vertex.
#pragma once
#include "steady/spalart_allmaras.h"
#include "steady/vertex.h"

// The viscosity of the gas, and the eddy viscosity.
struct Viscosities {
    vreal gas, eddy;
};
INLINE Viscosities viscosities(const Primitive<vreal> &q, vreal nu, const Params &par) {
    const vreal mu = viscosity(q.t, par);
    return {mu, par.turbulence ? eddy_viscosity_of(q.rho, nu, mu) : mu * R(0)};
}
