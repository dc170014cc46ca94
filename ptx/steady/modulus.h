// The moduli of flux Jacobians, for local steps and for the Jacobian of the residual.
#pragma once
#include "physics/riemann.h"
#include "steady/vertex.h"

// Adds `weight` |A| for the unit normal n to a block, in conserved variables: the Jacobian of the convective flux with
// the moduli of its eigenvalues, as a matrix of rank two beside the identity (E. Turkel, in Swanson & Turkel,
// J. Comput. Phys. 101 (1992) 292):
//     |A| = l I + X (a1 P/c^2 + a2 M/c) + Y (a1 M + a2 P/c)
//     X = [1, v, H],  Y = [0, n, vn],  P = dp/dU = (gamma - 1) [v.v/2, -v, 1],  M = [-vn, n, 0]
//     a1 = (|vn + c| + |vn - c|)/2 - l,  a2 = (|vn + c| - |vn - c|)/2
// The caller gives l, the modulus of the eigenvalue vn. `keep` drops what row k of the edges does not have.
INLINE void add_modulus(vreal (*block)[5], const Vertex &at, int k, const vreal *v, vreal h, vreal c, const vreal *n,
                        vreal l, vreal weight, const Params &par) {
    const vreal zero = {}, vn = dot3(v, n), delta = R(0.1) * c, inverse_c = R(1) / c, inverse_delta = R(10) * inverse_c;
    const vreal plus = harten(vn + c, delta, inverse_delta), minus = harten(vn - c, delta, inverse_delta);
    const vreal a1 = R(0.5) * (plus + minus) - l, a2 = R(0.5) * (plus - minus);
    const real g = par.gamma - R(1);
    const vreal x[5] = {zero + R(1), v[0], v[1], v[2], h}, y[5] = {zero, n[0], n[1], n[2], vn};
    const vreal p[5] = {g * half_square(v), -g * v[0], -g * v[1], -g * v[2], zero + g};
    const vreal m[5] = {-vn, n[0], n[1], n[2], zero};
    UNROLL
    for (int col = 0; col < 5; ++col) {
        const vreal along_x = (a1 * p[col] * inverse_c + a2 * m[col]) * inverse_c * weight;
        const vreal along_y = (a1 * m[col] + a2 * p[col] * inverse_c) * weight;
        UNROLL
        for (int row = 0; row < 5; ++row) {
            vreal value = vfma(x[row], along_x, y[row] * along_y);
            if (row == col) value = value + l * weight;
            block[row][col] = block[row][col] + keep(at, k, value);
        }
    }
}

// The modulus of the eigenvalue vn in a local step: at least a hundredth of the speed of sound, so that the step is
// finite.
INLINE vreal modulus_of_step(const vreal *v, const vreal *n, vreal c) { return vmax(vabs(dot3(v, n)), R(0.01) * c); }

// Adds `weight` |A| |a| of a local step for each boundary on which the vertex is. A flux passes each of them by itself,
// so that the modulus for the sum of their areas would be too small.
INLINE void add_boundary_moduli(vreal (*block)[5], const Params &par, const Vertex &at, const Primitive<vreal> &own,
                                real weight) {
    const Ends row = boundary_rows(par, at);
    const vreal zero = {}, h = total_enthalpy(own, par), c = vsqrt(par.gamma * par.gas_constant * own.t);
    for (int part = 0; part < (int)par.parts; ++part) {
        vreal a[3], n[3];
        boundary_part(par, row, part, a);
        const vreal area = vsqrt(dot3(a, a));
        const auto there = area > R(0);
        if (!any_lane(there)) return;
        const vreal inverse_area = there ? R(1) / area : zero;
        UNROLL
        for (int d = 0; d < 3; ++d) n[d] = a[d] * inverse_area;
        add_modulus(block, at, -1, own.v, h, c, n, modulus_of_step(own.v, n, c), weight * area, par);
    }
}
