// The floating-point type of a translation unit, and the declaration of functions for both machines.
#pragma once

// The type of the state: double or float.
#ifndef REAL
#define REAL double
#endif

typedef REAL real;
#define R(x) ((real)(x))

// The integer type with as many bytes as a real.
template <int bytes> struct Whole { typedef long long type; };
template <> struct Whole<4> { typedef int type; };

// INLINE marks a function that is always expanded. OUTLINE marks a function that the CPU calls instead of expanding it,
// so that callers that rarely need it do not reserve its registers. RARE does the same for the GPU.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define INLINE __device__ __forceinline__
#define RARE static __device__ __noinline__
#define INLINE_MEMBER __device__ __forceinline__
#define OUTLINE __device__ __forceinline__
#else
#define INLINE static inline __attribute__((always_inline))
#define RARE static inline
#define INLINE_MEMBER inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))
#endif
#define RESTRICT __restrict__
