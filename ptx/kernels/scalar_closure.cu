// What the flow does to its density in a stage beside the fluxes (method/scalar.h) is given to the passive scalars with
// the mean c of the cell over its points. It runs over the output of the stage, after all that changes the flow there.
#include "method/scalar.h"

KERNEL(scalar_closure) {
    SHARED_MEMORY;
    SHARED(vreal, values, 5 * NP);
    SHARED(vreal, sums, 5); // of rho c and the density over the points
    SHARED_TOTAL(scalar_closure, sizeof(*values) + sizeof(*sums));
    for_each<5 * NP>([&](int c, int i) {
        if (is_scalar(par, i / NP)) values[c][i] = block_of(par.own_scalars, GROUP * CELLS_PER_BLOCK + c, 5 * NP)[i];
    });
    BARRIER();
    for_each<5>([&](int c, int v) {
        if (!is_scalar(par, v)) return;
        vreal sum = {};
        for (int p = 0; p < NP; ++p) sum = sum + values[c][v * NP + p];
        sums[c][v] = sum;
    });
    BARRIER();
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        vreal *out = block_of(const_cast<real *>(par.own_scalars), block, 5 * NP) + p;
        const vreal rho = own_density(par, block, p), difference = rho - values[c][SCALARS * NP + p];
        const vreal inverse_mass = inverse(sums[c][SCALARS]);
        UNROLL
        for (int v = 0; v < SCALARS; ++v) {
            if (v >= par.scalar_count) continue;
            out[v * NP] = vfma(sums[c][v] * inverse_mass, difference, values[c][v * NP + p]);
        }
        out[SCALARS * NP] = rho;
    });
}
LAUNCHER(scalar_closure)
