// One Runge-Kutta stage at a point: the three directions are added up, and the state advances.
//
// Classical RK4 as U + dt sum b_m k_m. The sum over the stages is gathered in `acc`; the last stage adds it to the state
// with Kahan's compensation, so that single precision does not lose increments far below the state itself.
#pragma once

INLINE void update_point(const Params &par, long long block, int p, const vreal *q, const vreal *divergence) {
    const vreal inverse_j = metrics_of(par, block)(9, p);
    const vreal *source = par.source ? block_of(par.source, block, 5 * NP) + p : 0;
    UNROLL
    for (int v = 0; v < 5; ++v) {
        const long long at = v * NP + p;
        vreal k = -((divergence[at] + divergence[5 * NP + at]) + divergence[10 * NP + at]) * inverse_j;
        if (source) k = k + source[v * NP];
        if (source && v == 4) { // a force works on the fluid
            const vreal force[3] = {source[NP], source[2 * NP], source[3 * NP]};
            k = k + dot3(force, primitives_at(q, p).v);
        }
        vreal *acc = block_of(par.acc, block, 5 * NP) + at;
        if (par.stage == STAGE_RHS_ONLY) {
            *acc = k;
            continue;
        }
        vreal *un = block_of(par.un, block, 5 * NP) + at;
        const vreal sum = par.stage == STAGE_FIRST ? par.weight * k : vfma(par.weight, k, *acc);
        if (par.stage != STAGE_LAST) {
            *acc = sum;
            block_of(par.out, block, 5 * NP)[at] = vfma(par.fraction * *par.dt, k, *un);
        } else if (par.kahan) {
            vreal *lost = block_of(par.comp, block, 5 * NP) + at;
            const vreal old = *un, increment = vfma(*par.dt, sum, -*lost), next = old + increment;
            *lost = (next - old) - increment;
            *un = next;
        } else {
            *un = vfma(*par.dt, sum, *un);
        }
    }
}
