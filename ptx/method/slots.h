// The slots of a cell over which statistics sum: products of the values of rows at the points of each slot, with the
// weight of the sample in time, in a fixed order. The kernels of statistics write the rows; what is here is the same
// for all of them.
#pragma once
#include "method/block.h"
#include "method/output_rule.h"

// The rows that all statistics of the state have. The weight of a point is a factor of every product.
enum { FACTOR_WEIGHT, FACTOR_RHO, FACTOR_U, FACTOR_V, FACTOR_W };

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

// Interpolates so many rows of a slot, whose points begin at place `first` of the lists, to point q of the rule of
// lines or planes, in rows of `stride` values. Differences from the first point are interpolated, so that what does not
// vary stays as it is, whatever the rounding of the operators.
INLINE void resample(const Params &par, const vwide *rows, int count, const int *list, int first, int q, bool lines,
                     vwide *to, int stride) {
    const int members = lines ? LAYERS : SECTION;
    for (int f = 0; f < count; ++f) {
        const vwide *row = rows + f * NP, origin = at_member(row, par.sum_lists, list, first);
        vwide x = origin;
        for (int m = 1; m < members; ++m) {
            const double value = lines ? across_of(par, q, m, 0) : rule_of(par, q, m, 0);
            x = x + value * (at_member(row, par.sum_lists, list, first + m) - origin);
        }
        to[f * stride] = x;
    }
    const double weight = lines ? level_weight(par, q) : section_weight(par, q);
    to[FACTOR_WEIGHT * stride] = weight * to[FACTOR_WEIGHT * stride];
}
#endif

// Adds a quantity of a slot, which has so many values in rows of `stride`, to its sum, with the weight of the sample in
// time.
INLINE void add_quantity(const Params &par, long long block, int quantity, int slot, const vwide *rows, int stride,
                         int values) {
    const int factors = constant_in_launch(par.sum_factors + quantity), slots = (int)par.sum_slots;
    vwide *sum = (vwide *)(par.sums + block * par.sums_of_cell * LANE) + quantity * slots + slot;
    vwide x = weighted(rows, stride, factors, 0);
    for (int m = 1; m < values; ++m) x = x + weighted(rows, stride, factors, m);
    *sum = *sum + par.sample_weight * x;
}

// Adds all quantities of a group of cells, whose values are in `count` rows. `resampled` has room for the values of
// the rows at the points of the rule; cells without lines of points do not use it. Between threads that wrote rows
// and this, there must be a barrier.
template <class Rows, class Resampled>
INLINE void add_slots(const Params &par, long long group, [[maybe_unused]] int count, Rows rows,
                      [[maybe_unused]] Resampled resampled) {
    const int slots = (int)par.sum_slots, members = (int)par.sum_members;
    // The values of a slot: those of its point, or those at the points of the rule.
    const bool lines = members == LAYERS;
    const int values = members == 1 ? 1 : (lines ? RULE_LEVELS : RULE_POINTS);
#if LAYERS > 1
    if (members > 1) {
        for_each(slots * values, [&](int c, int i) {
            const int *list = par.sum_list + (group * CELLS_PER_BLOCK + c) * LANE;
            resample(par, rows[c], count, list, i / values * members, i % values, lines, resampled[c] + i, RESAMPLED);
        });
        BARRIER();
    }
#endif
    for_each((int)par.sum_quantities * slots, [&](int c, int i) {
        const long long block = group * CELLS_PER_BLOCK + c;
        const int slot = i % slots;
#if LAYERS > 1
        if (members > 1) {
            add_quantity(par, block, i / slots, slot, resampled[c] + slot * values, RESAMPLED, values);
            return;
        }
#endif
        add_quantity(par, block, i / slots, slot, rows[c] + slot, NP, values);
    });
}
