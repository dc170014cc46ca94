// Layers of thin cells on curved walls. There the distance h from the wall takes the place of the displacement across
// the layer, whose normal is n (crates/steady/src/steady/layers.rs):
//     s = r + n (h_j - h_i - n.r)
// A linear function of h then has its slope at both ends, though the line along the wall leaves the layer. n = 0 where
// no curved layer is, and `par.layer` is null if there is none at all, so that straight walls cost no memory traffic.
#pragma once
#include "steady/vertex.h"

struct Layer {
    vreal normal[3], height;
};
INLINE Layer own_layer(const Params &par, const Vertex &at) {
    const double *l = par.layer;
    const long long n = par.slots;
    const vreal zero = {};
    if (!l) return {{zero, zero, zero}, zero};
    return {{load(l, at), load(l + n, at), load(l + 2 * n, at)}, load(l + 3 * n, at)};
}
INLINE Layer far_layer(const Params &par, const Vertex &at, int k, const Ends &to) {
    const double *l = par.layer;
    const long long n = par.slots;
    const vreal zero = {};
    if (!l) return {{zero, zero, zero}, zero};
    Layer far = {{gather(l, to), gather(l + n, to), gather(l + 2 * n, to)}, gather(l + 3 * n, to)};
    carry_here(par, at, k, far.normal);
    return far;
}
INLINE vreal far_height(const Params &par, const Ends &to) {
    const vreal zero = {};
    return par.layer ? gather(par.layer + 3 * par.slots, to) : zero;
}

// The displacement r from a vertex in `layer` to one at another height.
INLINE void follow(const Layer &layer, const vreal *r, vreal height, vreal *s) {
    const vreal above = height - layer.height - dot3(layer.normal, r);
    UNROLL
    for (int d = 0; d < 3; ++d) s[d] = vfma(above, layer.normal[d], r[d]);
}

// The displacement r between both ends of an edge as the layers of either end have it: `ahead` from the own end, which
// is in `layer`, and `back` from the other.
INLINE void follow_both(const Params &par, const Layer &layer, const Vertex &at, int k, const Ends &to, const vreal *r,
                        vreal *ahead, vreal *back) {
    const vreal reverse[3] = {-r[0], -r[1], -r[2]};
    const Layer far_side = far_layer(par, at, k, to);
    follow(layer, r, far_side.height, ahead);
    follow(far_side, reverse, layer.height, back);
}
