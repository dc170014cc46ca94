// The entropy filter and the positivity limiter (method/entropy_filter.h), after each stage of a time step.
#include "method/block.h"
#include "method/entropy_filter.h"
#include "method/metrics.h"
#include "method/neighbour.h"
#include "method/note.h"
#include "method/rows.h"
#include "physics/boundary.h"

// What a cell keeps in shared memory: the least density, minus the largest, the least surplus and the least entropy of
// its points; the bounds; whether it violates them; the share of its modes; the mean of the state, and those of its
// parts from degree 1 on.
enum {
    LEAST_RHO, LEAST_MINUS_RHO, LEAST_SURPLUS, LEAST_ENTROPY, BOUND_RHO, BOUND_ENTROPY, VIOLATES, SHARE, CELL_MEANS
};
#define EXTREMES (LEAST_ENTROPY + 1)
#define CELL_VALUES (CELL_MEANS + 5 * N)
// What belongs to the points of a cell or to its modes, [NP] each, before and after the extremes are known: the
// coefficients of the modes [5] and the means of the modes; behind them first the volumes of the points, then the
// shares that the points allow, and finally their entropies.
enum { COEFFICIENTS = 0, MODE_MEANS = 5 * NP, VOLUMES = 6 * NP, SHARES = VOLUMES, ENTROPIES = VOLUMES };
#define FILTER_WORK (7 * NP)
static_assert(FACES <= 5 * N, "the least entropies beyond the faces are where the means will be");

// What is beyond a face of a cell of one lane, from the number by which the plan knows it (device/plan/halo.rs).
struct Beyond {
    long long number;
    INLINE_MEMBER bool is_cell() const { return number >= 0; }
    INLINE_MEMBER long long entropy() const { return number; } // the place of the least entropy of that cell in a state
    INLINE_MEMBER bool is_wall() const { return number < -1; }
    INLINE_MEMBER long long wall_data() const { return -2 - number; } // where the data of that wall begin
};

// The least entropy beyond a face of a cell, at the state of the stage: that of the cell that shares it or, at a
// boundary, of the gas outside. At a wall with a temperature, resolved or modelled, this is also what the pressure
// makes of that temperature: gas that a wall cools loses entropy.
INLINE vreal least_entropy_beyond(const Params &par, long long block, int face) {
    const long long *numbers = par.entropy_slots + (block * FACES + face) * LANE;
    const vreal zero = {};
    vreal least = zero + R(1e30), is_boundary = zero;
    for (int lane = 0; lane < LANE; ++lane) {
        const Beyond beyond = {numbers[lane]};
        if (beyond.is_cell()) set_lane(least, lane, par.u[beyond.entropy()]);
        else set_lane(is_boundary, lane, R(1));
    }
    if (!par.boundaries || !any_lane(is_boundary > zero)) return least;
    for (int l = 0; l < face_size(face); ++l) {
        Primitive<vreal> o;
        neighbour(par, block, face, l, o);
        const vreal p = pressure(o, par);
        vreal t = o.t;
        for (int lane = 0; lane < LANE; ++lane) {
            const Beyond beyond = {numbers[lane]};
            if (!beyond.is_wall()) continue;
            const real given = par.boundary_data[beyond.wall_data() + WALL_TEMPERATURE * face_size(face) + l];
            if (given > R(0)) set_lane(t, lane, given); // 0 for an adiabatic modelled wall
        }
        const vreal gas = specific_entropy(o.rho, p, par);
        const vreal wall = specific_entropy(p * inverse(par.gas_constant * t), p, par);
        least = select(is_boundary > zero, vmin(least, vmin(gas, wall)), least);
    }
    return least;
}

// Limits the output of a stage, `out`, where a point of it violates the bounds, and notes the least entropy of each
// cell for the next stage. Almost all cells only compare. The others
//   1. find the coefficients of their modes, the mean, and the means of the parts of each degree,
//   2. find the largest f with which U(f) keeps the bounds at each point, and take the least one of all points,
//   3. approach the mean along a straight line as far as a point still violates a bound with this f: the points chose
//      it each by itself. The set of states that keep the bounds is convex, so that no point can then violate them
//      unless the mean does. A mean that is not physical leaves nothing to approach: the cell is noted.
// The density of a changed cell is bounded by a share of the least one of its points too.
KERNEL_IN_TURNS(filter, par.shock == SHOCK_POSITIVITY) {
    SHARED_MEMORY;
    SHARED(vreal, work, FILTER_WORK); // quantities of the points that have bounds, then those named above
    SHARED(vreal, line, ROWS *EXTREMES);
    SHARED(vreal, cell, CELL_VALUES);
    SHARED_TOTAL(filter, sizeof(*work) + sizeof(*line) + sizeof(*cell));
    if (par.shock == SHOCK_NONE) return; // leaves nothing of this kernel in runs without a filter
    const vreal zero = {}, one = zero + R(1);
    const auto out_of = [&](int c, int p) {
        return block_of(par.out, group * CELLS_PER_BLOCK + c, 5 * NP) + p;
    };
    const auto load = [&](int c, int p, vreal *u) {
        const vreal *from = out_of(c, p);
        UNROLL
        for (int v = 0; v < 5; ++v) u[v] = from[v * NP];
    };
    // The least over the points of a cell of `count` quantities, [quantity][point] from work + first.
    const auto reduce = [&](int first, int count, int to) {
        BARRIER();
        for_each<ROWS>([&](int c, int l) {
            for (int i = 0; i < count; ++i) {
                const vreal *from = work[c] + first + i * NP + l * N;
                vreal least = from[0];
                for (int m = 1; m < N && l * N + m < NP; ++m) least = vmin(least, from[m]);
                line[c][l * EXTREMES + i] = least;
            }
        });
        BARRIER();
        for_each(count, [&](int c, int i) {
            vreal least = line[c][i];
            for (int l = 1; l < ROWS; ++l) least = vmin(least, line[c][l * EXTREMES + i]);
            cell[c][to + i] = least;
        });
        BARRIER();
    };
    const auto note = [&](int c, vreal strength) {
        const long long block = par.first_block + group * CELLS_PER_BLOCK + c;
        if (par.shock == SHOCK_ENTROPY_FILTER) ((vreal *)par.entropy_out)[block] = cell[c][LEAST_ENTROPY];
        vreal *noted = (vreal *)par.filter_strength + block;
        *noted = par.filter_update > FILTER_FIRST ? vmax(*noted, strength) : strength;
        note_filtered(par, group * CELLS_PER_BLOCK + c, strength);
    };

    // The update has compared the points with the bounds of the positivity limiter: mostly there is nothing to do.
    if (par.shock == SHOCK_POSITIVITY && par.filter_update >= FILTER_FIRST && !any_near_bounds(par)) {
        if (par.filter_update == FILTER_FIRST) for_each<1>([&](int c, int) { note(c, zero); });
        return;
    }

    // A mean by weights of both signs need not lie between the states of the points: where the initial state jumps in a
    // cell, it may have a negative density. Such a cell begins with the mean of the points by their positive weights.
    if (par.filter_update == FILTER_BEGIN) {
        for_each<1>([&](int c, int) {
            const Metrics metric = metrics_of(par, group * CELLS_PER_BLOCK + c);
            vreal mean[5] = {zero, zero, zero, zero, zero}, positive[5] = {zero, zero, zero, zero, zero};
            vreal volume = zero, share = zero, most = zero, least_rho = zero + R(1e30), least_internal = least_rho;
            for (int p = 0; p < NP; ++p) {
                vreal u[5];
                load(c, p, u);
                const vreal weight = point_weight(par, p) * inverse(metric.inverse_j(p));
                const vreal part = vmax(weight, zero);
                UNROLL
                for (int v = 0; v < 5; ++v) {
                    mean[v] = vfma(weight, u[v], mean[v]);
                    positive[v] = vfma(part, u[v], positive[v]);
                }
                volume = volume + weight;
                share = share + part;
                most = vmax(most, u[0]);
                least_rho = vmin(least_rho, u[0]);
                least_internal = vmin(least_internal, internal_energy(u));
            }
            UNROLL
            for (int v = 0; v < 5; ++v) {
                mean[v] = mean[v] * inverse(volume);
                cell[c][CELL_MEANS + v] = positive[v] * inverse(share);
            }
            const vreal rho = vmax(LEAST_SHARE * most, KEPT_SHARE * least_rho), internal = internal_energy(mean);
            const vreal least = vmax(LEAST_SHARE * mean[4], KEPT_SHARE * least_internal);
            cell[c][VIOLATES] = select(mean[0] >= rho, select(internal >= least, zero, one), one);
        });
        BARRIER();
        for_each_point([&](int c, int p) {
            vreal *out = out_of(c, p);
            UNROLL
            for (int v = 0; v < 5; ++v)
                out[v * NP] = select(cell[c][VIOLATES] > zero, cell[c][CELL_MEANS + v], out[v * NP]);
        });
        BARRIER();
    }

    for_each_point([&](int c, int p) {
        vreal u[5];
        load(c, p, u);
        const Bounded b = bounded(u, par);
        // The least of some numbers may miss one that is not a number: the cell of such a point is to violate a bound.
        work[c][LEAST_RHO * NP + p] = select(b.surplus - b.surplus == zero, b.rho, zero - R(1e30));
        work[c][LEAST_MINUS_RHO * NP + p] = -b.rho;
        work[c][LEAST_SURPLUS * NP + p] = b.surplus;
        work[c][LEAST_ENTROPY * NP + p] = b.entropy;
    });
    const bool bounds_entropy = par.shock == SHOCK_ENTROPY_FILTER && par.filter_update >= FILTER_FIRST;
    if (bounds_entropy)
        for_each<FACES>([&](int c, int face) {
            cell[c][CELL_MEANS + face] = least_entropy_beyond(par, group * CELLS_PER_BLOCK + c, face);
        });
    reduce(0, EXTREMES, LEAST_RHO);
    for_each<1>([&](int c, int) {
        vreal *of = cell[c];
        // The least allowed entropy: the least of the cell and beyond its faces, less the tolerance.
        of[BOUND_ENTROPY] = zero - R(1e30);
        if (bounds_entropy) {
            vreal least = ((const vreal *)par.entropy)[par.first_block + group * CELLS_PER_BLOCK + c];
            for (int face = 0; face < FACES; ++face) least = vmin(least, of[CELL_MEANS + face]);
            of[BOUND_ENTROPY] = least - par.entropy_tolerance;
        }
        const Bounded least = {of[LEAST_RHO], of[LEAST_SURPLUS], of[LEAST_ENTROPY]};
        const Bounds bounds = {-LEAST_SHARE * of[LEAST_MINUS_RHO], of[BOUND_ENTROPY]};
        of[BOUND_RHO] = bounds.rho;
        of[VIOLATES] = one - keeps(least, bounds);
    });
    BARRIER();
    bool any = false;
    for (int c = 0; c < CELLS_PER_BLOCK; ++c) any = any || any_lane(cell[c][VIOLATES] > zero);
    if (!any || par.filter_update == FILTER_RESUME) {
        for_each<1>([&](int c, int) { note(c, zero); });
        return;
    }

    const auto violates = [&](int c) { return any_lane(cell[c][VIOLATES] > zero); };
    // The entropy does not bound the density from below. Without the share of the least density the filter would take
    // points of small or zero weight to a millionth of the largest density, and to a million times the temperature.
    const auto bounds_of = [&](int c) {
        const vreal least = KEPT_SHARE * vmin(cell[c][LEAST_RHO], cell[c][CELL_MEANS]);
        return Bounds{vmax(cell[c][BOUND_RHO], least), cell[c][BOUND_ENTROPY]};
    };
    for_each_point([&](int c, int p) {
        const Metrics metric = metrics_of(par, group * CELLS_PER_BLOCK + c);
        work[c][VOLUMES + p] = point_weight(par, p) * inverse(metric.inverse_j(p));
    });
    BARRIER();
    for_each_point([&](int c, int mode) {
        if (!violates(c)) return;
        vreal sum[5] = {zero, zero, zero, zero, zero}, mean = zero, volume = zero;
        over_points(par, mode, [&](int p, real factor, real value) {
            vreal u[5];
            load(c, p, u);
            const vreal weight = work[c][VOLUMES + p];
            UNROLL
            for (int v = 0; v < 5; ++v) sum[v] = vfma(factor, u[v], sum[v]);
            mean = vfma(value, weight, mean);
            volume = volume + weight;
        });
        UNROLL
        for (int v = 0; v < 5; ++v) work[c][COEFFICIENTS + v * NP + mode] = sum[v];
        work[c][MODE_MEANS + mode] = mean * inverse(volume);
    });
    BARRIER();
    for_each<5 * N>([&](int c, int i) {
        const vreal *coefficients = work[c] + COEFFICIENTS + i % 5 * NP, *mean = work[c] + MODE_MEANS;
        vreal sum = zero;
        const int d = i / 5;
        for (int e = d; e <= (d == 0 ? ORDER : d); ++e)
            over_modes(par, 0, e, [&](int mode, real) { sum = vfma(mean[mode], coefficients[mode], sum); });
        cell[c][CELL_MEANS + i] = sum;
    });
    BARRIER();
    for_each_point([&](int c, int p) {
        if (!violates(c)) return;
        vreal parts[ORDER][5];
        const vreal *means = cell[c] + CELL_MEANS;
        parts_at(par, work[c] + COEFFICIENTS, means, p, parts);
        work[c][SHARES + p] =
            largest_share(bounds_of(c), par, [&](vreal f, vreal *u) { filtered(parts, means, f, u); });
    });
    reduce(SHARES, 1, SHARE);
    for_each_point([&](int c, int p) {
        if (!violates(c)) return;
        vreal parts[ORDER][5], whole[5];
        const vreal *means = cell[c] + CELL_MEANS;
        parts_at(par, work[c] + COEFFICIENTS, means, p, parts);
        filtered(parts, means, cell[c][SHARE], whole);
        work[c][SHARES + p] = largest_share(bounds_of(c), par, [&](vreal share, vreal *u) {
            UNROLL
            for (int v = 0; v < 5; ++v) {
                const vreal nearer = vfma(share, whole[v] - means[v], means[v]);
                u[v] = select(share < one, nearer, whole[v]);
            }
        });
        vreal *out = out_of(c, p);
        UNROLL
        for (int v = 0; v < 5; ++v) out[v * NP] = select(cell[c][VIOLATES] > zero, whole[v], out[v * NP]);
    });
    // The place of the largest density is free now: it holds the share along the straight line.
    reduce(SHARES, 1, LEAST_MINUS_RHO);
    for_each_point([&](int c, int p) {
        const vreal *means = cell[c] + CELL_MEANS, share = cell[c][LEAST_MINUS_RHO], changes = cell[c][VIOLATES];
        vreal *out = out_of(c, p), u[5];
        load(c, p, u);
        if (violates(c)) {
            UNROLL
            for (int v = 0; v < 5; ++v) {
                const vreal nearer = vfma(share, u[v] - means[v], means[v]);
                u[v] = select(changes > zero, select(share < one, nearer, u[v]), u[v]);
                out[v * NP] = u[v];
            }
            if (par.kahan && (par.low_storage || par.filter_update == FILTER_LAST)) {
                vreal *lost = block_of(par.kahan_term, group * CELLS_PER_BLOCK + c, 5 * NP) + p;
                UNROLL
                for (int v = 0; v < 5; ++v) lost[v * NP] = select(changes > zero, zero, lost[v * NP]);
            }
        }
        work[c][ENTROPIES + p] = bounded(u, par).entropy;
        note_unphysical(par, group * CELLS_PER_BLOCK + c, u);
    });
    const auto strength = [&](int c) {
        return select(cell[c][VIOLATES] > zero, one - cell[c][SHARE] * cell[c][LEAST_MINUS_RHO], zero);
    };
    reduce(ENTROPIES, 1, LEAST_ENTROPY);
    for_each<1>([&](int c, int) { note(c, strength(c)); });
}
LAUNCHER(filter)
