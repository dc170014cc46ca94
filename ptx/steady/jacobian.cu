// The linear systems of an implicit step, (D/CFL + dR/dU) dU = -R for the mean flow, and one for nu~: each vertex
// writes its own rows while it gathers over its edges. D/CFL is the inverse of the local step of an explicit one
// (steady/update.cu), and R is of first order in the Jacobian (steady/coupling.h).
#include "physics/boundary.h"
#include "steady/boundary_vertex.h"
#include "steady/coupling.h"
#include "steady/linear.h"
#include "steady/transport.h"
#include "steady/vertex.h"

// Rows of vertices on no-slip walls, of which `wall` are the rows of values, hold the velocity, and where one is given
// the temperature: their increments are zero.
INLINE void hold_rows(const Params &par, const Ends &wall, const Primitive<vreal> &own, vreal (*block)[5],
                      bool diagonal) {
    const auto on_wall = is_wall(wall) > R(0);
    const vreal held = gather(par.wall_values + 3 * par.wall_count, wall), zero = own.rho * R(0);
    const auto isothermal = held > R(0);
    UNROLL
    for (int row = 0; row < 3; ++row) {
        const vreal speed = gather(par.wall_values + row * par.wall_count, wall);
        UNROLL
        for (int col = 0; col < 5; ++col) {
            const vreal value = !diagonal ? zero : (col == 0 ? -speed : zero + R(col == 1 + row));
            block[1 + row][col] = on_wall ? value : block[1 + row][col];
        }
    }
    UNROLL
    for (int col = 0; col < 5; ++col) {
        const vreal energy = -vfma(zero + par.cv, held, half_square(own.v));
        const vreal value = !diagonal ? zero : (col == 0 ? energy : zero + R(col == 4));
        block[4][col] = isothermal ? value : block[4][col];
    }
}

// Takes off the derivatives of the forces of the rotating frame (physics/rotation.h), which are linear in the conserved
// variables: -2 omega x m - rho omega x s, and the power -(omega x s).m.
INLINE void add_rotation(const Params &par, const Vertex &at, vreal (*block)[5]) {
    const vreal volume = load(par.volume, at);
    vreal frame[3], omega[3];
    own_frame_velocity(par, at, frame);
    own_angular_velocity(par, at, omega);
    UNROLL
    for (int m = 0; m < 3; ++m) {
        const int a = (m + 1) % 3, b = (m + 2) % 3;
        const vreal centrifugal = volume * (omega[a] * frame[b] - omega[b] * frame[a]);
        block[1 + m][0] = block[1 + m][0] + centrifugal;
        block[4][1 + m] = block[4][1 + m] + centrifugal;
        block[1 + m][1 + b] = block[1 + m][1 + b] + volume * (R(2) * omega[a]);
        block[1 + m][1 + a] = block[1 + m][1 + a] - volume * (R(2) * omega[b]);
    }
}

VERTEX_KERNEL(jacobian) {
    const Primitive<vreal> own = own_state(par, at);
    const Viscosities here = own_viscosities(par, at, own);
    const vreal zero = {}; // of slots without a vertex too, whose state may be no number after explicit steps
    vreal sum[5][5], total[3] = {zero, zero, zero}, step = zero;
    UNROLL
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 5; ++col) sum[row][col] = zero;
    const real with_step = R(1) + R(1) / par.cfl;
    const Ends wall = wall_rows(par, at);
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        vreal a[3], r[3], block[5][5];
        edge_vector(par.area, at, k, a);
        edge_vector(par.displacement, at, k, r);
        const Primitive<vreal> far = far_state(par, at, k, to);
        Coupling c;
        couple(c, at, k, own, here, far, far_viscosities(par, to, far), a, r, par);
        // What the edge gives to the sums is added before its block is made, so that fewer registers are needed.
        UNROLL
        for (int d = 0; d < 3; ++d) total[d] = total[d] + keep(at, k, a[d]);
        add_thin_layer(sum, c.layer, own, R(1), par);
        step = step + c.step;
        UNROLL
        for (int row = 0; row < 5; ++row)
            for (int col = 0; col < 5; ++col)
                sum[row][col] = vfma(zero + with_step, c.modulus[row][col], sum[row][col]);
        far_block(block, c, far, a, par);
        // The unknowns are those of the other end as it has them.
        UNROLL
        for (int row = 0; row < 5; ++row) carry_there(par, at, k, block[row] + 1);
        // A vertex may be its own neighbour through a period.
        const vreal self = keep(at, k, leads(at, to, 0));
        hold_rows(par, wall, own, block, false);
        UNROLL
        for (int row = 0; row < 5; ++row)
            UNROLL
            for (int col = 0; col < 5; ++col) {
                sum[row][col] = vfma(self, block[row][col], sum[row][col]);
                store_single(par.offdiagonal, block_place<5>(at, k, row, col),
                             self > R(0) ? zero : keep(at, k, block[row][col]));
            }
    }
    add_flux_jacobian(sum, own, total, R(0.5), par);
    const real inverse_cfl = R(1) / par.cfl;
    add_boundary_moduli(sum, par, at, own, R(0.5) * inverse_cfl);
    UNROLL
    for (int row = 0; row < 5; ++row) sum[row][row] = vfma(zero + inverse_cfl, step, sum[row][row]);
    if (par.rotates) add_rotation(par, at, sum);
    hold_rows(par, wall, own, sum, true);
    UNROLL
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 5; ++col) {
            const vreal alone = zero + R(row == col);
            store(par.diagonal + (5 * row + col) * par.slots, at, at.degree > R(0) ? sum[row][col] : alone);
        }
}

// The flux through a boundary of a vertex with conserved variables u.
INLINE void boundary_flux(const Params &par, const BoundaryVertex &p, int kind, const real *u, real *f) {
    Primitive<real> q;
    primitive(u, par, q);
    if (kind == BOUNDARY_SLIP || is_no_slip(kind)) {
        const real push = pressure(q, par);
        f[0] = f[4] = R(0);
        for (int d = 0; d < 3; ++d) f[1 + d] = push * p.area[d];
    } else {
        convective_flux(state_outside(par, p, kind, q), p.area, par, f);
    }
}

// Adds the derivatives of the flux through one boundary to the rows of its vertices, by central differences.
POINT_KERNEL(boundary_jacobian) {
    const BoundaryVertex p = boundary_vertex(par, at);
    const int kind = (int)par.boundary_kind, wall = par.wall_row[p.slot];
    const bool isothermal = par.wall_values[3 * par.wall_count + wall] > R(0);
    const real sound = vsqrt(par.gamma * par.gas_constant * p.own.t);
    real u[5] = {p.own.rho, p.own.rho * p.own.v[0], p.own.rho * p.own.v[1], p.own.rho * p.own.v[2],
                 p.own.rho * (par.cv * p.own.t + half_square(p.own.v))};
    const real scale[5] = {u[0], u[0] * sound, u[0] * sound, u[0] * sound, u[4]};
    for (int col = 0; col < 5; ++col) {
        const real value = u[col], change = R(1e-6) * scale[col];
        real above[5], below[5];
        u[col] = value + change;
        boundary_flux(par, p, kind, u, above);
        u[col] = value - change;
        boundary_flux(par, p, kind, u, below);
        u[col] = value;
        for (int row = 0; row < 5; ++row) {
            const bool held = wall > 0 && ((row >= 1 && row <= 3) || (row == 4 && isothermal));
            if (!held)
                par.diagonal[(5 * row + col) * par.slots + p.slot] += (above[row] - below[row]) / (R(2) * change);
        }
    }
}

// Factors of the own blocks for ILU(0) of which only the diagonal is kept apart (DILU): after all neighbours k that are
// eliminated before, those of lower colours,
//     D~_i = D_i - sum over k of A_ik D~_k^-1 A_ki
// Where no two neighbours of a vertex are neighbours, as in lattices of hexahedra, this is ILU(0).
VERTEX_KERNEL(eliminate) {
    const Primitive<vreal> own = own_state(par, at);
    const Viscosities here = own_viscosities(par, at, own);
    const vreal colour = load(par.colour, at);
    vreal sum[5][5];
    UNROLL
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 5; ++col) sum[row][col] = load(par.diagonal + (5 * row + col) * par.slots, at);
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        const vreal zero = {}, one = zero + R(1), before = keep(at, k, gather(par.colour, to) < colour ? one : zero);
        if (!any_lane(before > R(0))) continue;
        // The block of the neighbour's row for this vertex, from the same edge as seen from there.
        vreal a[3], r[3], block[5][5];
        edge_vector(par.area, at, k, a);
        edge_vector(par.displacement, at, k, r);
        UNROLL
        for (int d = 0; d < 3; ++d) a[d] = -a[d], r[d] = -r[d];
        const Primitive<vreal> far = far_state(par, at, k, to);
        Coupling c;
        couple(c, at, k, far, far_viscosities(par, to, far), own, here, a, r, par);
        far_block(block, c, own, a, par);
        const vreal held = gather(par.held, to);
        const vreal velocity = zero + R(HELD_VELOCITY), temperature = zero + R(HELD_VELOCITY_AND_TEMPERATURE);
        UNROLL
        for (int col = 0; col < 5; ++col) {
            vreal x[5], product[5];
            // Slots of no vertex may have a state that is not finite, which a product with 0 would keep.
            UNROLL
            for (int row = 0; row < 5; ++row) x[row] = before > R(0) ? block[row][col] : zero;
            carry_there(par, at, k, x + 1);
            UNROLL
            for (int row = 0; row < 5; ++row) {
                // Rows of what a wall holds lead to no neighbour.
                if (row >= 1) x[row] = held >= (row < 4 ? velocity : temperature) ? zero : x[row];
                product[row] = sum[row][col];
            }
            solve<5>([&](int row, int column) { return gather(par.factors + (5 * row + column) * par.slots, to); }, x);
            add_neighbour<5>(par, at, k, x, R(-1), product);
            UNROLL
            for (int row = 0; row < 5; ++row) sum[row][col] = product[row];
        }
    }
    factorise<5>(sum);
    UNROLL
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 5; ++col) store(par.factors + (5 * row + col) * par.slots, at, sum[row][col]);
}

// The right side -R of the mean flow.
VERTEX_KERNEL(right_side) {
    const Ends wall = wall_rows(par, at);
    const auto on_wall = is_wall(wall) > R(0);
    const vreal held = gather(par.wall_values + 3 * par.wall_count, wall), zero = {};
    UNROLL
    for (int v = 0; v < 5; ++v) {
        vreal x = load(par.dissipation + v * par.slots, at) - load(par.convection + v * par.slots, at);
        if (par.source) x = x + load(par.source + v * par.slots, at);
        if (v >= 1 && v <= 3) x = on_wall ? zero : x;
        if (v == 4) x = held > R(0) ? zero : x;
        store(par.result + v * par.slots, at, at.degree > R(0) ? x : zero);
    }
}

// The system of nu~ with its right side, from the sums of steady/turbulence.cu: what enters with the other end, and
// what diffuses from there.
VERTEX_KERNEL(eddy_system) {
    const Primitive<vreal> own = own_state(par, at);
    const vreal nu = own_eddy(par, at), zero = {}, one = zero + R(1);
    const vreal here = eddy_diffusivity(own.rho, nu, viscosity(own.t, par));
    const auto on_wall = is_wall(wall_rows(par, at)) > R(0);
    vreal own_part = load(par.eddy_sums + par.slots, at), right = -load(par.eddy_sums, at);
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        const Primitive<vreal> far = far_state(par, at, k, to);
        const Transport t = transport(par, at, k, to, own, far);
        const vreal far_nu = far_eddy(par, to), there = eddy_diffusivity(far.rho, far_nu, viscosity(far.t, par));
        const vreal diffusivity = eddy_spreading(own.rho, nu, here, far.rho, far_nu, there);
        const vreal coupling = t.entering - diffusive_coupling(t, diffusivity);
        const vreal self = keep(at, k, leads(at, to, 0)), kept = keep(at, k, on_wall ? zero : coupling);
        own_part = vfma(self, kept, own_part);
        store_single(par.offdiagonal, block_place<1>(at, k, 0, 0), self > R(0) ? zero : kept);
    }
    if (par.source) right = right + load(par.source + EDDY * par.slots, at);
    store(par.diagonal, at, on_wall ? one : (at.degree > R(0) ? own_part : one));
    store(par.result, at, on_wall ? zero : (at.degree > R(0) ? right : zero));
}

// nu~ + x.
VERTEX_KERNEL(add_eddy_increment) {
    store(par.out + EDDY * par.slots, at, own_eddy(par, at) + load(par.vector, at));
}
