// The entropy correction: in every cell the entropy may change only by what flows through the faces.
//
// With the entropy variables v at the points (physics/entropy.h), the divergence r of the flux in reference space, and a
// mass matrix M of the cell, let
//     E = -v.M r + sum_f w_f (v_f.f*_f - psi_f)
// where the sum goes over the face points with their weights w_f and outward areas, and f* is the common flux. Both
// sides of a face together have [v].f* - [psi], which is not positive for an entropy-stable flux. The total entropy does
// therefore not grow where E <= 0 in all cells; aliasing gives E either sign. Where E > 0,
//     r <- r + a d,   a = E / v.M d
// takes it to zero. d has no mean, so that the correction conserves. It is an error of the order of the scheme. R.
// Abgrall, J. Comput. Phys. 372 (2018) 640, has the idea; J. Chan, arXiv:2501.16529, that of the least dissipation with
// which a cell keeps its entropy inequality.
//
// Cells with dense operators take their mass matrix; in prisms it is that of the triangle, times the weights of the line
// across the layers. Their direction is d = A G v with A = dU/dv at the mean of the points. G multiplies each mode of the
// cell by (degree/p)^2, and so acts on the highest modes most; in prisms it is the sum of those of triangle and line.
//
// Hexahedra take the weights of their points, and d from the differences of U between neighbours on each line:
//     d_m = ((U_m - U_(m-1)) + (U_m - U_(m+1))) / w_m,   v.M d = sum of [v].[U] over all pairs
// No pair makes the sum negative, and the modes are damped nearly as by (degree/p)^2.
//
// Where there is friction, r and f* of hexahedra have the viscous fluxes too, since one derivative has both. The entropy
// that friction makes within a hexahedron may therefore balance what aliasing takes. Other cells have the divergence of
// the viscous flux apart, and E has none of it but the difference of two quadratures at the faces.
//
// v is taken relative to a state of the cell, and the mass flux of psi too. E stays the same, for the areas of the faces
// add up to zero and the cell conserves. Its round-off becomes that of differences.
#pragma once
#include "method/block.h"
#include "method/dense_divergence.h"
#include "method/line_states.h"
#include "method/metrics.h"
#include "physics/entropy.h"

// The factor a of the correction. Where v.M d vanishes, E is round-off.
INLINE vreal correction_factor(vreal excess, vreal dissipation) {
    const vreal zero = {};
    return select(excess > zero, select(dissipation > zero, excess * inverse(dissipation), zero), zero);
}

#if ELEMENT == HEX
// What a cell keeps in shared memory: the part of v_0 that does not depend on the velocity [POINTS], then E and v.M d of
// the lines, [2][direction][NL], and their sums over N lines each, [2][3 N].
#define ENTROPY_LINES POINTS
#define ENTROPY_ROWS (ENTROPY_LINES + 6 * NL)
#define ENTROPY_VALUES (ENTROPY_ROWS + 6 * N)

// v(at) - v(reference), with the place of a point in shared memory.
INLINE void entropy_at(const Params &par, const vreal *q, const vreal *entropy, int at, const Primitive<vreal> &reference,
                       vreal *v) {
    entropy_difference(reference, primitives_at(q, at), entropy[at], par, v);
}

// v.f* - psi along +xi_d at a point, for which the common flux f* is that of the cell, with its viscous flux `viscous` (4
// variables), and the jump to it.
INLINE vreal entropy_through(const Params &par, const vreal *q, const vreal *entropy, int at, const vreal *a,
                             const vreal *viscous, const vreal *jump) {
    const Primitive<vreal> reference = primitives_at(q, place(0)), own = primitives_at(q, at);
    vreal v[5], f[5], flow[3];
    entropy_at(par, q, entropy, at, reference, v);
    convective_flux(own, a, par, f);
    vreal sum = v[0] * (f[0] + jump[0]);
    UNROLL
    for (int m = 0; m < 4; ++m) sum = vfma(v[1 + m], (f[1 + m] - viscous[m]) + jump[1 + m], sum);
    UNROLL
    for (int n = 0; n < 3; ++n) flow[n] = own.rho * own.v[n] - reference.rho * reference.v[n];
    return sum - dot3(flow, a);
}

// The factor of the correction of a cell.
INLINE vreal cell_correction(const vreal *entropy) {
    vreal excess = {}, dissipation = {};
    for (int row = 0; row < 3 * N; ++row) {
        excess = excess + entropy[ENTROPY_ROWS + row];
        dissipation = dissipation + entropy[ENTROPY_ROWS + 3 * N + row];
    }
    return correction_factor(excess, dissipation);
}

// Adds the correction to the divergence at point p.
INLINE void correct_entropy(const Params &par, const vreal *q, int p, vreal factor, vreal *divergence) {
    if (!any_lane(factor > vreal{})) return;
    const Primitive<vreal> own = primitives_at(q, place(p));
    UNROLL
    for (int d = 0; d < 3; ++d) {
        const int m = p / line_stride(d) % N, start = p - m * line_stride(d);
        vreal sum[5] = {}, change[5];
        if (m > 0) {
            conserved_difference(primitives_at(q, on_line(start, d, m - 1)), own, par, sum);
        }
        if (m < N - 1) {
            conserved_difference(primitives_at(q, on_line(start, d, m + 1)), own, par, change);
            UNROLL
            for (int v = 0; v < 5; ++v) sum[v] = sum[v] + change[v];
        }
        const vreal scale = factor * (R(1) / par.weights[m]);
        UNROLL
        for (int v = 0; v < 5; ++v) divergence[v] = vfma(scale, sum[v], divergence[v]);
    }
}
#else
// What a cell keeps in shared memory: v [point][5], and later d; the mean of the state of the points and that of v by
// the weights, and later the sums of E and v.M d; the terms of these sums, [2][point]; the terms of E at the face points.
#define ENTROPY_MEANS (5 * NP)
#define ENTROPY_TERMS (ENTROPY_MEANS + 10)
#define ENTROPY_JUMPS (ENTROPY_TERMS + 2 * NP)
#define ENTROPY_VALUES (ENTROPY_JUMPS + FACE_POINTS)

INLINE real entry_of(const real *matrix, int i, int k) {
#ifdef ONE_LANE
    return constant_in_launch(matrix + k * DENSE + i);
#else
    return matrix[i * DENSE + k];
#endif
}

// Writes v at point p, relative to the first point of the cell.
INLINE void write_entropy(const Params &par, long long block, int p, vreal *entropy) {
    const Primitive<vreal> reference = own_primitive(par, block, 0), own = own_primitive(par, block, p);
    entropy_difference(reference, own, entropy_of_rest(reference, own, par), par, entropy + 5 * p);
}

// Computes mean m: of rho, u, v, w, T of the points (their values are in `points`), and of v.
INLINE void find_mean(const Params &par, int m, const vreal *points, vreal *entropy) {
    vreal sum = {};
    for (int p = 0; p < NP; ++p) {
        const vreal weight = vreal{} + constant_in_launch(par.operators + OFFSET_WEIGHTS + p);
        if (m >= 5) sum = vfma(weight, entropy[5 * p + m - 5], sum);
        else sum = sum + (m < 4 ? points[8 * p + m] : points[8 * NP + 2 * p + 1]);
    }
    const real inverse_volume = constant_in_launch(par.operators + OFFSET_INVERSE_VOLUME);
    entropy[ENTROPY_MEANS + m] = (m >= 5 ? inverse_volume : m == 0 ? R(4.0 / NP) : R(1.0 / NP)) * sum;
}

// M v and G v at a point.
struct EntropyProducts {
    vreal mass[5], damped[5];
};

// Computes M v and G v at the points of a column.
INLINE void entropy_products(const Params &par, const Column &c, const vreal *v, EntropyProducts *of) {
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w)
        UNROLL
    for (int m = 0; m < 5; ++m) of[w].mass[m] = of[w].damped[m] = vreal{};
    for (int k = 0; k < DENSE; ++k) {
        vreal x[5];
        UNROLL
        for (int m = 0; m < 5; ++m) x[m] = v[5 * (c.first + k) + m];
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            const real mass = entry_of(par.operators + OFFSET_MASS, c.row[w], k);
            const real damping = entry_of(par.operators + OFFSET_DAMPING, c.row[w], k);
            UNROLL
            for (int m = 0; m < 5; ++m) {
                of[w].mass[m] = vfma(mass, x[m], of[w].mass[m]);
                of[w].damped[m] = vfma(damping, x[m], of[w].damped[m]);
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
            UNROLL
            for (int m = 0; m < 5; ++m)
                of[w].damped[m] = vfma(damping, v[5 * (c.row[w] + NT * k) + m], of[w].damped[m]);
        }
    }
#endif
}

// Writes the term of E of face point f, at which the common flux differs from that of the cell by a jump.
INLINE void entropy_of_jump(const Params &par, int f, const vreal *jumps, vreal *entropy) {
    const real weight = constant_in_launch(par.operators + OFFSET_FACE_WEIGHTS + f);
    const vreal *v = entropy + 5 * constant_in_launch(par.face_points + f), *mean_v = entropy + ENTROPY_MEANS + 5;
    vreal sum = {};
    UNROLL
    for (int m = 0; m < 5; ++m) sum = vfma(v[m] - mean_v[m], jumps[5 * f + m], sum);
    entropy[ENTROPY_JUMPS + f] = weight * sum;
}

// Computes the flux of the entropy of the cell through the parts of the boundary that belong to the points of a column,
// before the corrections at the faces. The flux through such a part is the weight of the point times the divergence less
// the excess.
INLINE void find_entropy_through(const Params &par, const Column &c, const vreal *entropy, Divergence *of) {
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        const real weight = constant_in_launch(par.operators + OFFSET_WEIGHTS + c.point[w]);
        const vreal *v = entropy + 5 * c.point[w], *mean_v = entropy + ENTROPY_MEANS + 5;
        vreal sum = -of[w].entropy_through;
        UNROLL
        for (int m = 0; m < 5; ++m)
            sum = vfma(v[m] - mean_v[m], vfma(weight, of[w].r[m], -of[w].excess[m]), sum);
        of[w].entropy_through = sum;
    }
}

// Computes d at the points of a column, and writes the terms of E and of v.M d there.
INLINE void entropy_terms(const Params &par, const Column &c, const Divergence *of, vreal *entropy, vreal (*d)[5]) {
    EntropyProducts products[POINTS_PER_THREAD];
    entropy_products(par, c, entropy, products);
    const vreal *mean = entropy + ENTROPY_MEANS, *mean_v = mean + 5;
    const Primitive<vreal> state = {mean[0], {mean[1], mean[2], mean[3]}, mean[4]};
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        of_entropy_variables(state, products[w].damped, par, d[w]);
        const real weight = constant_in_launch(par.operators + OFFSET_WEIGHTS + c.point[w]);
        vreal excess = of[w].entropy_through, dissipation = {};
        UNROLL
        for (int m = 0; m < 5; ++m) {
            const vreal mass = vfma(-weight, mean_v[m], products[w].mass[m]);
            excess = vfma(-mass, of[w].r[m], excess);
            dissipation = vfma(mass, d[w][m], dissipation);
        }
        if (!c.there[w]) continue;
        entropy[ENTROPY_TERMS + c.point[w]] = excess;
        entropy[ENTROPY_TERMS + NP + c.point[w]] = dissipation;
    }
}

// Writes d in place of v at the points of a column.
INLINE void write_direction(const Column &c, const vreal (*d)[5], vreal *entropy) {
    UNROLL
    for (int w = 0; w < POINTS_PER_THREAD; ++w) {
        if (!c.there[w]) continue;
        UNROLL
        for (int m = 0; m < 5; ++m) entropy[5 * c.point[w] + m] = d[w][m];
    }
}

// Adds up E (m = 0) or v.M d (m = 1).
INLINE void sum_terms(int m, vreal *entropy) {
    vreal sum = {};
    for (int p = 0; p < NP; ++p) sum = sum + entropy[ENTROPY_TERMS + m * NP + p];
    if (m == 0)
        for (int f = 0; f < FACE_POINTS; ++f) sum = sum + entropy[ENTROPY_JUMPS + f];
    entropy[ENTROPY_MEANS + m] = sum;
}

INLINE vreal cell_correction(const vreal *entropy) {
    return correction_factor(entropy[ENTROPY_MEANS], entropy[ENTROPY_MEANS + 1]);
}
#endif
