// The derivatives of the fluxes of first order through the facet of an edge, in conserved variables: what the Jacobian
// of the residuals consists of. The moduli |A| and the viscosities are those of the present state (frozen); gradients
// along the facet are left out (thin layer).
//     dF/dU_i = (A(U_i; a) + |A| |a|)/2 + B(U_i),    dF/dU_j = (A(U_j; a) - |A| |a|)/2 - B(U_j)
#pragma once
#include "steady/facet.h"
#include "steady/modulus.h"
#include "steady/viscosities.h"

// Adds `weight` A(U; a), the Jacobian of the convective flux through the area vector a:
//     [0, a, 0;  phi a - v va, v a^T - (gamma - 1) a v^T + va I, (gamma - 1) a;
//      (phi - H) va, H a - (gamma - 1) va v, gamma va],    phi = (gamma - 1) v.v/2,  va = v.a
INLINE void add_flux_jacobian(vreal (*block)[5], const Primitive<vreal> &q, const vreal *a, real weight,
                              const Params &par) {
    const real g = par.gamma - R(1);
    const vreal va = dot3(q.v, a), phi = g * half_square(q.v), h = total_enthalpy(q, par);
    UNROLL
    for (int m = 0; m < 3; ++m) {
        block[0][1 + m] = block[0][1 + m] + weight * a[m];
        block[1 + m][0] = block[1 + m][0] + weight * (phi * a[m] - q.v[m] * va);
        block[4][1 + m] = block[4][1 + m] + weight * (h * a[m] - g * va * q.v[m]);
        block[1 + m][4] = block[1 + m][4] + weight * (g * a[m]);
        UNROLL
        for (int n = 0; n < 3; ++n) {
            vreal value = q.v[m] * a[n] - g * a[m] * q.v[n];
            if (m == n) value = value + va;
            block[1 + m][1 + n] = block[1 + m][1 + n] + weight * value;
        }
    }
    block[4][0] = block[4][0] + weight * ((phi - h) * va);
    block[4][4] = block[4][4] + weight * (par.gamma * va);
}

// The viscous flux of a jump of velocity and temperature through a facet: the stress S.dv with the symmetric S (xx, yy,
// zz, xy, xz, yz), its work w.dv and the heat k dT.
struct ThinLayer {
    vreal stress[6], work[3], heat;
};

// Adds `sign` B(U) to a block:
//     dv = (dm - v drho)/rho,    dT = (dE - v.dm + (v.v/2 - cv T) drho)/(rho cv)
INLINE void add_thin_layer(vreal (*block)[5], const ThinLayer &f, const Primitive<vreal> &q, real sign,
                           const Params &par) {
    const vreal scale = sign / q.rho, heat = f.heat * scale * (R(1) / par.cv), *s = f.stress;
    const vreal rows[4][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]},
                              {f.work[0], f.work[1], f.work[2]}};
    UNROLL
    for (int m = 0; m < 4; ++m) {
        UNROLL
        for (int n = 0; n < 3; ++n) block[1 + m][1 + n] = block[1 + m][1 + n] + rows[m][n] * scale;
        block[1 + m][0] = block[1 + m][0] - dot3(rows[m], q.v) * scale;
    }
    UNROLL
    for (int n = 0; n < 3; ++n) block[4][1 + n] = block[4][1 + n] - heat * q.v[n];
    block[4][0] = block[4][0] + heat * (half_square(q.v) - par.cv * q.t);
    block[4][4] = block[4][4] + heat;
}

// What an edge couples: its thin layer, and |A| |a|/2 in `modulus`.
struct Coupling {
    vreal modulus[5][5], step; // `step`: what a local step has beside |A| |a|/2, on the diagonal
    ThinLayer layer;
};
INLINE void couple(Coupling &c, const Vertex &at, int k, const Primitive<vreal> &i, const Viscosities &vi,
                   const Primitive<vreal> &o, const Viscosities &vo, const vreal *a, const vreal *r,
                   const Params &par) {
    const vreal zero = {}, ri = vsqrt(i.rho), ro = vsqrt(o.rho), share = R(1) / (ri + ro), wi = ri * share;
    const vreal wo = ro * share;
    vreal n[3], v[3], area, inverse_area, direction[3];
    roots(dot3(a, a), area, inverse_area);
    UNROLL
    for (int d = 0; d < 3; ++d) {
        n[d] = keep(at, k, a[d] * inverse_area);
        v[d] = wi * i.v[d] + wo * o.v[d];
    }
    const vreal h = wi * total_enthalpy(i, par) + wo * total_enthalpy(o, par);
    const vreal sound = vsqrt((par.gamma - R(1)) * (h - half_square(v))), speed = vabs(dot3(v, n));
    UNROLL
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 5; ++col) c.modulus[row][col] = zero;
    add_modulus(c.modulus, at, k, v, h, sound, n, speed, R(0.5) * area, par);
    c.step = keep(at, k, R(0.5) * area * (modulus_of_step(v, n, sound) - speed));
    UNROLL
    for (int m = 0; m < 6; ++m) c.layer.stress[m] = zero;
    c.layer.work[0] = c.layer.work[1] = c.layer.work[2] = c.layer.heat = zero;
    if (par.viscosity == VISCOSITY_NONE) return;
    facet_direction(a, r, direction);
    const vreal along = keep(at, k, dot3(direction, a)), gas = R(0.5) * (vi.gas + vo.gas);
    const vreal eddy = R(0.5) * (vi.eddy + vo.eddy), mu = (gas + eddy) * along, third = mu * R(1.0 / 3.0);
    const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    UNROLL
    for (int m = 0; m < 6; ++m) {
        c.layer.stress[m] = third * n[row[m]] * n[col[m]];
        if (m < 3) c.layer.stress[m] = c.layer.stress[m] + mu;
    }
    const vreal mean[3] = {R(0.5) * (i.v[0] + o.v[0]), R(0.5) * (i.v[1] + o.v[1]), R(0.5) * (i.v[2] + o.v[2])};
    const vreal normal = third * dot3(mean, n);
    UNROLL
    for (int d = 0; d < 3; ++d) c.layer.work[d] = vfma(mu, mean[d], normal * n[d]);
    const vreal conductivity = vfma(gas, zero + par.conductivity_factor, eddy * par.eddy_conductivity_factor);
    c.layer.heat = along * conductivity;
    const vreal most = vmax(zero + R(4.0 / 3.0), zero + par.gamma) / (par.cp * i.rho);
    c.step = c.step + keep(at, k, most * conductivity * area / vsqrt(dot3(r, r)));
}

// dF/dU_j of an edge from i, of which `couple` has the coefficients; o is the state of j.
INLINE void far_block(vreal (*block)[5], const Coupling &c, const Primitive<vreal> &o, const vreal *a,
                      const Params &par) {
    UNROLL
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 5; ++col) block[row][col] = -c.modulus[row][col];
    add_flux_jacobian(block, o, a, R(0.5), par);
    add_thin_layer(block, c.layer, o, R(-1), par);
}
