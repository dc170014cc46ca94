// Interfaces between blocks of cells whose faces do not match along one direction, and which may slide past each other
// in it. Two lines of points meet on the parts that a face of one side and a face of the other have in common. On each
// part both traces are polynomials, evaluated at the same Gauss points. There they have one common convective flux.
// Each side projects these fluxes, and the values and the viscous traces of the other side, onto its own polynomials
// (Kopriva, Woodruff & Hussaini, Int. J. Numer. Methods Eng. 53 (2002) 105). Integrals over both sides are therefore
// the same numbers with opposite signs, and a constant stays one.
//
// Where par.interface_turns is not 0, the sides are divided along circles about an axis and turn about it. Places along
// the interface are then angles, which are taken as linear between the ends of a face, as cells have them to the order
// of their geometry. Vectors of the other side are turned by the angle between both meshes, which is that of the
// displacement and of the copy of the row that is met. What the mesh of one side moves by, seen from the other, is
// omega x r of the polynomial through the points of the first side, so that both sides have the same numbers.
#pragma once
#include "method/boundary_point.h"
#include "method/interface_flux.h"
#include "physics/riemann.h"

// The parts of par.interface_rule.
INLINE const double *line_points(const Params &par) { return par.interface_rule; }
INLINE const double *line_inverses(const Params &par) { return par.interface_rule + N; }
INLINE const double *gauss_points(const Params &par) { return par.interface_rule + 2 * N; }
INLINE const double *gauss_weights(const Params &par) { return par.interface_rule + 3 * N; }
INLINE const double *inverse_mass(const Params &par) { return par.interface_rule + 4 * N; }

// A Gauss point of a part of a face: the face of the other side, how many periods of its row this lies ahead of the one
// that the mesh has, the values of the Lagrange polynomials of both lines, and its weight as a share of this face.
struct GaussPoint {
    const InterfaceFace *other;
    int copy;
    double own[N], there[N], weight;
};

// The values at x of the Lagrange polynomials of a line.
INLINE void lagrange(const Params &par, double x, double *values) {
    for (int k = 0; k < N; ++k) {
        double product = line_inverses(par)[k];
        for (int m = 0; m < N; ++m)
            if (m != k) product *= x - line_points(par)[m];
        values[k] = product;
    }
}

// Displacement, and the cosine and the sine of it where sides turn.
INLINE const double *interface_shift(const Params &par, const InterfaceFace &own) {
    return par.interface_shift + INTERFACE_SHIFTS * own.interface;
}

// Gauss point g of a face, counted through its parts. Returns false if the face has no such part now.
INLINE bool gauss_point(const Params &par, const InterfaceFace &own, int g, GaussPoint &point) {
    const InterfaceFace *row = par.interface_faces + own.row;
    const double ahead = own.first + own.offset - own.sign * interface_shift(par, own)[0];
    const double periods = vfloor(ahead / own.period), place = ahead - own.period * periods;
    // Most rows are nearly even.
    int k = (int)(place / own.period * own.count), copy = (int)periods;
    if (k > own.count - 1) k = own.count - 1;
    while (k > 0 && row[k].first > place) --k;
    while (k + 1 < own.count && row[k + 1].first <= place) ++k;
    double begin = row[k].first - place;
    for (int part = g / N; part > 0; --part) {
        begin = begin + row[k].length;
        if (++k == own.count) k = 0, ++copy;
    }
    const double end = begin + row[k].length;
    const double from = begin > 0 ? begin : 0, to = end < own.length ? end : own.length;
    if (to <= from) return false;
    const double at = 0.5 * (from + to) + 0.5 * (to - from) * gauss_points(par)[g % N];
    point.other = row + k;
    point.copy = copy;
    lagrange(par, 2 * (at / own.length) - 1, point.own);
    lagrange(par, 2 * ((at - begin) / row[k].length) - 1, point.there);
    point.weight = gauss_weights(par)[g % N] * ((to - from) / own.length);
    return true;
}

// The share of a value at a Gauss point in the projection at point i of the line.
INLINE real share_at(const Params &par, const GaussPoint &point, int i) {
    double sum = 0;
    for (int k = 0; k < N; ++k) sum += inverse_mass(par)[i * N + k] * point.own[k];
    return (real)(point.weight * sum);
}

// The state at a place on line j of a face, from its Lagrange polynomials there. It is interpolated as it is stored, so
// that a place needs one conversion to primitives.
INLINE Primitive<real> line_state(const Params &par, const InterfaceFace &face, const double *lagrange, int j) {
    real u[5] = {};
    for (int k = 0; k < N; ++k) {
        const real *first = par.u + face.state.base + par.tables[face.state.table + k + N * j];
        for (int v = 0; v < 5; ++v) u[v] = vfma((real)lagrange[k], first[(long long)v * face.state.stride], u[v]);
    }
    Primitive<real> q;
    primitive(u, par, q);
    return q;
}

// How this side sees the other one at a Gauss point of line j: the cosine and the sine by which vectors are turned, the
// two directions in which they are, and the velocity of the other side's cells.
struct Sight {
    real turn[2], velocity[3];
    int a, b;
};

// Turns a vector by an angle with this cosine and sine.
INLINE void turn_vector(const real *turn, real &a, real &b) {
    const real old = a;
    a = turn[0] * old - turn[1] * b;
    b = turn[1] * old + turn[0] * b;
}

INLINE Sight sight(const Params &par, const InterfaceFace &own, const GaussPoint &gauss, int j) {
    Sight seen = {};
    if (!par.interface_turns) {
        seen.velocity[own.along] = (real)own.speed;
        return seen;
    }
    const double *shift = interface_shift(par, own), *copies = par.interface_circles + own.copies;
    const double *copy = copies + 2 * (gauss.copy + 1);
    const double cosine = copy[0], sine = copy[1], turned = own.sign * shift[2];
    seen.turn[0] = (real)(cosine * shift[1] - sine * turned);
    seen.turn[1] = (real)(sine * shift[1] + cosine * turned);
    seen.a = own.along == 2 ? 0 : own.along + 1;
    seen.b = own.along == 0 ? 2 : own.along - 1;
    const bool is_first = own.sign > 0;
    const double *circle = par.interface_circles + (is_first ? own.circle : gauss.other->circle);
    real tangent[2] = {};
    for (int k = 0; k < N; ++k) {
        const real value = (real)(is_first ? gauss.own[k] : gauss.there[k]);
        for (int m = 0; m < 2; ++m) tangent[m] = vfma(value, (real)circle[2 * k + m], tangent[m]);
    }
    if (!is_first) turn_vector(seen.turn, tangent[0], tangent[1]);
    const real speed = (real)(own.speed * circle[2 * N + j]);
    seen.velocity[seen.a] = speed * tangent[0];
    seen.velocity[seen.b] = speed * tangent[1];
    return seen;
}

// Turns a vector of the other side into one of this side, if the sides turn.
INLINE void see_vector(const Params &par, const Sight &seen, real *v) {
    if (par.interface_turns) turn_vector(seen.turn, v[seen.a], v[seen.b]);
}

// A place for values at a Gauss point: item i of a launch, which is a line of a Gauss point of a face.
struct GaussItem {
    int face, g, j;
};

// Gauss points for which there is room in a face.
INLINE int gauss_room(const Params &par) { return (int)par.interface_parts * N; }

INLINE GaussItem gauss_item(const Params &par, long long i) {
    const long long point = i / N;
    return {(int)(point / gauss_room(par)), (int)(point % gauss_room(par)), (int)(i % N)};
}

// Value v of an item.
INLINE real &gauss_value(const Params &par, const GaussItem &at, int v) {
    const long long point = (long long)at.face * gauss_room(par) + at.g;
    return par.interface_values[v * par.interface_items + point * N + at.j];
}

// The shares of a Gauss point in the projections at the points of a line.
INLINE real *gauss_shares(const Params &par, int face, int g) {
    return par.interface_shares + ((long long)face * gauss_room(par) + g) * N;
}

// Writes the common convective flux and the state of the other side, as density, velocity and temperature, at a Gauss
// point, and the share of the point in the projection at one point of its lines.
INLINE void interface_state(const Params &par, const GaussItem &at) {
    const InterfaceFace &face = par.interface_faces[at.face];
    GaussPoint gauss;
    const bool is_there = gauss_point(par, face, at.g, gauss);
    gauss_shares(par, at.face, at.g)[at.j] = is_there ? share_at(par, gauss, at.j) : R(0);
    if (!is_there) return;
    const Primitive<real> here = line_state(par, face, gauss.own, at.j);
    Primitive<real> there = line_state(par, *gauss.other, gauss.there, at.j);
    const Sight seen = sight(par, face, gauss, at.j);
    see_vector(par, seen, there.v);
    for (int m = 0; m < 3; ++m) there.v[m] = there.v[m] + seen.velocity[m];
    real n[3] = {}, flux[5];
    n[face.plane] = (real)face.facing;
    common_convective_flux(here, there, n, par, flux);
    for (int v = 0; v < 5; ++v) gauss_value(par, at, v) = flux[v];
    gauss_value(par, at, 5) = there.rho;
    for (int m = 0; m < 3; ++m) gauss_value(par, at, 6 + m) = there.v[m];
    gauss_value(par, at, 9) = there.t;
}

// Writes the viscous traces of the other side at a Gauss point, for the area of this face and as this side sees their
// work.
INLINE void interface_trace(const Params &par, const GaussItem &at) {
    const InterfaceFace &face = par.interface_faces[at.face];
    GaussPoint gauss;
    if (!gauss_point(par, face, at.g, gauss)) return;
    const InterfaceFace &other = *gauss.other;
    real f[4] = {};
    for (int k = 0; k < N; ++k) {
        const real *first = par.traces + other.trace.base + par.tables[other.trace.table + k + N * at.j];
        for (int v = 0; v < 4; ++v)
            f[v] = vfma((real)gauss.there[k], first[(long long)v * other.trace.stride], f[v]);
    }
    const Sight seen = sight(par, face, gauss, at.j);
    see_vector(par, seen, f);
    for (int m = 0; m < 3; ++m) f[3] = vfma(seen.velocity[m], f[m], f[3]);
    const real stretch = (real)(face.length / other.length);
    for (int v = 0; v < 4; ++v) gauss_value(par, at, v) = stretch * f[v];
}

// Projects `count` values of the Gauss points of a face onto the polynomials of this side, at a point of it. `l` counts
// the points as the interface does.
template <int count> INLINE void project(const Params &par, int face, int l, real *sum) {
    for (int v = 0; v < count; ++v) sum[v] = R(0);
    for (int g = 0; g < gauss_room(par); ++g) {
        const real share = gauss_shares(par, face, g)[l % N];
        const GaussItem at = {face, g, l / N};
        if (share == R(0)) continue; // A part that is not there has no values.
        for (int v = 0; v < count; ++v) sum[v] = vfma(share, gauss_value(par, at, v), sum[v]);
    }
}

// Writes the ghost state and the common convective flux at a point of an interface. `at.l` counts the points as the
// interface does.
INLINE void interface_ghost_state(const Params &par, const BoundaryPoint &at) {
    const int face = par.interface_face[at.b], l = par.tables[par.interface_faces[face].points + at.l];
    real a[3], sum[10];
    boundary_area(par, {at.b, l, at.kind}, a);
    project<10>(par, face, at.l, sum);
    const real area = vsqrt(dot3(a, a));
    for (int n = 0; n < 5; ++n) sum[n] = area * sum[n];
    set_interface_ghost(par, at, l, sum, sum[5], sum + 6, sum[9]);
}

// Writes the ghost trace at a point of an interface. `at.l` counts the points as the interface does.
INLINE void interface_ghost_trace(const Params &par, const BoundaryPoint &at) {
    const int face = par.interface_face[at.b], l = par.tables[par.interface_faces[face].points + at.l];
    real sum[4];
    project<4>(par, face, at.l, sum);
    real *ghost = par.traces + par.boundary_ghost_trace[at.b] + l;
    for (int v = 0; v < 4; ++v) ghost[v * par.face_size] = sum[v];
}
