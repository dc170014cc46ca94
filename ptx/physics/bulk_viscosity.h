// Artificial bulk viscosity for shocks (A. W. Cook & W. H. Cabot, J. Comput. Phys. 203 (2005) 379; with the share f of
// F. Ducros et al., J. Comput. Phys. 152 (1999) 517). It follows from the gradient at the point alone, as in D. Moro,
// N. C. Nguyen & J. Peraire, Int. J. Numer. Methods Fluids 82 (2016) 398, without a smoothing pass:
//     beta = C rho Delta^2 max(0, -div v) f,    f = (div v)^2/((div v)^2 + |curl v|^2)
// beta div v is added to the normal stresses: it acts in compression, where the flow does not rotate.
//
// Delta is the size of a cell over N along which the velocity changes, so that thin cells have the right one. The size
// of a cell along the unit vector n is 2/|grad xi . n|, where |.| sums the squares over the three reference coordinates
// xi_d, each of which runs from -1 to 1. The velocity has three gradients, whose squares are the weights of the mean:
//     (2/(N Delta))^2 = sum_dv (grad xi_d . grad v_v)^2 / sum_v |grad v_v|^2
// A triangle has a third coordinate and a tetrahedron a fourth, minus the sum of the others, and the squares of these
// three or four count half. The size is then that of the edges of a regular one, and the same from whichever vertex the
// coordinates of the cell begin. With the first two squares alone those of the halves of a square differ by up to 1.6.
#pragma once
#include "dialect/dialect.h"
#include "element/element.h"
#include "params.h"
#include "physics/subgrid.h"

// Number of reference coordinates that are those of a triangle or a tetrahedron.
#if ELEMENT == PRISM
#define SIMPLEX_COORDINATES 2
#elif ELEMENT == TET
#define SIMPLEX_COORDINATES 3
#else
#define SIMPLEX_COORDINATES 0
#endif

// beta, where the velocity gradient is `scale` * g and the gradient of xi_d is inverse_j * a[d].
INLINE vreal bulk_viscosity(const vreal (*g)[3], vreal scale, const vreal (*a)[3], vreal inverse_j, vreal rho,
                            const Params &par) {
    const vreal zero = {};
    vreal gradient[3][3], norm = zero, across = zero, last[3] = {zero, zero, zero};
    UNROLL
    for (int v = 0; v < 3; ++v) {
        UNROLL
        for (int n = 0; n < 3; ++n) gradient[v][n] = g[v][n] * scale;
        norm = norm + dot3(gradient[v], gradient[v]);
    }
    UNROLL
    for (int d = 0; d < 3; ++d) {
        // The third coordinate of a pyramid runs from 0 to 1.
        const vreal stretch = inverse_j * (ELEMENT == PYRAMID && d == 2 ? R(2) : R(1));
        const vreal along[3] = {a[d][0] * stretch, a[d][1] * stretch, a[d][2] * stretch};
        UNROLL
        for (int v = 0; v < 3; ++v) {
            const vreal change = dot3(along, gradient[v]);
            if (d < SIMPLEX_COORDINATES) {
                across = vfma(R(0.5) * change, change, across);
                last[v] = last[v] + change;
            } else {
                across = vfma(change, change, across);
            }
        }
    }
    if (SIMPLEX_COORDINATES > 0) across = vfma(zero + R(0.5), dot3(last, last), across);
    const vreal divergence = gradient[0][0] + gradient[1][1] + gradient[2][2], square = divergence * divergence;
    const vreal curl[3] = {gradient[2][1] - gradient[1][2], gradient[0][2] - gradient[2][0],
                           gradient[1][0] - gradient[0][1]};
    const vreal share = square * inverse(floored(square + dot3(curl, curl)));
    return rho * (par.bulk_factor * (norm * inverse(floored(across)))) * (share * vmax(zero, -divergence));
}
