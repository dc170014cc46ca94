// The correction of hexahedra. Flux reconstruction replaces the values at both ends of a line by the values that both
// cells of the face share. The derivative g' of the correction function of each end distributes the difference over the
// line (H. T. Huynh, AIAA 2007-4079). par.correction holds g_left', and g_right'(xi_i) = -g_left'(xi_(N-1-i)).
#pragma once
#include "dialect/dialect.h"
#include "method/corrected_stages.h"
#include "method/metrics.h"
#include "method/neighbour.h"
#include "params.h"
#include "physics/entropy.h"
#include "physics/riemann.h"
#include "physics/viscous.h"

#if ELEMENT == HEX
// The contribution of the jumps at both ends (common value minus own value) to the derivative at point i of a line.
INLINE vreal correction(const Params &par, int i, vreal jump_lo, vreal jump_hi) {
    return vfma(par.correction[i], jump_lo, -(par.correction[N - 1 - i] * jump_hi));
}

// The common flux minus the own flux along +xi_d at the end of a line on `face`. The correction of the divergence needs
// this jump. `i` and `own` are the state and the viscous flux of the cell at face point l, which is its point p; `o`
// and `trace` are the state and the outward viscous flux of the other side. For the entropy correction the result is
// v.f* - psi of the outward common flux f*, from the entropy variables v of the cell at that point, which are relative
// to the state `reference`.
INLINE vreal flux_jump(const Params &par, long long block, const Metrics &metric, int face, int l, int p,
                       const Primitive<vreal> &i, const Primitive<vreal> &o, const vreal *own, const vreal *trace,
                       const vreal *v, const Primitive<vreal> &reference, vreal *jump) {
    const int d = face / 2;
    const real sign = (face & 1) ? R(1) : R(-1);
    vreal a[3];
    metric.row(d, p, a);
    const vreal mass = i.rho * dot3(i.v, a), pressure_i = pressure(i, par);
    vreal outward[3], f[5];
    outward_area(par, block, metric, face, p, outward);
    common_convective_flux(i, o, outward, par, f);
    take_interface_flux(par, block, face, l, f);
    jump[0] = sign * f[0] - mass;
    UNROLL
    for (int n = 0; n < 3; ++n) jump[1 + n] = sign * f[1 + n] - vfma(mass, i.v[n], pressure_i * a[n]);
    jump[4] = sign * f[4] - mass * total_enthalpy(i, par);
    vreal through = {};
    if (CORRECTS_ENTROPY) {
        vreal flow[3];
        momentum_difference(i, reference, flow);
        through = dot3(flow, outward);
        UNROLL
        for (int m = 0; m < 5; ++m) through = vfma(v[m], f[m], through);
    }
    if (par.viscosity == VISCOSITY_NONE) return through;
    // The viscous flux is subtracted. The own flux therefore enters with a plus sign, and the common flux, which is
    // outward, with the factor -`sign`.
    vreal across[4], outgoing[4];
    neighbour_for_gradient(par, block, face, l, o, across);
    UNROLL
    for (int m = 0; m < 4; ++m) outgoing[m] = sign * own[m];
    add_penalty(i, across, viscosity(i.t, par), dot3(a, a), metric.inverse_j(p), par, outgoing);
    UNROLL
    for (int m = 0; m < 4; ++m) {
        const vreal common = common_viscous_flux(outgoing[m], trace[m]);
        jump[1 + m] = jump[1 + m] + (own[m] - sign * common);
        if (CORRECTS_ENTROPY) through = vfma(-v[1 + m], common, through);
    }
    return through;
}
#endif
