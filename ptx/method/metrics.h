// Metric terms and area vectors of a block of cells.
#pragma once
#include "dialect/dialect.h"
#include "element/element.h"
#include "method/block.h"
#include "params.h"

// The metric terms of a block. An affine cell holds them once, as three rows of four values: Ja^d, and in the first row
// also 1/J. Other cells hold Ja^d_n as term 3 d + n and 1/J as term 9, each at all points.
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
    // All three Ja^d; returns 1/J.
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

// The outward area vector of a face point. Both cells of a face hold the same vector to the last bit, up to its sign.
#if ELEMENT == HEX
// At point p of the cell. Where the cell is not affine, the vector follows from the metric terms there.
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
#else
// At face point f of the cell.
INLINE void outward_area(const Params &par, long long block, int face, int f, vreal *a) {
    vreal r[4];
    if (par.metric_points == 1) load_row(block_of(par.normals, block * FACES + face, 4), r);
    else load_row(block_of(par.normals, block * FACE_POINTS + f, 4), r);
    UNROLL
    for (int n = 0; n < 3; ++n) a[n] = r[n];
}
#endif
