// Mass and momentum of each cell, the integrals that a run reports, and the eddy viscosity at each point.
#include "method/cell_gradient.h"
#include "method/output_rule.h"
#include "method/rows.h"
#include "physics/viscous.h"

enum { BULK_MASS, BULK_MOMENTUM_X, BULK_MOMENTUM_Y, BULK_MOMENTUM_Z };
enum {
    SUM_MASS, SUM_MOMENTUM_X, SUM_MOMENTUM_Y, SUM_MOMENTUM_Z, SUM_ENERGY, SUM_KINETIC, SUM_KINETIC_RATE, SUM_ENSTROPHY,
    SUM_DISSIPATION, SUM_DILATATION, MIN_RHO, MAX_RHO, MIN_P, MAX_P, MIN_T, MAX_T, MAX_MACH2
};
static_assert(BULK_MOMENTUM_Z + 1 == BULKS && MIN_RHO == SUMS && MAX_MACH2 + 1 == INTEGRALS &&
                  SUMS - SUM_KINETIC == RULE_SUMS,
              "the host counts other values");

// The number of values that are sums and extremes over the points: those before SUM_KINETIC and those from MIN_RHO on.
#define POINT_INTEGRALS (INTEGRALS - RULE_SUMS)

// What a point adds to one of POINT_INTEGRALS: its value, times its volume in a sum.
INLINE vwide contribution(int i, vreal value, vwide volume) {
    return i < SUM_KINETIC ? widen(value) * volume : widen(value);
}
// The sum or the extreme of two values of one of POINT_INTEGRALS.
INLINE vwide combined(int i, vwide a, vwide b) {
    const int integral = i + RULE_SUMS;
    if (i < SUM_KINETIC) return a + b;
    return integral == MIN_RHO || integral == MIN_P || integral == MIN_T ? wmin(a, b) : wmax(a, b);
}
// The place of an integral of a cell.
INLINE vwide &integral(const Params &par, long long block, int i) {
    return ((vwide *)par.per_cell)[(par.first_block + block) * INTEGRALS + i];
}

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

// What the output rule interpolates, in rows of four values. AT_FLOW: density and velocity. AT_RATES: their rates of
// change. AT_PRESSURE: the pressure. AT_DIVERGENCE: J times the divergence of the velocity, with its correction.
// Cells with several layers have the derivatives of the velocity across them AT_ACROSS, and if they are not affine
// Ja^d_n and J AT_METRICS. Other cells have J AT_ACROSS and read Ja^d_n from memory.
enum { AT_FLOW = 0, AT_RATES = 4, AT_PRESSURE = 8, AT_ACROSS = 9, AT_METRICS = 12 };
enum { FLOW_VALUES = AT_ACROSS, METRIC_VALUES = 10, VALUES_IN_LAYER = 12, VALUES_ACROSS_LAYERS = 24 };
#if LAYERS > 1
enum { AT_DIVERGENCE = AT_METRICS + METRIC_VALUES, SECTION_VALUES = VALUES_ACROSS_LAYERS };
#else
enum { AT_DIVERGENCE = AT_ACROSS + 1, SECTION_VALUES = VALUES_IN_LAYER };
#endif
static_assert(AT_DIVERGENCE < SECTION_VALUES, "rows of four values");

// The place of value k of point p of a cell. These values replace the derivatives of the point (cell_gradient).
INLINE int node_place(int p, int k) {
#if ELEMENT == HEX
    return k * POINTS + place(p);
#else
    return VALUES_IN_LAYER * p + k;
#endif
}

// Ja^d_n and J at point p.
INLINE void metric_values(const Metrics &metric, int p, vreal *values) {
    vreal a[3][3];
    values[9] = inverse(metric.rows(p, a));
    UNROLL
    for (int k = 0; k < 9; ++k) values[k] = a[k / 3][k % 3];
}

// Interpolates the values of the points, at node_place, to point i of the section at a level.
INLINE void section_at(const Params &par, long long block, const vreal *node, int level, int i, vreal *section) {
    const bool affine = par.metric_points == 1;
    const Metrics metric = metrics_of(par, block);
    vreal at[VALUES_ACROSS_LAYERS] = {};
    for (int m = 0; m < LAYERS; ++m) {
        const int p = i + SECTION * m;
        const real value = across_of(par, level, m, 0), slope = across_of(par, level, m, 1);
        UNROLL
        for (int k = 0; k < FLOW_VALUES; ++k) at[k] = vfma(value, node[node_place(p, k)], at[k]);
        UNROLL
        for (int n = 0; n < 3; ++n)
            at[AT_ACROSS + n] = vfma(slope, node[node_place(p, AT_FLOW + 1 + n)], at[AT_ACROSS + n]);
        at[AT_DIVERGENCE] = vfma(value, node[node_place(p, FLOW_VALUES)], at[AT_DIVERGENCE]);
        if (!affine) {
            vreal terms[METRIC_VALUES];
            metric_values(metric, p, terms);
            UNROLL
            for (int k = 0; k < METRIC_VALUES; ++k) at[AT_METRICS + k] = vfma(value, terms[k], at[AT_METRICS + k]);
        }
    }
    for (int row = 0; row < VALUES_ACROSS_LAYERS; row += 4)
        if (!affine || row < AT_METRICS || row + 4 > AT_DIVERGENCE) write_row(at + row, section + row);
}

// The flow at a point of the rule: values in the order of AT_FLOW to AT_PRESSURE, the reference derivatives
// [direction][component] of the velocity inside the cell, J times its divergence with the correction, the metric rows
// Ja^d, and J.
struct RulePoint {
    vreal at[FLOW_VALUES], dv[3][3], divergence, a[3][3], j;
};

// Interpolates a section to point q of a level.
INLINE void rule_point(const Params &par, long long block, const vreal *section, int q, RulePoint &r) {
    const bool affine = par.metric_points == 1;
    const Metrics metric = metrics_of(par, block);
    const vreal zero = {};
    vreal terms[METRIC_VALUES];
    UNROLL
    for (int k = 0; k < FLOW_VALUES; ++k) r.at[k] = zero;
    r.divergence = zero;
    UNROLL
    for (int k = 0; k < METRIC_VALUES; ++k) terms[k] = zero;
    UNROLL
    for (int k = 0; k < 9; ++k) r.dv[k / 3][k % 3] = zero;
    for (int i = 0; i < SECTION; ++i) {
        const vreal *from = section + i * SECTION_VALUES;
        const real value = rule_of(par, q, i, 0);
        vreal x[12];
        UNROLL
        for (int row = 0; row < AT_METRICS; row += 4) read_row(from + row, x + row);
        UNROLL
        for (int k = 0; k < FLOW_VALUES; ++k) r.at[k] = vfma(value, x[k], r.at[k]);
        r.divergence = vfma(value, from[AT_DIVERGENCE], r.divergence);
        UNROLL
        for (int d = 0; d < SECTION_DIMENSIONS; ++d) {
            const real slope = rule_of(par, q, i, 1 + d);
            UNROLL
            for (int v = 0; v < 3; ++v) r.dv[d][v] = vfma(slope, x[AT_FLOW + 1 + v], r.dv[d][v]);
        }
#if LAYERS > 1
        UNROLL
        for (int v = 0; v < 3; ++v) r.dv[2][v] = vfma(value, x[AT_ACROSS + v], r.dv[2][v]);
#endif
        if (!affine) {
            vreal y[12];
#if LAYERS > 1
            UNROLL
            for (int row = 0; row < 12; row += 4) read_row(from + AT_METRICS + row, y + row);
#else
            for (int d = 0; d < 3; ++d) metric.row(d, i, y + 3 * d);
            y[9] = x[AT_ACROSS];
#endif
            UNROLL
            for (int k = 0; k < METRIC_VALUES; ++k) terms[k] = vfma(value, y[k], terms[k]);
        }
    }
    if (affine) metric_values(metric, 0, terms);
    UNROLL
    for (int k = 0; k < 9; ++k) r.a[k / 3][k % 3] = terms[k];
    r.j = terms[9];
}

// The quantities whose integrals are SUM_KINETIC to SUM_DILATATION at a point of the rule. `temperatures` are the least
// and the largest one of the cell, which bound that of the viscosity: where the points do not resolve the flow, the
// interpolated density may come near zero.
INLINE void rule_values(const Params &par, const RulePoint &r, const vreal *temperatures, vreal *value) {
    const vreal zero = {}, rho = r.at[AT_FLOW], pr = r.at[AT_PRESSURE], inverse_j = inverse(r.j);
    const vreal *v = r.at + AT_FLOW + 1, *rates = r.at + AT_RATES;
    vreal g[4][3] = {}; // no gradient of the temperature, which no integral needs
    UNROLL
    for (int u = 0; u < 3; ++u)
        UNROLL
    for (int n = 0; n < 3; ++n)
        g[u][n] = vfma(r.a[2][n], r.dv[2][u], vfma(r.a[1][n], r.dv[1][u], r.a[0][n] * r.dv[0][u])) * inverse_j;
    const vreal ke = half_square(v);
    const vreal curl[3] = {g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]};
    vreal work = zero;
    if (par.viscosity != VISCOSITY_NONE) {
        const vreal t = vmin(vmax(pr * inverse(rho * par.gas_constant), temperatures[0]), temperatures[1]);
        Stress<vreal> viscous; // tau : grad v
        stress(g, zero + R(1), r.a, inverse_j, rho, t, par, viscous);
        for (int n = 0; n < 3; ++n) work = vfma(viscous.tau[n], g[n][n], work);
        work = vfma(viscous.tau[3], g[0][1] + g[1][0], work);
        work = vfma(viscous.tau[4], g[0][2] + g[2][0], work);
        work = vfma(viscous.tau[5], g[1][2] + g[2][1], work);
    }
    value[SUM_KINETIC - SUM_KINETIC] = rho * ke;
    value[SUM_KINETIC_RATE - SUM_KINETIC] = vfma(ke, rates[0], rho * dot3(v, rates + 1));
    value[SUM_ENSTROPHY - SUM_KINETIC] = rho * half_square(curl);
    value[SUM_DISSIPATION - SUM_KINETIC] = work;
    value[SUM_DILATATION - SUM_KINETIC] = pr * r.divergence * inverse_j;
}

// The integrals over each cell. Those of mass, momentum and energy, which are linear in the conserved variables, are
// sums over the points with the weights of the scheme, which conserves them. Extremes are over the points as well. The
// other integrals are those of the polynomials of density, velocity and pressure by the output rule.
//
// Strain and vorticity are those of the velocity inside the cell. The work of the pressure takes the divergence with
// its correction by the neighbours: the pressure is large beside its changes, and its mean must do no work in a domain
// into which nothing flows. Without the correction it would do work on the jumps of the velocity between cells.
//
// `acc` holds the right-hand side (STAGE_RHS_ONLY). The rate of the velocity at the points,
//     dv/dt = (d(rho v)/dt - v drho/dt) / rho,
// makes the rate of the kinetic energy the exact derivative in time of the kinetic energy given here:
//     |v|^2/2 drho/dt + rho v . dv/dt
KERNEL(integrals) {
    SHARED_MEMORY;
    // The order keeps the alignment: arrays whose rows are read in one piece are first, then those of wide values. The
    // arrays of tetrahedra and pyramids are all aligned for rows.
#if LAYERS > 1
    SHARED(vreal, section, SECTION_VALUES *SECTION);
    const int of_section = sizeof(*section);
#else
    const int of_section = 0;
#endif
    SHARED(vwide, line, ROWS *POINT_INTEGRALS);
    SHARED(vwide, sum, RULE_POINTS *RULE_SUMS);
#if ELEMENT == HEX
    SHARED(vreal, node, VALUES_IN_LAYER *POINTS);
    SHARED(vreal, q, 5 * POINTS);
    const int of_gradient = sizeof(*node) + sizeof(*q);
#else
    SHARED(vreal, node, VALUES_IN_LAYER *NP);
    SHARED(vreal, q, 4 * NP);
    SHARED(vreal, jump, 4 * FACE_POINTS);
    const int of_gradient = sizeof(*node) + sizeof(*q) + sizeof(*jump);
#endif
    SHARED(vreal, temperatures, 2);
#if LAYERS == 1
    const auto section = node;
#endif
    SHARED_TOTAL(integrals, of_gradient + of_section + sizeof(*line) + sizeof(*sum) + sizeof(*temperatures));
#if ELEMENT == HEX
    cell_gradient(par, GROUP, q, node);
#else
    cell_gradient(par, GROUP, q, jump, node);
#endif
    BARRIER();
    for_each<ROWS>([&](int c, int l) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const Metrics metric = metrics_of(par, block);
        const vreal *state = block_of(par.own, block, 5 * NP), *rhs = block_of((const real *)par.acc, block, 5 * NP);
        vwide x[POINT_INTEGRALS];
        for (int m = 0; m < N && l * N + m < NP; ++m) {
            const int p = l * N + m;
            vreal u[5], a[3][3], g[4][3];
            UNROLL
            for (int v = 0; v < 5; ++v) u[v] = state[v * NP + p];
            const vreal inverse_j = metric.rows(p, a);
            const Primitive<vreal> s = gradient_at(par, block, p, q[c], node[c], a, g);
            const vreal pr = pressure(s, par), specific_volume = inverse(s.rho);
            node[c][node_place(p, AT_FLOW)] = s.rho;
            node[c][node_place(p, AT_RATES)] = rhs[p];
            node[c][node_place(p, AT_PRESSURE)] = pr;
            for (int n = 0; n < 3; ++n) {
                node[c][node_place(p, AT_FLOW + 1 + n)] = s.v[n];
                node[c][node_place(p, AT_RATES + 1 + n)] = (rhs[(1 + n) * NP + p] - s.v[n] * rhs[p]) * specific_volume;
            }
#if LAYERS > 1
            node[c][node_place(p, FLOW_VALUES)] = g[0][0] + g[1][1] + g[2][2];
#else
            node[c][node_place(p, AT_ACROSS)] = inverse(inverse_j);
            node[c][node_place(p, AT_DIVERGENCE)] = g[0][0] + g[1][1] + g[2][2];
#endif
            const vreal value[POINT_INTEGRALS] = {
                u[0], u[1], u[2], u[3], u[4], s.rho, s.rho, pr, pr, s.t, s.t,
                R(2) * half_square(s.v) / (par.gamma * par.gas_constant * s.t)};
            const vwide volume = widen(point_weight(par, p) / inverse_j);
            for (int i = 0; i < POINT_INTEGRALS; ++i)
                x[i] = m ? combined(i, x[i], contribution(i, value[i], volume)) : contribution(i, value[i], volume);
        }
        for (int i = 0; i < POINT_INTEGRALS; ++i) line[c][l * POINT_INTEGRALS + i] = x[i];
    });
    BARRIER();
    for_each<POINT_INTEGRALS>([&](int c, int i) {
        vwide x = line[c][i];
        for (int l = 1; l < ROWS; ++l) x = combined(i, x, line[c][l * POINT_INTEGRALS + i]);
        integral(par, GROUP * CELLS_PER_BLOCK + c, i < SUM_KINETIC ? i : i + RULE_SUMS) = x;
        if (i + RULE_SUMS == MIN_T || i + RULE_SUMS == MAX_T) temperatures[c][i + RULE_SUMS - MIN_T] = narrow(x);
    });
    for (int level = 0; level < RULE_LEVELS; ++level) {
        BARRIER();
#if LAYERS > 1
        for_each<SECTION>([&](int c, int i) {
            section_at(par, GROUP * CELLS_PER_BLOCK + c, node[c], level, i, section[c] + i * SECTION_VALUES);
        });
        BARRIER();
#endif
        for_each(RULE_POINTS, [&](int c, int q) {
            RulePoint r;
            rule_point(par, GROUP * CELLS_PER_BLOCK + c, section[c], q, r);
            vreal value[RULE_SUMS];
            rule_values(par, r, temperatures[c], value);
            const vwide volume = widen(rule_weight(par, level, q) * r.j);
            for (int i = 0; i < RULE_SUMS; ++i) {
                vwide &to = sum[c][q * RULE_SUMS + i];
                const vwide part = widen(value[i]) * volume;
                to = level ? to + part : part;
            }
        });
    }
    BARRIER();
    // The sum over each row of the rule takes the place of that of its first point.
    for_each<RULE_POINTS / RULE_LINE * RULE_SUMS>([&](int c, int item) {
        vwide *of_row = sum[c] + item / RULE_SUMS * RULE_LINE * RULE_SUMS + item % RULE_SUMS;
        vwide s = of_row[0];
        for (int m = 1; m < RULE_LINE; ++m) s = s + of_row[m * RULE_SUMS];
        of_row[0] = s;
    });
    BARRIER();
    for_each<RULE_SUMS>([&](int c, int i) {
        vwide s = sum[c][i];
        for (int q = RULE_LINE; q < RULE_POINTS; q += RULE_LINE) s = s + sum[c][q * RULE_SUMS + i];
        integral(par, GROUP * CELLS_PER_BLOCK + c, SUM_KINETIC + i) = s;
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
