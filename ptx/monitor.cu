// Diagnostics, one column of numbers a cell: the rates that bound the time step together with the health of the state,
// mass and momentum, and the integrals. Sums run over points in a fixed order in double precision; the host adds cells
// in global order, so the result does not depend on lanes, threads, ranks or device.
#include "machine.h"
#include "params.h"
#include "gas.h"
#include "kernels.h"
#if ELEMENT != HEX
#include "dense.h"
#endif

#define ROWS ((NP + N - 1) / N) // of N points, which are summed up first

// Sums over the faces that meet the time step: sum_d (|v.Ja^d| + c |Ja^d|) and sum_d |Ja^d|^2 of a hexahedron, and what stands for
// it in others, half the sum over all faces with their area vectors continued into the cell.
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

// Reference derivatives [direction][variable] of u, v, w at point p, of the polynomial inside the cell alone: the size of an eddy
// viscosity is all that is wanted, and corrections would need the neighbours.
INLINE void inner_gradient(const Params &par, const vreal *state, int p, vreal (*dq)[3]) {
    const auto add = [&](int d, real factor, int k) {
        vreal u[5];
        for (int v = 0; v < 5; ++v) u[v] = state[v * NP + k];
        Primitive<vreal> q;
        primitive(u, par, q);
        for (int v = 0; v < 3; ++v) dq[d][v] = vfma(factor, q.v[v], dq[d][v]);
    };
    for (int e = 0; e < 9; ++e) dq[e / 3][e % 3] = state[p] * R(0);
#if ELEMENT == HEX
    for (int d = 0; d < 3; ++d) {
        const int stride = line_stride(d), i = p / stride % N, start = p - i * stride;
        for (int k = 0; k < N; ++k) add(d, par.diff[i * N + k], start + k * stride);
    }
#else
    const int row = p % DENSE, first = p - row;
    for (int k = 0; k < DENSE; ++k)
        for (int d = 0; d < DIMENSIONS; ++d) add(d, diff_of(par, row, k, d), first + k);
#if ELEMENT == PRISM
    for (int m = 0; m < N; ++m) add(2, constant_in_launch(par.operators + OF_LINE + p / NT * N + m), row + NT * m);
#endif
#endif
}

// Keep in step with RATES, BULKS and INTEGRALS on the host.
enum { RATE_ACOUSTIC, RATE_VISCOUS, RATE_UNPHYSICAL, RATES };
enum { BULK_MASS, BULK_MOMENTUM_X, BULK_MOMENTUM_Y, BULK_MOMENTUM_Z, BULKS };
enum {
    SUM_MASS, SUM_MOMENTUM_X, SUM_MOMENTUM_Y, SUM_MOMENTUM_Z, SUM_ENERGY, SUM_KINETIC, SUM_KINETIC_RATE, SUM_ENSTROPHY,
    SUM_DISSIPATION, SUM_DILATATION, SUMS, MIN_RHO = SUMS, MAX_RHO, MIN_P, MAX_P, MIN_T, MAX_T, MAX_MACH2, INTEGRALS
};

// Largest over the cell: sum_d (|v.Ja^d| + c |Ja^d|)/J, max(4/3 mu, gamma mu/Pr)/rho sum_d |Ja^d|^2/J^2 with the same of a sub-grid
// model, and 1 where density or temperature are not positive numbers.
KERNEL(rates) {
    SHARED_MEMORY;
    SHARED(vwide, line, ROWS *RATES);
    FOR_SOME(c, l, ROWS) {
        const long long block = GROUP * CELLS + c;
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
            if (par.viscosity != INVISCID) {
                const vreal nu = viscosity(q.t, par) * vmax(R(4.0 / 3.0), par.conductivity_factor / par.cv) / q.rho;
                diffusive = vmax(diffusive, nu * square * inverse_j * inverse_j);
                if (par.sgs != SGS_NONE) {
                    vreal dq[3][3], g[3][3];
                    inner_gradient(par, state, p, dq);
                    for (int v = 0; v < 3; ++v)
                        for (int n = 0; n < 3; ++n)
                            g[v][n] = vfma(a[2][n], dq[2][v], vfma(a[1][n], dq[1][v], a[0][n] * dq[0][v]));
                    const vreal eddy = eddy_viscosity(g, inverse_j, inverse_j, q.rho, par) / q.rho;
                    const vreal both = nu + eddy * vmax(R(4.0 / 3.0), par.sgs_conductivity_factor / par.cv);
                    diffusive = vmax(diffusive, both * square * inverse_j * inverse_j);
                }
            }
            const vreal zero = {}, one = zero + R(1);
            unphysical = vmax(unphysical, select(q.rho > zero, select(q.t > zero, zero, one), one));
        }
        line[c][l * RATES + RATE_ACOUSTIC] = widen(acoustic);
        line[c][l * RATES + RATE_VISCOUS] = widen(diffusive);
        line[c][l * RATES + RATE_UNPHYSICAL] = widen(unphysical);
    }
    BARRIER();
    FOR_SOME(c, s, RATES) {
        vwide most = line[c][s];
        for (int l = 1; l < ROWS; ++l) most = wmax(most, line[c][l * RATES + s]);
        ((vwide *)par.per_cell)[(par.first_block + GROUP * CELLS + c) * RATES + s] = most;
    }
}
LAUNCHER(rates)

// Mass and momentum of each cell: the sums of `integrals` that need no right-hand side.
KERNEL(bulk) {
    SHARED_MEMORY;
    SHARED(vwide, line, ROWS *BULKS);
    FOR_SOME(c, l, ROWS) {
        const long long block = GROUP * CELLS + c;
        const Metrics metric = metrics_of(par, block);
        const vreal *state = block_of(par.own, block, 5 * NP);
        vwide sum[BULKS];
        for (int m = 0; m < N && l * N + m < NP; ++m) {
            const int p = l * N + m;
#if ELEMENT == HEX
            const real weight = par.weights[m] * par.weights[l % N] * par.weights[l / N];
#else
            const real weight = par.operators[OF_WEIGHTS + p];
#endif
            const vwide volume = widen(weight / metric.inverse_j(p));
            for (int i = 0; i < BULKS; ++i) {
                const vwide part = widen(state[i * NP + p]) * volume;
                sum[i] = m ? sum[i] + part : part;
            }
        }
        for (int i = 0; i < BULKS; ++i) line[c][l * BULKS + i] = sum[i];
    }
    BARRIER();
    FOR_SOME(c, i, BULKS) {
        vwide s = line[c][i];
        for (int l = 1; l < ROWS; ++l) s = s + line[c][l * BULKS + i];
        ((vwide *)par.per_cell)[(par.first_block + GROUP * CELLS + c) * BULKS + i] = s;
    }
}
LAUNCHER(bulk)

// Integrals over each cell; `acc` holds the right-hand side (STAGE_RHS_ONLY), which gives the exact semi-discrete decay
// of kinetic energy, v . d(rho v)/dt - |v|^2/2 drho/dt.
KERNEL(integrals) {
    SHARED_MEMORY;
    SHARED(vwide, line, ROWS *INTEGRALS); // first: the widest type sets the alignment
#if ELEMENT == HEX
    SHARED(vreal, q, 5 * POINTS);
    SHARED(vreal, dq, 12 * POINTS);
    PRIVATE(LineEnds, ends);
    FOR_LINES(c, d, l) load_ends(par, GROUP * CELLS + c, d, l, MINE(ends, d * NL + l));
    FOR_POINTS(c, p) load_primitives(par, GROUP * CELLS + c, p, q[c]);
    BARRIER();
    FOR_LINES(c, d, l) line_gradient(par, GROUP * CELLS + c, q[c], d, l, MINE(ends, d * NL + l).o, dq[c] + d * 4 * POINTS);
#else
    SHARED(vreal, q, 4 * NP);
    SHARED(vreal, jump, 4 * FACE_POINTS);
    SHARED(vreal, dq, 12 * NP); // [point][direction][4]
    FOR_POINTS(c, p) {
        const Primitive<vreal> s = own_primitive(par, GROUP * CELLS + c, p);
        const vreal row[4] = {s.v[0], s.v[1], s.v[2], s.t};
        write_row(row, q[c] + 4 * p);
    }
    FOR_SOME(c, f, FACE_POINTS) gradient_jump(par, GROUP * CELLS + c, f, jump[c]);
    BARRIER();
    FOR_COLUMNS(c, i) {
        const Column column = column_of(i);
        vreal derivative[WIDE][3][4];
        dense_gradient(par, column, q[c], jump[c], derivative);
        for (int w = 0; w < WIDE; ++w)
            for (int d = 0; d < 3; ++d)
                if (column.there[w]) write_row(derivative[w][d], dq[c] + (3 * column.point[w] + d) * 4);
    }
#endif
    BARRIER();
    FOR_SOME(c, l, ROWS) {
        const long long block = GROUP * CELLS + c;
        const Metrics metric = metrics_of(par, block);
        const vreal *rhs = block_of((const real *)par.acc, block, 5 * NP);
        vwide sum[INTEGRALS];
        for (int m = 0; m < N && l * N + m < NP; ++m) {
            const int p = l * N + m;
            vreal a[3][3], g[4][3];
            const vreal inverse_j = metric.rows(p, a);
#if ELEMENT == HEX
            const Primitive<vreal> s = primitives_at(q[c], place(p));
            physical_gradient(dq[c] + place(p), 4, a, g);
            const real weight = par.weights[m] * par.weights[l % N] * par.weights[l / N];
#else
            const Primitive<vreal> s = own_primitive(par, block, p);
            const vreal *d = dq[c] + 12 * p;
            for (int v = 0; v < 4; ++v)
                for (int n = 0; n < 3; ++n) g[v][n] = vfma(a[2][n], d[8 + v], vfma(a[1][n], d[4 + v], a[0][n] * d[v]));
            const real weight = par.operators[OF_WEIGHTS + p];
#endif
            for (int v = 0; v < 4; ++v)
                for (int n = 0; n < 3; ++n) g[v][n] = g[v][n] * inverse_j;
            const vreal pr = pressure(s, par), ke = half_square(s.v), div = g[0][0] + g[1][1] + g[2][2];
            const vreal curl[3] = {g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]};
            vreal work = pr * R(0);
            if (par.viscosity != INVISCID) {
                Stress<vreal> viscous; // tau : grad v
                const vreal zero = {};
                stress(g, zero + R(1), inverse_j, s.rho, s.t, par, viscous);
                for (int n = 0; n < 3; ++n) work = vfma(viscous.tau[n], g[n][n], work);
                work = vfma(viscous.tau[3], g[0][1] + g[1][0], work);
                work = vfma(viscous.tau[4], g[0][2] + g[2][0], work);
                work = vfma(viscous.tau[5], g[1][2] + g[2][1], work);
            }
            const vreal momentum_rate[3] = {rhs[NP + p], rhs[2 * NP + p], rhs[3 * NP + p]};
            const vreal value[INTEGRALS] = {s.rho,
                                            s.rho * s.v[0],
                                            s.rho * s.v[1],
                                            s.rho * s.v[2],
                                            s.rho * (par.cv * s.t + ke),
                                            s.rho * ke,
                                            dot3(s.v, momentum_rate) - ke * rhs[p],
                                            s.rho * half_square(curl),
                                            work,
                                            pr * div,
                                            s.rho,
                                            s.rho,
                                            pr,
                                            pr,
                                            s.t,
                                            s.t,
                                            R(2) * ke / (par.gamma * par.gas_constant * s.t)};
            const vwide volume = widen(weight / inverse_j);
            for (int i = 0; i < SUMS; ++i) sum[i] = m ? sum[i] + widen(value[i]) * volume : widen(value[i]) * volume;
            for (int i = SUMS; i < INTEGRALS; ++i) {
                const vwide x = widen(value[i]);
                const bool least = i == MIN_RHO || i == MIN_P || i == MIN_T;
                sum[i] = m == 0 ? x : (least ? wmin(sum[i], x) : wmax(sum[i], x));
            }
        }
        for (int i = 0; i < INTEGRALS; ++i) line[c][l * INTEGRALS + i] = sum[i];
    }
    BARRIER();
    FOR_SOME(c, i, INTEGRALS) {
        const bool least = i == MIN_RHO || i == MIN_P || i == MIN_T;
        vwide s = line[c][i];
        for (int l = 1; l < ROWS; ++l) {
            const vwide x = line[c][l * INTEGRALS + i];
            s = i < SUMS ? s + x : (least ? wmin(s, x) : wmax(s, x));
        }
        ((vwide *)par.per_cell)[(par.first_block + GROUP * CELLS + c) * INTEGRALS + i] = s;
    }
}
LAUNCHER(integrals)

#ifndef ONE_LANE
// Lets the host check that it describes Params as this compiler does.
extern "C" long long CAT(params_size, SUFFIX)() { return (long long)sizeof(Params); }
extern "C" long long CAT(lanes, SUFFIX)() { return LANE; }
#endif
