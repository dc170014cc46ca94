// Eddy viscosity of sub-grid models. D is a rate (1/time) that a model computes from the velocity gradient, and Delta
// follows from 1/J at the point:
//     mu_t = rho (C Delta)^2 D,    Delta = (volume of the cell / number of its points)^(1/3)
//
// D is homogeneous of degree one. It is computed for the gradient divided by its norm, so that its powers, up to the
// fifth, neither overflow nor underflow in single precision. Only +, -, *, / and roots are used: the same bits on CPU
// and GPU.
#pragma once
#include "dialect/dialect.h"
#include "element/element.h"
#include "params.h"

// Clamps x to at least 1e-30 before a division or a square root; NaN stays NaN.
template <class V> INLINE V floored(V x) {
    const V least = x * R(0) + R(1e-30);
    return vmax(x, least);
}

// The square of the strain rate, 2 S_ij S_ij.
template <class V> INLINE V strain_square(const V (*g)[3]) {
    const V shear[3] = {g[0][1] + g[1][0], g[0][2] + g[2][0], g[1][2] + g[2][1]},
            stretch[3] = {g[0][0], g[1][1], g[2][2]};
    return vfma(stretch[0] + stretch[0], stretch[0],
                vfma(stretch[1] + stretch[1], stretch[1],
                     vfma(stretch[2] + stretch[2], stretch[2], dot3(shear, shear))));
}

// Smagorinsky (J. Smagorinsky, Mon. Weather Rev. 91 (1963) 99): D = |S|.
template <class V> INLINE V smagorinsky_rate(const V (*g)[3]) { return vsqrt(floored(strain_square(g))); }

// WALE (F. Nicoud & F. Ducros, Flow Turbul. Combust. 62 (1999) 183), with the traceless symmetric part Sd of g^2:
//     D = (Sd:Sd)^(3/2) / ((S:S)^(5/2) + (Sd:Sd)^(5/4))
template <class V> INLINE V wale_rate(const V (*g)[3]) {
    V square[3][3];
    UNROLL
    for (int i = 0; i < 3; ++i)
        UNROLL
    for (int j = 0; j < 3; ++j) square[i][j] = vfma(g[i][0], g[0][j], vfma(g[i][1], g[1][j], g[i][2] * g[2][j]));
    const V third = R(1.0 / 3.0) * (square[0][0] + square[1][1] + square[2][2]);
    const V along[3] = {square[0][0] - third, square[1][1] - third, square[2][2] - third};
    const V across[3] = {square[0][1] + square[1][0], square[0][2] + square[2][0], square[1][2] + square[2][1]};
    const V a = floored(dot3(along, along) + R(0.5) * dot3(across, across));
    const V b = floored(R(0.5) * strain_square(g)), root = vsqrt(a);
    return a * root * inverse(vfma(b * b, vsqrt(b), a * vsqrt(root)));
}

// Sigma (F. Nicoud, H. Baya Toda, O. Cabrit, S. Bose & J. Lee, Phys. Fluids 23 (2011) 085106), with the singular values
// s1 >= s2 >= s3 of g:
//     D = s3 (s1 - s2) (s2 - s3) / s1^2
//
// The largest eigenvalue of g^T g is the root of a cubic, cos(acos(r)/3), which is a smooth function of
// sqrt((1 + r)/2). The polynomial approximates it to 2e-12. Computed as roots of that cubic, the other two eigenvalues
// would lose half the digits where they are small, which is next to walls. Computed from the determinant and the
// cofactors of g, they lose none.
template <class V> INLINE V sigma_rate(const V (*g)[3]) {
    V square[3][3], cofactor[3][3];
    UNROLL
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        UNROLL
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            square[i][j] = vfma(g[0][i], g[0][j], vfma(g[1][i], g[1][j], g[2][i] * g[2][j]));
            cofactor[i][j] = g[i1][j1] * g[i2][j2] - g[i1][j2] * g[i2][j1];
        }
    }
    const V third = R(1.0 / 3.0) * (square[0][0] + square[1][1] + square[2][2]);
    const V b[3] = {square[0][0] - third, square[1][1] - third, square[2][2] - third};
    const V c[3] = {square[1][2], square[0][2], square[0][1]};
    const V spread = vsqrt(floored(R(1.0 / 6.0) * (dot3(b, b) + R(2) * dot3(c, c)))), over = inverse(spread);
    const V determinant = b[0] * (b[1] * b[2] - c[0] * c[0]) - c[2] * (c[2] * b[2] - c[0] * c[1]) +
                          c[1] * (c[2] * c[0] - b[1] * c[1]);
    const V zero = {}, one = zero + R(1), r = vmin(one, R(0.5) * determinant * over * over * over);
    const V t = R(2) * vsqrt(floored(R(0.5) * (one + r))) - one;
    const real terms[] = {R(-1.839287078198026e-08), R(6.134173441418866e-08),  R(-1.521502465129387e-07),
                          R(5.435841960721444e-07),  R(-2.041075546688198e-06), R(7.553799967773001e-06),
                          R(-2.891807831978746e-05), R(1.164216737252937e-04),  R(-5.041250048857943e-04),
                          R(2.466353293363582e-03),  R(-1.550918841669163e-02), R(2.474090663056183e-01),
                          R(7.660444431187746e-01)};
    V cosine = zero + terms[0];
    UNROLL
    for (int n = 1; n < (int)(sizeof(terms) / sizeof(terms[0])); ++n) cosine = vfma(cosine, t, zero + terms[n]);
    const V largest = vfma(spread + spread, cosine, third), over_largest = inverse(floored(largest));
    const V first = vsqrt(floored(largest));
    const V product = vabs(vfma(g[0][0], cofactor[0][0], vfma(g[0][1], cofactor[0][1], g[0][2] * cofactor[0][2]))) *
                      first * over_largest;
    const V squares = (dot3(cofactor[0], cofactor[0]) + dot3(cofactor[1], cofactor[1]) +
                       dot3(cofactor[2], cofactor[2]) - product * product) * over_largest;
    const V sum = vsqrt(floored(squares + R(2) * product)), difference = vsqrt(floored(squares - R(2) * product));
    const V second = R(0.5) * (sum + difference), last = R(0.5) * (sum - difference);
    return last * vmax(zero, first - second) * difference * over_largest;
}

// Vreman (A. W. Vreman, Phys. Fluids 16 (2004) 3670):
//     D = sqrt(B/(g:g)),    B = b11 b22 - b12^2 + b11 b33 - b13^2 + b22 b33 - b23^2,    b = g g^T
// B is the sum of the squares of the cofactors of g, without differences of large numbers.
template <class V> INLINE V vreman_rate(const V (*g)[3]) {
    V squares = g[0][0] * R(0), norm = squares;
    UNROLL
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        V cofactor[3];
        UNROLL
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor[j] = g[i1][j1] * g[i2][j2] - g[i1][j2] * g[i2][j1];
        }
        squares = squares + dot3(cofactor, cofactor);
        norm = norm + dot3(g[i], g[i]);
    }
    return vsqrt(floored(squares) * inverse(floored(norm)));
}

// D of a gradient by the chosen model.
template <class V> OUTLINE V eddy_rate(const V (*g)[3], int model) {
    switch ((SgsModel)model) {
    case SGS_SMAGORINSKY: return smagorinsky_rate(g);
    case SGS_WALE: return wale_rate(g);
    case SGS_SIGMA: return sigma_rate(g);
    case SGS_VREMAN: return vreman_rate(g);
    case SGS_NONE: break;
    }
    return g[0][0] * R(0);
}

// mu_t, where the velocity gradient is `scale` * g.
INLINE vreal eddy_viscosity(const vreal (*g)[3], vreal scale, vreal inverse_j, vreal rho, const Params &par) {
    vreal unit[3][3], square = scale * R(0);
    UNROLL
    for (int v = 0; v < 3; ++v) {
        UNROLL
        for (int n = 0; n < 3; ++n) unit[v][n] = g[v][n] * scale;
        square = square + dot3(unit[v], unit[v]);
    }
    const vreal norm = vsqrt(floored(square)), over = inverse(norm);
    UNROLL
    for (int v = 0; v < 3; ++v)
        UNROLL
    for (int n = 0; n < 3; ++n) unit[v][n] = unit[v][n] * over;
    const vreal delta = inverse_cube_root(inverse_j * (R(NP) / REFERENCE_VOLUME));
    return rho * (par.sgs_factor * (delta * delta)) * (norm * eddy_rate(unit, par.sgs));
}
