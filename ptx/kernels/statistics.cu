// Statistics of turbulence: sums over time of products of density, velocity, pressure and temperature. The points of a
// cell are grouped in slots; the points of one slot differ only in directions in which the flow is homogeneous. The
// host chooses the quantities and the slots. The kernel sums each quantity over the points of each slot in a fixed
// order.
//
// Everything is computed in double precision regardless of the precision of the state, because a variance is the small
// difference of two large means. The sum of the weights is one of the quantities, so that means use the same weights.
//
// The quadrature weight of a point of a triangle or tetrahedron can be zero, but a slot must not have zero weight. A
// point that is a slot by itself therefore has weight 1, and the points of a prism on a line along its axis have the
// weights of that line.
#include "method/block.h"
#include "method/metrics.h"
#include "method/rows.h"

enum { FACTOR_WEIGHT, FACTOR_RHO, FACTOR_U, FACTOR_V, FACTOR_W, FACTOR_P, FACTOR_T };
static_assert(FACTOR_T + 1 == FACTORS, "the host counts other rows");

// The weight of point p times its values in the rows that `factors` names, four bits for each row.
INLINE vwide weighted(const vwide *rows, int factors, int p) {
    vwide x = rows[p];
    for (int rest = factors; rest; rest >>= 4) x = x * rows[(rest & 15) * NP + p];
    return x;
}

// The sum over one slot of a cell, whose list of points begins at `points`.
INLINE vwide over_slot(const vwide *rows, int factors, const int *points, int members) {
    vwide sum = weighted(rows, factors, constant_in_launch(points));
    for (int m = 1; m < members; ++m) sum = sum + weighted(rows, factors, constant_in_launch(points + m));
    return sum;
}

#ifndef ONE_LANE
// The same where the cells of a block have different lists: lane by lane, in the same order.
INLINE vwide over_slots(const vwide *rows, int factors, const int *lists, const int *list, int first, int members) {
    vwide sum = {};
    for (int lane = 0; lane < LANE; ++lane) {
        const int *points = lists + list[lane] + first;
        for (int m = 0; m < members; ++m) {
            double x = rows[points[m]][lane];
            for (int rest = factors; rest; rest >>= 4) x = x * rows[(rest & 15) * NP + points[m]][lane];
            sum[lane] = m ? sum[lane] + x : x;
        }
    }
    return sum;
}
#endif

// Adds the current state with the weight of the sample in time.
KERNEL(statistics) {
    SHARED_MEMORY;
    SHARED(vwide, rows, FACTORS *NP);
    SHARED_TOTAL(statistics, sizeof(*rows));
    const int slots = (int)par.sum_slots, members = (int)par.sum_members;
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const vreal *state = block_of(par.own, block, 5 * NP) + p;
        const vwide rho = widen(state[0]), specific_volume = 1.0 / rho;
        vwide v[3];
        for (int n = 0; n < 3; ++n) v[n] = widen(state[(1 + n) * NP]) * specific_volume;
        const vwide kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const vwide t = (widen(state[4 * NP]) * specific_volume - kinetic) * (1.0 / (double)par.cv);
#if ELEMENT == HEX
        const real weight = point_weight(par, p);
#elif ELEMENT == PRISM
        const real weight = members == 1 ? R(1) : (members == N ? par.weights[p / NT] : point_weight(par, p));
#else
        const real weight = members == 1 ? R(1) : point_weight(par, p);
#endif
        vwide *at = rows[c] + p;
        at[FACTOR_WEIGHT * NP] = (double)weight / widen(metrics_of(par, block).inverse_j(p));
        at[FACTOR_RHO * NP] = rho;
        for (int n = 0; n < 3; ++n) at[(FACTOR_U + n) * NP] = v[n];
        at[FACTOR_P * NP] = rho * (double)par.gas_constant * t;
        at[FACTOR_T * NP] = t;
    });
    BARRIER();
    for_each((int)par.sum_quantities * slots, [&](int c, int i) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const int quantity = i / slots, first = i % slots * members;
        const int factors = constant_in_launch(par.sum_factors + quantity);
        const int *list = par.sum_list + block * LANE;
        vwide *sum = (vwide *)(par.sums + block * par.sum_quantities * slots * LANE) + i;
#ifdef ONE_LANE
        const vwide x = over_slot(rows[c], factors, par.sum_lists + *list + first, members);
#else
        bool together = true;
        for (int lane = 1; lane < LANE; ++lane) together = together && list[lane] == list[0];
        const vwide x = together ? over_slot(rows[c], factors, par.sum_lists + *list + first, members)
                                 : over_slots(rows[c], factors, par.sum_lists, list, first, members);
#endif
        *sum = *sum + par.sample_weight * x;
    });
}
LAUNCHER(statistics)
