//! Sums of doubles without rounding: neither the order of the terms nor their distribution over ranks changes a bit.
//!
//! Every double is an integer times 2^-1074. The sum is kept as one such integer of 2176 bits, in digits of 32 bits
//! with room for carries (U. W. Kulisch's long accumulator). Only the result is rounded.

use super::collectives::Ranks;

/// Number of 32-bit digits: 2^-1074 to 2^1024, and 64 bits for carries.
pub const DIGITS: usize = 68;
/// Number of terms after which carries are propagated: a digit has 31 bits of room, and a term touches three digits.
const MAX_TERMS_BETWEEN_CARRIES: u32 = 1 << 29;

/// An exact sum of doubles.
#[derive(Debug, Clone)]
pub struct ExactSum {
    /// Digits of weight 2^(32 k - 1074), not normalised between carries.
    digits: [i64; DIGITS],
    /// Number of terms since carries were last propagated.
    terms: u32,
    /// Number of terms that were not finite.
    non_finite: i64,
}

impl Default for ExactSum {
    fn default() -> Self {
        ExactSum {
            digits: [0; DIGITS],
            terms: 0,
            non_finite: 0,
        }
    }
}

impl ExactSum {
    /// Adds a term.
    pub fn add(&mut self, x: f64) {
        if !x.is_finite() {
            self.non_finite += 1;
            return;
        }
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        let fraction = bits & ((1 << 52) - 1);
        // |x| = mantissa 2^(shift - 1074). Subnormal numbers have the exponent of the smallest normal ones.
        let (mantissa, shift) = match exponent {
            0 => (fraction, 0),
            _ => (fraction | 1 << 52, exponent - 1),
        };
        let shifted = u128::from(mantissa) << (shift % 32);
        let sign = if x < 0.0 { -1 } else { 1 };
        for (k, digit) in self.digits[shift / 32..].iter_mut().take(3).enumerate() {
            *digit += sign * (shifted >> (32 * k) & 0xffff_ffff) as i64;
        }
        self.terms += 1;
        if self.terms == MAX_TERMS_BETWEEN_CARRIES {
            self.carry();
        }
    }

    /// Returns the sum of this sum and another.
    pub fn merge(mut self, mut other: Self) -> Self {
        self.carry();
        other.carry();
        for (a, b) in self.digits.iter_mut().zip(other.digits) {
            *a += b;
        }
        self.non_finite += other.non_finite;
        self.carry();
        self
    }

    /// A sum of at most 2^31 terms whose digits and whose number of terms that were not finite were counted elsewhere
    /// (ptx/kernels/totals.cu); a digit is below 2^63.
    pub fn of_digits(digit: impl Fn(usize) -> i64, non_finite: i64) -> Self {
        let mut sum = ExactSum {
            digits: std::array::from_fn(digit),
            terms: 0,
            non_finite,
        };
        sum.carry();
        sum
    }

    /// Appends the sum to words that travel to another rank: its sign, the place of its first digit that is not 0 and
    /// the number of digits from there, the number of terms that were not finite, and these digits. The words of a sum
    /// are as few as the sizes of its terms allow.
    pub fn write(mut self, words: &mut Vec<i64>) {
        self.carry();
        let negative = self.take_sign();
        let first = self.digits.iter().position(|&digit| digit != 0).unwrap_or(0);
        let end = self
            .digits
            .iter()
            .rposition(|&digit| digit != 0)
            .map_or(0, |last| last + 1);
        let count = end - first;
        words.extend([i64::from(negative), first as i64, count as i64, self.non_finite]);
        words.extend(&self.digits[first..end]);
    }

    /// Adds a sum that [`ExactSum::write`] has written at the beginning of these words. Returns the words behind it.
    ///
    /// # Panics
    /// If the words are not those of a sum.
    pub fn merge_written<'a>(&mut self, words: &'a [i64]) -> &'a [i64] {
        let ([negative, first, count, non_finite], rest) = words.split_first_chunk().expect("the head of a sum");
        let (digits, rest) = rest.split_at(*count as usize);
        let sign = 1 - 2 * negative;
        for (digit, more) in self.digits[*first as usize..].iter_mut().zip(digits) {
            *digit += sign * more;
        }
        self.non_finite += non_finite;
        // The digits are those of a term at most.
        self.terms += 1;
        if self.terms == MAX_TERMS_BETWEEN_CARRIES {
            self.carry();
        }
        rest
    }

    /// Makes the sum positive. Returns whether it was negative. Carries have been propagated before, and are after.
    fn take_sign(&mut self) -> bool {
        let negative = self.digits[DIGITS - 1] < 0;
        if negative {
            self.digits.iter_mut().for_each(|digit| *digit = -*digit);
            self.carry();
        }
        negative
    }

    /// Propagates carries: all digits but the last are then between 0 and 2^32 - 1, and the last has the sign.
    fn carry(&mut self) {
        for k in 0..DIGITS - 1 {
            let carry = self.digits[k] >> 32;
            self.digits[k] -= carry << 32;
            self.digits[k + 1] += carry;
        }
        self.terms = 0;
    }

    /// Returns the sum, rounded to nearest; NaN if a term was not finite.
    pub fn value(mut self) -> f64 {
        if self.non_finite > 0 {
            return f64::NAN;
        }
        self.carry();
        let negative = self.take_sign();
        // The four leading digits hold at least 97 bits; the digits below them only decide ties.
        let Some(top) = self.digits.iter().rposition(|&digit| digit != 0) else {
            return 0.0;
        };
        let low = top.saturating_sub(3);
        let leading = (low..=top)
            .rev()
            .fold(0u128, |sum, k| sum << 32 | self.digits[k] as u128);
        let below = self.digits[..low].iter().any(|&digit| digit != 0);
        let magnitude = scale(leading | u128::from(below), 32 * low as i32 - 1074);
        if negative { -magnitude } else { magnitude }
    }

    /// Returns the sums over all ranks of a fixed number of sums. Collective.
    pub fn allreduce<const N: usize>(ranks: &Ranks, mut sums: [Self; N]) -> [Self; N] {
        Self::allreduce_in_place(ranks, &mut sums);
        sums
    }

    /// Returns the sums over all ranks of any number of sums. Collective.
    pub fn allreduce_vec(ranks: &Ranks, mut sums: Vec<Self>) -> Vec<Self> {
        Self::allreduce_in_place(ranks, &mut sums);
        sums
    }

    fn allreduce_in_place(ranks: &Ranks, sums: &mut [Self]) {
        if ranks.size() == 1 {
            return;
        }
        sums.iter_mut().for_each(Self::carry);
        let mut words: Vec<i64> = sums
            .iter()
            .flat_map(|sum| sum.digits.into_iter().chain([sum.non_finite]))
            .collect();
        ranks.allreduce_sum(&mut words);
        for (sum, words) in sums.iter_mut().zip(words.chunks(DIGITS + 1)) {
            sum.digits.copy_from_slice(&words[..DIGITS]);
            sum.non_finite = words[DIGITS];
        }
    }
}

/// Returns whole 2^exponent, rounded once.
fn scale(whole: u128, exponent: i32) -> f64 {
    // Subnormal results have fewer bits. Cut to those first, and remember whether a set bit was lost.
    let bits = 128 - whole.leading_zeros() as i32;
    let drop = (-1074 - exponent).max(bits - 64).max(0);
    let kept = if drop >= 128 { 0 } else { whole >> drop };
    let lost = drop > 0 && (drop >= 128 || kept << drop != whole);
    // At most 64 bits remain, which the conversion rounds to 53. The last bit stands for all bits that were lost.
    let rounded = (kept | u128::from(lost)) as f64;
    let power = exponent + drop;
    // Two factors, because one power may lie outside the range of doubles.
    let half = power / 2;
    rounded * 2f64.powi(half) * 2f64.powi(power - half)
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = ExactSum::default();
        values.into_iter().for_each(|x| sum.add(x));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> f64 {
        values.iter().copied().collect::<ExactSum>().value()
    }

    #[test]
    fn nothing_is_lost_between_terms_of_any_size() {
        assert_eq!(of(&[1e300, 1.0, -1e300]), 1.0);
        assert_eq!(of(&[1.0, 1e-300, -1.0]), 1e-300);
        assert_eq!(of(&[5e-324, 5e-324]), 1e-323);
        assert_eq!(of(&[-0.1, -0.2, 0.1]), -0.2);
        assert_eq!(of(&[1.0, f64::EPSILON / 2.0]), 1.0);
        assert_eq!(of(&[1.0, f64::EPSILON / 2.0, 1e-200]), 1.0 + f64::EPSILON);
        assert_eq!(of(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
        assert_eq!(of(&[]), 0.0);
        assert!(of(&[1.0, f64::INFINITY]).is_nan());
    }

    #[test]
    fn single_terms_come_back_and_sums_of_two_are_rounded_as_the_processor_does() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            f64::from_bits(seed ^ seed >> 29)
        };
        let mut tried = 0;
        while tried < 20_000 {
            let (a, b) = (random(), random());
            // A second term of like size, so that both matter.
            let b = a * (1.0 + (b.to_bits() >> 40) as f64 * 1e-7);
            if !a.is_finite() || !(a + b).is_finite() || !(a - b).is_finite() {
                continue;
            }
            assert_eq!(of(&[a]).to_bits(), a.to_bits());
            assert_eq!(of(&[a, b]), a + b, "{a:e} {b:e}");
            assert_eq!(of(&[a, -b]), a - b, "{a:e} {b:e}");
            tried += 1;
        }
    }

    #[test]
    fn the_order_and_the_grouping_of_terms_do_not_matter() {
        let values: Vec<f64> = (0..1000)
            .map(|k| (k as f64 * 0.7).sin() * 10f64.powi(k % 40 - 20))
            .collect();
        let whole = of(&values);
        let mut turned = values.clone();
        turned.reverse();
        assert_eq!(of(&turned), whole);
        let parts = values.chunks(77).map(|part| part.iter().copied().collect::<ExactSum>());
        assert_eq!(parts.fold(ExactSum::default(), ExactSum::merge).value(), whole);
    }

    #[test]
    fn sums_that_were_written_are_the_same_and_short() {
        let values: Vec<f64> = (0..1000).map(|k| (k as f64 * 0.7).sin()).collect();
        let mut words = Vec::new();
        for part in values.chunks(77) {
            part.iter().copied().collect::<ExactSum>().write(&mut words);
        }
        let sums = values.len().div_ceil(77);
        assert!(words.len() < 10 * sums, "{} words of {sums} sums", words.len());
        let (mut merged, mut rest) = (ExactSum::default(), &words[..]);
        for _ in 0..sums {
            rest = merged.merge_written(rest);
        }
        assert!(rest.is_empty());
        assert_eq!(merged.value(), of(&values));
        for values in [
            &[][..],
            &[-1e-300, 1e300],
            &[-5e-324],
            &[-f64::MAX, -f64::MAX],
            &[1.0, f64::NAN],
        ] {
            let mut words = Vec::new();
            values.iter().copied().collect::<ExactSum>().write(&mut words);
            let mut read = ExactSum::default();
            assert!(read.merge_written(&words).is_empty());
            assert_eq!(read.value().to_bits(), of(values).to_bits(), "{values:?}");
        }
    }
}
