// The dialect in which all kernels are written: one text for the CPU and the GPU.
//
// A kernel is a list of phases over the points, lines or face points of a group of cells, with BARRIER between phases.
//   GPU: a group is a thread block of CELLS cells; points and lines are threads; SHARED is shared memory; PRIVATE are
//        registers of the thread that owns a line.
//   CPU: a group is one block of LANE cells side by side, which fill the lanes of a vector register; phases are loops,
//        SHARED and PRIVATE are the stack, and one core runs many groups one after the other.
// `vreal` is one value of each cell of a block: a vector register on the CPU, a plain `real` on the GPU. Contraction is
// off in both compilers and fma() is written where it is meant, so that both machines can give the same bits.
#pragma once

#ifndef REAL
#define REAL double
#endif
#include "element/element.h"

typedef REAL real;
#define R(x) ((real)(x))
// Whole numbers as long as a real.
template <int bytes> struct Whole { typedef long long type; };
template <> struct Whole<4> { typedef int type; };

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
// ---------------------------------------------------------------- GPU
// The host sets CELLS and BLOCKS, the number of groups that share a multiprocessor: it bounds the registers.
#define LANE 1
#define ONE_LANE
#ifndef CELLS
#define CELLS 1
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
// Threads hold a line of a hexahedron, or WIDE points of a cell of another kind: what they read of a third point then serves
// all of them.
#ifndef WIDE
#define WIDE 1
#endif
#if ELEMENT == HEX
#define THREADS (CELLS * 3 * NL)
#else
#define THREADS (CELLS * COLUMNS)
#endif
#define INLINE __device__ __forceinline__
#define INLINE_MEMBER __device__ __forceinline__
#define OUTLINE __device__ __forceinline__
#define RESTRICT __restrict__
typedef real vreal;
typedef double vwide;
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) name(const Params par)
#define LAUNCHER(name)
#define GROUP ((int)blockIdx.x)
// Dynamic, because high orders need more than the 48 KB that static arrays may have: arrays follow one another.
#define SHARED_MEMORY                                                                                                  \
    extern __shared__ double shared_memory_[];                                                                         \
    char *shared_ = (char *)shared_memory_
#define SHARED(T, name, n)                                                                                             \
    T(*name)[(n) + CELL_GAP] = (T(*)[(n) + CELL_GAP])shared_;                                                          \
    shared_ += sizeof(T) * CELLS * ((n) + CELL_GAP)
#define BARRIER() __syncthreads()
#define UNROLL _Pragma("unroll")
// In double precision the second copy of a large body costs more registers than the loop costs time.
#define UNROLL_IN_SINGLE _Pragma("unroll(sizeof(real) == 4 ? 2 : 1)")

#if ELEMENT == HEX
// Where a point lies in shared memory, so that the threads of a warp meet different banks along all three directions and
// in planes: for N = 2 and 4 points change places within planes, other even N lengthen the lines by one.
#if N == 2 || N == 4
#define POINTS NP
INLINE int place(int p) {
    const int i = p % N, j = p / N % N, k = p / NL;
    return NL * k + N * (j ^ k) + (i ^ j);
}
// Exclusive or of coordinates is linear, and a start has none along its line.
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
// Where a warp holds lines of two cells, the second cell starts half the banks further.
#define CELL_GAP (ORDER == 3 ? 64 / (int)sizeof(real) : 0)
#define LINEAR (ORDER <= 5)
#else
#define CELL_GAP 0
#define LINEAR 1
#endif

// Lines of one direction are neighbouring threads. Points are dealt out in their order in memory, or plane by plane to the
// threads of the same cell, which then compute addresses only once.
#define FOR_LINES(c, d, l)                                                                                             \
    for (int d = threadIdx.x / (CELLS * NL), c = threadIdx.x / NL % CELLS, l = threadIdx.x % NL, once_ = 1; once_;      \
         once_ = 0)
#if LINEAR
#define FOR_SOME(c, i, n)                                                                                              \
    UNROLL                                                                                                             \
    for (int round_ = 0; round_ < (CELLS * (n) + THREADS - 1) / THREADS; ++round_)                                     \
        if (const int t_ = threadIdx.x + round_ * THREADS, c = t_ / (n), i = t_ % (n); t_ < CELLS * (n))
#else
#define FOR_SOME(c, i, n)                                                                                              \
    FOR_LINES(c, d_, l_)                                                                                               \
    UNROLL                                                                                                             \
    for (int round_ = 0; round_ < ((n) + 3 * NL - 1) / (3 * NL); ++round_)                                             \
        if (const int i = l_ + NL * (d_ + 3 * round_); i < (n))
#endif
#define FOR_POINTS(c, p) FOR_SOME(c, p, NP)
// Column i of cell c, of WIDE points (dense.h).
#define FOR_COLUMNS(c, i)                                                                                              \
    for (int c = threadIdx.x / COLUMNS, i = threadIdx.x % COLUMNS, once_ = 1; once_; once_ = 0)
#define FOR_RANGE(i, n)                                                                                                \
    for (long long i = par.range_begin + blockIdx.x * (long long)blockDim.x + threadIdx.x, once_ = 1;                   \
         once_ && i < (n); once_ = 0)
// What a thread keeps of its line from phase to phase.
#define PRIVATE(T, name) T name
#define MINE(name, line) (name)
// Loads that are begun phases before their values are used, to wait for them while others compute: OF_LINES and
// OF_POINTS declare where the values stay, EARLY_... is the phase that loads, LATE stands for loading where they are used.
#define OF_LINES(T, name) T name
#define OF_POINTS(T, name) T name[(N + 2) / 3]
#define EARLY_LINES(c, d, l) FOR_LINES(c, d, l)
// A thread without a point in the last round loads one that it does not use: values that may or may not be loaded would
// hold their registers from the beginning.
#if LINEAR
#define EARLY_POINTS(c, p)                                                                                             \
    UNROLL                                                                                                             \
    for (int round_ = 0; round_ < (N + 2) / 3; ++round_)                                                               \
        if (const int t_ = threadIdx.x + round_ * THREADS, e_ = t_ < CELLS * NP ? t_ : threadIdx.x, c = e_ / NP,       \
            p = e_ % NP;                                                                                               \
            true)
#else
#define EARLY_POINTS(c, p)                                                                                             \
    FOR_LINES(c, d_, l_)                                                                                               \
    UNROLL                                                                                                             \
    for (int round_ = 0; round_ < (N + 2) / 3; ++round_)                                                               \
        if (const int i_ = l_ + NL * (d_ + 3 * round_), p = i_ < NP ? i_ : l_; true)
#endif
#define OF_POINT(name) (name[round_])
#define LATE if (false)

// What no kernel writes while this one runs: it may be read once and kept, whatever is stored meanwhile.
template <class T> INLINE T constant_in_launch(const T *p) { return __ldg(p); }

// Four values that lie together, by loads as wide as there are.
INLINE void load_row(const float *p, float *q) {
    const float4 r = constant_in_launch((const float4 *)p);
    q[0] = r.x, q[1] = r.y, q[2] = r.z, q[3] = r.w;
}
INLINE void load_row(const double *p, double *q) {
    const double2 r = constant_in_launch((const double2 *)p), s = constant_in_launch((const double2 *)p + 1);
    q[0] = r.x, q[1] = r.y, q[2] = s.x, q[3] = s.y;
}

// The same in shared memory.
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

INLINE vreal select(bool m, vreal a, vreal b) { return m ? a : b; }
INLINE long long bits_of(double x) { return __double_as_longlong(x); }
INLINE int bits_of(float x) { return __float_as_int(x); }
INLINE double real_of(long long bits) { return __longlong_as_double(bits); }
INLINE float real_of(int bits) { return __int_as_float(bits); }
INLINE vwide widen(vreal a) { return (vwide)a; }
INLINE double vabs(double a) { return fabs(a); }
INLINE float vabs(float a) { return fabsf(a); }
INLINE double vfma(double a, double b, double c) { return fma(a, b, c); }
INLINE float vfma(float a, float b, float c) { return fmaf(a, b, c); }
INLINE vwide wmin(vwide a, vwide b) { return a < b ? a : b; }
INLINE vwide wmax(vwide a, vwide b) { return a > b ? a : b; }
#ifdef FAST
// The chip's approximations: good to the last bit or two in single precision; in double to 20 bits, and to the last bits
// after one step of third order.
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
INLINE vreal vsqrt(vreal x) { return x * inverse_root(x); }
// Root and its inverse.
INLINE void roots(vreal x, vreal &root, vreal &inverse) {
    inverse = inverse_root(x);
    root = x * inverse;
}
#else
INLINE double vsqrt(double a) { return sqrt(a); }
INLINE float vsqrt(float a) { return sqrtf(a); }
#endif

#else
// ---------------------------------------------------------------- CPU
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
#define CELLS 1
#define WIDE 1
#define INLINE static inline __attribute__((always_inline))
#define INLINE_MEMBER inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))
#define RESTRICT __restrict__
typedef real vreal __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef double vwide __attribute__((vector_size(LANE * sizeof(double)), may_alias));
#define KERNEL(name) static void name##_group(const Params &RESTRICT par, const long long GROUP)
#define LAUNCHER(name)                                                                                                 \
    extern "C" void CAT(name, SUFFIX)(const Params *par, long long begin, long long end) {                             \
        for (long long g = begin; g < end; ++g) name##_group(*par, g);                                                 \
    }
#define SHARED_MEMORY
#define SHARED(T, name, n) alignas(64) T name[1][n]
#define PRIVATE(T, name) alignas(64) T name[3 * NL]
#define MINE(name, line) (name[line])
#define BARRIER()
#define UNROLL _Pragma("GCC unroll 9")
#define UNROLL_IN_SINGLE
#define POINTS NP
INLINE int place(int p) { return p; }
INLINE int on_line(int start, int d, int m) { return start + m * (d == 0 ? 1 : (d == 1 ? N : NL)); }
// Nothing is gained by loading early: values are loaded where they are used.
#define OF_LINES(T, name) T name
#define OF_POINTS(T, name) T name
#define EARLY_LINES(c, d, l) while (false) FOR_LINES(c, d, l)
#define EARLY_POINTS(c, p) while (false) FOR_POINTS(c, p)
#define OF_POINT(name) (name)
#define LATE
#define FOR_POINTS(c, p)                                                                                               \
    for (int c = 0; c < 1; ++c)                                                                                        \
        for (int p = 0; p < NP; ++p)
#define FOR_LINES(c, d, l)                                                                                             \
    for (int c = 0; c < 1; ++c)                                                                                        \
        for (int d = 0; d < 3; ++d)                                                                                    \
            for (int l = 0; l < NL; ++l)
#define FOR_SOME(c, i, n)                                                                                              \
    for (int c = 0; c < 1; ++c)                                                                                        \
        for (int i = 0; i < (n); ++i)
#define FOR_COLUMNS(c, i) FOR_SOME(c, i, COLUMNS)
#define FOR_RANGE(i, n) for (long long i = GROUP, once_ = 1; once_ && i < (n); once_ = 0)

template <class T> INLINE T constant_in_launch(const T *p) { return *p; }
INLINE void load_row(const vreal *p, vreal *q) {
    UNROLL
    for (int n = 0; n < 4; ++n) q[n] = p[n];
}

INLINE void read_row(const vreal *p, vreal *q) { load_row(p, q); }
INLINE void write_row(const vreal *q, vreal *p) { load_row(q, p); }

template <class M> INLINE vreal select(M m, vreal a, vreal b) { return m ? a : b; }
typedef Whole<sizeof(real)>::type vbits __attribute__((vector_size(VECTOR_BYTES)));
INLINE vbits bits_of(vreal x) { return (vbits)x; }
INLINE vreal real_of(vbits bits) { return (vreal)bits; }
INLINE vwide widen(vreal a) { return __builtin_convertvector(a, vwide); }
INLINE real vabs(real a) { return __builtin_fabs(a); }
INLINE double vsqrt(double a) { return __builtin_sqrt(a); }
INLINE float vsqrt(float a) { return __builtin_sqrtf(a); }
INLINE double vfma(double a, double b, double c) { return __builtin_fma(a, b, c); }
INLINE float vfma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE vwide wmin(vwide a, vwide b) { return a < b ? a : b; }
INLINE vwide wmax(vwide a, vwide b) { return a > b ? a : b; }

// fma, sqrt and abs of whole registers: the compiler's vector extension has no operators for them.
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

#ifndef FAST
template <class V> INLINE V inverse(V x) { return R(1) / x; }
// Root and its inverse.
template <class V> INLINE void roots(V x, V &root, V &inverse) {
    root = vsqrt(x);
    inverse = R(1) / root;
}
#endif
template <class V> INLINE V vmax(V a, V b) { return a > b ? a : b; }
template <class V> INLINE V vmin(V a, V b) { return a < b ? a : b; }
// 1/x^(1/3) of what is above 0: a third of the exponent, read as a whole number, is right to 4 %, and Newton's steps square that.
template <class V> INLINE V inverse_cube_root(V x) {
    auto third = bits_of(x);
    third = (third >> 2) + (third >> 4);
    third += third >> 4;
    third += third >> 8;
    third += third >> 16;
    V y = real_of((Whole<sizeof(real)>::type)(sizeof(real) == 8 ? 0x553EF0FF289DD796 : 0x54A21D2A) - third);
    UNROLL
    for (int n = 0; n < 4; ++n) y = R(1.0 / 3.0) * y * (R(4) - x * y * y * y);
    return y;
}
template <class V> INLINE V dot3(const V *a, const V *b) { return vfma(a[0], b[0], vfma(a[1], b[1], a[2] * b[2])); }
