// The dialect on a GPU. A group is a thread block of CELLS_PER_BLOCK cells, points and lines are threads, and SHARED
// arrays are in shared memory. The host defines CELLS_PER_BLOCK, POINTS_PER_THREAD and MIN_BLOCKS_PER_SM. The last is
// the number of thread blocks that a multiprocessor must be able to hold at least; it limits the registers of a thread.
#pragma once
#include "dialect/base.h"
#include "element/element.h"

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

#define LANE 1
#define ONE_LANE
#ifndef CELLS_PER_BLOCK
#define CELLS_PER_BLOCK 1
#endif
#ifndef MIN_BLOCKS_PER_SM
#define MIN_BLOCKS_PER_SM 1
#endif
// A thread owns one line of a hexahedron, or POINTS_PER_THREAD points of another cell. A value that it reads from
// shared memory then serves all of its points.
#ifndef POINTS_PER_THREAD
#define POINTS_PER_THREAD 1
#endif
#if ELEMENT == HEX
#define THREADS (CELLS_PER_BLOCK * 3 * NL)
#else
#define THREADS (CELLS_PER_BLOCK * COLUMNS)
#endif

typedef real vreal;
typedef double vwide;

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS_PER_SM) name(const Params par)
#define LAUNCHER(name)
#define GROUP ((int)blockIdx.x)
// A kernel that has nothing to do mostly, where `mostly_idle` is true. No more thread blocks than the GPU holds at once
// then take the groups in turns, so that a launch costs little. `takes_turns` is the same condition on the host.
#define KERNEL_IN_TURNS(name, mostly_idle)                                                                             \
    INLINE void name##_group(const Params &par, int group);                                                            \
    KERNEL(name) {                                                                                                     \
        if (!(mostly_idle)) return name##_group(par, blockIdx.x);                                                      \
        const int groups = (int)((par.blocks + CELLS_PER_BLOCK - 1) / CELLS_PER_BLOCK);                                \
        for (int group = blockIdx.x; group < groups; group += gridDim.x) {                                             \
            name##_group(par, group);                                                                                  \
            BARRIER();                                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    INLINE void name##_group(const Params &par, const int group)
#define BARRIER() __syncthreads()
#define UNROLL _Pragma("unroll")
// A loop that stays one: its copies would occupy registers that the rest of the kernel needs.
#define ROLLED _Pragma("unroll 1")
// Unrolling pays in single precision only: in double precision the second copy of a large body costs more registers
// than the loop costs time.
#define UNROLL_IN_SINGLE _Pragma("unroll(sizeof(real) == 4 ? 2 : 1)")

// Shared memory is dynamic, because high orders need more than the 48 KB that static arrays may have. The arrays of a
// kernel follow one another in the order of their SHARED lines.
#define SHARED_MEMORY                                                                                                  \
    extern __shared__ double shared_memory_[];                                                                         \
    char *shared_ = (char *)shared_memory_
#define SHARED(T, name, n)                                                                                             \
    T(*name)[CELL_LENGTH(T, n)] = (T(*)[CELL_LENGTH(T, n)])shared_;                                                    \
    shared_ += CELLS_PER_BLOCK * sizeof(*name)

#if ELEMENT == HEX
// The index of a point in shared memory. It is chosen such that the threads of a warp access different banks along all
// three directions and in planes. For N = 2 and 4 the points are permuted within planes. Other even N pad each line by
// one value.
#if N == 2 || N == 4
#define POINTS NP
INLINE int place(int p) {
    const int i = p % N, j = p / N % N, k = p / NL;
    return NL * k + N * (j ^ k) + (i ^ j);
}
// The index of point m of a line. The exclusive or is linear in each coordinate, and the first point of a line has
// coordinate 0 along it.
INLINE int on_line(int start, int d, int m) { return place(start) ^ (m * (d == 0 ? 1 : (d == 1 ? N + 1 : NL + N))); }
#elif N % 2 == 0
#define POINTS (NL * (N + 1))
INLINE int place(int p) { return p + p / N; }
INLINE int on_line(int start, int d, int m) { return place(start) + m * (d == 0 ? 1 : (d == 1 ? N + 1 : NL + N)); }
#else
#define POINTS NP
INLINE int place(int p) { return p; }
INLINE int on_line(int start, int d, int m) { return start + m * (d == 0 ? 1 : (d == 1 ? N : NL)); }
#endif
// The values of a cell in a SHARED array of n values. Where a warp holds lines of two cells, a gap between the cells
// shifts the second cell by half the banks.
#define CELL_LENGTH(T, n) ((n) + (ORDER == 3 ? 64 / (int)sizeof(real) : 0))
// Whether threads take items in their order in memory (see for_each).
#define LINEAR (ORDER <= 5)
#else
// A cell occupies an odd number of words of 16 bytes, so that threads of eight cells that read one row each access
// different banks.
#define CELL_LENGTH(T, n) ((((n) * (int)sizeof(T) + 15) / 16 | 1) * 16 / (int)sizeof(T))
#define LINEAR 1
#endif

// Calls body(c, d, l) for line l of direction d of cell c of the group. Neighbouring threads have lines of one
// direction.
template <class F> INLINE void for_each_line(F &&body) {
    body((int)(threadIdx.x / NL % CELLS_PER_BLOCK), (int)(threadIdx.x / (CELLS_PER_BLOCK * NL)),
         (int)(threadIdx.x % NL));
}

// Calls body(c, i) for items 0 to n - 1 of each cell. If LINEAR, threads take the items in their order in memory.
// Otherwise the threads of a cell take its items plane by plane, and compute the addresses only once.
//
// A number of items that is known at compile time is a template argument, so that the loop is unrolled before its body
// is expanded.
template <int n, class F> INLINE void for_each(F &&body) {
#if LINEAR
    UNROLL
    for (int round = 0; round < (CELLS_PER_BLOCK * n + THREADS - 1) / THREADS; ++round)
        if (const int t = threadIdx.x + round * THREADS, c = t / n, i = t % n; t < CELLS_PER_BLOCK * n) body(c, i);
#else
    for_each_line([&](int c, int d, int l) {
        UNROLL
        for (int round = 0; round < (n + 3 * NL - 1) / (3 * NL); ++round)
            if (const int i = l + NL * (d + 3 * round); i < n) body(c, i);
    });
#endif
}
template <class F> INLINE void for_each(int n, F &&body) {
#if LINEAR
    for (int t = threadIdx.x; t < CELLS_PER_BLOCK * n; t += THREADS) body(t / n, t % n);
#else
    for_each_line([&](int c, int d, int l) {
        for (int i = l + NL * d; i < n; i += 3 * NL) body(c, i);
    });
#endif
}
// The same as a loop header. The sweeps of dense elements use it, because NVRTC spills registers around a lambda there.
// Only the last round may have threads without an item: without a condition, loads of later rounds can come early. The
// second form is for long bodies, which would overfill the cache of instructions if they were repeated.
#define FOR_ITEMS(c, i, n) UNROLL FOR_ROUNDS(c, i, n)
#define FOR_ITEMS_ROLLED(c, i, n) _Pragma("unroll 1") FOR_ROUNDS(c, i, n)
#define FOR_ROUNDS(c, i, n)                                                                                            \
    for (int round = 0; round < (CELLS_PER_BLOCK * (n) + THREADS - 1) / THREADS; ++round)                              \
        if (const int t = threadIdx.x + round * THREADS, c = t / (n), i = t % (n);                                     \
            (round + 1) * THREADS <= CELLS_PER_BLOCK * (n) || t < CELLS_PER_BLOCK * (n))

template <class F> INLINE void for_each_point(F &&body) { for_each<NP>(body); }

// Calls body(c, i) for column i of cell c. A column has POINTS_PER_THREAD points (method/dense_operators.h).
#if ELEMENT != HEX
template <class F> INLINE void for_each_column(F &&body) {
    body((int)(threadIdx.x / COLUMNS), (int)(threadIdx.x % COLUMNS));
}
#endif

// Calls body(i) for the items par.range_begin to n - 1 of a launch over single items. The CPU needs the argument
// `group`.
template <class P, class F> INLINE void for_each_in_range(const P &par, int, long long n, F &&body) {
    const long long i = par.range_begin + blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) body(i);
}

// A value of each line that is kept from one phase to later ones, in registers of the thread that owns the line.
template <class T> struct LineValues {
    T value;
    INLINE_MEMBER T &of(int, int) { return value; }
};

// Values of each column that are kept from one phase to the next, in registers of the thread that owns the column.
template <class T> struct ColumnValues {
    T value;
    INLINE_MEMBER T &of(int) { return value; }
};

// The points of a thread, rounded up.
#define POINT_ROUNDS ((CELLS_PER_BLOCK * NP + THREADS - 1) / THREADS)

// Values of lines or points that are loaded some phases before they are used, so that other work hides the latency.
// `begin` loads them by load(c, d, l, value) or load(c, p, value). `of` and `for_each` give access to them.
template <class T> struct PrefetchedLines {
    T value;
    template <class L> INLINE_MEMBER void begin(L &&load) {
        for_each_line([&](int c, int d, int l) { load(c, d, l, value); });
    }
    template <class L> INLINE_MEMBER T &of(int, int, int, L &&) { return value; }
};
template <class T> struct PrefetchedPoints {
    T values[POINT_ROUNDS];
    // A thread without a point in the last round loads another point and does not use it: a conditional load would
    // occupy its registers from the beginning.
    template <class L> INLINE_MEMBER void begin(L &&load) {
#if LINEAR
        UNROLL
        for (int round = 0; round < POINT_ROUNDS; ++round) {
            const int t = threadIdx.x + round * THREADS, e = t < CELLS_PER_BLOCK * NP ? t : threadIdx.x;
            load(e / NP, e % NP, values[round]);
        }
#else
        for_each_line([&](int c, int d, int l) {
            UNROLL
            for (int round = 0; round < POINT_ROUNDS; ++round) {
                const int i = l + NL * (d + 3 * round);
                load(c, i < NP ? i : l, values[round]);
            }
        });
#endif
    }
    // Calls body(c, p, value) for all points.
    template <class L, class F> INLINE_MEMBER void for_each(L &&, F &&body) {
#if LINEAR
        UNROLL
        for (int round = 0; round < POINT_ROUNDS; ++round) {
            const int t = threadIdx.x + round * THREADS, c = t / NP, p = t % NP;
            if (t < CELLS_PER_BLOCK * NP) body(c, p, values[round]);
        }
#else
        for_each_line([&](int c, int d, int l) {
            UNROLL
            for (int round = 0; round < POINT_ROUNDS; ++round) {
                const int p = l + NL * (d + 3 * round);
                if (p < NP) body(c, p, values[round]);
            }
        });
#endif
    }
};

// Loads a value that no kernel writes during this launch. The compiler may read it once and keep it across stores.
template <class T> INLINE T constant_in_launch(const T *p) { return __ldg(p); }

// Loads four adjacent values with the widest instructions.
INLINE void load_row(const float *p, float *q) {
    const float4 r = constant_in_launch((const float4 *)p);
    q[0] = r.x, q[1] = r.y, q[2] = r.z, q[3] = r.w;
}
INLINE void load_row(const double *p, double *q) {
    const double2 r = constant_in_launch((const double2 *)p), s = constant_in_launch((const double2 *)p + 1);
    q[0] = r.x, q[1] = r.y, q[2] = s.x, q[3] = s.y;
}

// Loads two adjacent values, the first of which has an even index, with one instruction.
INLINE void load_pair(const float *p, float *q) {
    const float2 r = constant_in_launch((const float2 *)p);
    q[0] = r.x, q[1] = r.y;
}
INLINE void load_pair(const double *p, double *q) {
    const double2 r = constant_in_launch((const double2 *)p);
    q[0] = r.x, q[1] = r.y;
}

// The same from shared memory, and the store to shared memory.
INLINE void read_row(const float *p, float *q) {
    const float4 r = *(const float4 *)p;
    q[0] = r.x, q[1] = r.y, q[2] = r.z, q[3] = r.w;
}
INLINE void read_row(const double *p, double *q) {
    const double2 r = *(const double2 *)p, s = *((const double2 *)p + 1);
    q[0] = r.x, q[1] = r.y, q[2] = s.x, q[3] = s.y;
}
INLINE void write_row(const float *q, float *p) { *(float4 *)p = make_float4(q[0], q[1], q[2], q[3]); }
INLINE void write_row(const double *q, double *p) {
    *(double2 *)p = make_double2(q[0], q[1]);
    *((double2 *)p + 1) = make_double2(q[2], q[3]);
}

// Tensor cores multiply matrices in double precision from compute capability 8.0 on, and take whole warps.
#if defined(TENSOR_CORES) && (__CUDA_ARCH__ < 800 || THREADS < 32)
#undef TENSOR_CORES
#endif
#ifdef TENSOR_CORES
// sum += a b on a tensor core, for the 8 x 4 matrix a, the 4 x 8 matrix b and the 8 x 8 matrix sum, which the lanes of
// a warp hold together: lane l has a[l/4][l%4], b[l%4][l/4], and sum[l/4][2 (l%4)] with its right neighbour.
// Source: NVIDIA, Parallel Thread Execution ISA, "Matrix Fragments for mma.m8n8k4 with .f64 floating point type".
INLINE void multiply_tile(double a, double b, double *sum) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sum[0]), "+d"(sum[1])
                 : "d"(a), "d"(b));
}
#endif

INLINE vreal select(bool m, vreal a, vreal b) { return m ? a : b; }
INLINE bool any_lane(bool m) { return m; }
INLINE long long bits_of(double x) { return __double_as_longlong(x); }
INLINE int bits_of(float x) { return __float_as_int(x); }
INLINE double real_of(long long bits) { return __longlong_as_double(bits); }
INLINE float real_of(int bits) { return __int_as_float(bits); }
INLINE bool all_lanes(bool m) { return m; }
// Whole numbers in memory that cells of any thread change; the result does not depend on the order. Most calls change
// nothing, and it takes less time to see that than to wait for the others that ask for the same word.
INLINE void lower(long long *word, long long by) {
    if (by < *(volatile long long *)word) atomicMin((long long *)word, by);
}
INLINE void raise(long long *word, long long by) {
    if (by > *(volatile long long *)word) atomicMax((long long *)word, by);
}
INLINE void add_one(long long *word) { atomicAdd((unsigned long long *)word, 1ull); }
// The value of a lane, and its change.
INLINE real lane_of(vreal a, int) { return a; }
INLINE double wide_lane_of(vwide a, int) { return a; }
INLINE void set_lane(vreal &a, int, real value) { a = value; }
INLINE vwide widen(vreal a) { return (vwide)a; }
INLINE vreal narrow(vwide a) { return (vreal)a; }
INLINE double vabs(double a) { return fabs(a); }
INLINE float vabs(float a) { return fabsf(a); }
INLINE double vfloor(double a) { return floor(a); }
INLINE float vfloor(float a) { return floorf(a); }
INLINE double vfma(double a, double b, double c) { return fma(a, b, c); }
INLINE float vfma(float a, float b, float c) { return fmaf(a, b, c); }
INLINE vwide wmin(vwide a, vwide b) { return a < b ? a : b; }
INLINE vwide wmax(vwide a, vwide b) { return a > b ? a : b; }
#ifdef FAST_MATH
// The approximations of the hardware. In single precision they are accurate to the last one or two bits. In double
// precision they have 20 bits, which one iteration of third order improves to nearly full accuracy.
INLINE float inverse(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
INLINE double inverse(double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double e = fma(-x, r, 1.0);
    return fma(r, fma(e, e, e), r);
}
INLINE float inverse_root(float x) {
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
INLINE double inverse_root(double x) {
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double e = fma(-x * r, r, 1.0);
    return fma(r * e, fma(0.375, e, 0.5), r);
}
INLINE vreal vsqrt(vreal x) {
#ifdef STEADY
    // Interior vertices have boundary areas of 0, and the vorticity may be 0: their inverse roots are not finite.
    if (x == vreal(0)) return x;
#endif
    return x * inverse_root(x);
}
// The square root and its inverse.
INLINE void roots(vreal x, vreal &root, vreal &inverse) {
    inverse = inverse_root(x);
    root = x * inverse;
}
#else
INLINE double vsqrt(double a) { return sqrt(a); }
INLINE float vsqrt(float a) { return sqrtf(a); }
#endif

#endif
