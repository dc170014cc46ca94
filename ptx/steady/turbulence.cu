// The equation of nu~, which is solved after the mean flow in each step, point-implicit (steady/spalart_allmaras.h):
//     rho dnu~/dt + rho v.grad nu~ = rho (P - D) + (rho/sigma) (div((nu + nu~ fn) grad nu~) + cb2 |grad nu~|^2)
// Convection is that of the conservation form less nu~ times the equation of mass; both agree where that holds.
#include "physics/boundary.h"
#include "steady/boundary_vertex.h"
#include "steady/spalart_allmaras.h"
#include "steady/transport.h"
#include "steady/vertex.h"

// Sums of the equation of each vertex: what leaves it, and the coefficient of its own nu~.
VERTEX_KERNEL(turbulence) {
    const Primitive<vreal> own = own_state(par, at);
    const vreal nu = own_eddy(par, at), mu = viscosity(own.t, par), zero = {};
    const vreal here = eddy_diffusivity(own.rho, nu, mu);
    vreal own_g[3], leaving = zero, diagonal = zero, waves = zero;
    own_gradient(par, at, EDDY, own_g);
    const vreal c = vsqrt(par.gamma * par.gas_constant * own.t);
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        vreal far_g[3], g[3];
        const Primitive<vreal> far = far_state(par, at, k, to);
        const Transport t = transport(par, at, k, to, own, far);
        const vreal far_nu = far_eddy(par, to), jump = far_nu - nu;
        far_gradient(par, to, EDDY, far_g);
        carry_here(par, at, k, far_g);
        const vreal there = eddy_diffusivity(far.rho, far_nu, viscosity(far.t, par));
        facet_gradient(own_g, far_g, t.r, t.direction, jump, g);
        const vreal diffusivity = eddy_spreading(own.rho, nu, here, far.rho, far_nu, there);
        leaving = leaving + keep(at, k, convected(t, own_g, far_g, jump, par) - diffusivity * dot3(g, t.a));
        diagonal = diagonal + keep(at, k, diffusive_coupling(t, diffusivity) - t.entering);
        waves = waves + keep(at, k, wave(t.a, own, c));
    }
    waves = boundary_waves(par, at, own, c, waves);
    const vreal volume = load(par.volume, at), distance = load(par.wall_distance, at);
    const EddySource<vreal> s = eddy_source(nu, own.rho * nu / mu, load(par.sources, at), distance);
    store(par.eddy_sums, at, leaving - volume * own.rho * s.value);
    store(par.eddy_sums + par.slots, at, vfma(own.rho * volume, s.decay, diagonal) + waves * (R(1) / par.cfl));
}

// Adds what enters through one boundary.
POINT_KERNEL(boundary_turbulence) {
    const int kind = (int)par.boundary_kind;
    if (kind == BOUNDARY_SLIP || is_no_slip(kind)) return;
    const BoundaryVertex p = boundary_vertex(par, at);
    const Primitive<real> b = state_outside(par, p, kind, p.own);
    const real entering = vmin(b.rho * dot3(b.v, p.area), R(0));
    const real outer =
        par.boundary_inflow ? par.boundary_inflow[at] : par.boundary_eddy * viscosity(b.t, par) / b.rho;
    par.eddy_sums[p.slot] += entering * (outer - par.state[EDDY * par.slots + p.slot]);
    par.eddy_sums[par.slots + p.slot] -= entering;
}

VERTEX_KERNEL(turbulence_update) {
    const vreal zero = {}, nu = own_eddy(par, at);
    const Ends row = wall_rows(par, at);
    vreal leaving = load(par.eddy_sums, at);
    if (par.source) leaving = leaving - load(par.source + EDDY * par.slots, at);
    const vreal next = nu - leaving / load(par.eddy_sums + par.slots, at);
    store(par.out + EDDY * par.slots, at, is_wall(row) > R(0) ? zero : next);
}
