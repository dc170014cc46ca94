//! Random numbers that are a function of a seed and a counter.
//!
//! There is no state to keep or to send: any rank computes the number of any item, in any order, and a run that is
//! started again draws the same ones. The generator is Philox4x32-10 (J. K. Salmon et al., SC 2011,
//! 10.1145/2063384.2063405).

use super::waves::cosine_of_turns;

/// Factors of a round.
const FACTORS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// What is added to the key after each round.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// Returns the four words of Philox4x32-10 for a counter and a key.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let product = |i: usize| u64::from(FACTORS[i]) * u64::from(counter[2 * i]);
        let (a, b) = (product(0), product(1));
        counter = [
            (b >> 32) as u32 ^ counter[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ counter[3] ^ key[1],
            a as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// A stream of random numbers with a seed and a name.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    key: [u32; 2],
    name: [u32; 2],
}

impl Draw {
    /// Returns the stream of a seed; another name gives independent numbers.
    pub fn new(seed: u64, name: &str) -> Self {
        let words = |x: u64| [x as u32, (x >> 32) as u32];
        Draw {
            key: words(seed),
            name: words(xxhash_rust::xxh3::xxh3_64(name.as_bytes())),
        }
    }

    /// Returns two independent numbers, uniform in [0, 1), of item `item` of shell `shell`.
    pub fn pair(&self, shell: usize, item: usize) -> [f64; 2] {
        let words = philox([item as u32, shell as u32, self.name[0], self.name[1]], self.key);
        let uniform = |high: u32, low: u32| {
            let bits = u64::from(high) << 32 | u64::from(low);
            (bits >> 11) as f64 / (1u64 << 53) as f64
        };
        [uniform(words[0], words[1]), uniform(words[2], words[3])]
    }

    /// Returns three unit vectors at right angles whose orientation is uniform among all rotations, from the items
    /// `item` and `item + 1` of a shell. A uniform unit quaternion gives them (K. Shoemake, Graphics Gems III, 1992).
    pub fn triad(&self, shell: usize, item: usize) -> [[f64; 3]; 3] {
        let [share, first] = self.pair(shell, item);
        let [second, _] = self.pair(shell, item + 1);
        let a = (1.0 - share).sqrt();
        let b = share.sqrt();
        let sine = |turns: f64| cosine_of_turns(turns - 0.25);
        let q = [
            a * sine(first),
            a * cosine_of_turns(first),
            b * sine(second),
            b * cosine_of_turns(second),
        ];
        // The cosine has errors of 1e-11, and the vectors are to be unit vectors to round-off.
        let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        let [x, y, z, w] = q.map(|c| c / length);
        [
            [
                1.0 - 2.0 * (y * y + z * z),
                2.0 * (x * y + z * w),
                2.0 * (x * z - y * w),
            ],
            [
                2.0 * (x * y - z * w),
                1.0 - 2.0 * (x * x + z * z),
                2.0 * (y * z + x * w),
            ],
            [
                2.0 * (x * z + y * w),
                2.0 * (y * z - x * w),
                1.0 - 2.0 * (x * x + y * y),
            ],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{cross, dot, length, minus};

    #[test]
    fn the_known_answers_of_random123_come_out() {
        let ones = u32::MAX;
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        for (counter, key, answer) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            (
                [ones; 4],
                [ones; 2],
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                pi,
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            assert_eq!(philox(counter, key), answer);
        }
    }

    #[test]
    fn triads_are_right_handed_and_of_uniform_orientation() {
        let draw = Draw::new(7, "inlet");
        let count = 20_000;
        let mut moments = [[0.0; 3]; 3];
        for shell in 0..count {
            let [a, b, c] = draw.triad(shell, 0);
            assert!(length(minus(cross(a, b), c)) < 1e-14);
            assert!((dot(a, a) - 1.0).abs() < 1e-14 && dot(a, b).abs() < 1e-14);
            for (i, row) in moments.iter_mut().enumerate() {
                for (j, moment) in row.iter_mut().enumerate() {
                    *moment += a[i] * a[j] / count as f64;
                }
            }
        }
        // The mean of a_i a_j is delta_ij/3; its error over independent draws has the deviation 0.3/sqrt(count).
        for (i, row) in moments.iter().enumerate() {
            for (j, moment) in row.iter().enumerate() {
                let exact = if i == j { 1.0 / 3.0 } else { 0.0 };
                assert!(
                    (moment - exact).abs() < 4.0 * 0.3 / (count as f64).sqrt(),
                    "{moments:?}"
                );
            }
        }
    }

    #[test]
    fn seeds_and_names_give_other_numbers() {
        let first = Draw::new(1, "inlet").pair(3, 2);
        assert_eq!(first, Draw::new(1, "inlet").pair(3, 2));
        for other in [Draw::new(2, "inlet"), Draw::new(1, "outlet")] {
            assert_ne!(first, other.pair(3, 2));
        }
    }
}
