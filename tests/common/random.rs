//! Pseudo-random numbers that are the same in every run.

/// A linear congruential generator.
pub struct Random(pub u64);

impl Random {
    /// The next number in [0, 1).
    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The next number in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// A vector of length 1.
    pub fn unit(&mut self) -> [f64; 3] {
        let v = [0; 3].map(|_| self.between(-1.0, 1.0));
        let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        v.map(|c| c / length)
    }
}
