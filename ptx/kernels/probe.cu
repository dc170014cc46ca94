// Single functions of the method applied to arrays of arguments, for tests: the common flux of pairs of states,
// boundary conditions of a state, and the two-point form of the split derivative beside the equivalent seven-term form.
#include "method/block.h"
#include "method/split_derivative.h"
#include "physics/boundary.h"
#include "physics/riemann.h"

// The common convective flux.
//   u: [group][13][lane] = both states (rho, v, T) and the area vector
//   out: [group][5][lane] = the flux
KERNEL(interface_flux) {
    for_each<1>([&](int c, int one) {
        const vreal *x = block_of(par.u, GROUP * CELLS_PER_BLOCK + c, 13) + one;
        const Primitive<vreal> i = {x[0], {x[1], x[2], x[3]}, x[4]}, o = {x[5], {x[6], x[7], x[8]}, x[9]};
        vreal f[5];
        common_convective_flux(i, o, x + 10, par, f);
        for (int v = 0; v < 5; ++v) block_of(par.out, GROUP * CELLS_PER_BLOCK + c, 5)[v] = f[v];
    });
}
LAUNCHER(interface_flux)

// The ghost state and the common viscous flux of a boundary condition.
//   u: [group][PROBED][lane] = own state (rho, v, T), outward unit normal, boundary data, own viscous flux, kind,
//      relaxed value
//   out: [group][13][lane] = ghost state (rho, v, T), values for the gradient (v, T), common viscous flux
constexpr int PROBED = 14 + BOUNDARY_VALUES;
KERNEL(boundary_condition) {
    for_each<1>([&](int c, int one) {
        for (int lane = 0; lane < LANE; ++lane) {
            const real *x = par.u + ((GROUP * CELLS_PER_BLOCK + c) * PROBED + one) * LANE + lane;
            real *out = par.out + (GROUP * CELLS_PER_BLOCK + c) * 13 * LANE + lane, y[PROBED], common[4];
            for (int v = 0; v < PROBED; ++v) y[v] = x[v * LANE];
            const Primitive<real> q = {y[0], {y[1], y[2], y[3]}, y[4]};
            const real *n = y + 5, *data = n + 3, *flux = data + BOUNDARY_VALUES, relaxed = flux[5];
            const int kind = (int)flux[4];
            const GhostState a = ghost_state(kind, q, n, data, relaxed, par);
            boundary_viscous_flux(kind, q, n, data, a.enters, flux, common);
            const real all[13] = {a.state.rho, a.state.v[0], a.state.v[1], a.state.v[2], a.state.t, a.v[0], a.v[1],
                                  a.v[2],      a.t,          common[0],    common[1],    common[2], common[3]};
            for (int v = 0; v < 13; ++v) out[v * LANE] = all[v];
        }
    });
}
LAUNCHER(boundary_condition)

// The derivative of a product of fields at point i of a line.
template <class F> INLINE vreal derivative_at(const Params &par, int i, F f) {
    vreal s = par.diff[i * N] * f(0);
    for (int k = 1; k < N; ++k) s = s + par.diff[i * N + k] * f(k);
    return s;
}

// Both forms of the derivative of rho u_xi phi along a line.
//   u: [group][3][point][lane] = rho, u_xi, phi
//   out: [group][2][point][lane] = the two-point form, the seven-term form
KERNEL(split_derivative) {
    for_each<1>([&](int c, int one) {
        const vreal *rho = block_of(par.u, GROUP * CELLS_PER_BLOCK + c, 3 * N) + one, *u = rho + N, *phi = rho + 2 * N;
        vreal *out = block_of(par.out, GROUP * CELLS_PER_BLOCK + c, 2 * N);
        vreal mass[PAIRS], r[N];
        for (int i = 0; i < N; ++i) r[i] = rho[0] * R(0);
        pair_mass_flux(rho, u, mass);
        add_split_derivative(mass, phi, par, r);
        for (int i = 0; i < N; ++i) {
            out[i] = r[i];
            const vreal seven = derivative_at(par, i, [&](int k) { return rho[k] * u[k] * phi[k]; }) +
                                phi[i] * derivative_at(par, i, [&](int k) { return rho[k] * u[k]; }) +
                                rho[i] * u[i] * derivative_at(par, i, [&](int k) { return phi[k]; }) +
                                u[i] * derivative_at(par, i, [&](int k) { return rho[k] * phi[k]; }) +
                                rho[i] * phi[i] * derivative_at(par, i, [&](int k) { return u[k]; }) +
                                rho[i] * derivative_at(par, i, [&](int k) { return u[k] * phi[k]; }) +
                                phi[i] * u[i] * derivative_at(par, i, [&](int k) { return rho[k]; });
            out[N + i] = R(0.25) * seven;
        }
    });
}
LAUNCHER(split_derivative)
