// Boundary conditions at one face point: what lies across it, from the cell's own state q, the outward unit normal n and
// the data of the boundary. Nothing here knows of faces or arrays; docs/boundaries.md says what each kind is for.
//
// A condition gives three things. The interface solver meets a state; the gradient averages u, v, w, T with the cell's
// own; the common viscous flux is the cell's own less what the boundary does not let through.
//   Walls reflect: the mean of both sides is the wall's velocity or temperature, and the interface solver sees equal
//     density and pressure and the opposite normal velocity, so no mass passes a wall at rest.
//   Inflow and outflow: the state across is the one *at* the face, made from the cell's own by the waves that enter the
//     domain alone, p + z v.n (z = rho c) of the wave that leaves being kept. Godunov's flux of such a pair is the flux
//     of the state at the face, and any upwind solver's is so to second order of the jump (weak imposition through the
//     interface solver: G. Mengaldo et al., AIAA 2014-2923). Gradients see that state where gas enters and the cell's
//     own values where it leaves.
// Sources: Carlson: J.-R. Carlson, NASA/TM-2011-217181; Blazek: J. Blazek, Computational Fluid Dynamics, ch. 8; Hirsch:
// C. Hirsch, Numerical Computation of Internal and External Flows 2, ch. 19.
#pragma once
#include "physics/gas.h"

struct GhostState {
    Primitive<real> state; // what the interface solver meets
    real v[3], t;          // what the gradient averages with the cell's own
    bool enters;           // whether gas comes in here
};

// ---------------------------------------------------------------- walls

// Slip wall and symmetry plane: the mirror image.
INLINE GhostState slip(const Primitive<real> &q, const real *n) {
    GhostState a = {q, {}, q.t, false};
    const real twice = R(2) * dot3(q.v, n);
    for (int m = 0; m < 3; ++m) a.v[m] = a.state.v[m] = q.v[m] - twice * n[m];
    return a;
}

// No-slip wall of velocity `wall`, adiabatic: both sides have one temperature.
INLINE GhostState no_slip(const Primitive<real> &q, const real *wall) {
    GhostState a = {q, {}, q.t, false};
    for (int m = 0; m < 3; ++m) a.v[m] = a.state.v[m] = R(2) * wall[m] - q.v[m];
    return a;
}

// The same of temperature t: only the gradient sees it, since no heat is convected through a wall.
INLINE GhostState no_slip_isothermal(const Primitive<real> &q, const real *wall, real t) {
    GhostState a = no_slip(q, wall);
    a.t = R(2) * t - q.t;
    return a;
}

// ---------------------------------------------------------------- inflow and outflow

// Gas that enters in state b: the mean of both sides that the gradient sees is b.
INLINE GhostState inflow(const Primitive<real> &q, const Primitive<real> &b) {
    GhostState a = {b, {}, R(2) * b.t - q.t, true};
    for (int m = 0; m < 3; ++m) a.v[m] = R(2) * b.v[m] - q.v[m];
    return a;
}

// Gas that leaves in state b: the gradient is the cell's own.
INLINE GhostState outflow(const Primitive<real> &q, const Primitive<real> &b) {
    GhostState a = {b, {q.v[0], q.v[1], q.v[2]}, q.t, false};
    return a;
}

INLINE real sound_speed(const Primitive<real> &q, const Params &par) {
    return vsqrt(par.gamma * par.gas_constant * q.t);
}

// q with its entropy and tangential velocity at another pressure and normal velocity; the entropy to first order, which
// keeps the density positive down to p = 0: rho + (p - p_q)/c^2.
INLINE Primitive<real> isentropic_change(const Primitive<real> &q, const real *n, real p, real vn, const Params &par) {
    const real old = pressure(q, par), dv = vn - dot3(q.v, n);
    Primitive<real> b = q;
    b.rho = q.rho * (R(1) + (p - old) / (par.gamma * old));
    b.t = p / (par.gas_constant * b.rho);
    for (int m = 0; m < 3; ++m) b.v[m] = q.v[m] + dv * n[m];
    return b;
}

// No expansion at a boundary goes below a tenth of the pressure that it starts from: a start from a bad guess survives.
INLINE real limited_pressure(real p, real start) { return vmax(p, R(0.1) * start); }

// Far field of state o by characteristic variables, D. L. Whitfield & J. M. Janus, AIAA 84-1552; Blazek 8.3.1:
//   p = (p_q + p_o + z (vn_q - vn_o))/2,  vn = vn_o + (p - p_o)/z,
// entropy and tangential velocity from where the gas comes from, all from q or from o at supersonic speed. z is taken at
// the mean pressure on the isentrope of q, so that a simple wave leaves to third order of its amplitude. Unlike the
// Riemann invariants vn +- 2c/(gamma - 1) (Carlson), these variables do not answer an entropy wave with sound: with those,
// a spot of density rho' that leaves makes p'/p = gamma/(gamma - 1) rho'/(2 rho).
INLINE GhostState far_field(const Primitive<real> &q, const real *n, const Primitive<real> &o, const Params &par) {
    const real vq = dot3(q.v, n), vo = dot3(o.v, n);
    if (vq >= sound_speed(q, par)) return outflow(q, q);
    if (-vo >= sound_speed(o, par)) return inflow(q, o);
    const real pq = pressure(q, par), po = pressure(o, par), mean = R(0.5) * (pq + po);
    const real rho = q.rho * (R(1) + (mean - pq) / (par.gamma * pq)), z = vsqrt(par.gamma * mean * rho);
    const real p = limited_pressure(mean + R(0.5) * (z * (vq - vo)), vmin(pq, po)), vn = vo + (p - po) / z;
    return vn >= R(0) ? outflow(q, isentropic_change(q, n, p, vn, par)) : inflow(q, isentropic_change(o, n, p, vn, par));
}

// (1 - m)^k for 0 <= m <= 1/2 and k up to about 1/m, by + - * / alone so that all machines give the same bits:
// ln(1 - m) = -2 artanh(m/(2 - m)) and exp by their series. The error is a few units in the last place.
INLINE real expansion(real m, real k) {
    const real s = m / (R(2) - m), s2 = s * s;
    real artanh = R(0), power = R(1); // artanh is divided by s
    UNROLL
    for (int j = 18; j >= 0; --j) artanh = vfma(artanh, s2, R(1) / R(2 * j + 1));
    const real y = R(-2) * k * (s * artanh);
    UNROLL
    for (int j = 20; j >= 1; --j) power = vfma(power * y, R(1) / R(j), R(1));
    return power;
}

// Speed V at which a gas of total pressure p0 and total temperature t0 flows in where the wave that leaves holds
// p + z vn = p0 - surplus (surplus > 0), vn = -inward V: the root of
//   p0 (1 - V^2/(2 cp t0))^(gamma/(gamma - 1)) - z inward V = p0 - surplus.
// The left side falls and is concave, and for constant density quadratic: its root is the start of Newton's steps. At most
// the speed of sound: more is a supersonic inlet, which total pressure, temperature and direction do not determine.
INLINE real inflow_speed(real p0, real t0, real surplus, real zn, const Params &par) {
    const real rt = par.gas_constant * t0, rho0 = p0 / rt, k = par.cp / par.gas_constant, h = R(0.5) / (par.cp * t0);
    const real sonic = vsqrt(R(2) * par.gamma / (par.gamma + R(1)) * rt);
    real v = vmin(R(2) * surplus / (zn + vsqrt(zn * zn + R(2) * rho0 * surplus)), sonic);
    for (int step = 0; step < 4; ++step) {
        const real m = h * v * v, p = p0 * expansion(m, k), rho = p / (rt * (R(1) - m));
        v = vmin(v + ((p - p0) + (surplus - zn * v)) / (rho * v + zn), sonic);
    }
    return v;
}

// Reservoir of pressure p0 and temperature t0. Gas that comes from it along the unit vector d (into the domain) has these
// as total pressure and temperature (Carlson 2.7, Blazek 8.4, Hirsch 19.1, with p + z vn of the own state); gas that flows
// into it meets the static pressure p0. Both agree where the normal velocity vanishes. With d = -n this is an outlet of
// pressure p0 whose back-flow pays for its kinetic energy with pressure, which keeps it bounded (compare S. Dong et al.,
// J. Comput. Phys. 261 (2014) 83). A direction within half a degree of the face counts as inclined by that much.
INLINE GhostState total_state(const Primitive<real> &q, const real *n, real p0, real t0, const real *d, const Params &par) {
    const real c = sound_speed(q, par), vq = dot3(q.v, n), z = q.rho * c, p = pressure(q, par);
    if (vq >= c) return outflow(q, q);
    const real surplus = (p0 - p) - z * vq;
    if (surplus <= R(0)) return outflow(q, isentropic_change(q, n, p0, -surplus / z, par));
    const real v = inflow_speed(p0, t0, surplus, z * vmax(-dot3(d, n), R(0.01)), par), m = R(0.5) * v * v / (par.cp * t0);
    Primitive<real> b;
    b.t = t0 * (R(1) - m);
    b.rho = p0 * expansion(m, par.cp / par.gas_constant) / (par.gas_constant * b.t);
    for (int i = 0; i < 3; ++i) b.v[i] = v * d[i];
    return inflow(q, b);
}

// Inlet of total pressure, total temperature and direction (TotalSlot); along -n where the direction is zero.
INLINE GhostState total_inlet(const Primitive<real> &q, const real *n, const real *data, const Params &par) {
    const real *given = data + TOTAL_DIRECTION;
    const bool normal = given[0] == R(0) && given[1] == R(0) && given[2] == R(0);
    real d[3];
    for (int m = 0; m < 3; ++m) d[m] = normal ? -n[m] : given[m];
    return total_state(q, n, data[TOTAL_PRESSURE], data[TOTAL_TEMPERATURE], d, par);
}

// Outlet of static pressure (Carlson 2.4, Blazek 8.3.1; OutletSlot). Gas that flows back comes along -n with this total
// pressure and with the given total temperature. A temperature must be given: with that of the own state, the flow that
// enters has no condition on its entropy, and the temperature of a corner where gas came back ran away.
INLINE GhostState pressure_outlet(const Primitive<real> &q, const real *n, const real *data, const Params &par) {
    const real d[3] = {-n[0], -n[1], -n[2]};
    return total_state(q, n, data[OUTLET_PRESSURE], data[OUTLET_TOTAL_TEMPERATURE], d, par);
}

// Inlet of velocity with temperature, or with density where that is not zero (InletSlot); the pressure is
// p = p_q + z (vn_q - vn), from the wave that leaves (Blazek 8.4, Mengaldo et al.). Where the velocity points out of the
// domain (suction), its normal component alone is imposed.
INLINE GhostState velocity_inlet(const Primitive<real> &q, const real *n, const real *data, const Params &par) {
    const real *velocity = data + INLET_VELOCITY;
    const real c = sound_speed(q, par), vq = dot3(q.v, n), vn = dot3(velocity, n), own = pressure(q, par);
    if (vq >= c) return outflow(q, q);
    const real p = limited_pressure(own + q.rho * c * (vq - vn), own);
    if (vn > R(0)) return outflow(q, isentropic_change(q, n, p, vn, par));
    Primitive<real> b;
    b.rho = data[INLET_DENSITY] > R(0) ? data[INLET_DENSITY] : p / (par.gas_constant * data[INLET_TEMPERATURE]);
    b.t = p / (par.gas_constant * b.rho);
    for (int m = 0; m < 3; ++m) b.v[m] = velocity[m];
    return inflow(q, b);
}

// ---------------------------------------------------------------- all kinds

// What lies across a boundary of this kind. Data: wall velocity and temperature; conserved variables of the outer state;
// total pressure, total temperature and direction; pressure and total temperature; velocity, temperature and density.
INLINE GhostState ghost_state(int kind, const Primitive<real> &q, const real *n, const real *data, const Params &par) {
    if (kind == BOUNDARY_SLIP) return slip(q, n);
    if (kind == BOUNDARY_NO_SLIP_ADIABATIC) return no_slip(q, data + WALL_VELOCITY);
    if (kind == BOUNDARY_NO_SLIP_ISOTHERMAL)
        return no_slip_isothermal(q, data + WALL_VELOCITY, data[WALL_TEMPERATURE]);
    if (kind == BOUNDARY_SUPERSONIC_OUTLET) return outflow(q, q);
    if (kind == BOUNDARY_TOTAL_INLET) return total_inlet(q, n, data, par);
    if (kind == BOUNDARY_PRESSURE_OUTLET) return pressure_outlet(q, n, data, par);
    if (kind == BOUNDARY_VELOCITY_INLET) return velocity_inlet(q, n, data, par);
    Primitive<real> outer;
    primitive(data, par, outer);
    return kind == BOUNDARY_SUPERSONIC_INLET ? inflow(q, outer) : far_field(q, n, outer, par);
}

// The tangential part of the own traction, v.(its work) and no heat: what a gas that leaves with zero normal derivatives of
// its normal velocity and temperature gives away. The traction along the face stays, for the shear of a boundary layer or a
// pipe's flow goes through an outlet undisturbed; conducting on heat and normal traction as they come would be no condition
// at all on their diffusion, and makes them grow at low Reynolds numbers.
INLINE void outflow_viscous_flux(const Primitive<real> &q, const real *n, const real *f, real *common) {
    const real fn = dot3(f, n);
    for (int m = 0; m < 3; ++m) common[m] = f[m] - fn * n[m];
    common[3] = dot3(q.v, common);
}

// Common viscous flux from the cell's own, f = tau.a and v.(tau.a) + k dT/dn |a|: at walls the own traction, which works on
// the wall's velocity, with the own heat flux (isothermal) or none (adiabatic); at slip walls the normal traction alone,
// which does no work; where gas enters the own flux.
INLINE void boundary_viscous_flux(int kind, const Primitive<real> &q, const real *n, const real *data, const real *f,
                                const Params &par, real *common) {
    for (int v = 0; v < 4; ++v) common[v] = f[v];
    if (kind == BOUNDARY_SLIP) {
        const real fn = dot3(f, n);
        for (int m = 0; m < 3; ++m) common[m] = fn * n[m];
        common[3] = R(0);
    } else if (kind == BOUNDARY_NO_SLIP_ADIABATIC) {
        common[3] = dot3(data + WALL_VELOCITY, f);
    } else if (kind == BOUNDARY_NO_SLIP_ISOTHERMAL) {
        common[3] = dot3(data + WALL_VELOCITY, f) + (f[3] - dot3(q.v, f));
    } else if (!ghost_state(kind, q, n, data, par).enters) {
        outflow_viscous_flux(q, n, f, common);
    }
}
