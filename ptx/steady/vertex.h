// The kernels of the steady solver run over the vertices of a median dual: one thread a vertex on a GPU, one vector
// register of LANE vertices on a CPU. A vertex adds what comes through its edges in the order in which they are stored,
// so that the result depends neither on threads nor on ranks.
//
// Arrays of the state and of all sums are [variable][slot]: slots of owned vertices, and then of the halo. Edges are in
// slices of WIDTH vertices (sliced ELLPACK): row k of a slice has the k-th edge of each of its vertices. A vertex with
// fewer edges than its slice has rows ends with edges that lead to itself, and `keep` drops what they bring.
#pragma once
#include "dialect/dialect.h"
#include "physics/gas.h"

// A vertex, or the vertices of a slice on a CPU.
struct Vertex {
    long long i;       // its slot, or the first of the slice
    long long first;   // first edge of the slice in `neighbour`
    int lane;          // its place in the slice
    int count;         // its edges, or the rows of the slice
    vreal degree;      // its edges
};

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

#define WIDTH 32
#define STEADY_THREADS 128
#ifndef STEADY_BLOCKS
#define STEADY_BLOCKS 2
#endif
INLINE Vertex vertex_of(const Params &par, long long i) {
    const int count = (int)par.degree[i];
    return {i, par.first_edge[i / WIDTH], (int)(i % WIDTH), count, par.degree[i]};
}
#define STEADY_KERNEL(name, type, item)                                                                                \
    static __device__ __forceinline__ void name##_at(const Params &par, type at);                                      \
    extern "C" __global__ void __launch_bounds__(STEADY_THREADS, STEADY_BLOCKS) name(const Params par) {               \
        const long long i = par.range_begin + blockIdx.x * (long long)STEADY_THREADS + threadIdx.x;                    \
        if (i < par.range_end) name##_at(par, item(par, i));                                                           \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_at(const Params &par, type at)

struct Ends {
    int j;
};
INLINE Ends ends(const Params &par, const Vertex &at, int k) {
    return {par.neighbour[at.first + (long long)k * WIDTH + at.lane]};
}
INLINE vreal gather(const double *values, const Ends &to) { return values[to.j]; }
INLINE vreal load(const double *values, const Vertex &at) { return values[at.i]; }
INLINE void store(double *values, const Vertex &at, vreal value) { values[at.i] = value; }
INLINE vreal load_edge(const double *values, long long place) { return values[place]; }
INLINE vreal keep(const Vertex &, int, vreal value) { return value; }
INLINE Ends wall_rows(const Params &par, const Vertex &at) { return {par.wall_row[at.i]}; }
INLINE vreal is_wall(const Ends &row) { return row.j > 0 ? 1.0 : 0.0; }

#else

#define WIDTH LANE
INLINE Vertex vertex_of(const Params &par, long long slice) {
    const long long first = par.first_edge[slice];
    return {slice * LANE, first, 0, (int)((par.first_edge[slice + 1] - first) / LANE),
            *(const vreal *)(par.degree + slice * LANE)};
}
#define STEADY_KERNEL(name, type, item)                                                                                \
    static void name##_at(const Params &RESTRICT par, type at);                                                        \
    extern "C" void CAT(name, SUFFIX)(const Params *par, long long begin, long long end) {                             \
        for (long long i = begin; i < end; ++i) name##_at(*par, item(*par, i));                                        \
    }                                                                                                                  \
    static void name##_at(const Params &RESTRICT par, type at)

struct Ends {
    int j[LANE];
};
INLINE Ends ends(const Params &par, const Vertex &at, int k) {
    Ends to;
    for (int l = 0; l < LANE; ++l) to.j[l] = par.neighbour[at.first + (long long)k * WIDTH + l];
    return to;
}
INLINE vreal gather(const double *values, const Ends &to) {
    vreal r;
    for (int l = 0; l < LANE; ++l) r[l] = values[to.j[l]];
    return r;
}
INLINE vreal load(const double *values, const Vertex &at) { return *(const vreal *)(values + at.i); }
INLINE void store(double *values, const Vertex &at, vreal value) { *(vreal *)(values + at.i) = value; }
INLINE vreal load_edge(const double *values, long long place) { return *(const vreal *)(values + place); }
INLINE vreal keep(const Vertex &at, int k, vreal value) {
    const vreal zero = {};
    return at.degree > R(k) ? value : zero;
}
INLINE Ends wall_rows(const Params &par, const Vertex &at) {
    Ends row;
    for (int l = 0; l < LANE; ++l) row.j[l] = par.wall_row[at.i + l];
    return row;
}
INLINE vreal is_wall(const Ends &row) {
    vreal r;
    for (int l = 0; l < LANE; ++l) r[l] = row.j[l] > 0 ? 1.0 : 0.0;
    return r;
}

#endif

INLINE long long point_of(const Params &, long long i) { return i; }
// A kernel over vertices, and one over the points of a list (boundary vertices, values that are exchanged).
#define VERTEX_KERNEL(name) STEADY_KERNEL(name, const Vertex, vertex_of)
#define POINT_KERNEL(name) STEADY_KERNEL(name, const long long, point_of)

// The variables of the state.
enum { DENSITY, VELOCITY, TEMPERATURE = 4, EDDY, STATE_VARIABLES };

INLINE void edge_vector(const double *values, const Vertex &at, int k, vreal *a) {
    for (int d = 0; d < 3; ++d) a[d] = load_edge(values, 3 * at.first + ((long long)3 * k + d) * WIDTH + at.lane);
}

// The mean-flow state of the vertex, and that of the other ends of its edges.
INLINE Primitive<vreal> own_state(const Params &par, const Vertex &at) {
    const double *q = par.state;
    const long long n = par.slots;
    return {load(q, at), {load(q + n, at), load(q + 2 * n, at), load(q + 3 * n, at)}, load(q + 4 * n, at)};
}
INLINE Primitive<vreal> far_state(const Params &par, const Ends &to) {
    const double *q = par.state;
    const long long n = par.slots;
    return {gather(q, to), {gather(q + n, to), gather(q + 2 * n, to), gather(q + 3 * n, to)}, gather(q + 4 * n, to)};
}
INLINE vreal own_eddy(const Params &par, const Vertex &at) { return load(par.state + EDDY * par.slots, at); }
INLINE vreal far_eddy(const Params &par, const Ends &to) { return gather(par.state + EDDY * par.slots, to); }

// The gradient of one variable of the state, at the vertex and at the other ends.
INLINE void own_gradient(const Params &par, const Vertex &at, int variable, vreal *g) {
    for (int d = 0; d < 3; ++d) g[d] = load(par.gradient + (3 * variable + d) * par.slots, at);
}
INLINE void far_gradient(const Params &par, const Ends &to, int variable, vreal *g) {
    for (int d = 0; d < 3; ++d) g[d] = gather(par.gradient + (3 * variable + d) * par.slots, to);
}
