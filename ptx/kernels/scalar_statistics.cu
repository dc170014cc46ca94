// Statistics of passive scalars: sums over time of products of density, velocity and scalars, as `statistics` takes
// them of the flow. Scalars a case does not have are 0.
#include "method/scalar.h"
#include "method/slots.h"

enum { FACTOR_SCALARS = FACTOR_W + 1 };
static_assert(FACTOR_SCALARS + SCALARS == SCALAR_FACTORS, "the host counts other rows");

KERNEL(scalar_statistics) {
    SHARED_MEMORY;
    SHARED(vwide, rows, SCALAR_FACTORS *NP);
#if LAYERS > 1
    SHARED(vwide, resampled, SCALAR_FACTORS *RESAMPLED);
    SHARED_TOTAL(scalar_statistics, sizeof(*rows) + sizeof(*resampled));
#else
    auto resampled = rows;
    SHARED_TOTAL(scalar_statistics, sizeof(*rows));
#endif
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const vreal *state = block_of(par.own, block, 5 * NP) + p;
        const vreal *scalars = block_of(par.own_scalars, block, 5 * NP) + p;
        const vwide rho = widen(state[0]), specific_volume = 1.0 / rho;
        vwide *at = rows[c] + p;
        at[FACTOR_WEIGHT * NP] = 1.0 / widen(metrics_of(par, block).inverse_j(p));
        at[FACTOR_RHO * NP] = rho;
        for (int n = 0; n < 3; ++n) at[(FACTOR_U + n) * NP] = widen(state[(1 + n) * NP]) * specific_volume;
        for (int v = 0; v < SCALARS; ++v) {
            const vwide value = widen(scalars[v * NP]) * specific_volume;
            at[(FACTOR_SCALARS + v) * NP] = v < par.scalar_count ? value : vwide{};
        }
    });
    BARRIER();
    add_slots(par, GROUP, SCALAR_FACTORS, rows, resampled);
}
LAUNCHER(scalar_statistics)
