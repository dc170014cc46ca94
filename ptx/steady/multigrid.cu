// The transfers between two levels of a multigrid cycle. Lists of the vertices of the other level are stored as edges
// are (steady/vertex.h): the members of an agglomerate, or the agglomerate of a vertex. Arrays of the other level have
// `other_slots` slots.
#include "steady/vertex.h"

// The sums of the values of `vector` over the members of agglomerates, as `direction`.
VERTEX_KERNEL(restriction) {
    const vreal zero = {};
    for (int v = 0; v < (int)par.unknowns; ++v) {
        vreal sum = zero;
        for (int k = 0; k < at.count; ++k)
            sum = sum + keep(at, k, gather(par.vector + v * par.other_slots, ends(par, at, k)));
        store(par.direction + v * par.slots, at, sum);
    }
}

// An element of a block of the finer level's matrix. The number of a block is the place of an edge; from `other_edges`
// on it counts the blocks that came from other ranks, and below 0 it is -1 - slot of an own block.
INLINE real element_of_block(const Params &par, long long block, long long e) {
    if (block < 0) return par.other_diagonal[e * par.other_slots - 1 - block];
    if (block >= par.other_edges) return par.exchange[(block - par.other_edges) * par.unknowns * par.unknowns + e];
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
        par.exchange[at * par.unknowns * par.unknowns + e] = element_of_block(par, par.sum_blocks[at], e);
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
