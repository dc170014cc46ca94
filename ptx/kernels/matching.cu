// States at the matching points of modelled walls, which follow the ghosts in the array of the state. A matching point
// may lie in any cell of any rank: the rank of that cell computes its state, and the exchange carries it to the rank of
// the wall.
#include "dialect/dialect.h"
#include "params.h"

// The conserved variables at a matching point: the Lagrange functions of its cell there times the values at the points,
// without those that are zero, summed in the order of the points. `u` is written here although the sweeps only read it.
KERNEL(matching_states) {
    for_each_in_range(par, GROUP, par.boundary_count, [&](long long i) {
        const MatchingRow row = par.matching_rows[i];
        real *to = const_cast<real *>(par.u) + row.to;
        for (int v = 0; v < 5; ++v) {
            real sum = R(0);
            for (int k = 0; k < row.count; ++k) {
                const long long at = row.from + par.matching_points[row.first + k] + (long long)v * row.stride;
                sum = vfma(par.matching_weights[row.first + k], par.u[at], sum);
            }
            to[v] = sum;
        }
    });
}
LAUNCHER(matching_states)
