// Rates that bound the time step, and a check that the state is physical.
#include "method/block.h"
#include "method/inner_gradient.h"
#include "method/metrics.h"
#include "method/rows.h"
#include "physics/viscous.h"

// Sums over directions that bound the time step:
//     speed = sum_d (|v.Ja^d| + c |Ja^d|),    square = sum_d |Ja^d|^2
// For cells other than hexahedra, half the sum over all faces takes their place. The area vectors of the faces are
// continued into the cell.
INLINE void wave_rates(const vreal (*a)[3], const vreal *v, vreal sound, vreal &speed, vreal &square) {
#if ELEMENT == HEX
    const int count = 3;
#else
    const int count = FACES;
#endif
    speed = square = sound * R(0);
    for (int e = 0; e < count; ++e) {
        vreal area[3];
        for (int n = 0; n < 3; ++n) {
#if ELEMENT == HEX
            area[n] = a[e][n];
#else
            area[n] = normal_component(e, a[0][n], a[1][n], a[2][n]);
#endif
        }
        const vreal s = dot3(area, area);
        speed = speed + (vabs(dot3(v, area)) + sound * vsqrt(s));
        square = square + s;
    }
#if ELEMENT != HEX
    speed = R(0.5) * speed;
    square = R(0.5) * square;
#endif
}

enum { BOUND_ACOUSTIC, BOUND_VISCOUS, BOUND_UNPHYSICAL };
static_assert(BOUND_UNPHYSICAL + 1 == TIME_STEP_BOUNDS, "the host counts other values");

// Maxima over the cell: the acoustic rate, the viscous rate, and 1 where density or temperature is not a positive
// number. The viscous rate includes the viscosity of the sub-grid model and the artificial bulk viscosity, both of the
// gradient inside the cell.
//     acoustic: sum_d (|v.Ja^d| + c |Ja^d|)/J
//     viscous:  (max(4/3 mu, gamma mu/Pr) + beta)/rho sum_d |Ja^d|^2/J^2
//
// The largest values of all cells are kept too, as the bits of numbers that are not negative; NaN and negative numbers
// become a NaN.
KERNEL(time_step_bounds) {
    SHARED_MEMORY;
    SHARED(vwide, line, ROWS *TIME_STEP_BOUNDS);
    SHARED_TOTAL(time_step_bounds, sizeof(*line));
    for_each<ROWS>([&](int c, int l) {
        const long long block = GROUP * CELLS_PER_BLOCK + c;
        const Metrics metric = metrics_of(par, block);
        const vreal *state = block_of(par.own, block, 5 * NP);
        vreal acoustic = state[0] * R(0), diffusive = acoustic, unphysical = acoustic;
        for (int m = 0; m < N && l * N + m < NP; ++m) {
            const int p = l * N + m;
            vreal u[5];
            for (int v = 0; v < 5; ++v) u[v] = state[v * NP + p];
            Primitive<vreal> q;
            primitive(u, par, q);
            vreal a[3][3], speed, square;
            const vreal inverse_j = metric.rows(p, a);
            wave_rates(a, q.v, vsqrt(par.gamma * par.gas_constant * q.t), speed, square);
            acoustic = vmax(acoustic, speed * inverse_j);
            if (par.viscosity != VISCOSITY_NONE) {
                const vreal nu = viscosity(q.t, par) * vmax(R(4.0 / 3.0), par.conductivity_factor / par.cv) / q.rho;
                diffusive = vmax(diffusive, nu * square * inverse_j * inverse_j);
                if (par.sgs != SGS_NONE || par.bulk_factor > R(0)) {
                    vreal dq[3][3], g[3][3];
                    inner_gradient(par, state, p, dq);
                    for (int v = 0; v < 3; ++v)
                        for (int n = 0; n < 3; ++n)
                            g[v][n] = vfma(a[2][n], dq[2][v], vfma(a[1][n], dq[1][v], a[0][n] * dq[0][v]));
                    vreal all = nu;
                    if (par.sgs != SGS_NONE) {
                        const vreal eddy = eddy_viscosity(g, inverse_j, inverse_j, q.rho, par) / q.rho;
                        all = all + eddy * vmax(R(4.0 / 3.0), par.sgs_conductivity_factor / par.cv);
                    }
                    if (par.bulk_factor > R(0))
                        all = all + bulk_viscosity(g, inverse_j, a, inverse_j, q.rho, par) / q.rho;
                    diffusive = vmax(diffusive, all * square * inverse_j * inverse_j);
                }
            }
            const vreal zero = {}, one = zero + R(1);
            unphysical = vmax(unphysical, select(q.rho > zero, select(q.t > zero, zero, one), one));
        }
        line[c][l * TIME_STEP_BOUNDS + BOUND_ACOUSTIC] = widen(acoustic);
        line[c][l * TIME_STEP_BOUNDS + BOUND_VISCOUS] = widen(diffusive);
        line[c][l * TIME_STEP_BOUNDS + BOUND_UNPHYSICAL] = widen(unphysical);
    });
    BARRIER();
    for_each<TIME_STEP_BOUNDS>([&](int c, int s) {
        vwide most = line[c][s];
        for (int l = 1; l < ROWS; ++l) most = wmax(most, line[c][l * TIME_STEP_BOUNDS + s]);
        ((vwide *)par.per_cell)[(par.first_block + GROUP * CELLS_PER_BLOCK + c) * TIME_STEP_BOUNDS + s] = most;
        for (int lane = 0; lane < LANE; ++lane) {
            const double x = wide_lane_of(most, lane);
            raise(par.largest_bounds + s, x >= 0 ? bits_of(x) : (long long)(~0ull >> 1));
        }
    });
}
LAUNCHER(time_step_bounds)
