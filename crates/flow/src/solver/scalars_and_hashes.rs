//! What outputs and tests ask of the values at all points: the passive scalars, and hashes of the state and of them.

use rayon::prelude::*;

use super::participants::scalars::PassiveScalars;
use super::whole::Solver;
use crate::device::{DeviceError, Field};

impl Solver {
    /// Returns the names of the passive scalars.
    pub fn scalar_names(&self) -> impl Iterator<Item = &str> {
        self.participant().into_iter().flat_map(PassiveScalars::names)
    }

    /// Returns the passive scalars with their names and their values at all points of this rank, in mesh order.
    ///
    /// # Errors
    /// The device fails.
    pub fn scalar_values(&self) -> Result<Vec<(String, Vec<f64>)>, DeviceError> {
        if self.scalar_names().next().is_none() {
            return Ok(Vec::new());
        }
        let stored = self.device.read(Field::Scalars)?;
        let names = self.scalar_names().enumerate();
        let values = |(number, name): (usize, &str)| (name.to_owned(), PassiveScalars::values(self, &stored, number));
        Ok(names.map(values).collect())
    }

    /// Returns the passive scalars with their names and their least and largest values over all ranks; NaN for one that
    /// is not finite somewhere. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn scalar_ranges(&self) -> Result<Vec<(String, [f64; 2])>, DeviceError> {
        let all = self.scalar_values()?;
        if all.is_empty() {
            return Ok(Vec::new());
        }
        // Largest values of -c, of c, and of whether c is not finite.
        let of_scalar = |(_, values): &(String, Vec<f64>)| {
            values
                .iter()
                .fold([f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0], |most, &c| {
                    let broken = if c.is_finite() { 0.0 } else { 1.0 };
                    [most[0].max(-c), most[1].max(c), f64::max(most[2], broken)]
                })
        };
        let mut most: Vec<f64> = all.iter().flat_map(of_scalar).collect();
        self.ranks.allreduce_max(&mut most);
        let ranges = most.chunks(3).map(|most| {
            let broken = most[2] > 0.0;
            if broken { [f64::NAN; 2] } else { [-most[0], most[1]] }
        });
        Ok(all.into_iter().map(|(name, _)| name).zip(ranges).collect())
    }

    /// Returns a hash of the state. It does not depend on the order of cells in memory, the vector width, or the number
    /// of threads and ranks. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn hash(&self) -> Result<u64, DeviceError> {
        Ok(self.hash_of(&self.device.state()?))
    }

    /// Returns such a hash of the passive scalars; `None` without any. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn scalars_hash(&self) -> Result<Option<u64>, DeviceError> {
        if self.scalar_names().next().is_none() {
            return Ok(None);
        }
        Ok(Some(self.hash_of(&self.device.read(Field::Scalars)?)))
    }

    /// Returns the hash of a field that is arranged as the state. Collective.
    fn hash_of(&self, state: &[f64]) -> u64 {
        let (first, mesh) = (&self.geometry.first_point, &self.mesh);
        let mut hash = [(0..mesh.len())
            .into_par_iter()
            .fold(
                || 0u64,
                |sum, cell| {
                    let values = &state[5 * first[cell]..5 * first[cell + 1]];
                    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                    let seed = mesh.global(cell) as u64;
                    sum.wrapping_add(xxhash_rust::xxh3::xxh3_64_with_seed(&bytes, seed))
                },
            )
            .reduce(|| 0, u64::wrapping_add)];
        self.ranks.allreduce_sum(&mut hash);
        hash[0]
    }
}
