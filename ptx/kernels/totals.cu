// What a kernel left of each cell, summed over all cells of a rank without rounding, and the extremes. The sums have
// the same bits for any order of the cells, and a few numbers go to the host in place of several of each cell.
//
// Every double is an integer times 2^-1074. A sum is one such integer in digits of 32 bits (U. W. Kulisch's long
// accumulator, as ranks/exact_sum.rs). A digit is held in 64 bits, which have room for the carries of 2^31 terms;
// the host propagates them.
#include "dialect/dialect.h"
#include "params.h"

// The words of a total: the digits, the number of terms that are not finite, the least and the greatest term.
enum { NOT_FINITE = SUM_DIGITS, LEAST, GREATEST };
static_assert(GREATEST + 1 == TOTAL_WORDS, "the host counts other words");

// Adds a term, given by its bits, to the digits of a sum and the count behind them.
INLINE void add_term(long long term, long long *word) {
    const int exponent = (int)(term >> 52) & 0x7ff;
    if (exponent == 0x7ff) {
        ++word[NOT_FINITE];
        return;
    }
    // |x| = mantissa 2^(shift - 1074). Subnormal numbers have the exponent of the smallest normal ones.
    const unsigned long long fraction = term & ((1ull << 52) - 1);
    const unsigned long long mantissa = exponent ? fraction | 1ull << 52 : fraction;
    const int shift = exponent ? exponent - 1 : 0, first = shift / 32, bits = shift % 32;
    const long long digit[3] = {(long long)(mantissa << bits & 0xffffffff),
                                (long long)(mantissa >> (32 - bits) & 0xffffffff),
                                (long long)((mantissa >> 32) >> (32 - bits))};
    for (int k = 0; k < 3; ++k) word[first + k] += term < 0 ? -digit[k] : digit[k];
}

// The least and the greatest of what they are and of x, which is left out if it is not a number.
INLINE void widen_range(double x, double &least, double &greatest) {
    if (x < least) least = x;
    if (x > greatest) greatest = x;
}

// The total of a chunk of cells, for each of the values of a cell.
KERNEL(chunk_totals) {
    const long long values = par.total_values;
    for_each_in_range(par, GROUP, par.total_chunks * values, [&](long long item) {
        const long long chunk = item / values, value = item % values;
        const long long begin = chunk * par.chunk_cells, end = begin + par.chunk_cells;
        long long word[TOTAL_WORDS] = {};
        double least = real_of(0x7ffll << 52), greatest = -least;
        for (long long i = begin; i < end && i < par.total_cells; ++i) {
            const long long slot = par.total_slots[i];
            const double x = par.per_cell[(slot / LANE * values + value) * LANE + slot % LANE];
            add_term(bits_of(x), word);
            widen_range(x, least, greatest);
        }
        word[LEAST] = bits_of(least);
        word[GREATEST] = bits_of(greatest);
        long long *to = par.chunk_totals + chunk * TOTAL_WORDS * values + value;
        for (int w = 0; w < TOTAL_WORDS; ++w) to[w * values] = word[w];
    });
}
LAUNCHER(chunk_totals)

// The total of all chunks.
KERNEL(totals) {
    const long long values = par.total_values, items = TOTAL_WORDS * values;
    for_each_in_range(par, GROUP, items, [&](long long item) {
        const long long word = item / values;
        const long long *from = par.chunk_totals + item;
        long long total = from[0];
        for (long long chunk = 1; chunk < par.total_chunks; ++chunk) {
            const long long x = from[chunk * items];
            if (word == LEAST)
                total = real_of(x) < real_of(total) ? x : total;
            else if (word == GREATEST)
                total = real_of(x) > real_of(total) ? x : total;
            else
                total += x;
        }
        par.totals[item] = total;
    });
}
LAUNCHER(totals)
