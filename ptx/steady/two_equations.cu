// The equations of k and omega, which are solved after the mean flow in each step, point-implicit
// (steady/two_equations.h):
//     rho dk/dt + rho v.grad k = sources of k + div((mu + sigma_k m) grad k)
//     rho domega/dt + rho v.grad omega = sources of omega + div((mu + sigma_omega m) grad omega)
// with m = rho k/omega in Wilcox's model and the eddy viscosity in Menter's. Convection is that of the conservation
// form less k or omega times the equation of mass.
#include "steady/two_equations.h"
#include "physics/boundary.h"
#include "steady/boundary_vertex.h"
#include "steady/linear.h"
#include "steady/transport.h"
#include "steady/vertex.h"

// What the models take at a vertex.
struct TurbulentVertex {
    Primitive<vreal> q;
    vreal k, omega, mu;
    Shear<vreal> shear;
    Blending<vreal> blending; // of Menter's model
};
INLINE TurbulentVertex turbulent_vertex(const Params &par, const Vertex &at) {
    TurbulentVertex v;
    const vreal zero = {}, one = zero + R(1);
    const long long n = par.slots;
    v.q = own_state(par, at);
    v.k = load(par.state + ENERGY * n, at);
    v.omega = load(par.state + OMEGA * n, at);
    v.mu = viscosity(v.q.t, par);
    const double *s = par.sources;
    v.shear = {load(s, at), load(s + n, at), load(s + 2 * n, at), load(s + 3 * n, at)};
    v.blending = {one, one};
    if (par.turbulence == TURBULENCE_SST) {
        // The values of walls are given, and k = 0 there.
        const auto on_wall = is_wall(wall_rows(par, at)) > R(0);
        const vreal distance = on_wall ? one : load(par.wall_distance, at);
        v.blending = blending(v.q.rho, v.k, v.omega, v.mu / v.q.rho, distance, v.shear);
    }
    return v;
}
INLINE vreal eddy_viscosity(const Params &par, const TurbulentVertex &v) {
    switch ((Turbulence)par.turbulence) {
    case TURBULENCE_K_OMEGA: return wilcox_viscosity(v.q.rho, v.k, v.omega, v.shear);
    case TURBULENCE_SST: return sst_viscosity(v.q.rho, v.k, v.omega, v.blending.f2, v.shear);
    case TURBULENCE_SA_NEG:
    case TURBULENCE_NONE: break; // These have no k and omega.
    }
    return vreal{};
}

// The eddy viscosity, and what k and omega diffuse with.
VERTEX_KERNEL(closure) {
    const TurbulentVertex v = turbulent_vertex(par, at);
    const vreal eddy = eddy_viscosity(par, v), zero = {};
    vreal spread[2] = {zero, zero};
    switch ((Turbulence)par.turbulence) {
    case TURBULENCE_K_OMEGA: {
        const vreal m = v.q.rho * vmax(v.k, zero) / v.omega;
        spread[0] = R(0.6) * m;
        spread[1] = R(0.5) * m;
        break;
    }
    case TURBULENCE_SST:
        spread[0] = blended(v.blending.f1, R(0.85), R(1)) * eddy;
        spread[1] = blended(v.blending.f1, R(0.5), R(0.856)) * eddy;
        break;
    case TURBULENCE_SA_NEG:
    case TURBULENCE_NONE: break;
    }
    // Slots of no vertex have no gradients, and what is not a number there would reach the factors of DILU.
    const auto there = at.degree > R(0);
    store(par.closure, at, there ? eddy : zero);
    UNROLL
    for (int e = 0; e < 2; ++e)
        store(par.closure + (1 + e) * par.slots, at, there ? v.mu + spread[e] : v.mu);
}

// Sums of the equations of each vertex: what leaves it of k and of omega, and the coefficients of its own values.
VERTEX_KERNEL(two_equations) {
    const TurbulentVertex own = turbulent_vertex(par, at);
    const long long n = par.slots;
    const vreal zero = {}, value[2] = {own.k, own.omega};
    const vreal c = vsqrt(par.gamma * par.gas_constant * own.q.t);
    vreal leaving[2], diagonal[2], here[2], own_g[2][3], waves = zero;
    UNROLL
    for (int e = 0; e < 2; ++e) {
        leaving[e] = diagonal[e] = zero;
        here[e] = load(par.closure + (1 + e) * n, at);
        own_gradient(par, at, ENERGY + e, own_g[e]);
    }
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        const Transport t = transport(par, at, k, to, own.q, far_state(par, at, k, to));
        UNROLL
        for (int e = 0; e < 2; ++e) {
            vreal far_g[3], g[3];
            far_gradient(par, to, ENERGY + e, far_g);
            carry_here(par, at, k, far_g);
            const vreal jump = gather(par.state + (ENERGY + e) * n, to) - value[e];
            facet_gradient(own_g[e], far_g, t.r, t.direction, jump, g);
            const vreal diffusivity = R(0.5) * (here[e] + gather(par.closure + (1 + e) * n, to));
            const vreal flux = convected(t, own_g[e], far_g, jump, par) - diffusivity * dot3(g, t.a);
            leaving[e] = leaving[e] + keep(at, k, flux);
            diagonal[e] = diagonal[e] + keep(at, k, diffusive_coupling(t, diffusivity) - t.entering);
        }
        waves = waves + keep(at, k, wave(t.a, own.q, c));
    }
    waves = boundary_waves(par, at, own.q, c, waves);
    TwoSources<vreal> s = {};
    switch ((Turbulence)par.turbulence) {
    case TURBULENCE_K_OMEGA: s = wilcox_sources(own.q.rho, own.k, own.omega, own.shear); break;
    case TURBULENCE_SST:
        s = sst_sources(own.q.rho, own.k, own.omega, eddy_viscosity(par, own), own.blending.f1, own.shear);
        break;
    case TURBULENCE_SA_NEG:
    case TURBULENCE_NONE: break;
    }
    const vreal volume = load(par.volume, at), source[2] = {s.k, s.omega}, decay[2] = {s.decay_k, s.decay_omega};
    UNROLL
    for (int e = 0; e < 2; ++e) {
        store(par.eddy_sums + e * n, at, leaving[e] - volume * source[e]);
        const vreal own_part = vfma(own.q.rho * volume, decay[e], diagonal[e]) + waves * (R(1) / par.cfl);
        store(par.eddy_sums + (2 + e) * n, at, own_part);
    }
}

// Adds what enters through one boundary.
POINT_KERNEL(boundary_two_equations) {
    const int kind = (int)par.boundary_kind;
    if (kind == BOUNDARY_SLIP || is_no_slip(kind)) return;
    const BoundaryVertex p = boundary_vertex(par, at);
    const Primitive<real> b = state_outside(par, p, kind, p.own);
    const real entering = vmin(b.rho * dot3(b.v, p.area), R(0));
    const TwoValues outer = inflow_of(b.rho, dot3(b.v, b.v), viscosity(b.t, par), par);
    const double *const given = par.boundary_inflow;
    const real values[2] = {given ? given[at] : outer.k, given ? given[par.boundary_count + at] : outer.omega};
    for (int e = 0; e < 2; ++e) {
        par.eddy_sums[e * par.slots + p.slot] += entering * (values[e] - par.state[(ENERGY + e) * par.slots + p.slot]);
        par.eddy_sums[(2 + e) * par.slots + p.slot] -= entering;
    }
}

// Stores k and omega after the steps x. None falls below a tenth of its value in one step, so that both remain
// positive. On walls k = 0 and omega = 10 . 6 nu/(beta d^2), with the distance d of the nearest vertex off the wall.
INLINE void step_two_equations(const Params &par, const Vertex &at, const vreal *x) {
    const Ends row = wall_rows(par, at);
    const auto on_wall = is_wall(row) > R(0);
    const Primitive<vreal> own = own_state(par, at);
    const vreal of_wall = gather(par.wall_values + 4 * par.wall_count, row) * viscosity(own.t, par) / own.rho;
    const vreal zero = {}, held[2] = {zero, of_wall};
    UNROLL
    for (int e = 0; e < 2; ++e) {
        const vreal value = load(par.state + (ENERGY + e) * par.slots, at);
        store(par.out + (ENERGY + e) * par.slots, at, on_wall ? held[e] : vmax(R(0.1) * value, value + x[e]));
    }
}

VERTEX_KERNEL(two_equations_update) {
    vreal x[2];
    UNROLL
    for (int e = 0; e < 2; ++e) {
        vreal leaving = load(par.eddy_sums + e * par.slots, at);
        if (par.source) leaving = leaving - load(par.source + (ENERGY + e) * par.slots, at);
        x[e] = -leaving / load(par.eddy_sums + (2 + e) * par.slots, at);
    }
    step_two_equations(par, at, x);
}

// The system of k and omega of an implicit step with its right side, from the sums of `two_equations`: what enters with
// the other end, what diffuses from there, and how omega destroys k. The unknowns are increments over the present
// values, and the rows are divided by these and by the own coefficients: k and omega differ by many powers of ten, and
// a linear solution looks at one norm of both.
VERTEX_KERNEL(two_equations_system) {
    const Primitive<vreal> own = own_state(par, at);
    const vreal zero = {}, one = zero + R(1);
    const long long n = par.slots;
    const auto on_wall = is_wall(wall_rows(par, at)) > R(0);
    const auto held = (on_wall ? zero : at.degree) == R(0); // slots of no vertex too
    vreal own_part[2], here[2], scale[2], value[2];
    UNROLL
    for (int e = 0; e < 2; ++e) {
        own_part[e] = load(par.eddy_sums + (2 + e) * n, at);
        here[e] = load(par.closure + (1 + e) * n, at);
        value[e] = load(par.state + (ENERGY + e) * n, at);
        scale[e] = R(1) / (own_part[e] * value[e]);
    }
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        const Transport t = transport(par, at, k, to, own, far_state(par, at, k, to));
        const vreal self = keep(at, k, leads(at, to, 0));
        UNROLL
        for (int e = 0; e < 2; ++e) {
            const vreal diffusivity = R(0.5) * (here[e] + gather(par.closure + (1 + e) * n, to));
            const vreal kept = keep(at, k, held ? zero : t.entering - diffusive_coupling(t, diffusivity));
            own_part[e] = vfma(self, kept, own_part[e]);
            const vreal there = gather(par.state + (ENERGY + e) * n, to) * scale[e];
            const vreal other = self > R(0) ? zero : kept * there;
            store_single(par.offdiagonal, block_place<2>(at, k, e, e), held ? zero : other);
        }
    }
    const vreal destruction = BETA_STAR * own.rho * value[0] * load(par.volume, at);
    store(par.diagonal, at, held ? one : own_part[0] * value[0] * scale[0]);
    store(par.diagonal + n, at, held ? zero : destruction * value[1] * scale[0]);
    store(par.diagonal + 2 * n, at, zero);
    store(par.diagonal + 3 * n, at, held ? one : own_part[1] * value[1] * scale[1]);
    UNROLL
    for (int e = 0; e < 2; ++e) {
        vreal right = -load(par.eddy_sums + e * n, at);
        if (par.source) right = right + load(par.source + (ENERGY + e) * n, at);
        store(par.result + e * n, at, held ? zero : right * scale[e]);
    }
}

// k and omega after the step that solves their system.
VERTEX_KERNEL(add_two_equations_increment) {
    vreal x[2];
    UNROLL
    for (int e = 0; e < 2; ++e)
        x[e] = load(par.vector + e * par.slots, at) * load(par.state + (ENERGY + e) * par.slots, at);
    step_two_equations(par, at, x);
}
