// The elementary functions, for tests that compare them with those of the host.
#include "steady/functions.h"
#include "steady/vertex.h"

VERTEX_KERNEL(elementary_functions) {
    store(par.out, at, sixth_root(load(par.state, at)));
    store(par.out + par.slots, at, exponential(load(par.state + par.slots, at)));
}
