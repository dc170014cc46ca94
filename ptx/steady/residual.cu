// Residuals of the mean flow: the sums of the fluxes out of the dual cells.
//
// The residual is the central part of the convective fluxes less everything that dissipates: the upwind part, and the
// viscous fluxes. A Runge-Kutta stage blends the latter with that of the stage before (L. Martinelli, Ph.D. thesis,
// Princeton 1987):
//     dissipation = blend * dissipation(now) + (1 - blend) * dissipation(before)
#include "physics/boundary.h"
#include "physics/riemann.h"
#include "physics/rotation.h"
#include "steady/boundary_vertex.h"
#include "steady/facet.h"
#include "steady/layer.h"
#include "steady/vertex.h"
#include "steady/viscosities.h"

// The value on the face's side of one end: MUSCL with kappa (B. van Leer 1977; third order in one dimension for 1/3)
// from the value, the slope along the edge and the jump to the other end.
INLINE vreal reconstructed(vreal value, vreal slope, vreal jump, const Params &par) {
    return vfma(R(0.5) * (R(1) - par.kappa), slope, vfma(R(0.5) * par.kappa, jump, value));
}

// Replaces the states of both ends by those on the two sides of the facet. If a density or temperature falls below a
// tenth of its value at the vertex, both sides keep the values at the vertices.
INLINE void reconstruct(const Params &par, const Vertex &at, int k, const Ends &to, const vreal *r, const Layer &layer,
                        Primitive<vreal> &i, Primitive<vreal> &o) {
    vreal ahead[3], back[3], slopes[5];
    follow_both(par, layer, at, k, to, r, ahead, back);
    const vreal own[5] = {i.rho, i.v[0], i.v[1], i.v[2], i.t}, far[5] = {o.rho, o.v[0], o.v[1], o.v[2], o.t};
    vreal left[5], right[5];
    carry_there(par, at, k, back);
    UNROLL
    for (int v = 0; v < 5; ++v) {
        vreal there[3];
        far_gradient(par, to, v, there);
        slopes[v] = dot3(there, back);
    }
    carry_here(par, at, k, slopes + VELOCITY);
    UNROLL
    for (int v = 0; v < 5; ++v) {
        vreal here[3];
        own_gradient(par, at, v, here);
        left[v] = reconstructed(own[v], dot3(here, ahead), far[v] - own[v], par);
        right[v] = reconstructed(far[v], slopes[v], own[v] - far[v], par);
    }
    const vreal least = vmin(vmin(left[0] / own[0], left[4] / own[4]), vmin(right[0] / far[0], right[4] / far[4]));
    UNROLL
    for (int v = 0; v < 5; ++v) {
        left[v] = least > R(0.1) ? left[v] : own[v];
        right[v] = least > R(0.1) ? right[v] : far[v];
    }
    i = {left[0], {left[1], left[2], left[3]}, left[4]};
    o = {right[0], {right[1], right[2], right[3]}, right[4]};
}

VERTEX_KERNEL(convection) {
    const Primitive<vreal> own = own_state(par, at);
    const Layer layer = own_layer(par, at);
    const vreal zero = own.rho * R(0);
    vreal central[5], upwind[5];
    UNROLL
    for (int v = 0; v < 5; ++v) central[v] = upwind[v] = zero;
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        vreal a[3], r[3], fi[5], fo[5];
        edge_vector(par.area, at, k, a);
        Primitive<vreal> i = own, o = far_state(par, at, k, to);
        if (par.second_order) {
            edge_vector(par.displacement, at, k, r);
            reconstruct(par, at, k, to, r, layer, i, o);
        }
        convective_flux(i, a, par, fi);
        convective_flux(o, a, par, fo);
        UNROLL
        for (int v = 0; v < 5; ++v) {
            fi[v] = R(0.5) * (fi[v] + fo[v]);
            central[v] = central[v] + keep(at, k, fi[v]);
        }
        if (par.blend > R(0)) {
            common_convective_flux(i, o, a, par, fo);
            UNROLL
            for (int v = 0; v < 5; ++v) upwind[v] = upwind[v] + keep(at, k, fi[v] - fo[v]);
        }
    }
    if (par.rotates) {
        vreal frame[3], force[4];
        own_frame_velocity(par, at, frame);
        const vreal speed = own_frame_speed(par, at);
        rotation_force(own.rho, own.v, frame, &speed, par, force);
        const vreal volume = load(par.volume, at);
        UNROLL
        for (int v = 0; v < 4; ++v) central[1 + v] = vfma(-volume, force[v], central[1 + v]);
    }
    UNROLL
    for (int v = 0; v < 5; ++v) {
        double *dissipation = par.dissipation + v * par.slots;
        store(par.convection + v * par.slots, at, central[v]);
        if (par.blend == R(1)) store(dissipation, at, upwind[v]);
        else if (par.blend > R(0))
            store(dissipation, at, vfma(zero + par.blend, upwind[v], (R(1) - par.blend) * load(dissipation, at)));
    }
}

// Carries the velocity of which g has the gradient, component by component.
INLINE void carry_components(const Params &par, const Vertex &at, int k, vreal (*g)[3]) {
    if (!par.rotated) return;
    UNROLL
    for (int d = 0; d < 3; ++d) {
        vreal along[3] = {g[0][d], g[1][d], g[2][d]};
        carry_here(par, at, k, along);
        UNROLL
        for (int v = 0; v < 3; ++v) g[v][d] = along[v];
    }
}

// The viscous fluxes with the stress of J. Boussinesq, added to the dissipation:
//     tau = (mu + mu_t) (grad v + grad v^T - 2/3 (div v) I),    heat = (mu cp/Pr + mu_t cp/Pr_t) grad T
VERTEX_KERNEL(diffusion) {
    const Primitive<vreal> own = own_state(par, at);
    const Viscosities here = own_viscosities(par, at, own);
    const vreal zero = own.rho * R(0);
    vreal sum[4] = {zero, zero, zero, zero}, own_g[4][3];
    UNROLL
    for (int v = 0; v < 4; ++v) own_gradient(par, at, VELOCITY + v, own_g[v]);
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        vreal a[3], r[3], direction[3], g[4][3], f[3];
        edge_vector(par.area, at, k, a);
        edge_vector(par.displacement, at, k, r);
        facet_direction(a, r, direction);
        const Primitive<vreal> far = far_state(par, at, k, to);
        const Viscosities there = far_viscosities(par, to, far);
        const vreal values[4] = {far.v[0] - own.v[0], far.v[1] - own.v[1], far.v[2] - own.v[2], far.t - own.t};
        UNROLL
        for (int v = 0; v < 4; ++v) {
            far_gradient(par, to, VELOCITY + v, g[v]);
            carry_here(par, at, k, g[v]);
        }
        carry_components(par, at, k, g);
        UNROLL
        for (int v = 0; v < 4; ++v) facet_gradient(own_g[v], g[v], r, direction, values[v], g[v]);
        const vreal gas = R(0.5) * (here.gas + there.gas), eddy = R(0.5) * (here.eddy + there.eddy), mu = gas + eddy;
        const vreal dilatation = R(2.0 / 3.0) * (g[0][0] + g[1][1] + g[2][2]);
        vreal work = zero;
        UNROLL
        for (int n = 0; n < 3; ++n) {
            f[n] = zero;
            UNROLL
            for (int m = 0; m < 3; ++m) f[n] = vfma(g[n][m] + g[m][n], a[m], f[n]);
            f[n] = mu * vfma(-dilatation, a[n], f[n]);
            work = vfma(R(0.5) * (own.v[n] + far.v[n]), f[n], work);
            sum[n] = sum[n] + keep(at, k, f[n]);
        }
        const vreal conductivity = vfma(gas, zero + par.conductivity_factor, eddy * par.eddy_conductivity_factor);
        sum[3] = sum[3] + keep(at, k, vfma(conductivity, dot3(g[3], a), work));
    }
    UNROLL
    for (int v = 0; v < 4; ++v) {
        double *dissipation = par.dissipation + (1 + v) * par.slots;
        store(dissipation, at, vfma(zero + par.blend, sum[v], load(dissipation, at)));
    }
}

// Adds the fluxes through one boundary: the pressure alone through a wall, else the flux of the state at the boundary.
POINT_KERNEL(boundary_convection) {
    const BoundaryVertex p = boundary_vertex(par, at);
    const int kind = (int)par.boundary_kind;
    real f[5];
    if (kind == BOUNDARY_SLIP || is_no_slip(kind)) {
        const real push = pressure(p.own, par);
        f[0] = f[4] = R(0);
        for (int d = 0; d < 3; ++d) f[1 + d] = push * p.area[d];
    } else {
        convective_flux(state_outside(par, p, kind, p.own), p.area, par, f);
    }
    for (int v = 0; v < 5; ++v) par.convection[v * par.slots + p.slot] += f[v];
}
