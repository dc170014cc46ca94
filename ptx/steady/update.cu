// The local step of the mean flow: a block of 5 x 5 for each vertex, and the stages of Runge-Kutta with it.
#include "steady/dense_block.h"
#include "steady/modulus.h"
#include "steady/vertex.h"
#include "steady/viscosities.h"

// The block-Jacobi matrix (N. A. Pierce & M. B. Giles, J. Comput. Phys. 136 (1997) 425), divided into triangular
// factors without pivoting:
//     P = (1/CFL) (sum over edges and boundaries of |A|/2 |a| + sum over edges of viscous |a|/|r|)
// Rows of no-slip walls hold the velocity, and where one is given the temperature.
VERTEX_KERNEL(blocks) {
    const Primitive<vreal> own = own_state(par, at);
    const vreal zero = own.rho * R(0), one = zero + R(1);
    vreal block[5][5], spread = zero;
    UNROLL
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 5; ++col) block[row][col] = zero;
    const vreal hi = total_enthalpy(own, par), ri = vsqrt(own.rho);
    vreal mu = zero;
    if (par.viscosity != VISCOSITY_NONE) {
        const Viscosities here = own_viscosities(par, at, own);
        mu = here.gas * par.conductivity_factor;
        if (par.turbulence) mu = vfma(here.eddy, zero + par.eddy_conductivity_factor, mu);
        mu = mu / (own.rho * par.cp) * vmax(R(4.0 / 3.0), par.gamma);
    }
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        vreal a[3], r[3], n[3], v[3], area, inverse_area;
        edge_vector(par.area, at, k, a);
        edge_vector(par.displacement, at, k, r);
        roots(dot3(a, a), area, inverse_area);
        const Primitive<vreal> far = far_state(par, at, k, to);
        const vreal ro = vsqrt(far.rho), share = R(1) / (ri + ro), wi = ri * share, wo = ro * share;
        UNROLL
        for (int d = 0; d < 3; ++d) {
            n[d] = a[d] * inverse_area;
            v[d] = wi * own.v[d] + wo * far.v[d];
        }
        const vreal h = wi * hi + wo * total_enthalpy(far, par);
        const vreal c = vsqrt((par.gamma - R(1)) * (h - half_square(v)));
        add_modulus(block, at, k, v, h, c, n, modulus_of_step(v, n, c), R(0.5) * area, par);
        spread = spread + keep(at, k, mu * area / vsqrt(dot3(r, r)));
    }
    add_boundary_moduli(block, par, at, own, R(0.5));
    const real inverse_cfl = R(1) / par.cfl;
    UNROLL
    for (int row = 0; row < 5; ++row) {
        block[row][row] = block[row][row] + spread;
        UNROLL
        for (int col = 0; col < 5; ++col) block[row][col] = block[row][col] * inverse_cfl;
    }
    const Ends wall = wall_rows(par, at);
    const auto on_wall = is_wall(wall) > R(0);
    const vreal held = gather(par.wall_values + 3 * par.wall_count, wall);
    const auto isothermal = held > R(0);
    UNROLL
    for (int d = 0; d < 3; ++d) {
        const vreal speed = gather(par.wall_values + d * par.wall_count, wall);
        const vreal row[5] = {-speed, zero + R(d == 0), zero + R(d == 1), zero + R(d == 2), zero};
        UNROLL
        for (int col = 0; col < 5; ++col) block[1 + d][col] = on_wall ? row[col] : block[1 + d][col];
    }
    const vreal energy[5] = {-vfma(zero + par.cv, held, half_square(own.v)), zero, zero, zero, one};
    UNROLL
    for (int col = 0; col < 5; ++col) block[4][col] = isothermal ? energy[col] : block[4][col];
    factorise<5>(block);
    UNROLL
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 5; ++col) store(par.blocks + (5 * row + col) * par.slots, at, block[row][col]);
}

// Takes alpha x from the conserved variables of the state `old` and stores the result. A step that changes density or
// temperature by more than a fifth is shortened. The change of temperature to first order lacks the kinetic energy of
// the change of velocity, which may take another fifth. Velocity and temperature of no-slip walls are set.
INLINE void take_off(const Params &par, const Vertex &at, const Primitive<vreal> &old, const vreal *x, real alpha) {
    const long long n = par.slots;
    const Ends wall = wall_rows(par, at);
    const auto on_wall = is_wall(wall) > R(0);
    const vreal held = gather(par.wall_values + 3 * par.wall_count, wall), zero = old.rho * R(0);
    const vreal energy = par.cv * old.t + half_square(old.v);
    const vreal warming = x[4] - dot3(old.v, x + 1) + (R(2) * half_square(old.v) - energy) * x[0];
    const vreal heat = old.rho * par.cv * old.t;
    vreal push[3];
    UNROLL
    for (int d = 0; d < 3; ++d) push[d] = x[1 + d] - old.v[d] * x[0];
    // The square of five times this is five times the kinetic energy over the heat.
    const vreal turn = vsqrt(R(0.2) * half_square(push) / (old.rho * heat));
    const vreal change = vmax(vmax(vabs(x[0]) / old.rho, vabs(warming) / heat), turn);
    const vreal factor = alpha / vmax(zero + R(1), R(5) * alpha * change);
    Primitive<vreal> q;
    vreal u[5];
    u[0] = vfma(-factor, x[0], old.rho);
    UNROLL
    for (int d = 0; d < 3; ++d) u[1 + d] = vfma(-factor, x[1 + d], old.rho * old.v[d]);
    u[4] = vfma(-factor, x[4], old.rho * energy);
    primitive(u, par, q);
    store(par.out, at, q.rho);
    UNROLL
    for (int d = 0; d < 3; ++d)
        store(par.out + (1 + d) * n, at, on_wall ? gather(par.wall_values + d * par.wall_count, wall) : q.v[d]);
    store(par.out + 4 * n, at, held > R(0) ? held : q.t);
}

// One stage: U = U_start - alpha P^-1 R.
VERTEX_KERNEL(stage) {
    const long long n = par.slots;
    const double *s = par.start;
    const Primitive<vreal> old = {load(s, at), {load(s + n, at), load(s + 2 * n, at), load(s + 3 * n, at)},
                                  load(s + 4 * n, at)};
    const Ends wall = wall_rows(par, at);
    const auto on_wall = is_wall(wall) > R(0);
    const vreal held = gather(par.wall_values + 3 * par.wall_count, wall), zero = old.rho * R(0);
    vreal x[5];
    UNROLL
    for (int v = 0; v < 5; ++v) {
        x[v] = load(par.convection + v * n, at) - load(par.dissipation + v * n, at);
        if (par.source) x[v] = x[v] - load(par.source + v * n, at);
        if (v >= 1 && v <= 3) x[v] = on_wall ? zero : x[v];
        if (v == 4) x[v] = held > R(0) ? zero : x[v];
    }
    solve<5>([&](int row, int col) { return load(par.blocks + (5 * row + col) * n, at); }, x);
    take_off(par, at, old, x, par.alpha);
}

// U = U + x, the increment that solves the linear system of an implicit step.
VERTEX_KERNEL(add_increment) {
    vreal x[5];
    UNROLL
    for (int v = 0; v < 5; ++v) x[v] = -load(par.vector + v * par.slots, at);
    take_off(par, at, own_state(par, at), x, R(1));
}

// Values of listed vertices for other ranks, [variable][place in the list], and back.
POINT_KERNEL(pack) {
    for (int v = 0; v < (int)par.exchanged_values; ++v) {
        const long long place = v * par.slots + par.exchange_list[at];
        par.exchange[at * par.exchanged_values + v] =
            par.exchanged ? par.exchanged[place] : (double)par.exchanged_single[place];
    }
}
POINT_KERNEL(unpack) {
    for (int v = 0; v < (int)par.exchanged_values; ++v) {
        const long long place = v * par.slots + par.exchange_list[at];
        const double value = par.exchange[at * par.exchanged_values + v];
        if (par.exchanged) par.exchanged[place] = value;
        else par.exchanged_single[place] = (float)value;
    }
}
