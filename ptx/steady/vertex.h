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

// Lines of vertices side by side: position n of all of them is slice first + n. A vertex alone is a line of one, and
// shorter lines end with slots of no vertex.
struct Line {
    long long first; // its first slice
    int length;      // slices
    int lane;        // its place in these
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
INLINE Ends of_edge(const int *list, const Vertex &at, int k) {
    return {list[at.first + (long long)k * WIDTH + at.lane]};
}
template <class T> INLINE vreal gather(const T *values, const Ends &to) { return values[to.j]; }
template <class T> INLINE vreal load(const T *values, const Vertex &at) { return values[at.i]; }
template <class T> INLINE void store(T *values, const Vertex &at, vreal value) { values[at.i] = (T)value; }
INLINE vreal load_edge(const double *values, long long place) { return values[place]; }
INLINE vreal keep(const Vertex &, int, vreal value) { return value; }
INLINE Ends rows(const int *row, const Vertex &at) { return {row[at.i]}; }
INLINE vreal is_wall(const Ends &row) { return row.j > 0 ? 1.0 : 0.0; }
INLINE vreal leads(const Vertex &at, const Ends &to, int slices) {
    return to.j == at.i + (long long)slices * WIDTH ? 1.0 : 0.0;
}
typedef long long whole;
#define FOR_SLOTS(i, chunk) for (long long i = chunk; i < par.owned_slots; i += par.chunks)
template <class T> INLINE vreal load_slot(const T *values, long long i) { return values[i]; }
// All threads of a warp are there: the number of chunks is a multiple of the threads of a block.
INLINE void add_to(long long *sum, whole x) {
    for (int n = 16; n > 0; n /= 2) x += __shfl_down_sync(~0u, x, n);
    if (threadIdx.x % 32 == 0 && x != 0) atomicAdd((unsigned long long *)sum, (unsigned long long)x);
}
INLINE void raise_to(long long *most, whole x) {
    for (int n = 16; n > 0; n /= 2) x = max(x, __shfl_down_sync(~0u, x, n));
    if (threadIdx.x % 32 == 0 && x > 0) atomicMax((long long *)most, x);
}
INLINE vreal load_single(const float *values, long long place) { return (double)values[place]; }
INLINE void store_single(float *values, long long place, vreal value) { values[place] = (float)value; }
INLINE Line line_of(const Params &par, long long i) {
    const int first = par.line_begin[i / WIDTH], end = par.line_begin[i / WIDTH + 1];
    return {first, end - first, (int)(i % WIDTH)};
}
INLINE Vertex vertex_of_line(const Params &par, const Line &line, int position) {
    return vertex_of(par, (long long)(line.first + position) * WIDTH + line.lane);
}

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
INLINE Ends of_edge(const int *list, const Vertex &at, int k) {
    Ends of;
    for (int l = 0; l < LANE; ++l) of.j[l] = list[at.first + (long long)k * WIDTH + l];
    return of;
}
template <class T> INLINE vreal gather(const T *values, const Ends &to) {
    vreal r;
    for (int l = 0; l < LANE; ++l) r[l] = values[to.j[l]];
    return r;
}
typedef float vsingle __attribute__((vector_size(LANE * sizeof(float)), may_alias));
INLINE vreal load_single(const float *values, long long place) {
    return __builtin_convertvector(*(const vsingle *)(values + place), vreal);
}
INLINE void store_single(float *values, long long place, vreal value) {
    *(vsingle *)(values + place) = __builtin_convertvector(value, vsingle);
}
INLINE vreal load(const double *values, const Vertex &at) { return *(const vreal *)(values + at.i); }
INLINE vreal load(const float *values, const Vertex &at) { return load_single(values, at.i); }
INLINE void store(double *values, const Vertex &at, vreal value) { *(vreal *)(values + at.i) = value; }
INLINE void store(float *values, const Vertex &at, vreal value) { store_single(values, at.i, value); }
INLINE vreal load_edge(const double *values, long long place) { return *(const vreal *)(values + place); }
INLINE vreal keep(const Vertex &at, int k, vreal value) {
    const vreal zero = {};
    return at.degree > R(k) ? value : zero;
}
INLINE Ends rows(const int *row, const Vertex &at) {
    Ends of;
    for (int l = 0; l < LANE; ++l) of.j[l] = row[at.i + l];
    return of;
}
INLINE vreal is_wall(const Ends &row) {
    vreal r;
    for (int l = 0; l < LANE; ++l) r[l] = row.j[l] > 0 ? 1.0 : 0.0;
    return r;
}
INLINE vreal leads(const Vertex &at, const Ends &to, int slices) {
    vreal r;
    for (int l = 0; l < LANE; ++l) r[l] = to.j[l] == at.i + (long long)slices * WIDTH + l ? 1.0 : 0.0;
    return r;
}
typedef vbits whole;
#define FOR_SLOTS(i, chunk) for (long long i = chunk * LANE; i < par.owned_slots; i += par.chunks * LANE)
INLINE vreal load_slot(const double *values, long long i) { return *(const vreal *)(values + i); }
INLINE vreal load_slot(const float *values, long long i) { return load_single(values, i); }
INLINE void add_to(long long *sum, whole x) {
    long long all = 0;
    for (int l = 0; l < LANE; ++l) all += x[l];
    __atomic_fetch_add((long long *)sum, all, __ATOMIC_RELAXED);
}
INLINE void raise_to(long long *most, whole x) {
    long long all = x[0], now = __atomic_load_n((long long *)most, __ATOMIC_RELAXED);
    for (int l = 1; l < LANE; ++l) all = x[l] > all ? (long long)x[l] : all;
    while (now < all && !__atomic_compare_exchange_n((long long *)most, &now, all, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {}
}
INLINE Line line_of(const Params &par, long long i) {
    const int first = par.line_begin[i], end = par.line_begin[i + 1];
    return {first, end - first, 0};
}
INLINE Vertex vertex_of_line(const Params &par, const Line &line, int position) {
    return vertex_of(par, (long long)line.first + position);
}

#endif

// `ends` are the other ends of the k-th edges, and `of_edge` what a list has for them. `leads` is 1 where an edge leads
// to the vertex of the same lane so many slices further, else 0; with 0 slices, to the vertex itself.
// FOR_SLOTS goes through every so many slots of owned vertices, the share of a chunk. `add_to` and `raise_to` add whole
// numbers of all chunks and find their largest; these do not depend on the order of the chunks.
INLINE Ends ends(const Params &par, const Vertex &at, int k) { return of_edge(par.neighbour, at, k); }
INLINE long long point_of(const Params &, long long i) { return i; }
// A kernel over vertices, one over lines of vertices, and one over the points of a list (boundary vertices, values that
// are exchanged).
#define VERTEX_KERNEL(name) STEADY_KERNEL(name, const Vertex, vertex_of)
#define LINE_KERNEL(name) STEADY_KERNEL(name, const Line, line_of)
#define POINT_KERNEL(name) STEADY_KERNEL(name, const long long, point_of)

// The variables of the state. That of the model of Spalart and Allmaras is nu~; the models with two equations have k in
// its place, and then omega.
enum { DENSITY, VELOCITY, TEMPERATURE = 4, EDDY, OMEGA, STATE_VARIABLES };
enum { ENERGY = EDDY };

// Whether the model has equations of k and omega.
INLINE bool has_two_equations(const Params &par) {
    return par.turbulence == TURBULENCE_K_OMEGA || par.turbulence == TURBULENCE_SST;
}

INLINE void edge_vector(const double *values, const Vertex &at, int k, vreal *a) {
    for (int d = 0; d < 3; ++d) a[d] = load_edge(values, 3 * at.first + ((long long)3 * k + d) * WIDTH + at.lane);
}

// The rows of values that vertices on no-slip walls have, and those of the areas that vertices on boundaries have.
INLINE Ends wall_rows(const Params &par, const Vertex &at) { return rows(par.wall_row, at); }
INLINE Ends boundary_rows(const Params &par, const Vertex &at) { return rows(par.boundary_row, at); }

// The outward area vector of a vertex on one of its boundaries, which are numbered from 0; zero if it has fewer.
INLINE void boundary_part(const Params &par, const Ends &row, int part, vreal *a) {
    for (int d = 0; d < 3; ++d) a[d] = gather(par.part_area + (3 * part + d) * par.boundary_rows, row);
}

// Vectors at a vertex have the components that they have at its position. Where an edge passes a side that is periodic
// by rotation, Q carries those of the other end to the place where the vertex sees this end, and its inverse carries
// them there. `par.turn` leads to the nine numbers of Q, row by row; there is none unless `par.rotated`.
// `row` and `column` are the strides of the matrix that multiplies: those of Q, or of its transpose.
INLINE void carry(const Params &par, const Vertex &at, int k, int row, int column, vreal *v) {
    if (!par.rotated) return;
    const Ends turn = of_edge(par.turn, at, k);
    const vreal x = v[0], y = v[1], z = v[2];
    UNROLL
    for (int d = 0; d < 3; ++d) {
        const double *q = par.turns + row * d;
        v[d] = vfma(gather(q, turn), x, vfma(gather(q + column, turn), y, gather(q + 2 * column, turn) * z));
    }
}
INLINE void carry_here(const Params &par, const Vertex &at, int k, vreal *v) { carry(par, at, k, 3, 1, v); }
INLINE void carry_there(const Params &par, const Vertex &at, int k, vreal *v) { carry(par, at, k, 1, 3, v); }

// The mean-flow state of the vertex, and that of the other ends of its edges as the vertex sees it.
INLINE Primitive<vreal> own_state(const Params &par, const Vertex &at) {
    const double *q = par.state;
    const long long n = par.slots;
    return {load(q, at), {load(q + n, at), load(q + 2 * n, at), load(q + 3 * n, at)}, load(q + 4 * n, at)};
}
INLINE Primitive<vreal> far_state(const Params &par, const Vertex &at, int k, const Ends &to) {
    const double *q = par.state;
    const long long n = par.slots;
    Primitive<vreal> far = {gather(q, to), {gather(q + n, to), gather(q + 2 * n, to), gather(q + 3 * n, to)},
                            gather(q + 4 * n, to)};
    carry_here(par, at, k, far.v);
    return far;
}
// The velocity of the rotating frame at the vertex, its angular speed where blocks of cells have their own, and its
// angular velocity.
INLINE void own_frame_velocity(const Params &par, const Vertex &at, vreal *s) {
    for (int d = 0; d < 3; ++d) s[d] = load(par.frame_velocity + d * par.slots, at);
}
INLINE vreal own_frame_speed(const Params &par, const Vertex &at) {
    const vreal zero = {};
    return par.rotates == FRAMES_SEVERAL ? load(par.frame_speed, at) : zero + R(1);
}
INLINE void own_angular_velocity(const Params &par, const Vertex &at, vreal *omega) {
    const vreal speed = own_frame_speed(par, at);
    for (int d = 0; d < 3; ++d) omega[d] = par.angular_velocity[d] * speed;
}
INLINE vreal own_eddy(const Params &par, const Vertex &at) { return load(par.state + EDDY * par.slots, at); }
INLINE vreal far_eddy(const Params &par, const Ends &to) { return gather(par.state + EDDY * par.slots, to); }

// The gradient of one variable of the state, at the vertex and at the other ends as these have it.
INLINE void own_gradient(const Params &par, const Vertex &at, int variable, vreal *g) {
    for (int d = 0; d < 3; ++d) g[d] = load(par.gradient + (3 * variable + d) * par.slots, at);
}
INLINE void far_gradient(const Params &par, const Ends &to, int variable, vreal *g) {
    for (int d = 0; d < 3; ++d) g[d] = gather(par.gradient + (3 * variable + d) * par.slots, to);
}
