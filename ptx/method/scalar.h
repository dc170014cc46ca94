// Passive scalars: what the flow carries and does not feel. Their values rho c are held as the state is, where the five
// variables of a point are up to SCALARS scalars, so that neighbours, halos and ghosts lie at the same offsets. A
// launch of a scalar's kernel sees the arrays of the scalars in place of the state's as out, u_n, acc, kahan_term,
// traces and viscous; u and own are still the flow.
//
//     d(rho c)/dt + div(rho u c) = div((mu/Sc + mu_t/Sc_t) grad c)
//
// The mass flux through a face is that of the flow's own interface solver, and the scalar is that of the side from
// which it comes (upwind). With c = 1 all terms are those of the density.
//
// The fifth variable is such a scalar with c = 1: the density as the fluxes alone advance it. What else the flow does
// to its density in a stage (correction of the entropy, filter, sponges, sources) is the difference of both, and
// `scalar_closure` gives it to the scalars with the mean c of the cell, so that a constant c stays constant, and the
// integral of rho c is that of the fluxes where the integral of the density is.
#pragma once
#include "method/block.h"
#include "method/metrics.h"
#include "method/neighbour.h"
#include "method/update.h"
#include "physics/riemann.h"
#include "physics/viscous.h"

// Reads the values c of the scalars at point p of a block, where the density of the flow is rho; 0 of those that the
// case does not have.
INLINE void own_scalars(const Params &par, long long block, int p, vreal rho, vreal *c) {
    const vreal *values = block_of(par.own_scalars, block, 5 * NP) + p;
    const vreal specific_volume = inverse(rho);
    UNROLL
    for (int v = 0; v < SCALARS; ++v) c[v] = v < par.scalar_count ? values[v * NP] * specific_volume : vreal{};
}

// The density of the flow at point p of a block.
INLINE vreal own_density(const Params &par, long long block, int p) {
    return (block_of(par.own, block, 5 * NP) + p)[0];
}

// Reads rho c of all scalars on the other side at face point l.
INLINE void gather_scalars(const Params &par, long long block, int face, int l, vreal *values) {
    const Slot *slots = par.slots + (block * FACES + face) * LANE;
#ifndef ONE_LANE
    if (par.slot_kind[block * FACES + face] != SLOT_SIDE_BY_SIDE)
        gather_lanes(par.scalars, &slots->state, par.tables, l, SCALARS, values);
    else
#endif
        gather(par.scalars, &slots->state, par.tables, l, par.uniform ? NP : 0, SCALARS, values);
}

// Reads the values of the scalars on the other side at face point l, where the density of the flow there is rho.
INLINE void neighbour_scalars(const Params &par, long long block, int face, int l, vreal rho, vreal *c) {
    const vreal specific_volume = inverse(rho);
    vreal values[SCALARS];
    gather_scalars(par, block, face, l, values);
    UNROLL
    for (int v = 0; v < SCALARS; ++v) c[v] = v < par.scalar_count ? values[v] * specific_volume : vreal{};
}

// The values of the other side for the gradient.
INLINE void scalars_across(const Params &par, long long block, int face, int l, vreal *c) {
    Primitive<vreal> o;
    neighbour(par, block, face, l, o);
    neighbour_scalars(par, block, face, l, o.rho, c);
    take_ghost_values(par, par.scalars, block, face, l, c);
}

// What carries a scalar by diffusion at a point: the viscosity of the gas and that of the sub-grid model, which
// `eddy_viscosities` has written.
struct Diffusion {
    vreal gas, eddy;
    // rho D of scalar v.
    INLINE_MEMBER vreal of(const Params &par, int v) const {
        const vreal molecular = gas * par.scalar_diffusion[v];
        return par.sgs == SGS_NONE ? molecular : vfma(eddy, vreal{} + par.scalar_eddy_diffusion[v], molecular);
    }
};

INLINE Diffusion diffusion_at(const Params &par, long long block, int p) {
    const vreal *state = block_of(par.own, block, 5 * NP) + p;
    vreal u[5];
    UNROLL
    for (int v = 0; v < 5; ++v) u[v] = state[v * NP];
    Primitive<vreal> q;
    primitive(u, par, q);
    Diffusion d = {viscosity(q.t, par), vreal{}};
    if (par.sgs != SGS_NONE) d.eddy = block_of((const real *)par.eddy, block, NP)[p];
    return d;
}

// The penalty on the jump of scalar v across a face, which the outgoing flux gets as in the viscous flux of the flow
// (add_penalty in physics/viscous.h): by the diffusion of the gas alone. `jump` is the difference to the other side.
INLINE vreal scalar_penalty(const Params &par, const Diffusion &d, int v, vreal jump, vreal area2, vreal inverse_j) {
    return d.gas * par.scalar_diffusion[v] * (area2 * inverse_j) * (R(-0.5) * par.correction[0]) * jump;
}

// The outward mass flux of the flow through face point l with the area vector a.
INLINE vreal mass_flux(const Params &par, const Primitive<vreal> &i, const Primitive<vreal> &o, const vreal *a) {
    vreal f[5];
    common_convective_flux(i, o, a, par, f);
    return f[0];
}

// The value that a mass flux carries out of the cell: that of the side from which it comes; the mean of both where
// there is no flux, so that both cells of a face have the same.
INLINE vreal carried(vreal mass, vreal inside, vreal outside) {
    return select(mass > vreal{}, inside, select(mass < vreal{}, outside, R(0.5) * (inside + outside)));
}

// Whether variable v of the arrays of the scalars is in use.
INLINE bool is_scalar(const Params &par, int v) { return v < par.scalar_count || v == SCALARS; }

// Values of earlier stages of the scalars at a point.
INLINE void load_old_scalars(const Params &par, long long block, int p, OldPoint &old) {
    UNROLL
    for (int v = 0; v <= SCALARS; ++v) {
        if (!is_scalar(par, v)) continue;
        const real *start = par.low_storage ? par.own_scalars : (const real *)par.u_n;
        old.un[v] = (block_of(start, block, 5 * NP) + p)[v * NP];
        if (par.stage != STAGE_FIRST) old.acc[v] = (block_of((const real *)par.acc, block, 5 * NP) + p)[v * NP];
        if ((par.stage == STAGE_LAST || par.low_storage) && par.kahan)
            old.lost[v] = (block_of((const real *)par.kahan_term, block, 5 * NP) + p)[v * NP];
    }
}

// Advances the scalars at point p by one stage; `divergence` is the divergence of their flux in reference space.
INLINE void update_scalars(const Params &par, long long block, int p, const vreal *divergence) {
    const vreal inverse_j = metrics_of(par, block).inverse_j(p);
    const real dt = *par.dt;
    OldPoint old;
    load_old_scalars(par, block, p, old);
    UNROLL
    for (int v = 0; v <= SCALARS; ++v) {
        if (!is_scalar(par, v)) continue;
        const vreal rate = -divergence[v] * inverse_j;
        if (par.low_storage) update_register(par, block, p, v, rate, dt, old);
        else update_sum(par, block, p, v, rate, dt, old);
    }
}
