// The entropy correction: in every cell the entropy may change only by what flows through the faces.
//
// With the entropy variables v at the points (physics/entropy.h), the divergence r of the flux in reference space, and
// a mass matrix M of the cell, let
//     E = -v.M r + sum_f w_f (v_f.f*_f - psi_f)
// where the sum goes over the face points with their weights w_f and outward areas, and f* is the common flux. Both
// sides of a face together have [v].f* - [psi], which is not positive for an entropy-stable flux. The total entropy
// does therefore not grow where E <= 0 in all cells; aliasing gives E either sign. Where E > 0,
//     r <- r + a d,   a = E / v.M d
// takes it to zero. d has no mean, so that the correction conserves. It is an error of the order of the scheme. R.
// Abgrall, J. Comput. Phys. 372 (2018) 640, has the idea; J. Chan, arXiv:2501.16529, that of the least dissipation with
// which a cell keeps its entropy inequality.
//
// Cells with dense operators take their mass matrix; in prisms it is that of the triangle, times the weights of the
// line across the layers. Their direction is d = A G v with A = dU/dv at the mean of the points. G multiplies each mode
// of the cell by (degree/p)^2, and so acts on the highest modes most; in prisms it is the sum of those of triangle and
// line.
//
// Hexahedra take the weights of their points, and d from the differences between neighbours on each line, with A at the
// first point:
//     d_m = A ((v_m - v_(m-1)) + (v_m - v_(m+1))) / w_m,   v.M d = sum of [v].A [v] over all pairs
// No pair makes the sum negative, and the modes are damped nearly as by (degree/p)^2.
//
// r and f* have the viscous fluxes too: the entropy that friction makes within a cell may balance what aliasing takes.
//
// v is taken relative to the state of the first point, and the mass flux of psi too. E stays the same, for the areas of
// the faces add up to zero and the cell conserves. Its round-off becomes that of differences.
//
// The correction acts once in a step, in the last stage, where it has the share of all stages: U <- U - dt a d/J. The
// tests show that flows live on by this as by a correction of every stage, at a fraction of the cost. A right-hand side
// alone has it too.
#pragma once
#include "method/block.h"
#include "method/corrected_stages.h"
#include "method/dense_divergence.h"
#include "method/line_states.h"
#include "method/metrics.h"
#include "physics/entropy.h"

// The most that d takes of a mode of v, or a bound of it (of S. Gershgorin for hexahedra).
#if ELEMENT == HEX
#define LARGEST_DAMPING (R(6) / par.weights[0])
#elif ELEMENT == PRISM
#define LARGEST_DAMPING R(2)
#else
#define LARGEST_DAMPING R(1)
#endif

// The factor of the correction of a cell with E and v.M d. Where v.M d vanishes, E is round-off. At the end of a step
// no mode loses more than all of it.
INLINE vreal correction_factor(const Params &par, long long block, vreal excess, vreal dissipation) {
    const vreal zero = {};
    const vreal a = select(excess > zero, select(dissipation > zero, excess * inverse(dissipation), zero), zero);
    if (par.stage == STAGE_RHS_ONLY) return a;
    const real share = par.low_storage || par.paired ? par.fraction : par.weight;
    const vreal most = inverse(*par.dt * LARGEST_DAMPING * metrics_of(par, block).inverse_j(0));
    return (R(1) / share) * select(a < most, a, most);
}

#if ELEMENT == HEX
// What a cell keeps in shared memory: v [5][POINTS]; v.f* - psi of both ends of the lines, times their weights,
// [direction][NL]; the sums of E and v.M d over the points of the lines of direction 0, [2][NL], and those over N of
// these lines, [2][N].
#define ENTROPY_LINES (5 * POINTS)
#define ENTROPY_ROWS (ENTROPY_LINES + 3 * NL)
#define ENTROPY_SUMS (ENTROPY_ROWS + 2 * NL)
#define ENTROPY_VALUES (ENTROPY_SUMS + 2 * N)
// Where w keeps what belongs to a point, once its divergence along all directions is known: the divergence [5], d [5],
// and the terms of E and v.M d.
enum { POINT_DIVERGENCE, POINT_DIRECTION = 5, POINT_EXCESS = 10, POINT_DISSIPATION = 11 };

// Writes v at point p, relative to the first point of the cell; q holds the state of point p.
INLINE void write_entropy(const Params &par, long long block, int p, const vreal *q, vreal *entropy) {
    const vreal *state = block_of(par.own, block, 5 * NP);
    vreal u[5], v[5];
    UNROLL
    for (int m = 0; m < 5; ++m) u[m] = constant_in_launch(state + m * NP);
    Primitive<vreal> reference;
    primitive(u, par, reference);
    const Primitive<vreal> own = primitives_at(q, place(p));
    entropy_difference(reference, own, entropy_of_rest(reference, own, par), par, v);
    UNROLL
    for (int m = 0; m < 5; ++m) (entropy + place(p))[m * POINTS] = v[m];
}

// Adds up the divergence of point p along the directions, and computes d and the terms of E and v.M d.
INLINE void find_entropy_terms(const Params &par, int p, const vreal *q, const vreal *entropy, vreal *w) {
    const int at = place(p);
    vreal v[5], g[5], d[5], excess = {}, dissipation = {};
    UNROLL
    for (int m = 0; m < 5; ++m) {
        v[m] = (entropy + at)[m * POINTS];
        g[m] = vreal{};
    }
    real weight = R(1);
    UNROLL
    for (int n = 0; n < 3; ++n) {
        const int stride = line_stride(n), m = p / stride % N, start = p - m * stride;
        const int before = on_line(start, n, m > 0 ? m - 1 : m), after = on_line(start, n, m < N - 1 ? m + 1 : m);
        const real inverse_weight = R(1) / par.weights[m];
        weight = weight * par.weights[m];
        UNROLL
        for (int k = 0; k < 5; ++k) {
            const vreal *of = entropy + k * POINTS;
            g[k] = vfma(inverse_weight, (v[k] - of[before]) + (v[k] - of[after]), g[k]);
        }
    }
    of_entropy_variables(primitives_at(q, place(0)), g, par, d);
    vreal *out = w + at;
    UNROLL
    for (int k = 0; k < 5; ++k) {
        const vreal r = (out[k * POINTS] + out[(5 + k) * POINTS]) + out[(10 + k) * POINTS];
        excess = vfma(v[k], r, excess);
        dissipation = vfma(v[k], d[k], dissipation);
        out[(POINT_DIVERGENCE + k) * POINTS] = r;
    }
    UNROLL
    for (int k = 0; k < 5; ++k) out[(POINT_DIRECTION + k) * POINTS] = d[k];
    out[POINT_EXCESS * POINTS] = -(weight * excess);
    out[POINT_DISSIPATION * POINTS] = weight * dissipation;
}

// Adds up E (row < NL) or v.M d along a line of direction 0. E also has what goes through the ends of lines.
INLINE void sum_entropy_row(int row, const vreal *w, vreal *entropy) {
    const int l = row % NL;
    const vreal *from = w + (row < NL ? POINT_EXCESS : POINT_DISSIPATION) * POINTS;
    vreal sum = {};
    for (int m = 0; m < N; ++m) sum = sum + from[place(l * N + m)];
    if (row < NL)
        for (int d = 0; d < 3; ++d) sum = sum + entropy[ENTROPY_LINES + d * NL + l];
    entropy[ENTROPY_ROWS + row] = sum;
}

// Adds up the sums of N rows.
INLINE void sum_entropy_rows(int part, vreal *entropy) {
    vreal sum = {};
    for (int l = 0; l < N; ++l) sum = sum + entropy[ENTROPY_ROWS + part * N + l];
    entropy[ENTROPY_SUMS + part] = sum;
}

// The factor of the correction of a cell.
INLINE vreal cell_correction(const Params &par, long long block, const vreal *entropy) {
    vreal excess = {}, dissipation = {};
    UNROLL
    for (int part = 0; part < N; ++part) {
        excess = excess + entropy[ENTROPY_SUMS + part];
        dissipation = dissipation + entropy[ENTROPY_SUMS + N + part];
    }
    return correction_factor(par, block, excess, dissipation);
}
#else
// What a cell keeps in shared memory: v and d, each a field of rows of four of all points, with the fifth values behind
// them; the terms of E and v.M d of the points, [2][point], and of E of the face points; the mean state of the points;
// the integral of v [5], and the sums of the terms.
#define ENTROPY_FIELD ((5 * NP + 3) / 4 * 4)
#define ENTROPY_DIRECTION ENTROPY_FIELD
#define ENTROPY_TERMS (2 * ENTROPY_FIELD)
#define ENTROPY_JUMPS (ENTROPY_TERMS + 2 * NP)
#define ENTROPY_MEAN (ENTROPY_JUMPS + FACE_POINTS)
#define ENTROPY_SUMS (ENTROPY_MEAN + 5)
#define ENTROPY_VALUES (ENTROPY_SUMS + 9)
// The sums, of which two have half of the face points each.
enum { INTEGRAL_OF_V, SUM_OF_EXCESS = 5, SUM_OF_DISSIPATION, SUM_OF_JUMPS, SUM_OF_MORE_JUMPS, ENTROPY_SUM_COUNT };

// Reads five values of point p, and writes them.
INLINE void read_five(const vreal *values, int p, vreal *x) {
    read_row(values + 4 * p, x);
    x[4] = values[4 * NP + p];
}
INLINE void write_five(const vreal *x, int p, vreal *values) {
    write_row(x, values + 4 * p);
    values[4 * NP + p] = x[4];
}

// Writes v at point p, relative to the first point of the cell.
INLINE void write_entropy(const Params &par, long long block, int p, vreal *entropy) {
    const Primitive<vreal> reference = own_primitive(par, block, 0), own = own_primitive(par, block, p);
    vreal v[5];
    entropy_difference(reference, own, entropy_of_rest(reference, own, par), par, v);
    write_five(v, p, entropy);
}

// Computes the mean over the points of rho, u, v, w or T, of which the points hold the values.
INLINE void find_mean(int m, const vreal *points, vreal *entropy) {
    vreal sum = {};
    for (int p = 0; p < NP; ++p) sum = sum + (m < 4 ? points[8 * p + m] : points[8 * NP + 2 * p + 1]);
    entropy[ENTROPY_MEAN + m] = (m == 0 ? R(4.0 / NP) : R(1.0 / NP)) * sum;
}

// Writes the term of E of face point f, at which the common flux differs from that of the cell by a jump.
INLINE void write_entropy_of_jump(const Params &par, int f, const vreal *jumps, vreal *entropy) {
    vreal v[5], sum = {};
    read_five(entropy, constant_in_launch(par.face_points + f), v);
    UNROLL
    for (int m = 0; m < 5; ++m) sum = vfma(v[m], jumps[5 * f + m], sum);
    entropy[ENTROPY_JUMPS + f] = constant_in_launch(par.operators + OFFSET_FACE_WEIGHTS + f) * sum;
}

// Computes the flux of the entropy of the cell through the parts of the boundary that belong to the points of a column,
// before the corrections at the faces. The flux through such a part is the weight of the point times the divergence
// less the excess.
INLINE void find_entropy_through(const Params &par, const Column &c, const vreal *entropy, Divergence *of) {
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        const real weight = constant_in_launch(par.operators + OFFSET_WEIGHTS + c.point[w]);
        vreal v[5], sum = -of[w].entropy_through;
        read_five(entropy, c.point[w], v);
        UNROLL
        for (int m = 0; m < 5; ++m) sum = vfma(v[m], vfma(weight, of[w].r[m], -of[w].excess[m]), sum);
        of[w].entropy_through = sum;
    }
}

// M v and G v at a point.
struct EntropyProducts {
    vreal mass[5], damped[5];
};

// Computes M v and G v at the points of a column.
INLINE void entropy_products(const Params &par, const Column &c, const vreal *entropy, EntropyProducts *of) {
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w)
        UNROLL
    for (int m = 0; m < 5; ++m) of[w].mass[m] = of[w].damped[m] = vreal{};
    for (int k = 0; k < DENSE; ++k) {
        vreal v[5];
        read_five(entropy, c.first + k, v);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
#ifdef ONE_LANE
            const int entry = k * DENSE + c.row[w];
#else
            const int entry = c.row[w] * DENSE + k;
#endif
            real pair[2];
            load_pair(par.operators + OFFSET_ENTROPY + 2 * entry, pair);
            UNROLL
            for (int m = 0; m < 5; ++m) {
                of[w].mass[m] = vfma(pair[0], v[m], of[w].mass[m]);
                of[w].damped[m] = vfma(pair[1], v[m], of[w].damped[m]);
            }
        }
    }
#if ELEMENT == PRISM
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        UNROLL
        for (int m = 0; m < 5; ++m) of[w].mass[m] = par.weights[c.layer] * of[w].mass[m];
        for (int k = 0; k < N; ++k) {
            const real damping = constant_in_launch(par.operators + OFFSET_LINE_DAMPING + c.layer * N + k);
            vreal v[5];
            read_five(entropy, c.row[w] + NT * k, v);
            UNROLL
            for (int m = 0; m < 5; ++m) of[w].damped[m] = vfma(damping, v[m], of[w].damped[m]);
        }
    }
#endif
}

// Writes d and the terms of E and of v.M d at the points of a column, whose divergence has the corrections at the faces
// but not the viscous part of sweep 1.
INLINE void write_entropy_terms(const Params &par, long long block, const Column &c, const Divergence *of,
                                vreal *entropy) {
    EntropyProducts products[POINTS_PER_THREAD];
    entropy_products(par, c, entropy, products);
    const vreal *mean = entropy + ENTROPY_MEAN;
    const Primitive<vreal> state = {mean[0], {mean[1], mean[2], mean[3]}, mean[4]};
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        const vreal *mass = products[w].mass;
        vreal d[5], excess = of[w].entropy_through, dissipation = {};
        of_entropy_variables(state, products[w].damped, par, d);
        UNROLL
        for (int m = 0; m < 5; ++m) {
            excess = vfma(-mass[m], of[w].r[m], excess);
            dissipation = vfma(mass[m], d[m], dissipation);
        }
        if (par.viscosity != VISCOSITY_NONE) {
            const vreal *viscous = block_of((const real *)par.viscous, block, 4 * NP) + c.point[w];
            UNROLL
            for (int m = 0; m < 4; ++m) excess = vfma(mass[1 + m], viscous[m * NP], excess);
        }
        if (!c.there[w]) continue;
        write_five(d, c.point[w], entropy + ENTROPY_DIRECTION);
        entropy[ENTROPY_TERMS + c.point[w]] = excess;
        entropy[ENTROPY_TERMS + NP + c.point[w]] = dissipation;
    }
}

// Computes one of the sums.
INLINE void sum_entropy(const Params &par, int which, vreal *entropy) {
    vreal sum = {};
    if (which < SUM_OF_EXCESS) {
        const vreal *v = which < 4 ? entropy + which : entropy + 4 * NP;
        for (int p = 0; p < NP; ++p)
            sum = vfma(constant_in_launch(par.operators + OFFSET_WEIGHTS + p), v[which < 4 ? 4 * p : p], sum);
    } else if (which < SUM_OF_JUMPS) {
        for (int p = 0; p < NP; ++p) sum = sum + entropy[ENTROPY_TERMS + (which - SUM_OF_EXCESS) * NP + p];
    } else {
        const int half = FACE_POINTS / 2, first = which == SUM_OF_JUMPS ? 0 : half;
        const int end = which == SUM_OF_JUMPS ? half : FACE_POINTS;
        for (int f = first; f < end; ++f) sum = sum + entropy[ENTROPY_JUMPS + f];
    }
    entropy[ENTROPY_SUMS + which] = sum;
}

// The factor of the correction of a cell, from the sums and the constant that makes its balance exact.
INLINE vreal cell_correction(const Params &par, long long block, const vreal *entropy, const vreal *imbalance) {
    const vreal *sums = entropy + ENTROPY_SUMS;
    vreal excess = (sums[SUM_OF_EXCESS] + sums[SUM_OF_JUMPS]) + sums[SUM_OF_MORE_JUMPS];
    UNROLL
    for (int m = 0; m < 5; ++m) excess = vfma(sums[INTEGRAL_OF_V + m], imbalance[m], excess);
    return correction_factor(par, block, excess, sums[SUM_OF_DISSIPATION]);
}
#endif
