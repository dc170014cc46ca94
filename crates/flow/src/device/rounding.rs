//! Arrays of a store in the precision of a run, from values in double precision.

use rayon::prelude::*;

use super::DeviceError;
use super::memory::Real;
use super::store::Store;

/// Returns an array with these values in the precision R.
///
/// # Errors
/// The device fails.
pub fn rounded<S: Store, R: Real>(store: &S, values: &[f64]) -> Result<S::Array, DeviceError> {
    let mut array = store.zeros(size_of::<R>() * values.len())?;
    round_into::<S, R>(store, &mut array, values)?;
    Ok(array)
}

/// Writes values to an array in the precision R.
///
/// # Errors
/// The device fails.
pub fn round_into<S: Store, R: Real>(store: &S, array: &mut S::Array, values: &[f64]) -> Result<(), DeviceError> {
    store.fill::<R>(array, values.len(), |to| {
        to.par_iter_mut()
            .zip(values)
            .with_min_len(1 << 14)
            .for_each(|(to, &from)| *to = R::from_f64(from));
    })
}
