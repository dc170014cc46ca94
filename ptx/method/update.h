// One stage of the Runge-Kutta method at a point.
//
// Classical RK4 is written as U + dt sum b_m k_m. The sum over the stages is accumulated in `acc`. The last stage adds
// it to the state with Kahan's compensation (W. Kahan, Comm. ACM 8 (1965) 40), so that single precision does not lose
// increments that are far smaller than the state.
#pragma once
#include "method/bars.h"
#include "method/block.h"
#include "method/metrics.h"
#include "method/sponge.h"
#include "physics/rotation.h"

// Values of earlier stages: the state at the beginning of the step, the sum so far, and Kahan's compensation.
struct OldPoint {
    vreal un[5], acc[5], lost[5];
};

INLINE void load_old(const Params &par, long long block, int p, OldPoint &old) {
    if (par.stage == STAGE_RHS_ONLY) return;
    UNROLL
    for (int v = 0; v < 5; ++v) {
        old.un[v] = (block_of((const real *)par.u_n, block, 5 * NP) + p)[v * NP];
        if (par.stage != STAGE_FIRST) old.acc[v] = (block_of((const real *)par.acc, block, 5 * NP) + p)[v * NP];
        if (par.stage == STAGE_LAST && par.kahan)
            old.lost[v] = (block_of((const real *)par.kahan_term, block, 5 * NP) + p)[v * NP];
    }
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
        rotation_force((block_of(par.own, block, 5 * NP) + p)[0], velocity, s, par, rotation);
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
    const real dt = par.stage == STAGE_RHS_ONLY ? R(0) : *par.dt;
    UNROLL
    for (int v = 0; v < 5; ++v) {
        const vreal k = rate[v];
        vreal *acc = block_of(par.acc, block, 5 * NP) + p + v * NP;
        if (par.stage == STAGE_RHS_ONLY) {
            *acc = k;
            continue;
        }
        vreal *un = block_of(par.u_n, block, 5 * NP) + p + v * NP;
        const vreal sum = par.stage == STAGE_FIRST ? par.weight * k : vfma(par.weight, k, old.acc[v]);
        if (par.stage != STAGE_LAST) {
            *acc = sum;
            (block_of(par.out, block, 5 * NP) + p)[v * NP] = vfma(par.fraction * dt, k, old.un[v]);
        } else if (par.kahan) {
            const vreal increment = vfma(dt, sum, -old.lost[v]), next = old.un[v] + increment;
            (block_of(par.kahan_term, block, 5 * NP) + p)[v * NP] = (next - old.un[v]) - increment;
            *un = next;
        } else {
            *un = vfma(dt, sum, old.un[v]);
        }
    }
}
