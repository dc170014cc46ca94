//! The heights of layers of cells at a wall, which grow by a ratio from the first one on: those at the blade, at end
//! walls and at both walls of a gap.

/// Layers at a wall.
#[derive(Debug, Clone, Copy)]
pub struct Layers {
    /// Height of the first one.
    pub first: f64,
    /// Ratio of the heights of each layer and the one below.
    pub growth: f64,
    /// Number of layers.
    pub number: usize,
}

impl Layers {
    /// Distances of the layers' edges from the wall, from 0 on.
    pub fn offsets(&self) -> Vec<f64> {
        let mut offsets = vec![0.0];
        let mut height = self.first;
        for layer in 0..self.number {
            offsets.push(offsets[layer] + height);
            height *= self.growth;
        }
        offsets
    }

    /// Height of all layers together.
    pub fn thickness(&self) -> f64 {
        self.offsets()[self.number]
    }

    /// Returns so many layers of the same first height and growth.
    pub fn with_number(&self, number: usize) -> Layers {
        Layers { number, ..*self }
    }

    /// Height of the last layer.
    pub fn last(&self) -> f64 {
        self.first * self.growth.powi(self.number as i32 - 1)
    }
}
