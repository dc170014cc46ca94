// The verbs of the linear solver: products, triangular factors, sweeps over lines of vertices, and sums of vectors.
#include "steady/linear.h"

// result = A direction, vector - A direction, or basis - A direction with the first vector of `basis`.
template <int B> INLINE void multiply(const Params &par, const Vertex &at) {
    const vreal zero = {};
    vreal sum[B], own[B], far[B];
    own_values<B>(par, par.direction, at, own);
    UNROLL
    for (int row = 0; row < B; ++row) {
        sum[row] = zero;
        UNROLL
        for (int col = 0; col < B; ++col)
            sum[row] = vfma(load(par.diagonal + (B * row + col) * par.slots, at), own[col], sum[row]);
    }
    for (int k = 0; k < at.count; ++k) {
        neighbour_values<B>(par, par.direction, ends(par, at, k), far);
        add_neighbour<B>(par, at, k, far, R(1), sum);
    }
    UNROLL
    for (int v = 0; v < B; ++v)
        if (par.vector) sum[v] = load(par.vector + v * par.slots, at) - sum[v];
        else if (par.basis) sum[v] = load(par.basis + v * par.slots, at) - sum[v];
    store_values<B>(par, par.result, at, sum);
}
VERTEX_KERNEL(multiply_flow) { multiply<5>(par, at); }
VERTEX_KERNEL(multiply_eddy) { multiply<1>(par, at); }
VERTEX_KERNEL(multiply_pair) { multiply<2>(par, at); }

// direction = D^-1 basis, with the factors of the own blocks alone or of lines. Preconditioners take the first vector
// of `basis`.
template <int B> INLINE void solve_blocks(const Params &par, const Vertex &at) {
    vreal x[B];
    own_values<B>(par, par.basis, at, x);
    solve_own<B>(par, at, x);
    store_values<B>(par, par.direction, at, x);
}
VERTEX_KERNEL(solve_blocks_flow) { solve_blocks<5>(par, at); }
VERTEX_KERNEL(solve_blocks_eddy) { solve_blocks<1>(par, at); }
VERTEX_KERNEL(solve_blocks_pair) { solve_blocks<2>(par, at); }

// Factors of the own blocks along lines (Thomas' algorithm in blocks), where L and U are the blocks of the vertices
// before and after:
//     D~_n = D_n - L_n D~_(n-1)^-1 U_(n-1)
template <int B> INLINE void factor(const Params &par, const Line &line) {
    const vreal zero = {};
    vreal after[B][B]; // D~^-1 U of the position before
    for (int n = 0; n < line.length; ++n) {
        const Vertex at = vertex_of_line(par, line, n);
        vreal own[B][B];
        UNROLL
        for (int row = 0; row < B; ++row)
            for (int col = 0; col < B; ++col) own[row][col] = load(par.diagonal + (B * row + col) * par.slots, at);
        for (int k = 0; k < at.count && n > 0; ++k) {
            const vreal before = keep(at, k, leads(at, ends(par, at, k), -1));
            if (!any_lane(before > R(0))) continue;
            UNROLL
            for (int col = 0; col < B; ++col) {
                vreal column[B], product[B];
                UNROLL
                for (int row = 0; row < B; ++row) column[row] = before * after[row][col], product[row] = own[row][col];
                add_neighbour<B>(par, at, k, column, R(-1), product);
                UNROLL
                for (int row = 0; row < B; ++row) own[row][col] = product[row];
            }
        }
        factorise<B>(own);
        UNROLL
        for (int row = 0; row < B; ++row)
            for (int col = 0; col < B; ++col) {
                store(par.factors + (B * row + col) * par.slots, at, own[row][col]);
                after[row][col] = zero;
            }
        if (n + 1 == line.length) return;
        for (int k = 0; k < at.count; ++k) {
            const vreal next = keep(at, k, leads(at, ends(par, at, k), 1));
            if (!any_lane(next > R(0))) continue;
            UNROLL
            for (int row = 0; row < B; ++row)
                for (int col = 0; col < B; ++col)
                    after[row][col] =
                        vfma(next, load_single(par.offdiagonal, block_place<B>(at, k, row, col)), after[row][col]);
        }
        UNROLL
        for (int col = 0; col < B; ++col) {
            vreal x[B];
            UNROLL
            for (int row = 0; row < B; ++row) x[row] = after[row][col];
            solve<B>([&](int row, int column) { return own[row][column]; }, x);
            UNROLL
            for (int row = 0; row < B; ++row) after[row][col] = x[row];
        }
    }
}
LINE_KERNEL(factor_flow) { factor<5>(par, at); }
LINE_KERNEL(factor_eddy) { factor<1>(par, at); }
LINE_KERNEL(factor_pair) { factor<2>(par, at); }

// Solves the rows of lines for the values in `direction` there, with the present ones elsewhere (block Gauss-Seidel):
//     y_n = D~_n^-1 (b_n - L_n y_(n-1) - elsewhere),    x_n = y_n - D~_n^-1 U_n x_(n+1)
template <int B> INLINE void sweep(const Params &par, const Line &line) {
    const vreal zero = {};
    for (int n = 0; n < line.length; ++n) {
        const Vertex at = vertex_of_line(par, line, n);
        vreal x[B], far[B];
        own_values<B>(par, par.basis, at, x);
        for (int k = 0; k < at.count; ++k) {
            const Ends to = ends(par, at, k);
            neighbour_values<B>(par, par.direction, to, far);
            if (n + 1 < line.length) {
                const vreal next = leads(at, to, 1);
                UNROLL
                for (int v = 0; v < B; ++v) far[v] = next > R(0) ? zero : far[v];
            }
            add_neighbour<B>(par, at, k, far, R(-1), x);
        }
        solve_own<B>(par, at, x);
        store_values<B>(par, par.direction, at, x);
    }
    for (int n = line.length - 2; n >= 0; --n) {
        const Vertex at = vertex_of_line(par, line, n);
        vreal x[B], y[B], far[B];
        UNROLL
        for (int v = 0; v < B; ++v) y[v] = zero;
        for (int k = 0; k < at.count; ++k) {
            const Ends to = ends(par, at, k);
            const vreal next = leads(at, to, 1);
            if (!any_lane(next > R(0))) continue;
            neighbour_values<B>(par, par.direction, to, far);
            UNROLL
            for (int v = 0; v < B; ++v) far[v] = next > R(0) ? far[v] : zero;
            add_neighbour<B>(par, at, k, far, R(-1), y);
        }
        solve_own<B>(par, at, y);
        own_values<B>(par, par.direction, at, x);
        UNROLL
        for (int v = 0; v < B; ++v) x[v] = x[v] + y[v];
        store_values<B>(par, par.direction, at, x);
    }
}
LINE_KERNEL(sweep_flow) { sweep<5>(par, at); }
LINE_KERNEL(sweep_eddy) { sweep<1>(par, at); }
LINE_KERNEL(sweep_pair) { sweep<2>(par, at); }

// The solution with the factors of DILU, colour by colour; `backward` in the reverse order:
//     y_i = D~_i^-1 (b_i - sum over earlier j of A_ij y_j),    x_i = y_i - D~_i^-1 sum over later j of A_ij x_j
VERTEX_KERNEL(substitute) {
    const vreal zero = {}, colour = load(par.colour, at);
    vreal x[5], y[5], far[5];
    own_values<5>(par, par.direction, at, y);
    own_values<5>(par, par.basis, at, x);
    UNROLL
    for (int v = 0; v < 5; ++v) {
        x[v] = par.backward ? zero : x[v];
        y[v] = par.backward ? y[v] : zero;
    }
    for (int k = 0; k < at.count; ++k) {
        const Ends to = ends(par, at, k);
        const vreal there = gather(par.colour, to), first = par.backward ? colour : there;
        const auto counts = first < (par.backward ? there : colour);
        neighbour_values<5>(par, par.direction, to, far);
        UNROLL
        for (int v = 0; v < 5; ++v) far[v] = counts ? far[v] : zero;
        add_neighbour<5>(par, at, k, far, R(-1), x);
    }
    solve_own<5>(par, at, x);
    UNROLL
    for (int v = 0; v < 5; ++v) x[v] = x[v] + y[v];
    store_values<5>(par, par.direction, at, x);
}

// result = scale (vector + sum over n of coefficient[n] basis[n]), or `direction` without `result`; without `vector`
// the sum alone.
VERTEX_KERNEL(combine) {
    const vreal zero = {};
    for (int v = 0; v < (int)par.unknowns; ++v) {
        const float *basis = par.basis + v * par.slots;
        vreal x = zero;
        if (par.vector) x = load(par.vector + v * par.slots, at);
        for (int n = 0; n < (int)par.basis_count; ++n)
            x = vfma(zero + par.coefficients[n], load(basis + n * par.unknowns * par.slots, at), x);
        if (par.result) store(par.result + v * par.slots, at, par.scale * x);
        else store(par.direction + v * par.slots, at, par.scale * x);
    }
}

// The largest modulus in `vector`, as the bits of a double: these are ordered like the numbers, with what is not finite
// above all.
POINT_KERNEL(largest) {
    whole most = {};
    for (int v = 0; v < (int)par.unknowns; ++v)
        FOR_SLOTS(i, at) {
            const whole bits = bits_of(vabs(load_slot(par.vector + v * par.slots, i)));
            most = bits > most ? bits : most;
        }
    raise_to(par.largest, most);
}

// Dot products of `vector` w with the vectors of `basis`, whose components are at most about 1, and with itself. Every
// product is divided by a power of two s > max |w|, for w.w its square, and split into multiples of 2^-34 and 2^-68.
// Whole numbers of these are added, in any order:
//     v.w = s (sums[2n] 2^-34 + sums[2n + 1] 2^-68)
POINT_KERNEL(dots) {
    const vreal zero = {};
    const vreal round = zero + R(6755399441055744.0); // 1.5 2^52: a sum with it has the rounded number in its last bits
    const whole exponent = (whole{} + *par.largest) >> 52;
    const vreal inverse_s = real_of((2045 - exponent) << 52);
    for (int n = 0; n <= (int)par.basis_count; ++n) {
        whole high = {}, low = {};
        for (int v = 0; v < (int)par.unknowns; ++v) {
            const double *of_vector = par.vector + v * par.slots;
            const float *with = par.basis + (n * par.unknowns + v) * par.slots;
            FOR_SLOTS(i, at) {
                const vreal w = load_slot(of_vector, i) * inverse_s;
                const vreal product = w * (n < (int)par.basis_count ? load_slot(with, i) : w);
                const vreal coarse = product * R(17179869184.0) + round, whole_part = coarse - round;
                const vreal rest = vfma(whole_part, zero - R(5.8207660913467407e-11), product);
                const vreal fine = rest * R(295147905179352825856.0) + round;
                high = high + (bits_of(coarse) - bits_of(round));
                low = low + (bits_of(fine) - bits_of(round));
            }
        }
        add_to(par.sums + 2 * n, high);
        add_to(par.sums + 2 * n + 1, low);
    }
}
