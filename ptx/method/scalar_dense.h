// Passive scalars in cells with dense operators. Rows of a cell hold the SCALARS values of a point side by side.
#pragma once
#include "method/dense_correction.h"
#include "method/dense_divergence.h"
#include "method/dense_gradient.h"
#include "method/scalar.h"

#if ELEMENT != HEX
static_assert(SCALARS == 4, "a row of scalars is one of those that the gradient of the flow takes");

// Writes the scalars at point p to the rows q.
INLINE void write_scalars(const Params &par, long long block, int p, vreal *q) {
    vreal c[SCALARS];
    own_scalars(par, block, p, own_density(par, block, p), c);
    write_row(c, q + 4 * p);
}

// Half the difference across the face at face point f.
INLINE void scalar_gradient_jump(const Params &par, long long block, int f, const vreal *q, vreal *jump) {
    const int face = face_of(f), l = f - face_offset(face);
    vreal inside[4], across[4], half[4];
    scalars_across(par, block, face, l, across);
    read_row(q + 4 * constant_in_launch(par.face_points + f), inside);
    UNROLL
    for (int v = 0; v < 4; ++v) half[v] = R(0.5) * (across[v] - inside[v]);
    write_row(half, jump + 4 * f);
}

// Writes the diffusive flux along the three directions at point p, from the reference derivatives there, to the rows
// flux[direction].
INLINE void write_scalar_flux(const Params &par, long long block, int p, const vreal (*dq)[4], vreal *flux) {
    vreal a[3][3];
    const vreal inverse_j = metrics_of(par, block).rows(p, a);
    const Diffusion diffusion = diffusion_at(par, block, p);
    UNROLL
    for (int d = 0; d < 3; ++d) {
        vreal row[4];
        UNROLL
        for (int v = 0; v < 4; ++v) {
            vreal sum = {};
            UNROLL
            for (int e = 0; e < 3; ++e) {
                const vreal product = dot3(a[d], a[e]);
                sum = e == 0 ? product * dq[e][v] : vfma(product, dq[e][v], sum);
            }
            row[v] = diffusion.of(par, v) * inverse_j * sum;
        }
        write_row(row, flux + (3 * p + d) * 4);
    }
}

// Writes the outgoing diffusive flux at face point f.
INLINE void write_scalar_trace(const Params &par, long long block, int f, const vreal *jump, const vreal *flux) {
    const int face = face_of(f), l = f - face_offset(face), p = constant_in_launch(par.face_points + f);
    vreal half[4], a[3], along[3][4];
    read_row(jump + 4 * f, half);
    UNROLL
    for (int d = 0; d < 3; ++d) read_row(flux + (3 * p + d) * 4, along[d]);
    outward_area(par, block, face, f, a);
    const Diffusion diffusion = diffusion_at(par, block, p);
    const vreal inverse_j = metrics_of(par, block).inverse_j(p);
    vreal *trace = block_of(par.own_traces, block, 4 * FACE_POINTS) + 4 * face_offset(face) + l;
    UNROLL
    for (int v = 0; v < 4; ++v) {
        const vreal outward = normal_component(face, along[0][v], along[1][v], along[2][v]);
        trace[v * face_size(face)] =
            outward + scalar_penalty(par, diffusion, v, half[v] + half[v], dot3(a, a), inverse_j);
    }
}

// Writes the common flux minus the convective flux of the cell at face point f to jumps[5 * f], with that of c = 1 as
// the fifth. `points` holds the values of the points of the flow (write_point), q the scalars. Sweep 1 has already
// subtracted the diffusive flux of the cell.
INLINE void scalar_flux_jump(const Params &par, long long block, int f, const vreal *points, const vreal *q,
                             vreal *jumps) {
    const int face = face_of(f), l = f - face_offset(face), p = constant_in_launch(par.face_points + f);
    Primitive<vreal> o;
    vreal a[3], own[5], inside[4], outside[4], jump[4], trace[4];
    neighbour(par, block, face, l, o);
    neighbour_scalars(par, block, face, l, o.rho, outside);
    outward_area(par, block, face, f, a);
    const Primitive<vreal> i = state_at(points, p);
    convective_flux(i, a, par, own);
    const vreal mass = mass_flux(par, i, o, a);
    read_row(q + 4 * p, inside);
    UNROLL
    for (int v = 0; v < 4; ++v) jump[v] = mass * carried(mass, inside[v], outside[v]) - own[0] * inside[v];
    if (par.viscosity != VISCOSITY_NONE) {
        const vreal *outgoing =
            block_of((const real *)par.own_traces, block, 4 * FACE_POINTS) + 4 * face_offset(face) + l;
        neighbour_trace(par, block, face, l, trace);
        UNROLL
        for (int v = 0; v < 4; ++v) jump[v] = jump[v] - common_viscous_flux(outgoing[v * face_size(face)], trace[v]);
    }
    UNROLL
    for (int v = 0; v < 4; ++v) jumps[5 * f + v] = jump[v];
    jumps[5 * f + 4] = mass - own[0];
}

// Adds what point k, with the scalars c, carries to the sums r; `through` is the mass flux.
INLINE void add_carried_scalars(vreal through, const vreal *c, vreal *r) {
    r[4] = r[4] + through;
    UNROLL
    for (int v = 0; v < 4; ++v) r[v] = vfma(through, c[v], r[v]);
}

// Computes the divergence inside the cell at point w of a column, before any correction. The sums are those of
// method/dense_divergence.h.
INLINE void inner_scalar_divergence(const Params &par, long long block, const Column &c, int w, const vreal *points,
                                    const vreal *q, Divergence &of) {
    const bool split = par.split == SPLIT_KENNEDY_GRUBER;
    End own;
    vreal inside[4], a[3][3], area[3];
    read_end(points, c.point[w], own);
    read_row(q + 4 * c.point[w], inside);
    UNROLL
    for (int v = 0; v < 5; ++v) of.r[v] = vreal{};
#if ELEMENT == PRISM
    for (int m = 0; m < N; ++m) {
        const int p = c.row[w] + NT * m;
        const real d = constant_in_launch(par.operators + OFFSET_LINE_DIFF + c.layer * N + m);
        End end;
        vreal x[4];
        read_end(points, p, end);
        read_row(q + 4 * p, x);
        const vreal mass =
            split ? two_point_mass(own.rho, end.rho, own.u[2] + end.u[2]) : R(4) * end.rho * end.u[2];
        add_carried_scalars(d * mass, x, of.r);
    }
#endif
    for (int k = 0; k < DENSE; ++k) {
        End end;
        vreal x[4], through = {};
        read_end(points, c.first + k, end);
        read_row(q + 4 * (c.first + k), x);
        UNROLL
        for (int n = 0; n < DIMENSIONS; ++n) {
            const vreal u = split ? own.u[n] + end.u[n] : end.u[n];
            through = n == 0 ? diff_of(par, c.row[w], k, n) * u : vfma(diff_of(par, c.row[w], k, n), u, through);
        }
        add_carried_scalars(split ? two_point_mass(own.rho, end.rho, through) : R(4) * end.rho * through, x, of.r);
    }
    if (split) {
        UNROLL
        for (int v = 0; v < 4; ++v) of.r[v] = vfma(of.r[4], inside[v], of.r[v]);
        of.r[4] = R(2) * of.r[4];
    }
    metrics_of(par, block).rows(c.point[w], a);
    boundary_area(par, block, c.point[w], a, area);
    const real weight = constant_in_launch(par.operators + OFFSET_WEIGHTS + c.point[w]);
    const vreal mass = R(4) * own.rho * dot3(own.v, area);
    UNROLL
    for (int v = 0; v < 4; ++v) of.excess[v] = vfma(weight, of.r[v], -(mass * inside[v]));
    of.excess[4] = vfma(weight, of.r[4], -mass);
}
#endif
