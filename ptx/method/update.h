// One stage of the Runge-Kutta method at a point.
//
// Classical RK4 is written as U + dt sum b_m k_m. The sum over the stages is accumulated in `acc`. The last stage adds
// it to the state with Kahan's compensation (W. Kahan, Comm. ACM 8 (1965) 40), so that single precision does not lose
// increments that are far smaller than the state.
//
// Schemes in 2N form (J. H. Williamson, J. Comput. Phys. 35 (1980) 48) keep a register S in `acc`, with A_1 = 0:
//     S <- A_m S + dt k_m,  U <- U + B_m S
// Each stage adds its increment with the compensation. Neighbours read the input of a stage, so that its output is
// another array.
//
// The paired scheme (runge_kutta/paired.rs) keeps the first rate k_1 in `acc`; each stage but the last writes
//     U_n + dt (weight k_1 + fraction k_m)
// and the last one adds that increment with the compensation.
#pragma once
#include "method/bars.h"
#include "method/block.h"
#include "method/metrics.h"
#include "method/note.h"
#include "method/sponge.h"
#include "physics/rotation.h"

// Values of earlier stages: the state at the beginning of the step (in 2N form of the stage), the sum or the register
// so far, and Kahan's compensation.
struct OldPoint {
    vreal un[5], acc[5], lost[5];
};

INLINE void load_old(const Params &par, long long block, int p, OldPoint &old) {
    if (par.stage == STAGE_RHS_ONLY) return;
    UNROLL
    for (int v = 0; v < 5; ++v) {
        old.un[v] = (block_of(par.low_storage ? par.own : (const real *)par.u_n, block, 5 * NP) + p)[v * NP];
        if (par.stage != STAGE_FIRST) old.acc[v] = (block_of((const real *)par.acc, block, 5 * NP) + p)[v * NP];
        if ((par.stage == STAGE_LAST || par.low_storage) && par.kahan)
            old.lost[v] = (block_of((const real *)par.kahan_term, block, 5 * NP) + p)[v * NP];
    }
}

// Advances variable v of point p by one stage of a scheme in 2N form, with the rate k. Returns its value.
INLINE vreal update_register(const Params &par, long long block, int p, int v, vreal k, real dt, const OldPoint &old) {
    const vreal increment = dt * k;
    const vreal s = par.stage == STAGE_FIRST ? increment : vfma(par.weight, old.acc[v], increment);
    if (par.stage != STAGE_LAST) (block_of(par.acc, block, 5 * NP) + p)[v * NP] = s;
    vreal *out = block_of(par.out, block, 5 * NP) + p + v * NP;
    if (par.kahan) {
        const vreal change = vfma(par.fraction, s, -old.lost[v]), next = old.un[v] + change;
        (block_of(par.kahan_term, block, 5 * NP) + p)[v * NP] = (next - old.un[v]) - change;
        return *out = next;
    }
    return *out = vfma(par.fraction, s, old.un[v]);
}

// Advances variable v of point p by one stage of the paired scheme, with the rate k. Returns its value.
INLINE vreal update_paired(const Params &par, long long block, int p, int v, vreal k, real dt, const OldPoint &old) {
    if (par.stage == STAGE_FIRST) (block_of(par.acc, block, 5 * NP) + p)[v * NP] = k;
    const vreal sum = par.stage == STAGE_FIRST ? par.fraction * k : vfma(par.fraction, k, par.weight * old.acc[v]);
    if (par.stage != STAGE_LAST) return (block_of(par.out, block, 5 * NP) + p)[v * NP] = vfma(dt, sum, old.un[v]);
    vreal *un = block_of(par.u_n, block, 5 * NP) + p + v * NP;
    if (par.kahan) {
        const vreal increment = vfma(dt, sum, -old.lost[v]), next = old.un[v] + increment;
        (block_of(par.kahan_term, block, 5 * NP) + p)[v * NP] = (next - old.un[v]) - increment;
        return *un = next;
    }
    return *un = vfma(dt, sum, old.un[v]);
}

// Advances variable v of point p by one stage of RK4, with the rate k. Returns its value.
INLINE vreal update_sum(const Params &par, long long block, int p, int v, vreal k, real dt, const OldPoint &old) {
    vreal *un = block_of(par.u_n, block, 5 * NP) + p + v * NP;
    const vreal sum = par.stage == STAGE_FIRST ? par.weight * k : vfma(par.weight, k, old.acc[v]);
    if (par.stage != STAGE_LAST) {
        (block_of(par.acc, block, 5 * NP) + p)[v * NP] = sum;
        return (block_of(par.out, block, 5 * NP) + p)[v * NP] = vfma(par.fraction * dt, k, old.un[v]);
    }
    if (par.kahan) {
        const vreal increment = vfma(dt, sum, -old.lost[v]), next = old.un[v] + increment;
        (block_of(par.kahan_term, block, 5 * NP) + p)[v * NP] = (next - old.un[v]) - increment;
        return *un = next;
    }
    return *un = vfma(dt, sum, old.un[v]);
}

// Advances point p by one stage; `divergence` is the divergence of the flux in reference space.
INLINE void update_point(const Params &par, long long block, int p, const vreal *velocity, const vreal *divergence,
                         const OldPoint &old) {
    const vreal inverse_j = metrics_of(par, block).inverse_j(p);
    const vreal *source = par.source ? block_of(par.source, block, 5 * NP) + p : 0;
    const real *force = par.force; // the same at all points
    vreal rotation[4];
    if (par.rotates) {
        const vreal *frame = block_of(par.frame_velocity, block, 3 * NP) + p;
        const vreal s[3] = {frame[0], frame[NP], frame[2 * NP]};
        const vreal rho = (block_of(par.own, block, 5 * NP) + p)[0];
        rotation_force(rho, velocity, s, block_of(par.frame_speed, block, 1), par, rotation);
    }
    vreal rate[5];
    UNROLL
    for (int v = 0; v < 5; ++v) {
        vreal k = -divergence[v] * inverse_j;
        if (source) k = k + source[v * NP];
        if (source && v == 4) { // the work of the force
            const vreal local[3] = {source[NP], source[2 * NP], source[3 * NP]};
            k = k + dot3(local, velocity);
        }
        if (force && v > 0 && v < 4) k = k + force[v - 1];
        if (force && v == 4)
            k = vfma(force[0], velocity[0], vfma(force[1], velocity[1], vfma(force[2], velocity[2], k)));
        if (par.rotates && v > 0) k = k + rotation[v - 1];
        rate[v] = k;
    }
    // Sources of few blocks are added one after the other, so that the other blocks keep their values in registers.
    if (bars_meet(par, block)) add_bar_source(par, block, p, rate);
    if (sponges_meet(par, block)) add_sponge_source(par, block, p, rate);
    if (par.stage == STAGE_RHS_ONLY) {
        UNROLL
        for (int v = 0; v < 5; ++v) (block_of(par.acc, block, 5 * NP) + p)[v * NP] = rate[v];
        return;
    }
    const real dt = *par.dt;
    vreal next[5];
    UNROLL
    for (int v = 0; v < 5; ++v)
        next[v] = par.low_storage ? update_register(par, block, p, v, rate[v], dt, old)
                  : par.paired    ? update_paired(par, block, p, v, rate[v], dt, old)
                                  : update_sum(par, block, p, v, rate[v], dt, old);
    // The number of the block is found from the place of the point, so that a thread of a GPU need not keep it in a
    // register until here.
    const real *all = par.low_storage || par.stage != STAGE_LAST ? par.out : par.u_n;
    const real *point = (const real *)(block_of(all, block, 5 * NP) + p);
    note_state(par, (point - all) / (5 * NP * LANE), next);
}
