// What the flow does to its density in a stage beside the fluxes (method/scalar.h) is given to the passive scalars with
// the mean c of the cell over its points. It runs over the output of the stage, after all that changes the flow there.
#include "method/scalar.h"

KERNEL(scalar_closure) {
    SHARED_MEMORY;
    SHARED(vreal, sums, 5); // of rho c and the density over the points
    SHARED_TOTAL(scalar_closure, sizeof(*sums));
    for_each<5>([&](int c, int v) {
        const vreal *values = block_of(par.own_scalars, GROUP * CELLS_PER_BLOCK + c, 5 * NP) + v * NP;
        vreal sum = {};
        for (int p = 0; p < NP; ++p) sum = sum + values[p];
        sums[c][v] = sum;
    });
    BARRIER();
    for_each_point([&](int c, int p) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        vreal *values = block_of(const_cast<real *>(par.own_scalars), block, 5 * NP) + p;
        const vreal rho = own_density(par, block, p), difference = rho - values[SCALARS * NP];
        const vreal inverse_mass = inverse(sums[c][SCALARS]);
        UNROLL
        for (int v = 0; v < SCALARS; ++v) {
            if (v >= par.scalar_count) continue;
            values[v * NP] = vfma(sums[c][v] * inverse_mass, difference, values[v * NP]);
        }
        values[SCALARS * NP] = rho;
    });
}
LAUNCHER(scalar_closure)
