// Diagnostics write one column of numbers a cell. Sums run over points in a fixed order in double precision; the host adds cells
// in global order, so the result does not depend on lanes, threads, ranks or device.
#pragma once
#include "element/element.h"

#define ROWS ((NP + N - 1) / N) // of N points, which are summed up first
