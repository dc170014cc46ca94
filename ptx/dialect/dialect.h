// The dialect in which all kernels are written: one text for the CPU and the GPU.
//
// A kernel is a list of phases over the points, lines or face points of a group of cells, with BARRIER between phases.
// A phase is a call of for_each_point, for_each_line, for_each_column or for_each with a lambda. dialect/cuda.h and
// dialect/cpu.h define the same functions and macros:
//   GPU: a group is a thread block of CELLS_PER_BLOCK cells; points and lines are threads; SHARED arrays are in shared
//     memory.
//   CPU: a group is one block of LANE cells, which fill the lanes of a vector register; phases are loops.
//
// `vreal` holds one value of each cell of a block: a vector register on the CPU, a plain `real` on the GPU. Contraction
// is off in both compilers, and fma() is written where it is meant, so that both machines can give the same bits.
#pragma once
#include "dialect/cpu.h"
#include "dialect/cuda.h"
#include "dialect/base.h"
#include "dialect/vector.h"
#include "element/element.h"
