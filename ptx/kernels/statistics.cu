// Statistics of turbulence: sums over time of products of density, velocity, pressure and temperature (`statistics`),
// and of viscosity and rates of strain with velocity and pressure (`strain_statistics`). The points of a cell are
// grouped in slots; the points of one slot differ only in directions in which the flow is homogeneous. The host chooses
// the quantities and the slots. A kernel sums each quantity over the points of each slot in a fixed order.
//
// Everything is computed in double precision regardless of the precision of the state, because a variance is the small
// difference of two large means. The sum of the weights is one of the quantities, so that means use the same weights.
//
// A mean over a line or a plane is an integral of polynomials, whose products the points do not integrate exactly. A
// slot of several points is therefore interpolated to the points of the output rule first. A point that is a slot by
// itself has weight 1, since the quadrature weight of a point of a triangle or tetrahedron can be zero.
#include "method/cell_gradient.h"
#include "method/slots.h"
#include "physics/subgrid.h"

enum { FACTOR_P = FACTOR_W + 1, FACTOR_T };
static_assert(FACTOR_T + 1 == FACTORS, "the host counts other rows");

// The rows of `strain_statistics`: viscosity and rates of strain take the places of density and temperature.
enum { STRAIN_MU = FACTOR_RHO, STRAIN_XX = FACTOR_T, STRAIN_YY, STRAIN_ZZ, STRAIN_XY, STRAIN_XZ, STRAIN_YZ };
static_assert(STRAIN_YZ + 1 == STRAIN_FACTORS, "the host counts other rows");

// Adds the current state with the weight of the sample in time.
KERNEL(statistics) {
    SHARED_MEMORY;
    SHARED(vwide, rows, FACTORS *NP);
#if LAYERS > 1
    SHARED(vwide, resampled, FACTORS *RESAMPLED);
    SHARED_TOTAL(statistics, sizeof(*rows) + sizeof(*resampled));
#else
    auto resampled = rows;
    SHARED_TOTAL(statistics, sizeof(*rows));
#endif
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const vreal *state = block_of(par.own, block, 5 * NP) + p;
        const vwide rho = widen(state[0]), specific_volume = 1.0 / rho;
        vwide v[3];
        for (int n = 0; n < 3; ++n) v[n] = widen(state[(1 + n) * NP]) * specific_volume;
        const vwide kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const vwide t = (widen(state[4 * NP]) * specific_volume - kinetic) * (1.0 / (double)par.cv);
        vwide *at = rows[c] + p;
        at[FACTOR_WEIGHT * NP] = 1.0 / widen(metrics_of(par, block).inverse_j(p));
        at[FACTOR_RHO * NP] = rho;
        for (int n = 0; n < 3; ++n) at[(FACTOR_U + n) * NP] = v[n];
        at[FACTOR_P * NP] = rho * (double)par.gas_constant * t;
        at[FACTOR_T * NP] = t;
    });
    BARRIER();
    add_slots(par, GROUP, FACTORS, rows, resampled);
}
LAUNCHER(statistics)

// Adds viscosity and rates of strain of the current state, of which the device holds the right-hand side. They are
// those of the viscous flux of sweep 2: of the gradient with its correction, and with the viscosity of the sub-grid
// model. The slots go through the points of the rule in batches, because the gradient takes most of the shared memory.
KERNEL(strain_statistics) {
    SHARED_MEMORY;
    SHARED(vwide, rows, STRAIN_FACTORS *NP);
#if LAYERS > 1
    SHARED(vwide, resampled, STRAIN_FACTORS *RULE_POINTS);
    const int of_rows = sizeof(*rows) + sizeof(*resampled);
#else
    const int of_rows = sizeof(*rows);
#endif
#if ELEMENT == HEX
    SHARED(vreal, q, 5 * POINTS);
    SHARED(vreal, dq, 12 * POINTS);
    SHARED_TOTAL(strain_statistics, of_rows + sizeof(*q) + sizeof(*dq));
    cell_gradient(par, GROUP, q, dq);
#else
    SHARED(vreal, q, 4 * NP);
    SHARED(vreal, jump, 4 * FACE_POINTS);
    SHARED(vreal, dq, 12 * NP); // [point][direction][4]
    SHARED_TOTAL(strain_statistics, of_rows + sizeof(*q) + sizeof(*jump) + sizeof(*dq));
    cell_gradient(par, GROUP, q, jump, dq);
#endif
    BARRIER();
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        vreal a[3][3], g[4][3];
        const vreal inverse_j = metrics_of(par, block).rows(p, a);
        const Primitive<vreal> s = gradient_at(par, block, p, q[c], dq[c], a, g);
        vreal mu = viscosity(s.t, par);
        if (par.sgs != SGS_NONE) mu = mu + eddy_viscosity(g, inverse_j, inverse_j, s.rho, par);
        vwide *at = rows[c] + p;
        at[FACTOR_WEIGHT * NP] = 1.0 / widen(inverse_j);
        at[STRAIN_MU * NP] = widen(mu);
        for (int n = 0; n < 3; ++n) {
            at[(FACTOR_U + n) * NP] = widen(s.v[n]);
            at[(STRAIN_XX + n) * NP] = widen(g[n][n] * inverse_j);
        }
        at[FACTOR_P * NP] = widen(pressure(s, par));
        at[STRAIN_XY * NP] = widen(R(0.5) * (g[0][1] + g[1][0]) * inverse_j);
        at[STRAIN_XZ * NP] = widen(R(0.5) * (g[0][2] + g[2][0]) * inverse_j);
        at[STRAIN_YZ * NP] = widen(R(0.5) * (g[1][2] + g[2][1]) * inverse_j);
    });
    const int slots = (int)par.sum_slots, quantities = (int)par.sum_quantities;
#if LAYERS > 1
    const int members = (int)par.sum_members;
    if (members > 1) {
        const bool lines = members == LAYERS;
        const int values = lines ? RULE_LEVELS : RULE_POINTS, batch = RULE_POINTS / values;
        for (int begin = 0; begin < slots; begin += batch) {
            const int here = slots - begin < batch ? slots - begin : batch;
            BARRIER();
            for_each(here * values, [&](int c, int i) {
                const int *list = par.sum_list + (GROUP * CELLS_PER_BLOCK + c) * LANE;
                resample(par, rows[c], STRAIN_FACTORS, list, (begin + i / values) * members, i % values, lines,
                         resampled[c] + i, RULE_POINTS);
            });
            BARRIER();
            for_each(quantities * here, [&](int c, int i) {
                add_quantity(par, GROUP * CELLS_PER_BLOCK + c, i / here, begin + i % here,
                             resampled[c] + i % here * values, RULE_POINTS, values);
            });
        }
        return;
    }
#endif
    BARRIER();
    for_each(quantities * slots, [&](int c, int i) {
        add_quantity(par, GROUP * CELLS_PER_BLOCK + c, i / slots, i % slots, rows[c] + i % slots, NP, 1);
    });
}
LAUNCHER(strain_statistics)
