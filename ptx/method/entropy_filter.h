// The entropy filter of T. Dzanic & F. D. Witherden, J. Comput. Phys. 468 (2022) 111501: the bounds of a cell, and the
// largest share of its modes with which a state keeps them.
//
// The filtered state is
//     U(f) = mean + sum_d f^(d^2) (P_d U - mean of P_d U),   0 <= f <= 1
// where P_d U is the part of U in the modes of degree d, and means are those over the cell, with the weights of its
// points and its Jacobian. The mean is kept for every f, in curved cells too; the paper filters in reference space,
// which changes it. U(0) is the mean.
#pragma once
#include "method/block.h"
#include "method/modes.h"
#include "physics/gas.h"

// The least share of the total energy that is left to the internal energy, and the least density over the largest one
// of the cell.
#define LEAST_SHARE R(1e-6)

// The least share of the least density of a cell that the filter leaves to each of its points, and of the least density
// and internal energy that the mean of an initial state may have.
#define KEPT_SHARE R(0.5)

// The bounds of a cell.
struct Bounds {
    vreal rho, entropy;
};

// The quantities of a point that have bounds.
struct Bounded {
    vreal rho;     // density
    vreal surplus; // internal energy beyond the least one: the pressure is positive where it is not negative
    vreal entropy; // specific entropy over cv, ln(p/rho^gamma)
};

// The specific entropy over cv. Where density or pressure is not positive it means nothing, and has some value.
template <class V> INLINE V specific_entropy(V rho, V p, const Params &par) {
    const V zero = {}, least = zero + R(1e-30);
    return natural_log(vmax(p, least)) - par.gamma * natural_log(vmax(rho, least));
}

// The internal energy per volume.
INLINE vreal internal_energy(const vreal *u) { return u[4] - R(0.5) * (dot3(u + 1, u + 1) * inverse(u[0])); }

INLINE Bounded bounded(const vreal *u, const Params &par) {
    const vreal internal = internal_energy(u), zero = {};
    Bounded b;
    b.rho = u[0];
    b.surplus = internal - LEAST_SHARE * u[4];
    b.entropy = par.shock == SHOCK_ENTROPY_FILTER
                    ? specific_entropy(u[0], (par.gamma - R(1)) * internal, par)
                    : zero;
    return b;
}

// 1 where the quantities keep the bounds, else 0.
INLINE vreal keeps(const Bounded &b, const Bounds &least) {
    const vreal zero = {}, one = zero + R(1);
    return select(b.rho >= least.rho, select(b.surplus >= zero, select(b.entropy >= least.entropy, one, zero), zero),
                  zero);
}

// The largest share from 0 to 1, by bisection, with which the state that state(share, u) gives keeps the bounds. The
// state of share 0 is not tried. The number of steps is fixed, so that the bits do not depend on the other cells of the
// block; the share is exact to 1e-6.
template <class F> INLINE vreal largest_share(const Bounds &least, const Params &par, F &&state) {
    const vreal zero = {}, half = zero + R(0.5), one = zero + R(1);
    vreal u[5], low = zero, high = one;
    state(one, u);
    const vreal whole = keeps(bounded(u, par), least);
    if (!any_lane(whole < half)) return one;
    for (int step = 0; step < 20; ++step) {
        const vreal middle = half * (low + high);
        state(middle, u);
        const vreal good = keeps(bounded(u, par), least);
        low = select(good > half, middle, low);
        high = select(good > half, high, middle);
    }
    return select(whole > half, one, low);
}

// The parts of the state at point p by degree from 1 on, less their means. `coefficients` are those of the modes,
// [5][mode], and `means` those of the state and, from degree 1 on, of its parts, [degree][5].
INLINE void parts_at(const Params &par, const vreal *coefficients, const vreal *means, int p, vreal (*parts)[5]) {
    UNROLL
    for (int d = 1; d <= ORDER; ++d) {
        vreal sum[5];
        UNROLL
        for (int v = 0; v < 5; ++v) sum[v] = -means[5 * d + v];
        over_modes(par, p, d, [&](int mode, real value) {
            UNROLL
            for (int v = 0; v < 5; ++v) sum[v] = vfma(value, coefficients[v * NP + mode], sum[v]);
        });
        UNROLL
        for (int v = 0; v < 5; ++v) parts[d - 1][v] = sum[v];
    }
}

// U(f) at a point from its parts.
INLINE void filtered(const vreal (*parts)[5], const vreal *mean, vreal f, vreal *u) {
    UNROLL
    for (int v = 0; v < 5; ++v) u[v] = mean[v];
    const vreal square = f * f;
    vreal factor = f, ratio = f * square; // f^(d^2), and f^(2 d + 1), which leads from one to the next
    UNROLL
    for (int d = 1; d <= ORDER; ++d) {
        UNROLL
        for (int v = 0; v < 5; ++v) u[v] = vfma(factor, parts[d - 1][v], u[v]);
        factor = factor * ratio;
        ratio = ratio * square;
    }
}
