// The two loops of F. Gisbert, R. Corral & G. Pastor (2011; an edge-based solver on GPUs) over the edges and nodes of a
// median dual: the gradient by the theorem of Gauss (their equation 4), and the flux with reconstruction along the
// edge, here that of Roe. Both are times the volume, and without boundaries. An edge computes its part once and gives
// it to both ends; a node computes the parts of all of its edges, so that each is computed twice.
#include "loops/loop.h"
#include "physics/riemann.h"

#define GRADIENT_VALUES 15

// The values at a node: density, velocity, temperature.
INLINE void load_values(const Params &par, long long node, real *q) {
    UNROLL
    for (int v = 0; v < 5; ++v) q[v] = par.source[v * par.sources + node];
}

// The part of an edge in the gradient of the node from which the area vector points.
INLINE void edge_part(const real *own, const real *other, const real *area, real *g) {
    UNROLL
    for (int v = 0; v < 5; ++v) {
        const real mean = R(0.5) * (own[v] + other[v]);
        UNROLL
        for (int d = 0; d < 3; ++d) g[3 * v + d] = mean * area[d];
    }
}

// The parts of edge i in the gradients at its ends have opposite signs.
INLINE void gradient_of_edge(const Params &par, long long i, real *g) {
    real own[5], other[5], area[3];
    load_values(par, par.owner[i], own);
    load_values(par, par.neighbour[i], other);
    vector_of(par.area, par.faces, i, area);
    edge_part(own, other, area, g);
}

// The value on the facet of an edge along which r points: q + grad q . r/2.
INLINE Primitive<real> at_facet(const Params &par, long long node, const real *q, const real *r) {
    real x[5];
    UNROLL
    for (int v = 0; v < 5; ++v) {
        real g[3];
        vector_of(par.gradient + 3 * v * par.sources, par.sources, node, g);
        x[v] = vfma(R(0.5), dot3(g, r), q[v]);
    }
    return {x[0], {x[1], x[2], x[3]}, x[4]};
}

// The flux out of node i through the facet to node j.
INLINE void edge_flux_of(const Params &par, long long i, long long j, const real *area, const real *r, real *flux) {
    const real back[3] = {-r[0], -r[1], -r[2]};
    real own[5], other[5];
    load_values(par, i, own);
    load_values(par, j, other);
    roe_flux(at_facet(par, i, own, r), at_facet(par, j, other, back), area, par, flux);
}

INLINE void flux_of_edge(const Params &par, long long i, real *flux) {
    real area[3], r[3];
    vector_of(par.area, par.faces, i, area);
    vector_of(par.displacement, par.faces, i, r);
    edge_flux_of(par, par.owner[i], par.neighbour[i], area, r, flux);
}

SCATTER(gradient_e) {
    real g[GRADIENT_VALUES];
    gradient_of_edge(par, i, g);
    to_both_sides<Values, GRADIENT_VALUES>(par, i, g);
}

GATHER(gradient_store) {
    real g[GRADIENT_VALUES];
    gradient_of_edge(par, i, g);
    UNROLL
    for (int v = 0; v < GRADIENT_VALUES; ++v) par.stored[v * par.faces + i] = g[v];
}

// A node's edges have area vectors in the order of its list.
GATHER(gradient_n) {
    const Lists neighbours = lists_of(par);
    real own[5], sum[GRADIENT_VALUES] = {};
    load_values(par, i, own);
    const int count = neighbours.count[i];
    for (int k = 0; k < count; ++k) {
        const long long at = place(neighbours, i, k);
        real other[5], area[3], g[GRADIENT_VALUES];
        load_values(par, neighbours.numbers[at], other);
        vector_of(par.area, par.faces, at, area);
        edge_part(own, other, area, g);
        UNROLL
        for (int v = 0; v < GRADIENT_VALUES; ++v) sum[v] = sum[v] + g[v];
    }
    UNROLL
    for (int v = 0; v < GRADIENT_VALUES; ++v) par.out[v * par.outs + i] = sum[v];
}

SCATTER(flux_e) {
    real flux[5];
    flux_of_edge(par, i, flux);
    to_both_sides<Values, 5>(par, i, flux);
}

GATHER(flux_store) {
    real flux[5];
    flux_of_edge(par, i, flux);
    UNROLL
    for (int v = 0; v < 5; ++v) par.stored[v * par.faces + i] = flux[v];
}

GATHER(flux_n) {
    const Lists neighbours = lists_of(par);
    real sum[5] = {};
    const int count = neighbours.count[i];
    for (int k = 0; k < count; ++k) {
        const long long at = place(neighbours, i, k);
        real area[3], r[3], flux[5];
        vector_of(par.area, par.faces, at, area);
        vector_of(par.displacement, par.faces, at, r);
        edge_flux_of(par, i, neighbours.numbers[at], area, r, flux);
        UNROLL
        for (int v = 0; v < 5; ++v) sum[v] = sum[v] + flux[v];
    }
    UNROLL
    for (int v = 0; v < 5; ++v) par.out[v * par.outs + i] = sum[v];
}
