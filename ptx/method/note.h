// Notes of single cells in words of memory that the host reads at its next look: the first cell whose state a stage
// left unphysical, and what the filter did. They are whole numbers that only become smaller, or only larger, so that
// they depend neither on the order of the cells nor on the number of threads and ranks.
#pragma once
#include "method/block.h"
#include "physics/gas.h"

// 1 where density and internal energy are positive and all variables are finite, else 0.
INLINE vreal is_physical(const vreal *u) {
    const vreal zero = {}, one = zero + R(1);
    const vreal energy = u[0] * u[4] - half_square(u + 1); // the internal one times the density
    return select(u[0] > zero, select(energy > zero, select(energy - energy == zero, one, zero), zero), zero);
}

// The number in the whole mesh of the cell of a lane, or a negative one if the lane repeats another cell.
INLINE long long cell_number(const Params &par, long long block, int lane) {
    return par.cell_numbers[(par.first_block + block) * LANE + lane];
}

// The moment of a stage since the host looked, as one number.
INLINE long long moment_of_stage(const Params &par) {
    return (*par.step_number << FAULT_STAGE_BITS) | par.stage_number;
}

// Notes those cells of a block that are not physical.
OUTLINE void note_cells(const Params &par, long long block, vreal physical) {
    const long long moment = moment_of_stage(par);
    for (int lane = 0; lane < LANE; ++lane) {
        const long long cell = cell_number(par, block, lane);
        if (lane_of(physical, lane) > R(0) || cell < 0) continue;
        lower(par.fault, (moment << FAULT_CELL_BITS) | cell);
    }
}

// Notes where the state of a point that a stage writes is not physical. The earliest stage wins, then the least number
// of a cell.
INLINE void note_unphysical(const Params &par, long long block, const vreal *u) {
    const vreal physical = is_physical(u);
    if (!all_lanes(physical > R(0))) note_cells(par, block, physical);
}

// Counts a cell that the filter changed, and notes the strongest change: the bits of its strength, which is not
// negative, and behind them a number that is the larger the less that of the cell is.
INLINE void note_filtered(const Params &par, long long block, vreal strength) {
    if (!any_lane(strength > R(0))) return;
    for (int lane = 0; lane < LANE; ++lane) {
        const long long cell = cell_number(par, block, lane), last = (1ll << FILTERED_CELL_BITS) - 1;
        const float changed = (float)lane_of(strength, lane);
        if (!(changed > 0) || cell < 0) continue;
        add_one(par.filter_acts + FILTER_CHANGES);
        raise(par.filter_acts + FILTER_STRONGEST, ((long long)bits_of(changed) << FILTERED_CELL_BITS) | (last - cell));
    }
}

// Notes that a stage leaves a point near the bounds of the positivity limiter, or not finite. Where all points of a
// cell have between a hundredth and a hundred times the same density, and more than a thousandth of their energy is
// internal, none of them is below the bounds, which are a millionth each (method/entropy_filter.h), and the limiter
// need not look. Any density will do: `typical_rho` is one of the flow.
INLINE void note_near_bounds(const Params &par, const vreal *u) {
    const vreal zero = {}, one = zero + R(1), all = u[0] * u[4];
    const vreal energetic = select(all - half_square(u + 1) > R(1e-3) * all, one, zero);
    const real rho = par.typical_rho;
    const vreal far = select(u[0] > R(0.01) * rho, select(u[0] < R(100) * rho, energetic, zero), zero);
    if (!all_lanes(far > zero)) raise(par.filter_acts + FILTER_NEAR_BOUNDS, moment_of_stage(par));
}

// Notes what a stage leaves at a point of a block. What a filter limits is noted after it.
INLINE void note_state(const Params &par, long long block, const vreal *u) {
    switch ((Shock)par.shock) {
    case SHOCK_NONE: return note_unphysical(par, block, u);
    case SHOCK_POSITIVITY: return note_near_bounds(par, u);
    case SHOCK_ENTROPY_FILTER: return;
    }
}

// Whether a point was near these bounds after the present stage.
INLINE bool any_near_bounds(const Params &par) {
    return par.filter_acts[FILTER_NEAR_BOUNDS] == moment_of_stage(par);
}
