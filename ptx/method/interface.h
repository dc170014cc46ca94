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
#include "physics/riemann.h"

// The parts of par.interface_rule.
INLINE const double *line_points(const Params &par) { return par.interface_rule; }
INLINE const double *line_inverses(const Params &par) { return par.interface_rule + N; }
INLINE const double *gauss_points(const Params &par) { return par.interface_rule + 2 * N; }
INLINE const double *gauss_weights(const Params &par) { return par.interface_rule + 3 * N; }
INLINE const double *inverse_mass(const Params &par) { return par.interface_rule + 4 * N; }

// A Gauss point of a part: values of the Lagrange polynomials of both lines, and the share of a value there in the
// projection at one point of the line of this side.
struct GaussPoint {
    real own[N], other[N], share;
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

// The Gauss point q of the part from `from` to `to` of a face of the length `own`, measured from its beginning. The
// face of the other side begins at `begin` and has the length `other`. The projection is wanted at point i.
INLINE GaussPoint gauss_point(const Params &par, int q, int i, double from, double to, double own, double begin,
                              double other) {
    const double half = 0.5 * (to - from), at = 0.5 * (from + to) + half * gauss_points(par)[q];
    double here[N], there[N], sum = 0;
    lagrange(par, 2 * (at / own) - 1, here);
    lagrange(par, 2 * ((at - begin) / other) - 1, there);
    GaussPoint point;
    for (int k = 0; k < N; ++k) {
        sum += inverse_mass(par)[i * N + k] * here[k];
        point.own[k] = (real)here[k];
        point.other[k] = (real)there[k];
    }
    point.share = (real)(gauss_weights(par)[q] * ((to - from) / own) * sum);
    return point;
}

// Displacement, and the cosine and the sine of it where sides turn.
INLINE const double *interface_shift(const Params &par, const InterfaceFace &own) {
    return par.interface_shift + INTERFACE_SHIFTS * own.interface;
}

// Calls body(other, copy, point) for the Gauss points of all parts of a face, where `other` is the face of the other
// side, and the projection is wanted at point i. The row of the other side repeats after its period: `copy` counts the
// periods by which the face that is met lies ahead of the one that the mesh has.
template <class F> INLINE void over_gauss_points(const Params &par, const InterfaceFace &own, int i, F body) {
    const InterfaceFace *row = par.interface_faces + own.row;
    const double ahead = own.first + own.offset - own.sign * interface_shift(par, own)[0];
    const double periods = vfloor(ahead / own.period), place = ahead - own.period * periods;
    int k = 0, copy = (int)periods;
    for (int above = own.count; above - k > 1;) {
        const int middle = (k + above) / 2;
        if (row[middle].first <= place) k = middle;
        else above = middle;
    }
    double begin = row[k].first - place;
    for (int part = 0; part <= own.count; ++part) {
        const double end = begin + row[k].length;
        const double from = begin > 0 ? begin : 0, to = end < own.length ? end : own.length;
        for (int q = 0; q < N && to > from; ++q)
            body(row[k], copy, gauss_point(par, q, i, from, to, own.length, begin, row[k].length));
        if (end >= own.length) break;
        begin = end;
        if (++k == own.count) k = 0, ++copy;
    }
}

// The state at a place on line j of a face, from its Lagrange polynomials there. It is interpolated as it is stored, so
// that a place needs one conversion to primitives.
INLINE Primitive<real> line_state(const Params &par, const InterfaceFace &face, const real *lagrange, int j) {
    real u[5] = {};
    for (int k = 0; k < N; ++k) {
        const real *first = par.u + face.state.base + par.tables[face.state.table + k + N * j];
        for (int v = 0; v < 5; ++v) u[v] = vfma(lagrange[k], first[(long long)v * face.state.stride], u[v]);
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

INLINE Sight sight(const Params &par, const InterfaceFace &own, const InterfaceFace &other, int copy,
                   const GaussPoint &gauss, int j) {
    Sight seen = {};
    if (!par.interface_turns) {
        seen.velocity[own.along] = (real)own.speed;
        return seen;
    }
    const double *shift = interface_shift(par, own), *copies = par.interface_circles + own.copies;
    const double cosine = copies[2 * (copy + 1)], sine = copies[2 * (copy + 1) + 1], turned = own.sign * shift[2];
    seen.turn[0] = (real)(cosine * shift[1] - sine * turned);
    seen.turn[1] = (real)(sine * shift[1] + cosine * turned);
    seen.a = own.along == 2 ? 0 : own.along + 1;
    seen.b = own.along == 0 ? 2 : own.along - 1;
    const bool is_first = own.sign > 0;
    const double *circle = par.interface_circles + (is_first ? own.circle : other.circle);
    real tangent[2] = {};
    for (int k = 0; k < N; ++k) {
        const real value = is_first ? gauss.own[k] : gauss.other[k];
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

INLINE const InterfaceFace &interface_face(const Params &par, const BoundaryPoint &at) {
    return par.interface_faces[par.interface_face[at.b]];
}

// Where the common convective flux of face point l lies.
INLINE real *interface_flux(const Params &par, const BoundaryPoint &at, int l) {
    return par.interface_flux + (par.boundary_ghost[at.b] - par.ghost_base) + l;
}

// Writes the ghost state and the common convective flux at a point of an interface. `at.l` counts the points as the
// interface does.
INLINE void interface_state(const Params &par, const BoundaryPoint &at) {
    const InterfaceFace &face = interface_face(par, at);
    const int l = par.tables[face.points + at.l], j = at.l / N;
    const BoundaryPoint point = {at.b, l, at.kind};
    real n[3], a[3], flux[5] = {};
    boundary_normal(par, point, n);
    boundary_area(par, point, a);
    Primitive<real> ghost = {};
    over_gauss_points(par, face, at.l % N, [&](const InterfaceFace &other, int copy, const GaussPoint &gauss) {
        const Primitive<real> here = line_state(par, face, gauss.own, j);
        Primitive<real> there = line_state(par, other, gauss.other, j);
        const Sight seen = sight(par, face, other, copy, gauss, j);
        see_vector(par, seen, there.v);
        for (int m = 0; m < 3; ++m) there.v[m] = there.v[m] + seen.velocity[m];
        real f[5];
        common_convective_flux(here, there, n, par, f);
        for (int v = 0; v < 5; ++v) flux[v] = vfma(gauss.share, f[v], flux[v]);
        ghost.rho = vfma(gauss.share, there.rho, ghost.rho);
        ghost.t = vfma(gauss.share, there.t, ghost.t);
        for (int m = 0; m < 3; ++m) ghost.v[m] = vfma(gauss.share, there.v[m], ghost.v[m]);
    });
    const long long row = par.cell_points;
    const real area = vsqrt(dot3(a, a));
    real *common = interface_flux(par, at, l), *state = const_cast<real *>(par.u) + par.boundary_ghost[at.b] + l;
    for (int v = 0; v < 5; ++v) common[v * row] = area * flux[v];
    state[0] = ghost.rho;
    for (int m = 0; m < 3; ++m) {
        state[(1 + m) * row] = ghost.rho * ghost.v[m];
        state[(5 + m) * row] = ghost.v[m];
    }
    state[4 * row] = ghost.rho * (par.cv * ghost.t + half_square(ghost.v));
    state[8 * row] = ghost.t;
}

// Writes the ghost trace at a point of an interface: the viscous traces of the other side, for the area of this face
// and as this side sees their work. `at.l` counts the points as the interface does.
INLINE void interface_trace(const Params &par, const BoundaryPoint &at) {
    const InterfaceFace &face = interface_face(par, at);
    const int l = par.tables[face.points + at.l], j = at.l / N;
    real sum[4] = {};
    over_gauss_points(par, face, at.l % N, [&](const InterfaceFace &other, int copy, const GaussPoint &gauss) {
        real f[4] = {};
        for (int k = 0; k < N; ++k) {
            const real *first = par.traces + other.trace.base + par.tables[other.trace.table + k + N * j];
            for (int v = 0; v < 4; ++v)
                f[v] = vfma(gauss.other[k], first[(long long)v * other.trace.stride], f[v]);
        }
        const Sight seen = sight(par, face, other, copy, gauss, j);
        see_vector(par, seen, f);
        for (int m = 0; m < 3; ++m) f[3] = vfma(seen.velocity[m], f[m], f[3]);
        const real share = gauss.share * (real)(face.length / other.length);
        for (int v = 0; v < 4; ++v) sum[v] = vfma(share, f[v], sum[v]);
    });
    real *ghost = par.traces + par.boundary_ghost_trace[at.b] + l;
    for (int v = 0; v < 4; ++v) ghost[v * par.face_size] = sum[v];
}
