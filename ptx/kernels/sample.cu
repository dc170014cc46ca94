// The state at given locations within cells.
#include "dialect/dialect.h"
#include "params.h"

// The conserved variables at locations within cells: the Lagrange functions there times the values at the points,
// summed in the order of the points and in double precision, so that every machine gives the same bits. For hexahedra
// and prisms the weights are given for each factor of the product of lines and triangles.
KERNEL(sample) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const SampledPoint at = par.sampled[i / 5];
        const real *u = par.u + at.from + i % 5 * (long long)(NP * LANE);
        const double *w = par.sample_weights + at.weights;
        double sum = 0;
#if ELEMENT == HEX
        for (int l = 0; l < NL; ++l) {
            double line = 0;
            for (int m = 0; m < N; ++m) line += w[m] * (double)u[(l * N + m) * LANE];
            sum += w[N + l % N] * w[2 * N + l / N] * line;
        }
#elif ELEMENT == PRISM
        for (int l = 0; l < N; ++l) {
            double layer = 0;
            for (int m = 0; m < NT; ++m) layer += w[m] * (double)u[(l * NT + m) * LANE];
            sum += w[NT + l] * layer;
        }
#else
        for (int p = 0; p < NP; ++p) sum += w[p] * (double)u[p * LANE];
#endif
        par.samples[5 * at.to + i % 5] = sum;
    });
}
LAUNCHER(sample)
