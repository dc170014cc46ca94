// What faces between ranks show to the other side is packed here, and sent by the host.
#include "dialect/dialect.h"
#include "params.h"

// Packs what other ranks need of the states, or of the viscous traces, as their ghosts hold it.
KERNEL(pack) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const Sent s = par.sent[i];
        for (long long v = 0; v < par.sent_values; ++v) par.out[s.to + v * s.to_stride] = par.u[s.from + v * s.from_stride];
    });
}
LAUNCHER(pack)
