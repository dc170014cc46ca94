// Interfaces between blocks of cells whose faces do not match along one direction, and which may slide past each other
// in it. Two lines of points meet on the parts that a face of one side and a face of the other have in common. On each
// part both traces are polynomials, evaluated at the same Gauss points. There they have one common convective flux.
// Each side projects these fluxes, and the values and the viscous traces of the other side, onto its own polynomials
// (Kopriva, Woodruff & Hussaini, Int. J. Numer. Methods Eng. 53 (2002) 105). Integrals over both sides are therefore
// the same numbers with opposite signs, and a constant stays one.
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

// Calls body(other, point) for the Gauss points of all parts of a face, where `other` is the face of the other side and
// the projection is wanted at point i. The row of the other side repeats after its period.
template <class F> INLINE void over_gauss_points(const Params &par, const InterfaceFace &own, int i, F body) {
    const InterfaceFace *row = par.interface_faces + own.row;
    const double ahead = own.first + own.offset - own.sign * par.interface_shift[own.interface];
    const double place = ahead - own.period * vfloor(ahead / own.period);
    int k = 0;
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
            body(row[k], gauss_point(par, q, i, from, to, own.length, begin, row[k].length));
        if (end >= own.length) break;
        begin = end;
        k = k + 1 == own.count ? 0 : k + 1;
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
    over_gauss_points(par, face, at.l % N, [&](const InterfaceFace &other, const GaussPoint &gauss) {
        const Primitive<real> here = line_state(par, face, gauss.own, j);
        Primitive<real> there = line_state(par, other, gauss.other, j);
        there.v[face.along] = there.v[face.along] + (real)face.speed;
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
    over_gauss_points(par, face, at.l % N, [&](const InterfaceFace &other, const GaussPoint &gauss) {
        real f[4] = {};
        for (int k = 0; k < N; ++k) {
            const real *first = par.traces + other.trace.base + par.tables[other.trace.table + k + N * j];
            for (int v = 0; v < 4; ++v)
                f[v] = vfma(gauss.other[k], first[(long long)v * other.trace.stride], f[v]);
        }
        f[3] = vfma((real)face.speed, f[face.along], f[3]);
        const real share = gauss.share * (real)(face.length / other.length);
        for (int v = 0; v < 4; ++v) sum[v] = vfma(share, f[v], sum[v]);
    });
    real *ghost = par.traces + par.boundary_ghost_trace[at.b] + l;
    for (int v = 0; v < 4; ++v) ghost[v * par.face_size] = sum[v];
}
