// Statistics of turbulence: sums over time of products of density, velocity, pressure and temperature. The points of a
// cell are grouped in slots; the points of one slot differ only in directions in which the flow is homogeneous. The
// host chooses the quantities and the slots. The kernel sums each quantity over the points of each slot in a fixed
// order.
//
// Everything is computed in double precision regardless of the precision of the state, because a variance is the small
// difference of two large means. The sum of the weights is one of the quantities, so that means use the same weights.
//
// A mean over a line or a plane is an integral of polynomials, whose products the points do not integrate exactly. A
// slot of several points is therefore interpolated to the points of the output rule first. A point that is a slot by
// itself has weight 1, since the quadrature weight of a point of a triangle or tetrahedron can be zero.
#include "method/block.h"
#include "method/metrics.h"
#include "method/output_rule.h"

enum { FACTOR_WEIGHT, FACTOR_RHO, FACTOR_U, FACTOR_V, FACTOR_W, FACTOR_P, FACTOR_T };
static_assert(FACTOR_T + 1 == FACTORS, "the host counts other rows");

// The most points of the rule of all slots of a cell: those of planes. A slot has the points of a line across the
// layers or those of a section, and both have their operators in the rule.
#define RESAMPLED (LAYERS * RULE_POINTS)

// The weight of point p times its values in the rows that `factors` names, four bits for each row of `stride` values.
INLINE vwide weighted(const vwide *rows, int stride, int factors, int p) {
    vwide x = rows[p];
    for (int rest = factors; rest; rest >>= 4) x = x * rows[(rest & 15) * stride + p];
    return x;
}

#if LAYERS > 1
// The values of a row at one member of a slot, which may be another point in each cell of a block. `list` has the place
// in `lists` of the points of each cell.
INLINE vwide at_member(const vwide *row, const int *lists, const int *list, int member) {
#ifdef ONE_LANE
    return row[constant_in_launch(lists + *list + member)];
#else
    vwide x;
    for (int lane = 0; lane < LANE; ++lane) x[lane] = row[lists[list[lane] + member]][lane];
    return x;
#endif
}

// Interpolates all rows of a slot, whose points begin at place `first` of the lists, to point q of the rule of lines or
// planes. Differences from the first point are interpolated, so that what does not vary stays as it is, whatever the
// rounding of the operators.
INLINE void resample(const Params &par, const vwide *rows, const int *list, int first, int q, bool lines, vwide *to) {
    const int members = lines ? LAYERS : SECTION;
    for (int f = 0; f < FACTORS; ++f) {
        const vwide *row = rows + f * NP, origin = at_member(row, par.sum_lists, list, first);
        vwide x = origin;
        for (int m = 1; m < members; ++m) {
            const double value = lines ? across_of(par, q, m, 0) : rule_of(par, q, m, 0);
            x = x + value * (at_member(row, par.sum_lists, list, first + m) - origin);
        }
        to[f * RESAMPLED] = x;
    }
    const double weight = lines ? level_weight(par, q) : section_weight(par, q);
    to[FACTOR_WEIGHT * RESAMPLED] = weight * to[FACTOR_WEIGHT * RESAMPLED];
}
#endif

// Adds the current state with the weight of the sample in time.
KERNEL(statistics) {
    SHARED_MEMORY;
    SHARED(vwide, rows, FACTORS *NP);
#if LAYERS > 1
    SHARED(vwide, resampled, FACTORS *RESAMPLED);
    SHARED_TOTAL(statistics, sizeof(*rows) + sizeof(*resampled));
#else
    SHARED_TOTAL(statistics, sizeof(*rows));
#endif
    const int slots = (int)par.sum_slots, members = (int)par.sum_members;
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
    // The values of a slot: those of its point, or those at the points of the rule.
    const bool lines = members == LAYERS;
    const int values = members == 1 ? 1 : (lines ? RULE_LEVELS : RULE_POINTS);
#if LAYERS > 1
    if (members > 1) {
        for_each(slots * values, [&](int c, int i) {
            const int *list = par.sum_list + (GROUP * CELLS_PER_BLOCK + c) * LANE;
            resample(par, rows[c], list, i / values * members, i % values, lines, resampled[c] + i);
        });
        BARRIER();
    }
#endif
    for_each((int)par.sum_quantities * slots, [&](int c, int i) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const int factors = constant_in_launch(par.sum_factors + i / slots), first = i % slots * values;
        const vwide *from = rows[c];
        int stride = NP;
#if LAYERS > 1
        if (members > 1) from = resampled[c], stride = RESAMPLED;
#endif
        vwide *sum = (vwide *)(par.sums + block * par.sum_quantities * slots * LANE) + i;
        vwide x = weighted(from, stride, factors, first);
        for (int m = 1; m < values; ++m) x = x + weighted(from, stride, factors, first + m);
        *sum = *sum + par.sample_weight * x;
    });
}
LAUNCHER(statistics)
