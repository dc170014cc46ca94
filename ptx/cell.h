// A cell's points, lines and faces, and what lies on the other side of its faces.
//
// Points are numbered i + N (j + N k). A line runs through the cell in one reference direction d; line l of direction d
// starts at face point l of face 2d and ends at face point l of face 2d + 1, so lines and face points share numbers.
#pragma once

INLINE int line_stride(int d) { return d == 0 ? 1 : (d == 1 ? N : NL); }
// The same between places in shared memory.
INLINE int place_stride(int d) { return d == 0 ? 1 : (d == 1 ? place(N) : place(NL)); }
INLINE int line_start(int d, int l) { return d == 0 ? l * N : (d == 1 ? l % N + NL * (l / N) : l); }
INLINE int face_point(int face, int l) { return line_start(face / 2, l) + (face & 1) * (N - 1) * line_stride(face / 2); }

// State of a block: variable v of point p is cell_state(...)[v * NP + p].
INLINE const vreal *block_of(const real *array, long long block, int size) {
    return (const vreal *)(array + block * size * LANE);
}
INLINE vreal *block_of(real *array, long long block, int size) { return (vreal *)(array + block * size * LANE); }

// Metric terms of a block: Ja^d_n is term 3d + n, 1/J is term 9; affine cells hold each once.
struct Metrics {
    const vreal *terms;
    int points;
    INLINE_MEMBER vreal operator()(int term, int p) const { return terms[points == 1 ? term : term * points + p]; }
};

INLINE Metrics metrics_of(const Params &par, long long block) {
    Metrics m = {block_of(par.metrics, block, 10 * par.metric_points), par.metric_points};
    return m;
}

// Area vector of a face point, outward. Both cells of a face hold the same vector to the last bit, up to its sign.
INLINE void outward_area(const Params &par, long long block, const Metrics &metric, int face, int p, vreal *a) {
    if (par.metric_points == 1) {
        const vreal *normals = block_of(par.normals, block * 6 + face, 3);
        UNROLL
        for (int n = 0; n < 3; ++n) a[n] = normals[n];
    } else {
        UNROLL
        for (int n = 0; n < 3; ++n) {
            const vreal t = metric(3 * (face / 2) + n, p);
            a[n] = (face & 1) ? t : -t;
        }
    }
}

// `count` variables of the other side at one face point. Between cells side by side, and always where LANE = 1, the variables
// lie `stride` points apart: ghosts are laid out so.
INLINE void gather(const real *array, long long base, int stride, int point, int count, vreal *u) {
    const vreal *first = (const vreal *)(array + base + point);
    UNROLL
    for (int v = 0; v < count; ++v) u[v] = first[v * stride];
}

#ifndef ONE_LANE
// The same for cells that lie apart.
INLINE void gather_lanes(const real *array, const Slot *slots, bool traces, const int *tables, int l, int count, vreal *u) {
    for (int lane = 0; lane < LANE; ++lane) {
        const Slot &s = slots[lane];
        const int stride = traces ? s.trace_stride : s.stride, row = traces ? s.trace_table : s.table;
        const real *first = array + (traces ? s.trace_base : s.base) + tables[row * NL + l];
        for (int v = 0; v < count; ++v) u[v][lane] = first[(long long)v * stride];
    }
}
#endif

// The other side's state at face point l.
INLINE void neighbour(const Params &par, long long block, int face, int l, Primitive<vreal> &q) {
    const Slot *slots = par.slots + (block * 6 + face) * LANE;
    vreal u[5];
#ifndef ONE_LANE
    if (par.slot_kind[block * 6 + face] != SLOT_SIDE_BY_SIDE) gather_lanes(par.u, slots, false, par.tables, l, 5, u);
    else
#endif
        gather(par.u, slots->base, NP, par.tables[slots->table * NL + l], 5, u);
    primitive(u, par, q);
}

// The other side's u, v, w, T as the gradient sees them: those of its state, but a boundary may prescribe its own (an
// isothermal wall reflects the state for the interface flux and still fixes the temperature).
INLINE void neighbour_for_gradient(const Params &par, long long block, int face, int l, const Primitive<vreal> &o, vreal *q) {
    UNROLL
    for (int n = 0; n < 3; ++n) q[n] = o.v[n];
    q[3] = o.t;
    if (!par.boundaries || par.slot_kind[block * 6 + face] != SLOT_BOUNDARY) return;
    for (int lane = 0; lane < LANE; ++lane) {
        const Slot &slot = par.slots[(block * 6 + face) * LANE + lane];
        if (slot.base < par.ghost_base) continue;
        for (int v = 0; v < 4; ++v) {
            const real value = par.u[slot.base + (long long)(5 + v) * slot.stride + l];
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
    const Slot *slots = par.slots + (block * 6 + face) * LANE;
#ifndef ONE_LANE
    if (par.slot_kind[block * 6 + face] != SLOT_SIDE_BY_SIDE) gather_lanes(par.traces, slots, true, par.tables, l, 4, f);
    else
#endif
        gather(par.traces, slots->trace_base, NL, par.tables[slots->trace_table * NL + l], 4, f);
}
