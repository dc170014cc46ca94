// A cell's own arrays, and what lies on the other side of its faces.
#pragma once
#include "dialect/dialect.h"
#include "params.h"
#include "physics/gas.h"

#if ELEMENT == HEX
// Points of a hexahedron are numbered i + N (j + N k). A line runs through the cell in one reference direction d; line l of
// direction d starts at face point l of face 2d and ends at face point l of face 2d + 1, so lines and face points share
// numbers.
INLINE int line_stride(int d) { return d == 0 ? 1 : (d == 1 ? N : NL); }
INLINE int line_start(int d, int l) { return d == 0 ? l * N : (d == 1 ? l % N + NL * (l / N) : l); }
INLINE int face_point(int face, int l) { return line_start(face / 2, l) + (face & 1) * (N - 1) * line_stride(face / 2); }
INLINE int face_size(int) { return NL; }
INLINE int face_offset(int face) { return face * NL; }
#elif ELEMENT == PRISM
// The first face point of each face, and the face of each face point.
INLINE int face_size(int face) { return face < 2 ? NT : NL; }
INLINE int face_offset(int face) { return face < 2 ? face * NT : 2 * NT + (face - 2) * NL; }
INLINE int face_of(int f) { return f < 2 * NT ? f / NT : 2 + (f - 2 * NT) / NL; }
#elif ELEMENT == TET
INLINE int face_size(int) { return NT; }
INLINE int face_offset(int face) { return face * NT; }
INLINE int face_of(int f) { return f / NT; }
#else
INLINE int face_size(int face) { return face == 0 ? NL : NT; }
INLINE int face_offset(int face) { return face == 0 ? 0 : NL + (face - 1) * NT; }
INLINE int face_of(int f) { return f < NL ? 0 : 1 + (f - NL) / NT; }
#endif

// State of a block: variable v of point p is cell_state(...)[v * NP + p].
INLINE const vreal *block_of(const real *array, long long block, int size) {
    return (const vreal *)(array + block * size * LANE);
}
INLINE vreal *block_of(real *array, long long block, int size) { return (vreal *)(array + block * size * LANE); }

// Metric terms of a block. Affine cells hold them once, as rows of four: Ja^d and, in the first, 1/J. Others hold
// Ja^d_n as term 3 d + n and 1/J as term 9, each at all points.
struct Metrics {
    const vreal *terms;
    int points;
    // Ja^d at point p.
    INLINE_MEMBER void row(int d, int p, vreal *a) const {
        if (points == 1) {
            vreal r[4];
            load_row(terms + 4 * d, r);
            UNROLL
            for (int n = 0; n < 3; ++n) a[n] = r[n];
        } else {
            UNROLL
            for (int n = 0; n < 3; ++n) a[n] = (terms + p)[(3 * d + n) * points];
        }
    }
    // All three and 1/J.
    INLINE_MEMBER vreal rows(int p, vreal (*a)[3]) const {
        UNROLL
        for (int d = 0; d < 3; ++d) row(d, p, a[d]);
        return inverse_j(p);
    }
    INLINE_MEMBER vreal inverse_j(int p) const {
        if (points != 1) return (terms + p)[9 * points];
        vreal r[4];
        load_row(terms, r);
        return r[3];
    }
};

INLINE Metrics metrics_of(const Params &par, long long block) {
    const int size = par.metric_points == 1 ? 12 : 10 * par.metric_points;
    Metrics m = {block_of(par.metrics, block, size), par.metric_points};
    return m;
}

// Area vector of a face point of a hexahedron, outward. Both cells of a face hold the same vector to the last bit, up to its
// sign.
#if ELEMENT == HEX
INLINE void outward_area(const Params &par, long long block, const Metrics &metric, int face, int p, vreal *a) {
    if (par.metric_points == 1) {
        vreal r[4];
        load_row(block_of(par.normals, block * FACES + face, 4), r);
        UNROLL
        for (int n = 0; n < 3; ++n) a[n] = r[n];
    } else {
        metric.row(face / 2, p, a);
        UNROLL
        for (int n = 0; n < 3; ++n) a[n] = (face & 1) ? a[n] : -a[n];
    }
}
#endif

// `count` variables of the other side at face point l. Between cells side by side, and always where LANE = 1, the variables lie
// `stride` points apart, or, if that is 0, as far as the place says.
INLINE void gather(const real *array, const Place *place, const int *tables, int l, int stride, int count, vreal *u) {
#ifdef ONE_LANE
    const int4 words = constant_in_launch((const int4 *)place);
    const long long base = (long long)(unsigned)words.x | (long long)words.y << 32;
    const int apart = words.z, table = words.w;
#else
    const long long base = place->base;
    const int apart = place->stride / LANE, table = place->table;
#endif
    const vreal *first = (const vreal *)(array + base + constant_in_launch(tables + table + l));
    const int step = stride ? stride : apart;
    UNROLL
    for (int v = 0; v < count; ++v) u[v] = first[v * step];
}

#ifndef ONE_LANE
// The same for cells that lie apart; `place` is that of the first lane.
INLINE void gather_lanes(const real *array, const Place *place, const int *tables, int l, int count, vreal *u) {
    for (int lane = 0; lane < LANE; ++lane, place += 2) {
        const real *first = array + place->base + tables[place->table + l];
        for (int v = 0; v < count; ++v) u[v][lane] = first[(long long)v * place->stride];
    }
}
#endif

// The other side's state at face point l.
INLINE void neighbour(const Params &par, long long block, int face, int l, Primitive<vreal> &q) {
    const Slot *slots = par.slots + (block * FACES + face) * LANE;
    vreal u[5];
#ifndef ONE_LANE
    if (par.slot_kind[block * FACES + face] != SLOT_SIDE_BY_SIDE) gather_lanes(par.u, &slots->state, par.tables, l, 5, u);
    else
#endif
        gather(par.u, &slots->state, par.tables, l, par.uniform ? NP : 0, 5, u);
    primitive(u, par, q);
}

// The other side's u, v, w, T as the gradient sees them: those of its state, but a boundary may prescribe its own (an
// isothermal wall reflects the state for the interface flux and still fixes the temperature).
INLINE void neighbour_for_gradient(const Params &par, long long block, int face, int l, const Primitive<vreal> &o, vreal *q) {
    UNROLL
    for (int n = 0; n < 3; ++n) q[n] = o.v[n];
    q[3] = o.t;
    if (!par.boundaries || par.slot_kind[block * FACES + face] != SLOT_BOUNDARY) return;
    for (int lane = 0; lane < LANE; ++lane) {
        const Slot &slot = par.slots[(block * FACES + face) * LANE + lane];
        if (slot.state.base < par.ghost_base) continue;
        for (int v = 0; v < 4; ++v) {
            const real value = par.u[slot.state.base + (long long)(5 + v) * slot.state.stride + l];
#ifndef ONE_LANE
            q[v][lane] = value;
#else
            q[v] = value;
#endif
        }
    }
}

// The other side's outward viscous flux (4 values) at face point l.
INLINE void neighbour_trace(const Params &par, long long block, int face, int l, vreal *f) {
    const Slot *slots = par.slots + (block * FACES + face) * LANE;
#ifndef ONE_LANE
    if (par.slot_kind[block * FACES + face] != SLOT_SIDE_BY_SIDE) gather_lanes(par.traces, &slots->trace, par.tables, l, 4, f);
    else
#endif
        gather(par.traces, &slots->trace, par.tables, l, face_size(face), 4, f);
}
