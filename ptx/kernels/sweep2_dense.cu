// Sweep 2 of cells with dense operators: the divergence of the flux and the Runge-Kutta update. Points gather the split
// convective derivative and the derivative of pressure and viscous flux from the points that they meet; face points solve for
// the common flux; points gather the corrections; a constant makes the cell's balance exact.
//
// That constant: with a dense mass matrix the split form is not summation by parts, so that the integral of the split
// derivative over the cell differs from the flux through its faces by an aliasing error of the order of the scheme. The
// difference is taken out as a constant, which leaves order and free stream as they are and conserves to round-off.
#include "element/dense.h"
#include "method/update.h"
#include "physics/riemann.h"

#define POINT_ROWS 5                      // of four values a point: see below
#define FACE_VALUES 10              // common flux less own (5), common flux (5)
#define SHARED_ROWS (POINT_ROWS * 4 * NP) // both live in the same memory, one after the other
#define SHARED_FACES (FACE_VALUES * FACE_POINTS)
#define SHARED_VALUES (SHARED_ROWS > SHARED_FACES ? SHARED_ROWS : (SHARED_FACES + 3) / 4 * 4)

// rho/4, u, v, w; H and the contravariant velocities; pressure less viscous flux (4) along each direction.
INLINE void write_rows(const Params &par, long long block, int p, vreal *rows) {
    const Primitive<vreal> s = own_primitive(par, block, p);
    vreal a[3][3];
    metrics_of(par, block).rows(p, a);
    const vreal pr = pressure(s, par);
    const vreal first[4] = {R(0.25) * s.rho, s.v[0], s.v[1], s.v[2]};
    const vreal second[4] = {total_enthalpy(s, par), dot3(s.v, a[0]), dot3(s.v, a[1]), dot3(s.v, a[2])};
    vreal *row = rows + POINT_ROWS * 4 * p;
    write_row(first, row);
    write_row(second, row + 4);
    const vreal *kept = par.viscosity != INVISCID ? block_of((const real *)par.viscous, block, 12 * NP) + p : 0;
    UNROLL
    for (int d = 0; d < 3; ++d) {
        vreal g[4] = {pr * a[d][0], pr * a[d][1], pr * a[d][2], vreal{}};
        if (kept) {
            UNROLL
            for (int v = 0; v < 4; ++v) g[v] = g[v] - kept[(4 * d + v) * NP];
        }
        write_row(g, row + 8 + 4 * d);
    }
}

// What a point brings to every pair: a quarter of its density, velocity, total enthalpy, contravariant velocities.
struct End {
    vreal rho, v[3], h, u[3];
};

INLINE void read_end(const vreal *row, End &e) {
    vreal x[4];
    read_row(row, x);
    e.rho = x[0];
    UNROLL
    for (int n = 0; n < 3; ++n) e.v[n] = x[1 + n];
    read_row(row + 4, x);
    e.h = x[0];
    UNROLL
    for (int n = 0; n < 3; ++n) e.u[n] = x[1 + n];
}

// What a point brings to a derivative along directions FIRST to LAST - 1.
template <int FIRST, int LAST> struct Row {
    End end;
    vreal g[LAST - FIRST][4];
};

template <int FIRST, int LAST> INLINE void read_point(const vreal *row, Row<FIRST, LAST> &x) {
    read_end(row, x.end);
    UNROLL
    for (int n = FIRST; n < LAST; ++n) read_row(row + 8 + 4 * n, x.g[n - FIRST]);
}

// Adds the part of a point in the derivative at another: the two-point flux of Kennedy, Gruber and Pirozzoli (divergence.h),
// or the divergence form, and the plain derivative of the rest.
template <int FIRST, int LAST>
INLINE void add_pair(const Params &par, const End &i, const Row<FIRST, LAST> &row, const real *d, vreal *r) {
    const End &k = row.end;
    const bool split = par.split == SPLIT_KENNEDY_GRUBER;
    vreal through = {};
    UNROLL
    for (int n = FIRST; n < LAST; ++n) {
        const vreal u = split ? i.u[n] + k.u[n] : k.u[n];
        through = n == FIRST ? d[n - FIRST] * u : vfma(d[n - FIRST], u, through);
    }
    if (split) {
        const vreal mass = (i.rho + k.rho) * through;
        r[0] = vfma(R(2), mass, r[0]);
        UNROLL
        for (int n = 0; n < 3; ++n) r[1 + n] = vfma(mass, i.v[n] + k.v[n], r[1 + n]);
        r[4] = vfma(mass, i.h + k.h, r[4]);
    } else {
        const vreal mass = R(4) * k.rho * through;
        r[0] = r[0] + mass;
        UNROLL
        for (int n = 0; n < 3; ++n) r[1 + n] = vfma(mass, k.v[n], r[1 + n]);
        r[4] = vfma(mass, k.h, r[4]);
    }
    UNROLL
    for (int n = FIRST; n < LAST; ++n)
        UNROLL
    for (int v = 0; v < 4; ++v) r[1 + v] = vfma(d[n - FIRST], row.g[n - FIRST][v], r[1 + v]);
}

// Divergence of the flux inside the cell at the points of a column, before any correction.
INLINE void inner_divergence(const Params &par, const Column &c, const vreal *rows, vreal (*r)[5]) {
    End own[WIDE];
    UNROLL
    for (int w = 0; w < WIDE; ++w) {
        read_end(rows + POINT_ROWS * 4 * c.point[w], own[w]);
        UNROLL
        for (int v = 0; v < 5; ++v) r[w][v] = vreal{};
    }
    for (int k = 0; k < DENSE; ++k) {
        Row<0, DIMENSIONS> row;
        read_point(rows + POINT_ROWS * 4 * (c.first + k), row);
        UNROLL
        for (int w = 0; w < WIDE; ++w) {
            real d[DIMENSIONS];
            UNROLL
            for (int n = 0; n < DIMENSIONS; ++n) d[n] = diff_of(par, c.row[w], k, n);
            add_pair(par, own[w], row, d, r[w]);
        }
    }
#if ELEMENT == PRISM
    UNROLL
    for (int w = 0; w < WIDE; ++w) {
        for (int m = 0; m < N; ++m) {
            const real d = constant_in_launch(par.operators + OF_LINE + c.layer * N + m);
            Row<2, 3> row;
            read_point(rows + POINT_ROWS * 4 * (c.row[w] + NT * m), row);
            add_pair(par, own[w], row, &d, r[w]);
        }
    }
#endif
}

// The common flux through face point f less the cell's own, and the common flux.
INLINE void face_flux(const Params &par, long long block, int f, vreal *out) {
    const int face = face_of(f), l = f - face_offset(face);
    const Primitive<vreal> i = own_primitive(par, block, constant_in_launch(par.face_points + f));
    Primitive<vreal> o;
    vreal a[3], common[5], own[5];
    neighbour(par, block, face, l, o);
    outward_area(par, block, face, f, a);
    common_convective_flux(i, o, a, par, common);
    convective_flux(i, a, par, own);
    if (par.viscosity != INVISCID) {
        const int p = constant_in_launch(par.face_points + f);
        const vreal *offered = block_of((const real *)par.own_traces, block, 4 * FACE_POINTS) + 4 * face_offset(face) + l;
        const vreal *kept = block_of((const real *)par.viscous, block, 12 * NP) + p;
        vreal trace[4];
        neighbour_trace(par, block, face, l, trace);
        UNROLL
        for (int v = 0; v < 4; ++v) {
            common[1 + v] = common[1 + v] - R(0.5) * (offered[v * face_size(face)] - trace[v]);
            own[1 + v] = own[1 + v] - normal_component(face, kept[v * NP], kept[(4 + v) * NP], kept[(8 + v) * NP]);
        }
    }
    UNROLL
    for (int v = 0; v < 5; ++v) {
        out[f * FACE_VALUES + v] = common[v] - own[v];
        out[f * FACE_VALUES + 5 + v] = common[v];
    }
}

// Adds the corrections of all face points to r[5 * point] at the points of a column.
INLINE void add_corrections(const Params &par, const Column &c, const vreal *faces, vreal *r) {
    vreal sum[WIDE][5];
    UNROLL
    for (int w = 0; w < WIDE; ++w)
        UNROLL
    for (int v = 0; v < 5; ++v) sum[w][v] = r[5 * c.point[w] + v];
    const auto add = [&](int f, int k) {
        vreal jump[5];
        UNROLL
        for (int v = 0; v < 5; ++v) jump[v] = faces[f * FACE_VALUES + v];
        UNROLL
        for (int w = 0; w < WIDE; ++w) {
            const real lift = lift_of(par, c.row[w], k);
            UNROLL
            for (int v = 0; v < 5; ++v) sum[w][v] = vfma(lift, jump[v], sum[w][v]);
        }
    };
    over_lifts(c, add, [](int) {});
    UNROLL
    for (int w = 0; w < WIDE; ++w) {
#if ELEMENT == PRISM
        const real lower = constant_in_launch(par.operators + OF_ENDS + c.layer),
                   upper = constant_in_launch(par.operators + OF_ENDS + N - 1 - c.layer);
        const vreal *lo = faces + c.row[w] * FACE_VALUES, *hi = lo + NT * FACE_VALUES;
        UNROLL
        for (int v = 0; v < 5; ++v) sum[w][v] = vfma(-upper, hi[v], vfma(-lower, lo[v], sum[w][v]));
#endif
        if (!c.there[w]) continue;
        UNROLL
        for (int v = 0; v < 5; ++v) r[5 * c.point[w] + v] = sum[w][v];
    }
}

// Integral of the divergence of variable v over the cell less the flux through its faces, per volume of the reference cell.
INLINE vreal imbalance(const Params &par, int v, const vreal *faces, const vreal *r) {
    const real *weights = par.operators + OF_WEIGHTS, *face_weights = par.operators + OF_FACE_WEIGHTS;
    vreal inside = {}, through = {};
    for (int i = 0; i < NP; ++i) inside = vfma(constant_in_launch(weights + i), r[5 * i + v], inside);
    for (int f = 0; f < FACE_POINTS; ++f)
        through = vfma(constant_in_launch(face_weights + f), faces[f * FACE_VALUES + 5 + v], through);
    return constant_in_launch(par.operators + OF_INVERSE_VOLUME) * (inside - through);
}

KERNEL(sweep2) {
    SHARED_MEMORY;
    SHARED(vreal, work, SHARED_VALUES); // rows of the points, then fluxes at the faces
    SHARED(vreal, r, (5 * NP + 5 + 3) / 4 * 4); // divergence [point][5], and what is too much of it [5]
    FOR_POINTS(c, p) write_rows(par, GROUP * CELLS + c, p, work[c]);
    BARRIER();
    FOR_COLUMNS(c, i) {
        const Column column = column_of(i);
        vreal sum[WIDE][5];
        inner_divergence(par, column, work[c], sum);
        UNROLL
        for (int w = 0; w < WIDE; ++w)
            UNROLL
        for (int v = 0; v < 5; ++v)
            if (column.there[w]) r[c][5 * column.point[w] + v] = sum[w][v];
    }
    BARRIER();
    FOR_SOME(c, f, FACE_POINTS) face_flux(par, GROUP * CELLS + c, f, work[c]);
    BARRIER();
    FOR_COLUMNS(c, i) add_corrections(par, column_of(i), work[c], r[c]);
    BARRIER();
    FOR_SOME(c, v, 5) r[c][5 * NP + v] = imbalance(par, v, work[c], r[c]);
    BARRIER();
    FOR_POINTS(c, p) {
        const long long block = GROUP * CELLS + c;
        OldPoint old;
        load_old(par, block, p, old);
        vreal divergence[5], velocity[3] = {};
        UNROLL
        for (int v = 0; v < 5; ++v) divergence[v] = r[c][5 * p + v] - r[c][5 * NP + v];
        if (par.source || par.force) {
            const Primitive<vreal> s = own_primitive(par, block, p);
            UNROLL
            for (int n = 0; n < 3; ++n) velocity[n] = s.v[n];
        }
        update_point(par, block, p, velocity, divergence, old);
    }
}
LAUNCHER(sweep2)
