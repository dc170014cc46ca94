// The ten loops of Y. Weng, X. Zhang, X. Guo, X. Zhang, Y. Lu & Y. Liu, Adv. Aerodyn. 3 (2021) 21, over cells, faces
// and nodes of a cell-centred scheme, and the two in which a loop over faces stores and one over cells adds. NV takes
// values from cells to nodes, GQ the gradient of one variable from nodes to cells, SF sums fluxes, LM finds the least
// and the largest pressure among neighbours. `_f`, `_c` and `_n` loop over faces, cells and nodes.
#include "loops/loop.h"

// Variables of a cell: five and the temperature. Nodes also count what they receive.
#define CELL_VALUES 6

// NV by faces: both cells of a face give their values to each of its nodes (algorithm 2).
SCATTER(nv_f) {
    const long long cells[2] = {par.owner[i], par.neighbour[i]};
    const Lists nodes = face_nodes_of(par);
    for (int k = 0; k < nodes.count[i]; ++k) {
        const int node = nodes.numbers[place(nodes, i, k)];
        for (int side = 0; side < 2; ++side) {
            for (int v = 0; v < CELL_VALUES; ++v)
                Values::add(par.out + v * par.outs + node, par.source[v * par.sources + cells[side]]);
            Values::add(par.out + CELL_VALUES * par.outs + node, R(1));
        }
    }
}

// NV by cells: a cell gives its values to its nodes (algorithm 3).
SCATTER(nv_c) {
    const Lists nodes = lists_of(par);
    real q[CELL_VALUES];
    UNROLL
    for (int v = 0; v < CELL_VALUES; ++v) q[v] = par.source[v * par.sources + i];
    for (int k = 0; k < nodes.count[i]; ++k) {
        const int node = nodes.numbers[place(nodes, i, k)];
        UNROLL
        for (int v = 0; v < CELL_VALUES; ++v) Values::add(par.out + v * par.outs + node, q[v]);
        Values::add(par.out + CELL_VALUES * par.outs + node, R(1));
    }
}

// NV by nodes: a node takes the values of its cells (algorithm 4).
GATHER(nv_n) {
    const Lists cells = lists_of(par);
    real q[CELL_VALUES] = {};
    const int count = cells.count[i];
    for (int k = 0; k < count; ++k) {
        const int cell = cells.numbers[place(cells, i, k)];
        UNROLL
        for (int v = 0; v < CELL_VALUES; ++v) q[v] = q[v] + par.source[v * par.sources + cell];
    }
    UNROLL
    for (int v = 0; v < CELL_VALUES; ++v) par.out[v * par.outs + i] = q[v];
    par.out[CELL_VALUES * par.outs + i] = R(count);
}

// The mean over the nodes of a face times its area vector.
INLINE void face_gradient(const Params &par, long long face, real *g) {
    const Lists nodes = face_nodes_of(par);
    const int count = nodes.count[face];
    real mean = R(0);
    for (int k = 0; k < count; ++k) mean = mean + par.source[nodes.numbers[place(nodes, face, k)]];
    mean = mean / R(count);
    vector_of(par.area, par.faces, face, g);
    UNROLL
    for (int d = 0; d < 3; ++d) g[d] = mean * g[d];
}

// GQ by faces (algorithm 5).
SCATTER(gq_f) {
    real g[3];
    face_gradient(par, i, g);
    to_both_sides<Values, 3>(par, i, g);
}

// GQ by cells: both cells of a face compute its part (algorithm 6). A face whose vector points inwards is listed as ~f.
GATHER(gq_c) {
    const Lists faces = lists_of(par);
    real sum[3] = {};
    const int count = faces.count[i];
    for (int k = 0; k < count; ++k) {
        const int number = faces.numbers[place(faces, i, k)];
        real g[3];
        face_gradient(par, number < 0 ? ~number : number, g);
        UNROLL
        for (int d = 0; d < 3; ++d) sum[d] = number < 0 ? sum[d] - g[d] : sum[d] + g[d];
    }
    UNROLL
    for (int d = 0; d < 3; ++d) par.out[d * par.outs + i] = sum[d];
}

// GQ by nodes: a node adds its part of the mean over the nodes of each of its faces (algorithm 7).
SCATTER(gq_n) {
    const Lists faces = lists_of(par);
    for (int k = 0; k < faces.count[i]; ++k) {
        const int face = faces.numbers[place(faces, i, k)];
        const real part = par.source[i] / R(par.face_node_count[face]);
        real g[3];
        vector_of(par.area, par.faces, face, g);
        UNROLL
        for (int d = 0; d < 3; ++d) g[d] = part * g[d];
        to_both_sides<Values, 3>(par, face, g);
    }
}

// The first half of GQ by faces that store and cells that add.
GATHER(gq_store) {
    real g[3];
    face_gradient(par, i, g);
    UNROLL
    for (int d = 0; d < 3; ++d) par.stored[d * par.faces + i] = g[d];
}

// SF by faces: the flux leaves the owner and enters the neighbour (algorithm 8).
SCATTER(sf_f) {
    real flux[5];
    UNROLL
    for (int v = 0; v < 5; ++v) flux[v] = par.stored[v * par.faces + i];
    to_both_sides<Values, 5>(par, i, flux);
}

// The sum over the faces of a cell, or over the edges of a node, of values that are stored; ~f counts as negative.
template <int n> INLINE void sum_of_stored(const Params &par, long long i) {
    const Lists faces = lists_of(par);
    real sum[n] = {};
    const int count = faces.count[i];
    for (int k = 0; k < count; ++k) {
        const int number = faces.numbers[place(faces, i, k)];
        const long long face = number < 0 ? ~number : number;
        UNROLL
        for (int v = 0; v < n; ++v) {
            const real x = par.stored[v * par.faces + face];
            sum[v] = number < 0 ? sum[v] - x : sum[v] + x;
        }
    }
    UNROLL
    for (int v = 0; v < n; ++v) par.out[v * par.outs + i] = sum[v];
}

GATHER(sum_of_3) { sum_of_stored<3>(par, i); }
// SF by cells (algorithm 9), and the second half where edges have stored fluxes.
GATHER(sum_of_5) { sum_of_stored<5>(par, i); }
GATHER(sum_of_15) { sum_of_stored<15>(par, i); }

// LM by faces (algorithm 10). The values begin with the pressures themselves.
SCATTER(lm_f) {
    const int owner = par.owner[i], neighbour = par.neighbour[i];
    const real own = par.source[owner], other = par.source[neighbour];
    Values::lower(par.out + owner, other);
    Values::raise(par.out + par.outs + owner, other);
    Values::lower(par.out + neighbour, own);
    Values::raise(par.out + par.outs + neighbour, own);
}

// LM by cells (algorithm 11).
GATHER(lm_c) {
    const Lists faces = lists_of(par);
    real least = par.source[i], largest = least;
    const int count = faces.count[i];
    for (int k = 0; k < count; ++k) {
        const int number = faces.numbers[place(faces, i, k)];
        const real other = par.source[number < 0 ? par.owner[~number] : par.neighbour[number]];
        least = vmin(least, other);
        largest = vmax(largest, other);
    }
    par.out[i] = least;
    par.out[par.outs + i] = largest;
}
