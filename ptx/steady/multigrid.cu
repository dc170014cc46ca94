// The transfers between two levels of a multigrid cycle, of explicit steps or of a preconditioner. Lists of the
// vertices of the other level are stored as edges are (steady/vertex.h): the members of an agglomerate, or the
// agglomerate of a vertex. Arrays of the other level have `other_slots` slots.
#include "steady/vertex.h"

// The sums of values over the members of agglomerates, or with volumes the means that these weigh; as `result` or,
// without it, as `direction`.
VERTEX_KERNEL(restriction) {
    const vreal zero = {}, one = zero + R(1);
    for (int v = 0; v < (int)par.unknowns; ++v) {
        vreal sum = zero, total = zero;
        for (int k = 0; k < at.count; ++k) {
            const Ends to = ends(par, at, k);
            const vreal weight = keep(at, k, par.other_volume ? gather(par.other_volume, to) : one);
            sum = sum + keep(at, k, weight * gather(par.vector + v * par.other_slots, to));
            total = total + weight;
        }
        if (par.other_volume) sum = sum / vmax(total, zero + R(1e-300));
        if (par.result) store(par.result + v * par.slots, at, sum);
        else store(par.direction + v * par.slots, at, sum);
    }
}

// The residual R of the mean flow less `vector`, if it is given: the part of the forcing on the finer level that
// remains, or the forcing f = R(restricted state) - (restricted residual) of the coarser one.
VERTEX_KERNEL(residual_less) {
    const long long n = par.slots;
    for (int v = 0; v < 5; ++v) {
        vreal value = load(par.convection + v * n, at) - load(par.dissipation + v * n, at);
        if (par.vector) value = value - load(par.vector + v * n, at);
        store(par.result + v * n, at, value);
    }
}

// The change of the state `vector` of each vertex's agglomerate since the restriction, `other_vector`.
VERTEX_KERNEL(prolongation) {
    const Ends to = ends(par, at, 0);
    for (int v = 0; v < 5; ++v) {
        const long long begin = v * par.other_slots;
        store(par.result + v * par.slots, at, gather(par.vector + begin, to) - gather(par.other_vector + begin, to));
    }
}

// One step of Jacobi's method for (1 + d/2) c - (1/2) sum over d edges of c' = correction (A. Jameson, Appl. Math.
// Comput. 13 (1983) 327, smooths residuals in this way).
VERTEX_KERNEL(smooth_correction) {
    const vreal zero = {};
    for (int v = 0; v < 5; ++v) {
        const double *c = par.vector + v * par.slots;
        vreal sum = load(par.other_vector + v * par.slots, at);
        for (int k = 0; k < at.count; ++k) sum = sum + keep(at, k, R(0.5) * gather(c, ends(par, at, k)));
        store(par.result + v * par.slots, at, sum / vfma(at.degree, zero + R(0.5), zero + R(1)));
    }
}

// Adds the correction to the state. It is shortened where it would change density or temperature by more than a fifth,
// and leaves what no-slip walls hold.
VERTEX_KERNEL(add_correction) {
    const long long n = par.slots;
    const vreal zero = {}, rho = load(par.state, at), t = load(par.state + TEMPERATURE * n, at);
    const vreal change = vmax(vabs(load(par.vector, at)) / rho, vabs(load(par.vector + TEMPERATURE * n, at)) / t);
    const vreal factor = R(1) / vmax(zero + R(1), R(5) * change);
    const Ends wall = wall_rows(par, at);
    const auto on_wall = is_wall(wall) > R(0);
    const auto is_held = gather(par.wall_values + 3 * par.wall_count, wall) > R(0);
    for (int v = 0; v < 5; ++v) {
        const vreal old = load(par.state + v * n, at), corrected = vfma(factor, load(par.vector + v * n, at), old);
        vreal value = corrected;
        if (v >= VELOCITY && v < TEMPERATURE) value = on_wall ? old : corrected;
        if (v == TEMPERATURE) value = is_held ? old : corrected;
        store(par.out + v * n, at, value);
    }
}

// An element of a block of the finer level's matrix. The number of a block is the place of an edge; from `other_edges`
// on it counts the blocks that came from other ranks, and below 0 it is -1 - slot of an own block.
INLINE real element_of_block(const Params &par, long long block, long long e) {
    if (block < 0) return par.other_diagonal[e * par.other_slots - 1 - block];
    if (block >= par.other_edges) return par.exchange[e * par.exchanged_count + block - par.other_edges];
    const long long lane = block % WIDTH;
    return par.other_offdiagonal[(block - lane) * par.unknowns * par.unknowns + e * WIDTH + lane];
}

// The matrix of a coarser level, on which the solution is constant in each agglomerate and the equations of its members
// are added (Galerkin): each block is the sum of those between the members of both agglomerates.
POINT_KERNEL(galerkin) {
    const long long elements = par.unknowns * par.unknowns, lane = at % WIDTH;
    for (long long e = 0; e < elements; ++e) {
        real sum = R(0);
        for (long long n = par.sum_begin[at]; n < par.sum_begin[at + 1]; ++n)
            sum = sum + element_of_block(par, par.sum_blocks[n], e);
        if (at < par.edges) par.offdiagonal[(at - lane) * elements + e * WIDTH + lane] = (float)sum;
        // Slots of no vertex have the identity.
        else
            par.diagonal[e * par.slots + at - par.edges] =
                par.sum_begin[at] < par.sum_begin[at + 1] ? sum : R(e % (par.unknowns + 1) == 0);
    }
}

// The blocks of a list, for other ranks.
POINT_KERNEL(pack_blocks) {
    for (long long e = 0; e < par.unknowns * par.unknowns; ++e)
        par.exchange[e * par.exchanged_count + at] = element_of_block(par, par.sum_blocks[at], e);
}

// direction + the solution `basis` of each vertex's agglomerate. Slots of no vertex keep their zeros, which dot
// products count.
VERTEX_KERNEL(correct_direction) {
    const Ends to = ends(par, at, 0);
    const vreal zero = {};
    for (int v = 0; v < (int)par.unknowns; ++v) {
        float *x = par.direction + v * par.slots;
        const vreal correction = gather(par.basis + v * par.other_slots, to);
        store(x, at, load(x, at) + (at.degree > R(0) ? correction : zero));
    }
}
