// Lets the host check that it describes Params as this compiler does; on the CPU alone.
#include "dialect/dialect.h"
#include "params.h"

#ifndef ONE_LANE
// Lets the host check that it describes Params as this compiler does.
extern "C" long long CAT(params_size, SUFFIX)() { return (long long)sizeof(Params); }
extern "C" long long CAT(lanes, SUFFIX)() { return LANE; }
#endif
