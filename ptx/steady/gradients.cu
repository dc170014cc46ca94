// Gradients at the vertices by least squares over the edges.
#include "steady/layer.h"
#include "steady/vertex.h"

// The sums of r r^T and of the values D of the edges times r.
struct Moments {
    vreal m[6]; // xx, yy, zz, xy, xz, yz
};

INLINE void add_moments(Moments &sum, const Vertex &at, int k, const vreal *r, vreal weight) {
    const vreal x = weight * r[0], y = weight * r[1], z = weight * r[2];
    const vreal products[6] = {x * r[0], y * r[1], z * r[2], x * r[1], x * r[2], y * r[2]};
    UNROLL
    for (int n = 0; n < 6; ++n) sum.m[n] = sum.m[n] + keep(at, k, products[n]);
}

// The inverse by cofactors.
INLINE void invert(const Moments &sum, Moments &inverse_of) {
    const vreal *m = sum.m;
    const vreal xx = m[1] * m[2] - m[5] * m[5], xy = m[4] * m[5] - m[3] * m[2], xz = m[3] * m[5] - m[4] * m[1];
    const vreal scale = R(1) / vfma(m[0], xx, vfma(m[3], xy, m[4] * xz));
    const vreal cofactors[6] = {xx, m[0] * m[2] - m[4] * m[4], m[0] * m[1] - m[3] * m[3],
                                xy, xz, m[3] * m[4] - m[0] * m[5]};
    UNROLL
    for (int n = 0; n < 6; ++n) inverse_of.m[n] = cofactors[n] * scale;
}

INLINE void multiply(const Moments &by, const vreal *b, vreal *g) {
    const vreal *m = by.m;
    g[0] = vfma(m[0], b[0], vfma(m[3], b[1], m[4] * b[2]));
    g[1] = vfma(m[3], b[0], vfma(m[1], b[1], m[5] * b[2]));
    g[2] = vfma(m[4], b[0], vfma(m[5], b[1], m[2] * b[2]));
}

// The gradient of the state without weights, for the reconstruction and the diffusive fluxes (W. K. Anderson & D. L.
// Bonhaus, Comput. Fluids 23 (1994) 1), along the layers of thin cells on curved walls.
VERTEX_KERNEL(gradients) {
    const vreal zero = {};
    vreal own[STATE_VARIABLES], b[STATE_VARIABLES][3];
    Moments sum = {}, inverse_of;
    const Layer layer = own_layer(par, at);
    const int variables = has_two_equations(par) ? STATE_VARIABLES : (par.turbulence ? OMEGA : EDDY);
    UNROLL
    for (int v = 0; v < STATE_VARIABLES; ++v) {
        own[v] = v < variables ? load(par.state + v * par.slots, at) : zero;
        for (int d = 0; d < 3; ++d) b[v][d] = zero;
    }
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        vreal straight[3], r[3];
        edge_vector(par.displacement, at, k, straight);
        follow(layer, straight, far_height(par, to), r);
        add_moments(sum, at, k, r, zero + R(1));
        vreal far[STATE_VARIABLES];
        UNROLL
        for (int v = 0; v < STATE_VARIABLES; ++v) far[v] = v < variables ? gather(par.state + v * par.slots, to) : zero;
        carry_here(par, at, k, far + VELOCITY);
        UNROLL
        for (int v = 0; v < STATE_VARIABLES; ++v) {
            if (v >= variables) continue;
            const vreal jump = keep(at, k, far[v] - own[v]);
            UNROLL
            for (int d = 0; d < 3; ++d) b[v][d] = vfma(jump, r[d], b[v][d]);
        }
    }
    invert(sum, inverse_of);
    UNROLL
    for (int v = 0; v < STATE_VARIABLES; ++v) {
        if (v >= variables) continue;
        vreal g[3];
        multiply(inverse_of, b[v], g);
        UNROLL
        for (int d = 0; d < 3; ++d) store(par.gradient + (3 * v + d) * par.slots, at, g[d]);
    }
}

// Gradients of the velocity, and behind it of k and omega where COUNT is 5, for the sources of the turbulence model.
// Near curved walls, where cells are thin, a gradient without weights follows the distant neighbours; 1/|r|^2 as weight
// gives each edge the same part (D. J. Mavriplis, AIAA 2003-3986).
template <int COUNT> INLINE void weighted_gradients(const Params &par, const Vertex &at, vreal (*g)[3]) {
    const vreal zero = {};
    const int variable[5] = {VELOCITY, VELOCITY + 1, VELOCITY + 2, ENERGY, OMEGA};
    vreal own[COUNT], b[COUNT][3];
    Moments sum = {}, inverse_of;
    UNROLL
    for (int v = 0; v < COUNT; ++v) {
        own[v] = load(par.state + variable[v] * par.slots, at);
        for (int d = 0; d < 3; ++d) b[v][d] = zero;
    }
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        vreal r[3];
        edge_vector(par.displacement, at, k, r);
        const vreal weight = R(1) / dot3(r, r);
        add_moments(sum, at, k, r, weight);
        vreal far[COUNT];
        UNROLL
        for (int v = 0; v < COUNT; ++v) far[v] = gather(par.state + variable[v] * par.slots, to);
        carry_here(par, at, k, far);
        UNROLL
        for (int v = 0; v < COUNT; ++v) {
            const vreal jump = keep(at, k, (far[v] - own[v]) * weight);
            UNROLL
            for (int d = 0; d < 3; ++d) b[v][d] = vfma(jump, r[d], b[v][d]);
        }
    }
    invert(sum, inverse_of);
    UNROLL
    for (int v = 0; v < COUNT; ++v) multiply(inverse_of, b[v], g[v]);
}

// The curl of the velocity in the absolute frame, of which g is the gradient in that of the mesh: models of turbulence
// do not see the rotation of this frame.
INLINE void vorticity(const Params &par, const Vertex &at, const vreal (*g)[3], vreal *curl) {
    vreal omega[3];
    if (par.rotates) own_angular_velocity(par, at, omega);
    UNROLL
    for (int m = 0; m < 3; ++m) {
        const int a = (m + 1) % 3, b = (m + 2) % 3;
        curl[m] = g[b][a] - g[a][b];
        if (par.rotates) curl[m] = curl[m] + R(2) * omega[m];
    }
}

// What the model of Spalart and Allmaras needs: |curl v|.
VERTEX_KERNEL(source_gradients) {
    vreal g[3][3], curl[3];
    weighted_gradients<3>(par, at, g);
    vorticity(par, at, g, curl);
    store(par.sources, at, vsqrt(dot3(curl, curl)));
}

// What a model of k and omega takes of the gradients (steady/two_equations.h), which have the same weights.
VERTEX_KERNEL(shear_gradients) {
    const vreal zero = {};
    vreal g[5][3];
    weighted_gradients<5>(par, at, g);
    const vreal third = R(1.0 / 3.0) * (g[0][0] + g[1][1] + g[2][2]);
    const vreal xy = g[0][1] + g[1][0], xz = g[0][2] + g[2][0], yz = g[1][2] + g[2][1];
    vreal diagonal = zero, c_s_c = zero;
    vreal curl[3];
    vorticity(par, at, g, curl);
    UNROLL
    for (int d = 0; d < 3; ++d) {
        const vreal s = g[d][d] - third;
        diagonal = vfma(s, s, diagonal);
        c_s_c = vfma(g[d][d] * curl[d], curl[d], c_s_c);
    }
    c_s_c = c_s_c + xy * curl[0] * curl[1] + xz * curl[0] * curl[2] + yz * curl[1] * curl[2];
    const vreal off = vfma(xy, xy, vfma(xz, xz, yz * yz));
    store(par.sources, at, vsqrt(vfma(zero + R(2), diagonal, off)));
    store(par.sources + par.slots, at, vsqrt(dot3(curl, curl)));
    store(par.sources + 2 * par.slots, at, R(0.25) * vabs(c_s_c));
    store(par.sources + 3 * par.slots, at, dot3(g[3], g[4]));
}
