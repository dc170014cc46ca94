// The size of Params and the number of lanes as the compiler of the CPU kernels sees them, which the host compares with
// its own.
#include "dialect/dialect.h"
#include "params.h"

#ifndef ONE_LANE
extern "C" long long CAT(params_size, SUFFIX)() { return (long long)sizeof(Params); }
extern "C" long long CAT(lanes, SUFFIX)() { return LANE; }
#endif
