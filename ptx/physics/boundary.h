// Boundary conditions at one face point. A condition makes a ghost state from the own state q of the cell, the outward
// unit normal n and the data of the boundary. The functions are pure and know no faces or arrays.
// docs/reference/boundaries.md describes each kind.
//
// A condition provides three things: a state for the interface solver; u, v, w, T for the gradient, which averages them
// with those of the cell; and the common viscous flux, which is that of the cell without the parts that the boundary
// does not transmit.
//
// At a wall the state is reflected. The mean of both sides in the gradient is the velocity or temperature of the wall.
// The interface solver gets equal density and pressure and the opposite normal velocity, so that no mass passes a wall
// at rest.
//
// At inflow and outflow the ghost state is the state at the face itself. It follows from the state of the cell and the
// waves that enter the domain; the wave that leaves keeps p + z v.n (z = rho c). Godunov's flux of such a pair is the
// flux of the state at the face. The flux of any upwind solver equals it to second order in the jump (weak imposition
// through the interface solver: G. Mengaldo et al., AIAA 2014-2923). The gradient uses the ghost state at inflow and
// the values of the cell at outflow.
//
// Sources: Carlson: J.-R. Carlson, NASA/TM-2011-217181. Blazek: J. Blazek, Computational Fluid Dynamics, ch. 8. Hirsch:
// C. Hirsch, Numerical Computation of Internal and External Flows 2, ch. 19.
#pragma once
#include "physics/gas.h"

struct GhostState {
    Primitive<real> state; // for the interface solver
    real v[3], t;          // for the gradient, which averages them with the cell's own
    bool enters;           // whether this is inflow
};

// ---------------------------------------------------------------- walls

// Slip wall and symmetry plane: the mirror image of the state.
INLINE GhostState slip(const Primitive<real> &q, const real *n) {
    GhostState a = {q, {}, q.t, false};
    const real twice = R(2) * dot3(q.v, n);
    for (int m = 0; m < 3; ++m) a.v[m] = a.state.v[m] = q.v[m] - twice * n[m];
    return a;
}

// Adiabatic no-slip wall of velocity `wall`: both sides have the same temperature.
INLINE GhostState no_slip(const Primitive<real> &q, const real *wall) {
    GhostState a = {q, {}, q.t, false};
    for (int m = 0; m < 3; ++m) a.v[m] = a.state.v[m] = R(2) * wall[m] - q.v[m];
    return a;
}

// Modelled wall: the interface solver sees a slip wall, and the gradient the values of the cell. A mean with the
// velocity of the wall would show the cell a jump that the mesh does not resolve.
INLINE GhostState modelled_wall(const Primitive<real> &q, const real *n) {
    GhostState a = slip(q, n);
    for (int m = 0; m < 3; ++m) a.v[m] = q.v[m];
    return a;
}

// No-slip wall of temperature t. Only the gradient uses the temperature, since no heat is convected through a wall.
INLINE GhostState no_slip_isothermal(const Primitive<real> &q, const real *wall, real t) {
    GhostState a = no_slip(q, wall);
    a.t = R(2) * t - q.t;
    return a;
}

// ---------------------------------------------------------------- inflow and outflow

// Inflow in state b: the mean of both sides in the gradient is b.
INLINE GhostState inflow(const Primitive<real> &q, const Primitive<real> &b) {
    GhostState a = {b, {}, R(2) * b.t - q.t, true};
    for (int m = 0; m < 3; ++m) a.v[m] = R(2) * b.v[m] - q.v[m];
    return a;
}

// Outflow in state b: the gradient is the cell's own.
INLINE GhostState outflow(const Primitive<real> &q, const Primitive<real> &b) {
    GhostState a = {b, {q.v[0], q.v[1], q.v[2]}, q.t, false};
    return a;
}

INLINE real sound_speed(const Primitive<real> &q, const Params &par) {
    return vsqrt(par.gamma * par.gas_constant * q.t);
}

// Returns q after a linearised isentropic change to pressure p and normal velocity vn. The tangential velocity does not
// change. The density is positive down to p = 0:
//     rho + (p - p_q)/c^2
INLINE Primitive<real> isentropic_change(const Primitive<real> &q, const real *n, real p, real vn, const Params &par) {
    const real old = pressure(q, par), dv = vn - dot3(q.v, n);
    Primitive<real> b = q;
    b.rho = q.rho * (R(1) + (p - old) / (par.gamma * old));
    b.t = p / (par.gas_constant * b.rho);
    for (int m = 0; m < 3; ++m) b.v[m] = q.v[m] + dv * n[m];
    return b;
}

// Limits an expansion at a boundary to a tenth of the initial pressure, so that a run survives a poor initial state.
INLINE real limited_pressure(real p, real start) { return vmax(p, R(0.1) * start); }

// The impedance rho c at the pressure `mean` on the isentrope of q, whose pressure is pq.
INLINE real mean_impedance(const Primitive<real> &q, real pq, real mean, const Params &par) {
    const real rho = q.rho * (R(1) + (mean - pq) / (par.gamma * pq));
    return vsqrt(par.gamma * mean * rho);
}

// Far field of state o by characteristic variables (D. L. Whitfield & J. M. Janus, AIAA 84-1552; Blazek 8.3.1):
//     p = (p_q + p_o + z (vn_q - vn_o))/2,    vn = vn_o + (p - p_o)/z
// Entropy and tangential velocity are those of the side from which the gas comes. At supersonic speed the whole state
// is q or o. z is taken at the mean pressure on the isentrope of q, so that a simple wave leaves to third order in its
// amplitude.
//
// The Riemann invariants vn +- 2c/(gamma - 1) (Carlson) would reflect an entropy wave as sound; these variables do not.
// With the invariants, a spot of density rho' that leaves causes
//     p'/p = gamma/(gamma - 1) rho'/(2 rho)
INLINE GhostState far_field(const Primitive<real> &q, const real *n, const Primitive<real> &o, const Params &par) {
    const real vq = dot3(q.v, n), vo = dot3(o.v, n);
    if (vq >= sound_speed(q, par)) return outflow(q, q);
    if (-vo >= sound_speed(o, par)) return inflow(q, o);
    const real pq = pressure(q, par), po = pressure(o, par), mean = R(0.5) * (pq + po);
    const real z = mean_impedance(q, pq, mean, par);
    const real p = limited_pressure(mean + R(0.5) * (z * (vq - vo)), vmin(pq, po)), vn = vo + (p - po) / z;
    return vn >= R(0) ? outflow(q, isentropic_change(q, n, p, vn, par))
                      : inflow(q, isentropic_change(o, n, p, vn, par));
}

// (1 - m)^k for 0 <= m <= 1/2 and k up to about 1/m. Only + - * / are used, so that all machines give the same bits:
// exp and the logarithm are computed by their series, with an error of a few units in the last place.
//     ln(1 - m) = -2 artanh(m/(2 - m))
INLINE real expansion(real m, real k) {
    const real s = m / (R(2) - m), s2 = s * s;
    real artanh = R(0), power = R(1); // artanh(s)/s
    UNROLL
    for (int j = 18; j >= 0; --j) artanh = vfma(artanh, s2, R(1) / R(2 * j + 1));
    const real y = R(-2) * k * (s * artanh);
    UNROLL
    for (int j = 20; j >= 1; --j) power = vfma(power * y, R(1) / R(j), R(1));
    return power;
}

// The speed V of an inflow of total pressure p0 and total temperature t0, where the wave that leaves holds p + z vn =
// p0 - surplus (surplus > 0) with vn = -inward V. V is the root of
//     p0 (1 - V^2/(2 cp t0))^(gamma/(gamma - 1)) - z inward V = p0 - surplus
// The left side is decreasing and concave in V. For constant density it is quadratic, and its root is the initial value
// of Newton's method. V is at most the speed of sound: a faster inflow is a supersonic inlet, which total pressure,
// total temperature and direction do not determine.
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

// Whether gas that leaves with the normal velocity vq leaves faster than sound and no pressure outside can stop it. A
// pressure above that behind a normal shock drives the shock into the domain, so that a flow that was choked for a time
// does not stay so. (Rankine-Hugoniot; Landau & Lifshitz, Fluid Mechanics, section 89)
INLINE bool leaves_faster_than_sound(const Primitive<real> &q, real vq, real outside, const Params &par) {
    const real c = sound_speed(q, par);
    if (vq < c) return false;
    const real mach2 = (vq * vq) / (c * c), ratio = R(2) * par.gamma / (par.gamma + R(1));
    return outside <= pressure(q, par) * (R(1) + ratio * (mach2 - R(1)));
}

// A reservoir of pressure p0 and temperature t0. Gas that enters from it along the unit vector d (into the domain) has
// these as total pressure and total temperature (Carlson 2.7, Blazek 8.4, Hirsch 19.1, with p + z vn of the own state).
// Gas that leaves into it has the static pressure p0. Both conditions agree where the normal velocity is zero.
//
// With d = -n this is an outlet of pressure p0 at which back-flow loses pressure to its kinetic energy, which keeps it
// bounded (compare S. Dong et al., J. Comput. Phys. 261 (2014) 83). A direction within half a degree of the face is
// treated as inclined by that much.
INLINE GhostState total_state(const Primitive<real> &q, const real *n, real p0, real t0, const real *d,
                              const Params &par) {
    const real c = sound_speed(q, par), vq = dot3(q.v, n), z = q.rho * c, p = pressure(q, par);
    if (leaves_faster_than_sound(q, vq, p0, par)) return outflow(q, q);
    const real surplus = (p0 - p) - z * vq;
    if (surplus <= R(0)) return outflow(q, isentropic_change(q, n, p0, -surplus / z, par));
    const real v = inflow_speed(p0, t0, surplus, z * vmax(-dot3(d, n), R(0.01)), par),
               m = R(0.5) * v * v / (par.cp * t0);
    Primitive<real> b;
    b.t = t0 * (R(1) - m);
    b.rho = p0 * expansion(m, par.cp / par.gas_constant) / (par.gas_constant * b.t);
    for (int i = 0; i < 3; ++i) b.v[i] = v * d[i];
    return inflow(q, b);
}

// The direction of an inflow: the given one, where zero stands for -n.
INLINE void inflow_direction(const real *given, const real *n, real *d) {
    const bool normal = given[0] == R(0) && given[1] == R(0) && given[2] == R(0);
    for (int m = 0; m < 3; ++m) d[m] = normal ? -n[m] : given[m];
}

// Inlet of total pressure, total temperature and direction (TotalSlot).
INLINE GhostState total_inlet(const Primitive<real> &q, const real *n, const real *data, const Params &par) {
    real d[3];
    inflow_direction(data + TOTAL_DIRECTION, n, d);
    return total_state(q, n, data[TOTAL_PRESSURE], data[TOTAL_TEMPERATURE], d, par);
}

// Outlet of static pressure (Carlson 2.4, Blazek 8.3.1; OutletSlot). Back-flow enters along -n with this total pressure
// and with the given total temperature. A temperature must be given: with the temperature of the own state, the inflow
// has no condition on its entropy, and the temperature in a corner with back-flow diverged.
INLINE GhostState pressure_outlet(const Primitive<real> &q, const real *n, const real *data, const Params &par) {
    const real d[3] = {-n[0], -n[1], -n[2]};
    return total_state(q, n, data[OUTLET_PRESSURE], data[OUTLET_TOTAL_TEMPERATURE], d, par);
}

// Inlet of velocity with temperature, or with density where the density is not zero (InletSlot). The pressure follows
// from the wave that leaves (Blazek 8.4, Mengaldo et al.):
//     p = p_q + z (vn_q - vn)
// Where the velocity points out of the domain (suction), only its normal component is imposed.
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

// ---------------------------------------------------------------- relaxed inflow and outflow

// A relaxed inlet or outlet lets sound leave and holds what it prescribes in the mean. Each point keeps one number r,
// which determines the wave that enters. The state at the face follows from r as at a far field. The number moves
// towards the value r_h at which the condition without relaxation would hold at this instant:
//     dr/dt = rate (r_h - r) + terms along the face
//     kind              r                                 r_h
//     outlet            normal velocity outside           vn_q + (p_q - p - 2 shift)/z
//     total inlet       speed outside                     that of the total inlet
//     velocity inlet    pressure outside                  p_q + z (vn_q - vn)
// A plane wave of angular frequency w returns with the reflection R_h/(1 + i w/rate), where R_h is that of the
// condition without relaxation. With rate = K/2 the outlet is that of T. Poinsot & S. Lele, J. Comput. Phys. 101 (1992)
// 104. The frequency response is that of L. Selle, F. Nicoud & T. Poinsot, AIAA J. 42 (2004) 958.

// The value that r seeks, the rate, and the largest distance from that value, at which r is clamped so that a poor
// initial state leaves no lasting mark.
struct Relaxation {
    real target, rate, reach;
};

// Whether gas leaves through a relaxed outlet: the sign of the normal velocity at the face, from both waves.
INLINE bool leaves_outlet(real vq, real outer, real pq, real po, real z) {
    return R(0.5) * (vq + outer) + (pq - po) / (R(2) * z) >= R(0);
}

// The pressure at the face of a relaxed outlet: from the waves of both sides, (p_q + p_o + z (vn_q - r))/2, where gas
// leaves, and that of the wave that enters elsewhere.
INLINE real relaxed_face_pressure(const Primitive<real> &q, const real *n, real po, real outer, const Params &par) {
    const real pq = pressure(q, par), mean = R(0.5) * (pq + po), z = mean_impedance(q, pq, mean, par);
    const real vq = dot3(q.v, n);
    return leaves_outlet(vq, outer, pq, po, z) ? mean + R(0.5) * (z * (vq - outer)) : po - z * outer;
}

// Relaxed outlet (OutletSlot, RelaxedSlot). Where gas flows back, it comes from a reservoir at rest, whose pressure is
// that of the incoming wave: both formulas agree where the normal velocity is zero.
INLINE GhostState relaxed_outlet(const Primitive<real> &q, const real *n, const real *data, real outer,
                                 const Params &par) {
    const real vq = dot3(q.v, n), pq = pressure(q, par), po = data[OUTLET_PRESSURE], mean = R(0.5) * (pq + po);
    const real z = mean_impedance(q, pq, mean, par), wanted = mean + R(0.5) * (z * (vq - outer));
    if (leaves_faster_than_sound(q, vq, wanted, par)) return outflow(q, q);
    const real p = limited_pressure(wanted, vmin(pq, po)), vn = outer + (p - po) / z;
    if (vn >= R(0)) return outflow(q, isentropic_change(q, n, p, vn, par));
    const real d[3] = {-n[0], -n[1], -n[2]};
    return total_state(q, n, limited_pressure(po - z * outer, po), data[OUTLET_TOTAL_TEMPERATURE], d, par);
}

INLINE Relaxation outlet_relaxation(const Primitive<real> &q, const real *n, const real *data, real outer, real shift,
                                    const Params &par) {
    const real vq = dot3(q.v, n), pq = pressure(q, par), po = data[OUTLET_PRESSURE], mean = R(0.5) * (pq + po);
    const real c = sound_speed(q, par), reference = data[RELAXED_IMPEDANCE];
    const real z = mean_impedance(q, pq, mean, par);
    // Faster than sound, and with no higher pressure sought, the wave from outside is the one with which the face has
    // the pressure of the cell.
    if (vq >= c && po + shift <= pq) return {vq + (po - pq) / z, R(0), R(0)};
    // Where a mean is held, r changes by pressures over a constant impedance. The present one would weight pressures by
    // what flows through the outlet, and the mean would not be that which is held.
    const real rate = reference > R(0) ? data[RELAXED_RATE] * (z / reference) : data[RELAXED_RATE];
    if (leaves_outlet(vq, outer, pq, po, z)) return {vq + (pq - po - R(2) * shift) / z, rate, R(0.5) * c};
    return {-shift / z, R(2) * rate, R(0.5) * c};
}

// The state outside a relaxed total inlet, on the curve of states of this total pressure and total temperature. A
// negative speed is one against the direction, at the total pressure.
INLINE void state_of_speed(real p0, real t0, real speed, const real *d, const Params &par, Primitive<real> &o) {
    const real v = vmax(speed, R(0)), m = R(0.5) * v * v / (par.cp * t0);
    o.t = t0 * (R(1) - m);
    o.rho = p0 * expansion(m, par.cp / par.gas_constant) / (par.gas_constant * o.t);
    for (int i = 0; i < 3; ++i) o.v[i] = speed * d[i];
}

INLINE GhostState relaxed_total_inlet(const Primitive<real> &q, const real *n, const real *data, real speed,
                                      const Params &par) {
    real d[3];
    inflow_direction(data + TOTAL_DIRECTION, n, d);
    Primitive<real> o;
    state_of_speed(data[TOTAL_PRESSURE], data[TOTAL_TEMPERATURE], speed, d, par, o);
    return far_field(q, n, o, par);
}

INLINE Relaxation total_inlet_relaxation(const Primitive<real> &q, const real *n, const real *data, const Params &par) {
    real d[3];
    inflow_direction(data + TOTAL_DIRECTION, n, d);
    const real p0 = data[TOTAL_PRESSURE], t0 = data[TOTAL_TEMPERATURE], c = sound_speed(q, par);
    const real z = q.rho * c, zn = z * vmax(-dot3(d, n), R(0.01));
    const real surplus = (p0 - pressure(q, par)) - z * dot3(q.v, n);
    const real speed = surplus > R(0) ? inflow_speed(p0, t0, surplus, zn, par) : surplus / zn;
    return {speed, data[RELAXED_RATE], R(0.5) * c};
}

INLINE GhostState relaxed_velocity_inlet(const Primitive<real> &q, const real *n, const real *data, real p,
                                         const Params &par) {
    Primitive<real> o;
    o.rho = data[INLET_DENSITY] > R(0) ? data[INLET_DENSITY] : p / (par.gas_constant * data[INLET_TEMPERATURE]);
    o.t = p / (par.gas_constant * o.rho);
    for (int m = 0; m < 3; ++m) o.v[m] = data[INLET_VELOCITY + m];
    return far_field(q, n, o, par);
}

INLINE Relaxation velocity_inlet_relaxation(const Primitive<real> &q, const real *n, const real *data,
                                            const Params &par) {
    const real c = sound_speed(q, par), z = q.rho * c, own = pressure(q, par);
    const real p = limited_pressure(own + z * (dot3(q.v, n) - dot3(data + INLET_VELOCITY, n)), own);
    return {p, data[RELAXED_RATE], R(0.5) * z * c};
}

// ---------------------------------------------------------------- all kinds

// The functions below name every kind in a switch without a default. The CPU compiler refuses a switch that forgets one
// (-Werror=switch), so that a new kind cannot be treated as another one by mistake.

// The ghost state across a boundary of this kind. The enumerations of slots in physics/boundary name the values of
// `data`. For the supersonic inlet and the far field `data` holds the conserved variables of the outer state. `relaxed`
// is the relaxed value of the point, of kinds that have one.
INLINE GhostState ghost_state(int kind, const Primitive<real> &q, const real *n, const real *data, real relaxed,
                              const Params &par) {
    Primitive<real> outer;
    switch ((BoundaryKind)kind) {
    case BOUNDARY_SLIP: return slip(q, n);
    case BOUNDARY_NO_SLIP_ADIABATIC: return no_slip(q, data + WALL_VELOCITY);
    case BOUNDARY_NO_SLIP_ISOTHERMAL: return no_slip_isothermal(q, data + WALL_VELOCITY, data[WALL_TEMPERATURE]);
    case BOUNDARY_FAR_FIELD: primitive(data, par, outer); return far_field(q, n, outer, par);
    case BOUNDARY_SUPERSONIC_INLET: primitive(data, par, outer); return inflow(q, outer);
    case BOUNDARY_SUPERSONIC_OUTLET: break; // nothing is prescribed
    case BOUNDARY_TOTAL_INLET: return total_inlet(q, n, data, par);
    case BOUNDARY_PRESSURE_OUTLET: return pressure_outlet(q, n, data, par);
    case BOUNDARY_VELOCITY_INLET: return velocity_inlet(q, n, data, par);
    case BOUNDARY_RELAXED_OUTLET: return relaxed_outlet(q, n, data, relaxed, par);
    case BOUNDARY_RELAXED_TOTAL_INLET: return relaxed_total_inlet(q, n, data, relaxed, par);
    case BOUNDARY_RELAXED_VELOCITY_INLET: return relaxed_velocity_inlet(q, n, data, relaxed, par);
    case BOUNDARY_WALL_MODEL: return modelled_wall(q, n);
    case BOUNDARY_INTERFACE:
    case BOUNDARY_ROTATED: break; // other cells lie there, and no kernel asks for a ghost state
    }
    return outflow(q, q);
}

// Whether a boundary of this kind is a wall with friction, resolved or modelled. The friction does work on the velocity
// of the wall, which is then at WALL_VELOCITY of the data.
INLINE bool is_no_slip(int kind) {
    switch ((BoundaryKind)kind) {
    case BOUNDARY_NO_SLIP_ADIABATIC:
    case BOUNDARY_NO_SLIP_ISOTHERMAL:
    case BOUNDARY_WALL_MODEL: return true;
    case BOUNDARY_SLIP:
    case BOUNDARY_FAR_FIELD:
    case BOUNDARY_SUPERSONIC_INLET:
    case BOUNDARY_SUPERSONIC_OUTLET:
    case BOUNDARY_TOTAL_INLET:
    case BOUNDARY_PRESSURE_OUTLET:
    case BOUNDARY_VELOCITY_INLET:
    case BOUNDARY_RELAXED_OUTLET:
    case BOUNDARY_RELAXED_TOTAL_INLET:
    case BOUNDARY_RELAXED_VELOCITY_INLET:
    case BOUNDARY_INTERFACE:
    case BOUNDARY_ROTATED: break;
    }
    return false;
}

// Whether the points of a boundary of this kind have a relaxed value.
INLINE bool is_relaxed(int kind) {
    return kind == BOUNDARY_RELAXED_OUTLET || kind == BOUNDARY_RELAXED_TOTAL_INLET ||
           kind == BOUNDARY_RELAXED_VELOCITY_INLET;
}

// Whether gas with this normal velocity flows against the sense of a boundary: out of an inlet, or into an outlet.
INLINE bool against_its_sense(int kind, real vn) {
    switch ((BoundaryKind)kind) {
    case BOUNDARY_SUPERSONIC_INLET:
    case BOUNDARY_TOTAL_INLET:
    case BOUNDARY_VELOCITY_INLET:
    case BOUNDARY_RELAXED_TOTAL_INLET:
    case BOUNDARY_RELAXED_VELOCITY_INLET: return vn > R(0);
    case BOUNDARY_SUPERSONIC_OUTLET:
    case BOUNDARY_PRESSURE_OUTLET:
    case BOUNDARY_RELAXED_OUTLET: return vn < R(0);
    case BOUNDARY_SLIP:
    case BOUNDARY_NO_SLIP_ADIABATIC:
    case BOUNDARY_NO_SLIP_ISOTHERMAL:
    case BOUNDARY_FAR_FIELD:
    case BOUNDARY_WALL_MODEL:
    case BOUNDARY_INTERFACE:
    case BOUNDARY_ROTATED: break;
    }
    return false;
}

// What the relaxed value of a point seeks. `shift` is the difference between the pressure that an outlet seeks at
// present and the given one.
INLINE Relaxation relaxation(int kind, const Primitive<real> &q, const real *n, const real *data, real relaxed,
                             real shift, const Params &par) {
    switch ((BoundaryKind)kind) {
    case BOUNDARY_RELAXED_OUTLET: return outlet_relaxation(q, n, data, relaxed, shift, par);
    case BOUNDARY_RELAXED_TOTAL_INLET: return total_inlet_relaxation(q, n, data, par);
    case BOUNDARY_RELAXED_VELOCITY_INLET: return velocity_inlet_relaxation(q, n, data, par);
    case BOUNDARY_SLIP:
    case BOUNDARY_NO_SLIP_ADIABATIC:
    case BOUNDARY_NO_SLIP_ISOTHERMAL:
    case BOUNDARY_WALL_MODEL:
    case BOUNDARY_FAR_FIELD:
    case BOUNDARY_SUPERSONIC_INLET:
    case BOUNDARY_SUPERSONIC_OUTLET:
    case BOUNDARY_TOTAL_INLET:
    case BOUNDARY_VELOCITY_INLET:
    case BOUNDARY_PRESSURE_OUTLET:
    case BOUNDARY_INTERFACE:
    case BOUNDARY_ROTATED: break; // These relax nothing.
    }
    return {};
}

// The common viscous flux at an outflow: the tangential part of the traction of the cell, its work v.(traction), and no
// heat. This is the flux of a gas that leaves with zero normal derivatives of its normal velocity and its temperature.
//
// The traction along the face stays, so that the shear of a boundary layer or of the flow in a pipe passes an outlet
// undisturbed. Keeping the heat flux and the normal traction of the cell as well would impose no condition on their
// diffusion, and makes them grow at low Reynolds numbers.
INLINE void outflow_viscous_flux(const Primitive<real> &q, const real *n, const real *f, real *common) {
    const real fn = dot3(f, n);
    for (int m = 0; m < 3; ++m) common[m] = f[m] - fn * n[m];
    common[3] = dot3(q.v, common);
}

// The common viscous flux from the flux f of the cell, f = tau.a and v.(tau.a) + k dT/dn |a|.
//   No-slip walls: the traction of the cell, its work on the velocity of the wall, and the heat flux of the cell
//     (isothermal) or none (adiabatic).
//   Slip walls: the normal traction alone, which does no work.
//   Inflow: the flux of the cell. Outflow: see above. `enters` says which of them it is.
INLINE void boundary_viscous_flux(int kind, const Primitive<real> &q, const real *n, const real *data, bool enters,
                                  const real *f, real *common) {
    for (int v = 0; v < 4; ++v) common[v] = f[v];
    const real *const wall = data + WALL_VELOCITY;
    switch ((BoundaryKind)kind) {
    case BOUNDARY_SLIP: {
        const real fn = dot3(f, n);
        for (int m = 0; m < 3; ++m) common[m] = fn * n[m];
        common[3] = R(0);
        break;
    }
    case BOUNDARY_NO_SLIP_ADIABATIC: common[3] = dot3(wall, f); break;
    case BOUNDARY_NO_SLIP_ISOTHERMAL: common[3] = dot3(wall, f) + (f[3] - dot3(q.v, f)); break;
    case BOUNDARY_FAR_FIELD:
    case BOUNDARY_SUPERSONIC_INLET:
    case BOUNDARY_SUPERSONIC_OUTLET:
    case BOUNDARY_TOTAL_INLET:
    case BOUNDARY_PRESSURE_OUTLET:
    case BOUNDARY_VELOCITY_INLET:
    case BOUNDARY_RELAXED_OUTLET:
    case BOUNDARY_RELAXED_TOTAL_INLET:
    case BOUNDARY_RELAXED_VELOCITY_INLET:
        if (!enters) outflow_viscous_flux(q, n, f, common);
        break;
    case BOUNDARY_WALL_MODEL: break; // the wall model gives this flux (modelled_wall_flux in method/wall_model.h)
    case BOUNDARY_INTERFACE:
    case BOUNDARY_ROTATED: break; // other cells lie there, and no kernel asks for this flux
    }
}
