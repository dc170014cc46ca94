// Sweep 1 of cells with dense operators: the gradient of the primitives with its correction, the viscous flux along the
// three reference directions, the outgoing viscous flux at the faces, and the weak divergence of the viscous flux. The
// divergence is stored for sweep 2, which adds the common flux at the faces: it has a third of the values of the flux,
// and computing it again would cost as much as the rest of that sweep.
#include "method/dense_correction.h"
#include "method/dense_gradient.h"
#include "method/dense_operators.h"
#include "method/dense_state.h"
#include "method/dense_tiles.h"
#include "physics/viscous.h"

// The viscous flux [direction][4] at point p from the reference derivatives there.
INLINE void viscous_flux_at(const Params &par, long long block, int p, const Primitive<vreal> &state,
                            const vreal (*dq)[4], vreal (*flux)[4]) {
    vreal a[3][3], g[4][3];
    Stress<vreal> s;
    const vreal inverse_j = metrics_of(par, block).rows(p, a);
    UNROLL
    for (int v = 0; v < 4; ++v)
        UNROLL
    for (int n = 0; n < 3; ++n) g[v][n] = vfma(a[2][n], dq[2][v], vfma(a[1][n], dq[1][v], a[0][n] * dq[0][v]));
    // Shared memory holds only those variables of the state that the gradient needs; the density is not among them.
    const bool needs_density = par.sgs != SGS_NONE || par.bulk_factor > R(0);
    const vreal rho = needs_density ? block_of(par.own, block, 5 * NP)[p] : state.rho;
    stress(g, inverse_j, a, inverse_j, rho, state.t, par, s);
    UNROLL
    for (int d = 0; d < 3; ++d) viscous_flux(state, s, a[d], flux[d]);
}

// Computes the viscous flux at point p from the reference derivatives there, unless a column only repeats the point.
INLINE void keep_viscous_flux(const Params &par, long long block, int p, bool there, const vreal *q,
                              const vreal (*dq)[4], vreal *flux) {
    vreal x[4], f[3][4];
    read_row(q + 4 * p, x);
    const Primitive<vreal> state = {x[0], {x[0], x[1], x[2]}, x[3]}; // the density is not used
    viscous_flux_at(par, block, p, state, dq, f);
    if (!there) return;
    UNROLL
    for (int d = 0; d < 3; ++d) write_row(f[d], flux + (3 * p + d) * 4);
}

KERNEL(sweep1) {
    SHARED_MEMORY;
    SHARED(vreal, flux, 12 * NP); // [point][direction][4]
    SHARED(vreal, q, 4 * NP);     // [point]: u, v, w, T
    SHARED(vreal, jump, 4 * FACE_POINTS);
    SHARED_TOTAL(sweep1, sizeof(*flux) + sizeof(*q) + sizeof(*jump));
    FOR_ITEMS(c, p, NP) {
        const Primitive<vreal> s = own_primitive(par, GROUP * CELLS_PER_BLOCK + c, p);
        const vreal row[4] = {s.v[0], s.v[1], s.v[2], s.t};
        write_row(row, q[c] + 4 * p);
    }
    BARRIER();
    FOR_ITEMS_ROLLED(c, f, FACE_POINTS) gradient_jump(par, GROUP * CELLS_PER_BLOCK + c, f, q[c], jump[c]);
    BARRIER();
#ifdef TENSOR_CORES
    gradient_tiles(par, q, jump, flux); // derivatives, whose place the flux takes point by point
    BARRIER();
    FOR_ITEMS(c, p, NP) {
        vreal dq[3][4];
        UNROLL
        for (int d = 0; d < 3; ++d) read_row(flux[c] + (3 * p + d) * 4, dq[d]);
        keep_viscous_flux(par, GROUP * CELLS_PER_BLOCK + c, p, true, q[c], dq, flux[c]);
    }
#else
    for_each_column([&](int c, int i) {
        const Column column = column_of(i);
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        vreal dq[POINTS_PER_THREAD][3][4];
        dense_gradient(par, column, q[c], jump[c], dq);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w)
            keep_viscous_flux(par, block, column.point[w], column.there[w], q[c], dq[w], flux[c]);
    });
#endif
    BARRIER();
#ifdef TENSOR_CORES
    weak_divergence_tiles(par, flux);
#else
    for_each_column([&](int c, int i) {
        const Column column = column_of(i);
        vreal sum[POINTS_PER_THREAD][4];
        weak_divergence(par, column, flux[c], sum);
        UNROLL
        for (int w = 0; w < POINTS_PER_THREAD; ++w) {
            if (!column.there[w]) continue;
            vreal *kept = block_of(par.viscous, GROUP * CELLS_PER_BLOCK + c, 4 * NP) + column.point[w];
            UNROLL
            for (int v = 0; v < 4; ++v) kept[v * NP] = sum[w][v];
        }
    });
#endif
    FOR_ITEMS_ROLLED(c, f, FACE_POINTS) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const int face = face_of(f), l = f - face_offset(face), p = constant_in_launch(par.face_points + f);
        vreal x[4], half[4], a[3], offered[4], along[3][4];
        read_row(q[c] + 4 * p, x);
        read_row(jump[c] + 4 * f, half);
        UNROLL
        for (int d = 0; d < 3; ++d) read_row(flux[c] + (3 * p + d) * 4, along[d]);
        UNROLL
        for (int v = 0; v < 4; ++v) offered[v] = normal_component(face, along[0][v], along[1][v], along[2][v]);
        outward_area(par, block, face, f, a);
        const Primitive<vreal> state = {x[0], {x[0], x[1], x[2]}, x[3]};
        vreal across[4];
        UNROLL
        for (int v = 0; v < 4; ++v) across[v] = x[v] + (half[v] + half[v]);
        add_penalty(state, across, viscosity(state.t, par), dot3(a, a), metrics_of(par, block).inverse_j(p), par,
                    offered);
        vreal *trace = block_of(par.own_traces, block, 4 * FACE_POINTS) + 4 * face_offset(face) + l;
        UNROLL
        for (int v = 0; v < 4; ++v) trace[v * face_size(face)] = offered[v];
    }
}
LAUNCHER(sweep1)
