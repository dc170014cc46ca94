// The floating-point type of a translation unit, and how functions are declared for both machines.
#pragma once

// double or float
#ifndef REAL
#define REAL double
#endif

typedef REAL real;
#define R(x) ((real)(x))

// Integers with as many bytes as a real.
template <int bytes> struct Whole { typedef long long type; };
template <> struct Whole<4> { typedef int type; };

// INLINE: functions that are always expanded. OUTLINE: a function that on a CPU stays one, so that callers that rarely need it
// do not pay for its registers.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define INLINE __device__ __forceinline__
#define INLINE_MEMBER __device__ __forceinline__
#define OUTLINE __device__ __forceinline__
#else
#define INLINE static inline __attribute__((always_inline))
#define INLINE_MEMBER inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))
#endif
#define RESTRICT __restrict__
