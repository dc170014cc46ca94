// Mass and momentum of each cell, the integrals that a run reports, and the eddy viscosity at each point.
#include "method/cell_gradient.h"
#include "method/rows.h"
#include "physics/viscous.h"

enum { BULK_MASS, BULK_MOMENTUM_X, BULK_MOMENTUM_Y, BULK_MOMENTUM_Z };
enum {
    SUM_MASS, SUM_MOMENTUM_X, SUM_MOMENTUM_Y, SUM_MOMENTUM_Z, SUM_ENERGY, SUM_KINETIC, SUM_KINETIC_RATE, SUM_ENSTROPHY,
    SUM_DISSIPATION, SUM_DILATATION, MIN_RHO, MAX_RHO, MIN_P, MAX_P, MIN_T, MAX_T, MAX_MACH2
};
static_assert(BULK_MOMENTUM_Z + 1 == BULKS && MIN_RHO == SUMS && MAX_MACH2 + 1 == INTEGRALS,
              "the host counts other values");

// Mass and momentum of each cell: those sums of `integrals` that need no right-hand side.
KERNEL(bulk) {
    SHARED_MEMORY;
    SHARED(vwide, line, ROWS *BULKS);
    SHARED_TOTAL(bulk, sizeof(*line));
    for_each<ROWS>([&](int c, int l) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const Metrics metric = metrics_of(par, block);
        const vreal *state = block_of(par.own, block, 5 * NP);
        vwide sum[BULKS];
        for (int m = 0; m < N && l * N + m < NP; ++m) {
            const int p = l * N + m;
            const vwide volume = widen(point_weight(par, p) / metric.inverse_j(p));
            for (int i = 0; i < BULKS; ++i) {
                const vwide part = widen(state[i * NP + p]) * volume;
                sum[i] = m ? sum[i] + part : part;
            }
        }
        for (int i = 0; i < BULKS; ++i) line[c][l * BULKS + i] = sum[i];
    });
    BARRIER();
    for_each<BULKS>([&](int c, int i) {
        vwide s = line[c][i];
        for (int l = 1; l < ROWS; ++l) s = s + line[c][l * BULKS + i];
        ((vwide *)par.per_cell)[(par.first_block + GROUP * CELLS_PER_BLOCK + c) * BULKS + i] = s;
    });
}
LAUNCHER(bulk)

// The integrals over each cell. `acc` holds the right-hand side (STAGE_RHS_ONLY), which gives the exact semi-discrete
// rate of change of the kinetic energy:
//     v . d(rho v)/dt - |v|^2/2 drho/dt
KERNEL(integrals) {
    SHARED_MEMORY;
    SHARED(vwide, line, ROWS *INTEGRALS); // first, since the widest type sets the alignment
#if ELEMENT == HEX
    SHARED(vreal, q, 5 * POINTS);
    SHARED(vreal, dq, 12 * POINTS);
    SHARED_TOTAL(integrals, sizeof(*line) + sizeof(*q) + sizeof(*dq));
    cell_gradient(par, GROUP, q, dq);
#else
    SHARED(vreal, q, 4 * NP);
    SHARED(vreal, jump, 4 * FACE_POINTS);
    SHARED(vreal, dq, 12 * NP); // [point][direction][4]
    SHARED_TOTAL(integrals, sizeof(*line) + sizeof(*q) + sizeof(*jump) + sizeof(*dq));
    cell_gradient(par, GROUP, q, jump, dq);
#endif
    BARRIER();
    for_each<ROWS>([&](int c, int l) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const Metrics metric = metrics_of(par, block);
        const vreal *rhs = block_of((const real *)par.acc, block, 5 * NP);
        vwide sum[INTEGRALS];
        for (int m = 0; m < N && l * N + m < NP; ++m) {
            const int p = l * N + m;
            vreal a[3][3], g[4][3];
            const vreal inverse_j = metric.rows(p, a);
            const Primitive<vreal> s = gradient_at(par, block, p, q[c], dq[c], a, g);
            for (int v = 0; v < 4; ++v)
                for (int n = 0; n < 3; ++n) g[v][n] = g[v][n] * inverse_j;
            const vreal pr = pressure(s, par), ke = half_square(s.v), div = g[0][0] + g[1][1] + g[2][2];
            const vreal curl[3] = {g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]};
            vreal work = pr * R(0);
            if (par.viscosity != VISCOSITY_NONE) {
                Stress<vreal> viscous; // tau : grad v
                const vreal zero = {};
                stress(g, zero + R(1), inverse_j, s.rho, s.t, par, viscous);
                for (int n = 0; n < 3; ++n) work = vfma(viscous.tau[n], g[n][n], work);
                work = vfma(viscous.tau[3], g[0][1] + g[1][0], work);
                work = vfma(viscous.tau[4], g[0][2] + g[2][0], work);
                work = vfma(viscous.tau[5], g[1][2] + g[2][1], work);
            }
            const vreal momentum_rate[3] = {rhs[NP + p], rhs[2 * NP + p], rhs[3 * NP + p]};
            const vreal value[INTEGRALS] = {s.rho,
                                            s.rho * s.v[0],
                                            s.rho * s.v[1],
                                            s.rho * s.v[2],
                                            s.rho * (par.cv * s.t + ke),
                                            s.rho * ke,
                                            dot3(s.v, momentum_rate) - ke * rhs[p],
                                            s.rho * half_square(curl),
                                            work,
                                            pr * div,
                                            s.rho,
                                            s.rho,
                                            pr,
                                            pr,
                                            s.t,
                                            s.t,
                                            R(2) * ke / (par.gamma * par.gas_constant * s.t)};
            const vwide volume = widen(point_weight(par, p) / inverse_j);
            for (int i = 0; i < SUMS; ++i) sum[i] = m ? sum[i] + widen(value[i]) * volume : widen(value[i]) * volume;
            for (int i = SUMS; i < INTEGRALS; ++i) {
                const vwide x = widen(value[i]);
                const bool least = i == MIN_RHO || i == MIN_P || i == MIN_T;
                sum[i] = m == 0 ? x : (least ? wmin(sum[i], x) : wmax(sum[i], x));
            }
        }
        for (int i = 0; i < INTEGRALS; ++i) line[c][l * INTEGRALS + i] = sum[i];
    });
    BARRIER();
    for_each<INTEGRALS>([&](int c, int i) {
        const bool least = i == MIN_RHO || i == MIN_P || i == MIN_T;
        vwide s = line[c][i];
        for (int l = 1; l < ROWS; ++l) {
            const vwide x = line[c][l * INTEGRALS + i];
            s = i < SUMS ? s + x : (least ? wmin(s, x) : wmax(s, x));
        }
        ((vwide *)par.per_cell)[(par.first_block + GROUP * CELLS_PER_BLOCK + c) * INTEGRALS + i] = s;
    });
}
LAUNCHER(integrals)

// The eddy viscosity of the sub-grid model at each point, for outputs. It is that of the viscous flux of sweep 2: of
// the gradient with its correction. The evaluation of the right-hand side has left the values of neighbours and ghosts.
KERNEL(eddy_viscosities) {
    SHARED_MEMORY;
#if ELEMENT == HEX
    SHARED(vreal, q, 5 * POINTS);
    SHARED(vreal, dq, 12 * POINTS);
    SHARED_TOTAL(eddy_viscosities, sizeof(*q) + sizeof(*dq));
#else
    SHARED(vreal, q, 4 * NP);
    SHARED(vreal, jump, 4 * FACE_POINTS);
    SHARED(vreal, dq, 12 * NP); // [point][direction][4]
    SHARED_TOTAL(eddy_viscosities, sizeof(*q) + sizeof(*jump) + sizeof(*dq));
#endif
    if (par.sgs == SGS_NONE) return; // leaves nothing of this kernel in runs without a model
#if ELEMENT == HEX
    cell_gradient(par, GROUP, q, dq);
#else
    cell_gradient(par, GROUP, q, jump, dq);
#endif
    BARRIER();
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        vreal a[3][3], g[4][3];
        const vreal inverse_j = metrics_of(par, block).rows(p, a);
        const Primitive<vreal> s = gradient_at(par, block, p, q[c], dq[c], a, g);
        block_of(par.eddy, block, NP)[p] = eddy_viscosity(g, inverse_j, inverse_j, s.rho, par);
    });
}
LAUNCHER(eddy_viscosities)
