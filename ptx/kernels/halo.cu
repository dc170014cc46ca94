// Packing of the values at faces between ranks, which the host then sends.
#include "dialect/dialect.h"
#include "params.h"

// Copies states or viscous traces into the layout that the ghosts of the other ranks have.
KERNEL(pack) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const Sent s = par.sent[i];
        for (long long v = 0; v < par.sent_values; ++v)
            par.out[s.to + v * s.to_stride] = par.u[s.from + v * s.from_stride];
    });
}
LAUNCHER(pack)
