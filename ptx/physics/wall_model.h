// Wall models: traction and heat flux at a wall from the state of the gas at a matching point, a distance h off the
// wall. The layer between them is in equilibrium: shear stress and total heat flux do not change across it. Only the
// velocity along the wall, relative to it, enters.
//
// docs/reference/wall-models.md has the formulas with their sources. Only + - * / and roots are used, on CPU and GPU
// alike.
#pragma once
#include "physics/gas.h"

// Intervals of the equilibrium model, their growth away from the wall, and its steps.
constexpr int WALL_INTERVALS = 40, WALL_STEPS = 8;
constexpr real WALL_GROWTH = R(1.18);

// The load of a wall on the gas per area: a traction along the wall, and the heat k dT/dn that enters.
struct WallLoad {
    real traction[3], heat;
};

// A square root, also of the 0 of gas that rests relative to the wall, where the fast one is not a number.
INLINE real root_from_zero(real x) { return x == R(0) ? x : vsqrt(x); }

// f = y+/sqrt(Re) of the algebraic law at the matching point, as a function of s = Re^(1/4), Re = |u| h/nu = u+ y+. It
// is a cubic Hermite interpolant of WALL_LAW_CELLS + 1 pairs of value and slope per cell, and linear beyond them.
INLINE real law_of_the_wall(real re, const real *table) {
    const real at = root_from_zero(root_from_zero(re)) * (R(WALL_LAW_CELLS) / R(WALL_LAW_END));
    const int cell = at < R(WALL_LAW_CELLS) ? (int)at : WALL_LAW_CELLS;
    const real *a = table + 2 * cell, t = at - (real)cell;
    if (cell == WALL_LAW_CELLS) return vfma(t, a[1], a[0]);
    const real rise = a[2] - a[0], bend = R(2) * rise - a[1] - a[3];
    return vfma(t, vfma(t, vfma(t, -bend, bend + rise - a[1]), a[1]), a[0]);
}

// The algebraic law (H. Reichardt, Z. angew. Math. Mech. 31 (1951) 208), with the density and viscosity of the matching
// point. The traction is mu f^2 u/h, so that f = 1 is laminar shear. For the heat, mu + mu_t = tau/(du/dy) divides the
// layer in two: the Prandtl number is that of the gas up to u+ = WALL_SUBLAYER and the turbulent one above, which gives
// the temperature of C. L. V. Jayatilleke, Prog. Heat Mass Transfer 1 (1969) 193.
INLINE WallLoad algebraic_wall_load(const Primitive<real> &q, const real *u, real speed, real h, const real *data,
                                    const Params &par) {
    const real mu = viscosity(q.t, par), re = q.rho * speed * h / mu, f = law_of_the_wall(re, par.wall_law);
    const real drag = mu * f * f / h, prandtl = par.cp / par.conductivity_factor;
    const real turbulent = par.cp / par.wall_conductivity_factor;
    WallLoad load;
    for (int m = 0; m < 3; ++m) load.traction[m] = -drag * u[m];
    load.heat = R(0);
    if (data[WALL_TEMPERATURE] > R(0)) {
        const real u_plus = root_from_zero(re) / f;
        const real share = u_plus > data[WALL_SUBLAYER] ? data[WALL_SUBLAYER] / u_plus : R(1);
        const real resistance = turbulent + (prandtl - turbulent) * share;
        const real recovery = (turbulent + (prandtl - turbulent) * (share * share)) * speed * speed / (R(2) * par.cp);
        load.heat = drag * par.cp / resistance * (data[WALL_TEMPERATURE] - q.t - recovery);
    }
    return load;
}

// exp(-x) for x >= 0 by its series at x/64; 0 beyond x = 40.
INLINE real decay(real x) {
    if (x > R(40)) return R(0);
    const real y = x * R(-1.0 / 64.0);
    real power = R(1);
    UNROLL
    for (int j = 12; j >= 1; --j) power = vfma(power * y, R(1) / R(j), R(1));
    UNROLL
    for (int j = 0; j < 6; ++j) power = power * power;
    return power;
}

// The equilibrium model with variable properties (S. Kawai & J. Larsson, Phys. Fluids 24 (2012) 015105):
//     d/dy[(mu + mu_t) du/dy] = 0,    d/dy[(mu + mu_t) u du/dy + cp (mu/Pr + mu_t/Pr_t) dT/dy] = 0
//     mu_t = kappa rho sqrt(tau/rho) y (1 - exp(-y+/17))^2,    y+ = y sqrt(rho_w tau)/mu_w
// The pressure is that of the matching point. Both equations are integrated by the midpoint rule on intervals that grow
// by WALL_GROWTH: the stress and the sum of work and heat are constants, so that sums replace a system of equations.
// The fixed-point steps start from the algebraic law, and each reduces the error of the stress by a factor of about 5.
INLINE WallLoad equilibrium_wall_load(const Primitive<real> &q, const real *u, real speed, real h, const real *data,
                                      const Params &par) {
    const real mu_here = viscosity(q.t, par), re = q.rho * speed * h / mu_here, f = law_of_the_wall(re, par.wall_law);
    const real given = data[WALL_TEMPERATURE];
    real power = R(1);
    for (int j = 0; j < WALL_INTERVALS; ++j) power = power * WALL_GROWTH;
    const real first = h * (WALL_GROWTH - R(1)) / (power - R(1));
    // The traction is stress u/|u|; stress over |u| stays finite where the gas is at rest.
    real drag = mu_here * f * f / h, heat = R(0), wall = given > R(0) ? given : q.t;
    real t[WALL_INTERVALS], momentum[WALL_INTERVALS], energy[WALL_INTERVALS];
    for (int j = 0; j < WALL_INTERVALS; ++j) t[j] = q.t;
    for (int step = 0; step < WALL_STEPS; ++step) {
        const real tau = drag * speed, rho_wall = q.rho * q.t / wall;
        const real per_length = root_from_zero(rho_wall * tau) / viscosity(wall, par);
        real y = R(0), dy = first, slip = R(0);
        for (int j = 0; j < WALL_INTERVALS; ++j, dy = dy * WALL_GROWTH) {
            const real middle = y + R(0.5) * dy, mu = viscosity(t[j], par);
            const real damping = R(1) - decay(middle * per_length * R(1.0 / 17.0)), root = q.rho * q.t / t[j] * tau;
            const real eddy = R(0.41) * middle * root_from_zero(root) * (damping * damping);
            momentum[j] = dy / (mu + eddy);
            energy[j] = dy / (mu * par.conductivity_factor + eddy * par.wall_conductivity_factor);
            slip = slip + momentum[j];
            y = y + dy;
        }
        drag = R(1) / slip;
        // T = T_w + sum of (heat - tau u) dy/k, with u = |u| (sum of dy/(mu + mu_t))/slip.
        real below = R(0), conduction = R(0), work = R(0);
        for (int j = 0; j < WALL_INTERVALS; ++j) {
            const real middle = (below + R(0.5) * momentum[j]) / slip * speed * (drag * speed);
            conduction = conduction + energy[j];
            work = vfma(middle, energy[j], work);
            below = below + momentum[j];
        }
        // `heat` is k dT/dy at the wall.
        heat = given > R(0) ? (q.t - given + work) / conduction : R(0);
        if (!(given > R(0))) wall = q.t + work;
        real at = wall;
        below = R(0);
        for (int j = 0; j < WALL_INTERVALS; ++j) {
            const real middle = (below + R(0.5) * momentum[j]) / slip * speed * (drag * speed);
            const real change = (heat - middle) * energy[j];
            t[j] = vfma(R(0.5), change, at);
            at = at + change;
            below = below + momentum[j];
        }
    }
    WallLoad load;
    for (int m = 0; m < 3; ++m) load.traction[m] = -drag * u[m];
    load.heat = -heat;
    return load;
}

// The load of a wall with these data (WallSlot, WallModelSlot) and the unit normal n, by the law that they name.
INLINE WallLoad wall_load(const Primitive<real> &q, const real *n, real h, const real *data, const Params &par) {
    const real *wall = data + WALL_VELOCITY;
    real u[3];
    for (int m = 0; m < 3; ++m) u[m] = q.v[m] - wall[m];
    const real through = dot3(u, n);
    for (int m = 0; m < 3; ++m) u[m] = u[m] - through * n[m];
    const real speed = root_from_zero(dot3(u, u));
    switch ((WallLaw)(int)data[WALL_LAW]) {
    case WALL_REICHARDT: break;
    case WALL_EQUILIBRIUM:
        // The frozen number leaves nothing of this law in runs whose walls have the other one.
        if (par.wall_equilibrium) return equilibrium_wall_load(q, u, speed, h, data, par);
    }
    return algebraic_wall_load(q, u, speed, h, data, par);
}
