// A cell's points, lines and faces, and what lies on the other side of its faces.
//
// Points are numbered i + N (j + N k). A line runs through the cell in one reference direction d; line l of direction d
// starts at face point l of face 2d and ends at face point l of face 2d + 1, so lines and face points share numbers.
#pragma once

INLINE int line_stride(int d) { return d == 0 ? 1 : (d == 1 ? N : NL); }
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

// One value of each lane's neighbour. `table` is 0 for offsets in the state, 1 for offsets in the viscous traces.
INLINE vreal across(const real *array, const long long *base, const int *stride, const int *row, const int *tables,
                    int table, bool side_by_side, int l, int v) {
#ifndef ONE_LANE
    if (!side_by_side) {
        vreal q;
        for (int lane = 0; lane < LANE; ++lane)
            q[lane] = array[base[lane] + (long long)v * stride[lane] + tables[(row[lane] * 2 + table) * NL + l]];
        return q;
    }
#endif
    return *(const vreal *)(array + base[0] + (long long)v * stride[0] + tables[(row[0] * 2 + table) * NL + l]);
}

// The other side's state at face point l.
INLINE void neighbour(const Params &par, long long block, int face, int l, Primitive<vreal> &q) {
    const long long slot = (block * 6 + face) * LANE;
    const bool together = par.slot_kind[block * 6 + face] == SLOT_SIDE_BY_SIDE;
    vreal u[5];
    UNROLL
    for (int v = 0; v < 5; ++v)
        u[v] = across(par.u, par.slot_base + slot, par.slot_stride + slot, par.slot_table + slot, par.tables, 0, together, l, v);
    primitive(u, par, q);
}

// The other side's u, v, w, T as the gradient sees them: those of its state, but a boundary may prescribe its own (an
// isothermal wall reflects the state for the interface flux and still fixes the temperature).
INLINE void neighbour_for_gradient(const Params &par, long long block, int face, int l, const Primitive<vreal> &o, vreal *q) {
    UNROLL
    for (int n = 0; n < 3; ++n) q[n] = o.v[n];
    q[3] = o.t;
    if (par.slot_kind[block * 6 + face] != SLOT_BOUNDARY) return;
    const long long slot = (block * 6 + face) * LANE;
    for (int lane = 0; lane < LANE; ++lane) {
        const long long base = par.slot_base[slot + lane];
        if (base < par.ghost_base) continue;
        for (int v = 0; v < 4; ++v) {
            const real value = par.u[base + (long long)(5 + v) * par.slot_stride[slot + lane] + l];
#ifndef ONE_LANE
            q[v][lane] = value;
#else
            q[v] = value;
#endif
        }
    }
}

// The other side's outward viscous flux at face point l.
INLINE vreal neighbour_trace(const Params &par, long long block, int face, int l, int v) {
    const long long slot = (block * 6 + face) * LANE;
    const bool together = par.slot_kind[block * 6 + face] == SLOT_SIDE_BY_SIDE;
    return across(par.traces, par.slot_trace_base + slot, par.slot_trace_stride + slot, par.slot_table + slot, par.tables, 1,
                  together, l, v);
}
