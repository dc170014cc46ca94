// The kernels of the benchmark of mesh loops run over cells, faces, edges or nodes: one thread an item on a GPU, a
// plain loop on a CPU. A loop that gathers writes the values of its own item. One that scatters adds to the values of
// other items, which it shares with items that run at the same time: its launches take items of one colour, which
// share none, or its adds are atomic. Floating-point atomics are used in this folder alone, because the order of their
// adds changes from run to run.
#pragma once
#include "dialect/dialect.h"
#include "params.h"

// Lists of numbers, one list an item. The numbers of an item follow one another (bits = 0), or lie 2^bits apart, so
// that those of 2^bits items lie side by side (sliced ELLPACK, with rows as long as the longest list of a slice).
struct Lists {
    const int *first, *count, *numbers;
    int bits;
};
INLINE Lists lists_of(const Params &par) { return {par.list_first, par.list_count, par.list, (int)par.list_bits}; }
INLINE Lists face_nodes_of(const Params &par) { return {par.face_node_first, par.face_node_count, par.face_nodes, 0}; }
INLINE long long place(const Lists &lists, long long item, int k) {
    const int width = 1 << lists.bits;
    return lists.first[item >> lists.bits] + ((long long)k << lists.bits) + (item & (width - 1));
}

// What a loop that scatters does to a value of another item.
struct Plain {
    static INLINE_MEMBER void add(real *at, real x) { *at += x; }
    static INLINE_MEMBER void lower(real *at, real x) { *at = vmin(*at, x); }
    static INLINE_MEMBER void raise(real *at, real x) { *at = vmax(*at, x); }
};

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

// Least and largest values are those of the bit patterns, which are in the order of the values if these are positive.
struct Atomic {
    static INLINE_MEMBER void add(real *at, real x) { atomicAdd(at, x); }
    static INLINE_MEMBER void lower(real *at, real x) { atomicMin((Whole<sizeof(real)>::type *)at, bits_of(x)); }
    static INLINE_MEMBER void raise(real *at, real x) { atomicMax((Whole<sizeof(real)>::type *)at, bits_of(x)); }
};
#define LOOP_THREADS 128
#define LOOP_LAUNCHER(name, call)                                                                                      \
    extern "C" __global__ void __launch_bounds__(LOOP_THREADS) name(const Params par) {                                \
        const long long i = par.range_begin + blockIdx.x * (long long)LOOP_THREADS + threadIdx.x;                      \
        if (i < par.range_end) call(par, i);                                                                           \
    }
#define ATOMIC_LAUNCHER(name, call) LOOP_LAUNCHER(name, call)

#else

#define LOOP_LAUNCHER(name, call)                                                                                      \
    extern "C" void CAT(name, SUFFIX)(const Params *par, long long begin, long long end) {                             \
        for (long long i = begin; i < end; ++i) call(*par, i);                                                         \
    }
#define ATOMIC_LAUNCHER(name, call)

#endif

// A loop that writes the values of its own item i.
#define GATHER(name)                                                                                                   \
    INLINE void name##_item(const Params &par, long long i);                                                           \
    LOOP_LAUNCHER(name, name##_item)                                                                                   \
    INLINE void name##_item(const Params &par, long long i)

// A loop that changes the values of other items by the functions of Values, plain or atomic.
#define SCATTER(name)                                                                                                  \
    template <class Values> INLINE void name##_item(const Params &par, long long i);                                   \
    LOOP_LAUNCHER(name, name##_item<Plain>)                                                                            \
    ATOMIC_LAUNCHER(name##_atomics, name##_item<Atomic>)                                                               \
    template <class Values> INLINE void name##_item(const Params &par, long long i)

// An area vector, or the vector from end to end of an edge, `[direction][item]`.
INLINE void vector_of(const real *values, long long items, long long i, real *a) {
    UNROLL
    for (int d = 0; d < 3; ++d) a[d] = values[d * items + i];
}

// Adds n values to those of the owner of a face, or of the end of an edge from which its area vector points, and takes
// them from those of the other side.
template <class Values, int n> INLINE void to_both_sides(const Params &par, long long i, const real *x) {
    const int owner = par.owner[i], neighbour = par.neighbour[i];
    UNROLL
    for (int v = 0; v < n; ++v) {
        Values::add(par.out + v * par.outs + owner, x[v]);
        Values::add(par.out + v * par.outs + neighbour, -x[v]);
    }
}
