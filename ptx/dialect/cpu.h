// The dialect on a CPU. A group is one block of LANE cells, whose values fill the lanes of a vector register. Phases
// are loops, SHARED arrays are on the stack, and a core runs one group after the other. CELLS_PER_BLOCK is 1, because
// the cells of a group are the lanes of one value.
#pragma once
#include "dialect/base.h"
#include "element/element.h"

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <math.h>
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif
#ifndef SUFFIX
#define SUFFIX
#endif
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#ifndef VECTOR_BYTES
#define VECTOR_BYTES 32
#endif
#define LANE (VECTOR_BYTES / (int)sizeof(real))
#define CELLS_PER_BLOCK 1
#define POINTS_PER_THREAD 1
#define ENTROPY_CORRECTION
typedef real vreal __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef double vwide __attribute__((vector_size(LANE * sizeof(double)), may_alias));
#define KERNEL(name) static void name##_group(const Params &RESTRICT par, const long long GROUP)
#define KERNEL_IN_TURNS(name, mostly_idle)                                                                             \
    static void name##_group(const Params &RESTRICT par, const long long group)
#define LAUNCHER(name)                                                                                                 \
    extern "C" void CAT(name, SUFFIX)(const Params *par, long long begin, long long end) {                             \
        for (long long g = begin; g < end; ++g) name##_group(*par, g);                                                 \
    }
#define SHARED_MEMORY
#define SHARED(T, name, n) alignas(64) T name[1][n]
#define BARRIER()
#define UNROLL _Pragma("GCC unroll 9")
#define UNROLL_IN_SINGLE
#define ROLLED

// The index of a point in a SHARED array.
#define POINTS NP
INLINE int place(int p) { return p; }
INLINE int on_line(int start, int d, int m) { return start + m * (d == 0 ? 1 : (d == 1 ? N : NL)); }

// The phases, which dialect/cuda.h describes. Here they are loops over one block of cells (c = 0).
template <class F> INLINE void for_each_line(F &&body) {
    for (int d = 0; d < 3; ++d)
        for (int l = 0; l < NL; ++l) body(0, d, l);
}
template <int n, class F> INLINE void for_each(F &&body) {
    for (int i = 0; i < n; ++i) body(0, i);
}
template <class F> INLINE void for_each(int n, F &&body) {
    for (int i = 0; i < n; ++i) body(0, i);
}
#define FOR_ITEMS(c, i, n)                                                                                             \
    for (int c = 0; c < 1; ++c)                                                                                        \
        for (int i = 0; i < (n); ++i)
#define FOR_ITEMS_ROLLED FOR_ITEMS
template <class F> INLINE void for_each_point(F &&body) { for_each<NP>(body); }
#if ELEMENT != HEX
template <class F> INLINE void for_each_column(F &&body) { for_each<COLUMNS>(body); }
#endif
template <class P, class F> INLINE void for_each_in_range(const P &, long long group, long long n, F &&body) {
    if (group < n) body(group);
}

// A value of each line that is kept from one phase to later ones.
template <class T> struct LineValues {
    alignas(64) T values[3 * NL];
    INLINE_MEMBER T &of(int d, int l) { return values[d * NL + l]; }
};

#if ELEMENT != HEX
// Values of each column that are kept from one phase to the next.
template <class T> struct ColumnValues {
    T values[COLUMNS];
    INLINE_MEMBER T &of(int i) { return values[i]; }
};
#endif

// A CPU gains nothing from early loads: values are loaded where they are used.
template <class T> struct PrefetchedLines {
    T value;
    template <class L> INLINE_MEMBER void begin(L &&) {}
    template <class L> INLINE_MEMBER T &of(int c, int d, int l, L &&load) {
        load(c, d, l, value);
        return value;
    }
};
template <class T> struct PrefetchedPoints {
    template <class L> INLINE_MEMBER void begin(L &&) {}
    template <class L, class F> INLINE_MEMBER void for_each(L &&load, F &&body) {
        for (int p = 0; p < NP; ++p) {
            T value;
            load(0, p, value);
            body(0, p, value);
        }
    }
};

template <class T> INLINE T constant_in_launch(const T *p) { return *p; }
INLINE void load_row(const vreal *p, vreal *q) {
    UNROLL
    for (int n = 0; n < 4; ++n) q[n] = p[n];
}

INLINE void load_pair(const real *p, real *q) { q[0] = p[0], q[1] = p[1]; }

INLINE void read_row(const vreal *p, vreal *q) { load_row(p, q); }
INLINE void write_row(const vreal *q, vreal *p) { load_row(q, p); }

template <class M> INLINE vreal select(M m, vreal a, vreal b) { return m ? a : b; }
// Whether a condition holds for a cell of the block.
template <class M> INLINE bool any_lane(M m) {
    for (int l = 0; l < LANE; ++l)
        if (m[l]) return true;
    return false;
}
INLINE bool any_lane(bool m) { return m; }
// Whether it holds for all of them.
template <class M> INLINE bool all_lanes(M m) {
    typedef long long Words __attribute__((vector_size(VECTOR_BYTES)));
    const Words words = (Words)m;
    long long all = words[0];
    for (int w = 1; w < VECTOR_BYTES / 8; ++w) all &= words[w];
    return all == -1;
}
// Whole numbers in memory that cells of any thread change; the result does not depend on the order.
INLINE long long word_now(long long *word) { return __atomic_load_n((long long *)word, __ATOMIC_RELAXED); }
// Writes `by` if the word is still `old`, which else becomes what it is. Returns whether it was.
INLINE bool replaces(long long *word, long long &old, long long by) {
    return __atomic_compare_exchange_n((long long *)word, &old, by, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
INLINE void lower(long long *word, long long by) {
    long long old = word_now(word);
    while (by < old && !replaces(word, old, by)) {
    }
}
INLINE void raise(long long *word, long long by) {
    long long old = word_now(word);
    while (by > old && !replaces(word, old, by)) {
    }
}
INLINE void add_one(long long *word) { __atomic_fetch_add((long long *)word, 1, __ATOMIC_RELAXED); }
// The value of a lane, and its change.
INLINE real lane_of(vreal a, int lane) { return a[lane]; }
INLINE double wide_lane_of(vwide a, int lane) { return a[lane]; }
INLINE void set_lane(vreal &a, int lane, real value) { a[lane] = value; }
typedef Whole<sizeof(real)>::type vbits __attribute__((vector_size(VECTOR_BYTES)));
INLINE vbits bits_of(vreal x) { return (vbits)x; }
INLINE long long bits_of(double x) { return __builtin_bit_cast(long long, x); }
INLINE int bits_of(float x) { return __builtin_bit_cast(int, x); }
INLINE float real_of(int bits) { return __builtin_bit_cast(float, bits); }
INLINE double real_of(long long bits) { return __builtin_bit_cast(double, bits); }
INLINE vreal real_of(vbits bits) { return (vreal)bits; }
INLINE vwide widen(vreal a) { return __builtin_convertvector(a, vwide); }
INLINE vreal narrow(vwide a) { return __builtin_convertvector(a, vreal); }
INLINE real vabs(real a) { return __builtin_fabs(a); }
INLINE double vfloor(double a) { return __builtin_floor(a); }
INLINE float vfloor(float a) { return __builtin_floorf(a); }
INLINE vreal vfloor(vreal a) {
    vreal r;
    for (int l = 0; l < LANE; ++l) r[l] = vfloor((real)a[l]);
    return r;
}
INLINE double vsqrt(double a) { return __builtin_sqrt(a); }
INLINE float vsqrt(float a) { return __builtin_sqrtf(a); }
INLINE double vfma(double a, double b, double c) { return __builtin_fma(a, b, c); }
INLINE float vfma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE vwide wmin(vwide a, vwide b) { return a < b ? a : b; }
INLINE vwide wmax(vwide a, vwide b) { return a > b ? a : b; }

// fma, sqrt and abs of vector registers. The vector extension of the compiler has no operators for them.
INLINE __attribute__((unused)) vreal lanewise_fma(vreal a, vreal b, vreal c) {
    vreal r;
    for (int l = 0; l < LANE; ++l) r[l] = vfma(a[l], b[l], c[l]);
    return r;
}
template <int bytes, class T> struct Register {
    INLINE vreal fma(vreal a, vreal b, vreal c) { return lanewise_fma(a, b, c); }
    INLINE vreal sqrt(vreal a) {
        vreal r;
        for (int l = 0; l < LANE; ++l) r[l] = vsqrt(a[l]);
        return r;
    }
    INLINE vreal abs(vreal a) {
        vreal r;
        for (int l = 0; l < LANE; ++l) r[l] = vabs(a[l]);
        return r;
    }
};
#define REGISTER(bytes, T, V, prefix, suffix, absolute)                                                                \
    template <> struct Register<bytes, T> {                                                                            \
        INLINE V fma(V a, V b, V c) { return prefix##_fmadd_##suffix(a, b, c); }                                       \
        INLINE V sqrt(V a) { return prefix##_sqrt_##suffix(a); }                                                       \
        INLINE V abs(V a) { return absolute; }                                                                         \
    };
#if defined(__AVX512F__) && VECTOR_BYTES == 64
REGISTER(64, double, __m512d, _mm512, pd, _mm512_abs_pd(a))
REGISTER(64, float, __m512, _mm512, ps, _mm512_abs_ps(a))
#elif defined(__AVX2__) && VECTOR_BYTES == 32
REGISTER(32, double, __m256d, _mm256, pd, _mm256_andnot_pd(_mm256_set1_pd(-0.0), a))
REGISTER(32, float, __m256, _mm256, ps, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a))
#endif
typedef Register<VECTOR_BYTES, real> Reg;
INLINE vreal vfma(vreal a, vreal b, vreal c) { return Reg::fma(a, b, c); }
INLINE vreal vfma(real a, vreal b, vreal c) { return Reg::fma(vreal{} + a, b, c); }
INLINE vreal vsqrt(vreal a) { return Reg::sqrt(a); }
INLINE vreal vabs(vreal a) { return Reg::abs(a); }

#endif
