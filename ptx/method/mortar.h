// Hanging nodes: a face that meets two or four smaller ones, each of which is a part of it (crates/mesh/src/mesh/
// mortar.rs). On each part both traces are polynomials, evaluated at the same Gauss points. There they have one common
// convective flux F, through the area vector A of the smaller face. Each side projects these fluxes, and the values and
// the viscous traces of the other side, onto its own polynomials, as at interfaces (method/interface.h). With the
// projections P of the smaller face and Q of the larger one, whose sums run over all parts:
//
//     smaller face:   P[F]
//     larger face:    -Q[F] + f . (a + Q[A])
//
// a is the larger face's own outward area vector and f the flux of one state, its mean over the face. Curved faces have
// a and -Q[A] apart by the error of their geometry. The second term makes up for it where the flow is uniform. Its
// integral over the face is 0, since a and the A have the same integral where the degree of the geometry is not above
// that of the solution: integrals of area vectors depend on the edges alone, where the rule is exact. What leaves one
// side therefore enters the other, and a uniform flow stays uniform. Straight faces have a = -Q[A] but for rounding.
#pragma once
#include "method/boundary_point.h"
#include "method/interface_flux.h"
#include "physics/riemann.h"

// Places of values at a Gauss point: the flux and the area vector, both outward of the smaller face, and the states of
// both faces as density, velocity and temperature. Traces of both faces take the place of the first ones later.
enum MortarValue {
    MORTAR_FLUX = 0,
    MORTAR_AREA = 5,
    MORTAR_SMALLER = 8,
    MORTAR_LARGER = 13,
    MORTAR_SMALLER_TRACE = 0,
    MORTAR_LARGER_TRACE = 4
};
static_assert(MORTAR_LARGER + 5 == MORTAR_VALUES, "the values of an item");

// The parts of par.mortar_rule for Gauss point g of a share of a line: the values of the Lagrange polynomials of the
// whole line there; the shares of the point in the projection at the points of the whole line; its weight.
INLINE const double *mortar_line(const Params &par, int share, int g) {
    return par.mortar_rule + (share * N + g) * N;
}
INLINE const double *mortar_projection(const Params &par, int share, int g) {
    return mortar_line(par, share, g) + 3 * N * N;
}
INLINE double mortar_weight(const Params &par, int g) { return par.mortar_rule[6 * N * N + g]; }

// Value v of an item, a Gauss point of a part.
INLINE real &mortar_value(const Params &par, long long item, int v) {
    return par.mortar_values[v * par.mortar_items + item];
}

// `count` values of a face at Gauss point (s, t) of these shares of it.
template <int count>
INLINE void at_mortar_point(const Params &par, const real *array, const GatherIndex &place, int along, int across,
                            int s, int t, real *values) {
    const double *x = mortar_line(par, along, s), *y = mortar_line(par, across, t);
    for (int v = 0; v < count; ++v) values[v] = R(0);
    ROLLED
    for (int j = 0; j < N; ++j) {
        ROLLED
        for (int k = 0; k < N; ++k) {
            const real share = (real)(x[k] * y[j]);
            const real *first = array + place.base + par.tables[place.table + k + N * j];
            for (int v = 0; v < count; ++v)
                values[v] = vfma(share, first[(long long)v * place.stride], values[v]);
        }
    }
}

INLINE Primitive<real> mortar_state(const Params &par, const GatherIndex &place, int along, int across, int s, int t) {
    real u[5];
    at_mortar_point<5>(par, par.u, place, along, across, s, t, u);
    Primitive<real> q;
    primitive(u, par, q);
    return q;
}

// Writes a state from value v of an item on.
INLINE void set_mortar_state(const Params &par, long long item, int v, const Primitive<real> &q) {
    mortar_value(par, item, v) = q.rho;
    for (int m = 0; m < 3; ++m) mortar_value(par, item, v + 1 + m) = q.v[m];
    mortar_value(par, item, v + 4) = q.t;
}

// Writes the common convective flux, the area vector and the states of both sides at a Gauss point.
INLINE void mortar_flux(const Params &par, long long item) {
    const MortarPart &part = par.mortar_parts[item / (N * N)];
    const int s = (int)(item % N), t = (int)(item / N % N);
    const Primitive<real> smaller = mortar_state(par, part.smaller, 0, 0, s, t);
    const Primitive<real> larger = mortar_state(par, part.larger, part.along, part.across, s, t);
    const GatherIndex places = {part.area, N * N, part.points};
    real area[3], flux[5];
    at_mortar_point<3>(par, par.boundary_area, places, 0, 0, s, t, area);
    common_convective_flux(smaller, larger, area, par, flux);
    for (int v = 0; v < 5; ++v) mortar_value(par, item, MORTAR_FLUX + v) = flux[v];
    for (int m = 0; m < 3; ++m) mortar_value(par, item, MORTAR_AREA + m) = area[m];
    set_mortar_state(par, item, MORTAR_SMALLER, smaller);
    set_mortar_state(par, item, MORTAR_LARGER, larger);
}

// Writes the viscous traces of both sides at a Gauss point, each for the area of its own face.
INLINE void mortar_trace(const Params &par, long long item) {
    const MortarPart &part = par.mortar_parts[item / (N * N)];
    const int s = (int)(item % N), t = (int)(item / N % N);
    real smaller[4], larger[4];
    at_mortar_point<4>(par, par.traces, part.smaller_trace, 0, 0, s, t, smaller);
    at_mortar_point<4>(par, par.traces, part.larger_trace, part.along, part.across, s, t, larger);
    for (int v = 0; v < 4; ++v) {
        mortar_value(par, item, MORTAR_SMALLER_TRACE + v) = smaller[v];
        mortar_value(par, item, MORTAR_LARGER_TRACE + v) = larger[v];
    }
}

// Calls function(item, part, share, weight) for the Gauss points of the parts of a face: the share of the point in the
// projection at point l of the face, of values for the area of a part, and its weight in the mean over the face. `l`
// counts the points as the larger face does.
template <class Function>
INLINE void for_each_mortar_point(const Params &par, const MortarFace &face, int l, const Function &function) {
    ROLLED
    for (int k = 0; k < face.count; ++k) {
        const MortarPart &part = par.mortar_parts[face.first + k];
        const int along = face.larger ? part.along : 0, across = face.larger ? part.across : 0;
        ROLLED
        for (int t = 0; t < N; ++t) {
            ROLLED
            for (int s = 0; s < N; ++s) {
                const long long item = ((long long)(face.first + k) * N + t) * N + s;
                const double x = mortar_projection(par, along, s)[l % N], y = mortar_projection(par, across, t)[l / N];
                const double weight = part.length * (mortar_weight(par, s) * mortar_weight(par, t));
                function(item, part, (real)(x * y), (real)weight);
            }
        }
    }
}

// Writes the ghost state and the common convective flux at a point of a face at a mortar. `at.l` counts the points as
// the larger face does.
INLINE void mortar_ghost_state(const Params &par, const BoundaryPoint &at, const MortarFace &face) {
    const int l = par.tables[face.points + at.l];
    real flux[5] = {}, state[5] = {};
    if (!face.larger) {
        for_each_mortar_point(par, face, at.l, [&](long long item, const MortarPart &, real share, real) {
            for (int v = 0; v < 5; ++v) {
                flux[v] = vfma(share, mortar_value(par, item, MORTAR_FLUX + v), flux[v]);
                state[v] = vfma(share, mortar_value(par, item, MORTAR_LARGER + v), state[v]);
            }
        });
    } else {
        // The area vector that the fluxes are for, and the mean state.
        real area[3], mean[5] = {}, rest[5];
        boundary_area(par, {at.b, l, at.kind}, area);
        for_each_mortar_point(par, face, at.l, [&](long long item, const MortarPart &part, real share, real weight) {
            const real of_face = share * (real)part.length;
            for (int v = 0; v < 5; ++v) {
                flux[v] = vfma(-share, mortar_value(par, item, MORTAR_FLUX + v), flux[v]);
                state[v] = vfma(of_face, mortar_value(par, item, MORTAR_SMALLER + v), state[v]);
                mean[v] = vfma(weight, mortar_value(par, item, MORTAR_LARGER + v), mean[v]);
            }
            for (int m = 0; m < 3; ++m) area[m] = vfma(share, mortar_value(par, item, MORTAR_AREA + m), area[m]);
        });
        const Primitive<real> q = {mean[0], {mean[1], mean[2], mean[3]}, mean[4]};
        convective_flux(q, area, par, rest);
        for (int v = 0; v < 5; ++v) flux[v] = flux[v] + rest[v];
    }
    set_interface_ghost(par, at, l, flux, state[0], state + 1, state[4]);
}

// Writes the ghost trace at a point of a face at a mortar. `at.l` counts the points as the larger face does.
INLINE void mortar_ghost_trace(const Params &par, const BoundaryPoint &at, const MortarFace &face) {
    const int l = par.tables[face.points + at.l], from = face.larger ? MORTAR_SMALLER_TRACE : MORTAR_LARGER_TRACE;
    real sum[4] = {};
    for_each_mortar_point(par, face, at.l, [&](long long item, const MortarPart &part, real share, real) {
        // A trace of the smaller face is for the area of the part, and one of the larger face for that of the face.
        const real of_face = face.larger ? share : share * (real)part.length;
        for (int v = 0; v < 4; ++v) sum[v] = vfma(of_face, mortar_value(par, item, from + v), sum[v]);
    });
    real *ghost = par.traces + par.boundary_ghost_trace[at.b] + l;
    for (int v = 0; v < 4; ++v) ghost[v * par.face_size] = sum[v];
}
