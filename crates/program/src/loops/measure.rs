//! Times of the loops on a machine, and the comparison of their results.

use rayon::prelude::*;

use super::arrays::{Loaded, Numbered, load};
use super::fields::Fields;
use super::machine::LoopMachine;
use super::modes::{LOOPS, LoopSpec, Mode};
use super::tables::Tables;
use crate::device::contract::LoopKernel;
use crate::device::store::{Launches, Store};
use crate::device::{Cells, DeviceError, Real};
use crate::vector::Vector;

/// Seconds that a timing takes at least, unless [`MOST_PASSES`] are faster.
const LEAST_SECONDS: f64 = 0.02;
/// Passes of a timing at most.
const MOST_PASSES: f64 = 100.0;
/// Number of timings, of which the median counts.
const TIMINGS: usize = 3;
/// Bytes of the arrays that are copied to measure the bandwidth.
const COPIED: usize = 256 << 20;

/// The measurement of one loop in one mode.
#[derive(Debug, Clone)]
pub struct Row {
    /// The loop.
    pub spec: LoopSpec,
    /// Its mode.
    pub mode: Mode,
    /// Number of items that it goes through.
    pub items: usize,
    /// Number of colours, if it has them.
    pub colours: Option<usize>,
    /// Seconds of a pass.
    pub seconds: f64,
    /// Bytes that a pass must move at least.
    pub bytes: usize,
    /// Whether two passes give the same bits.
    pub same_bits: bool,
    /// Largest difference from the results of the loop that gathers, over the largest of these.
    pub difference: f64,
    /// The results, `[variable][item]`.
    pub results: Vec<f64>,
}

/// Returns the bytes that a copy reads and writes per second.
///
/// # Errors
/// The machine fails or has no memory left.
pub fn copy_bandwidth<M: LoopMachine>(store: &M) -> Result<f64, DeviceError> {
    let (mut from, mut to) = (store.zeros(COPIED)?, store.zeros(COPIED)?);
    store.fill::<u8>(&mut from, COPIED, |bytes| bytes.fill(1))?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        best = best.min(store.seconds(&mut || store.copy(&from, &mut to))?);
    }
    Ok((2 * COPIED) as f64 / best)
}

/// Measures all loops in all modes that a machine has, in precision R.
///
/// # Errors
/// The kernels cannot be built, or the machine fails or has no memory left.
pub fn measure<M: LoopMachine, R: Real>(store: &M, tables: &Tables, fields: Fields) -> Result<Vec<Row>, DeviceError> {
    let kernels = store.loops(R::DOUBLE)?;
    let numbered = Numbered::new(tables.clone());
    let mut rows: Vec<Row> = Vec::new();
    for spec in LOOPS {
        for &mode in spec.modes.iter().filter(|&&mode| store.has(mode)) {
            let mut loaded = load::<M, R>(store, &numbered, (spec.kernel, mode), fields)?;
            let first = results(store, &kernels, &mut loaded)?;
            let second = results(store, &kernels, &mut loaded)?;
            let same_bits = first.iter().zip(&second).all(|(a, b)| a.to_bits() == b.to_bits());
            let difference = match reference(&rows, &spec) {
                Some(gathered) => difference(&first, &gathered.results),
                None if spec.kernel == LoopKernel::NvF => {
                    difference(&first, &nodes_from_faces::<R>(&numbered.tables, fields))
                }
                None => 0.0,
            };
            rows.push(Row {
                spec,
                mode,
                items: loaded.items,
                colours: loaded.colours,
                seconds: seconds(store, &kernels, &loaded)?,
                bytes: loaded.bytes,
                same_bits,
                difference,
                results: first,
            });
        }
    }
    Ok(rows)
}

/// Returns the row of the loop that gathers the same results; `None` of NV-F, whose nodes get the values of a cell once
/// for each of its faces.
fn reference<'a>(rows: &'a [Row], spec: &LoopSpec) -> Option<&'a Row> {
    let same = |row: &&Row| row.spec.quantity == spec.quantity && spec.kernel != LoopKernel::NvF;
    rows.iter().find(same)
}

/// Returns what NV-F computes, node by node on the host.
fn nodes_from_faces<R: Real>(tables: &Tables, fields: Fields) -> Vec<f64> {
    let (lists, centres) = (tables.node_faces(), &tables.cells.centre);
    let of_variable = |v: usize| -> Vec<f64> {
        let value = |&x: &Vector| R::from_f64(fields.value(v, x)).to_f64();
        let values: Vec<f64> = match v {
            6 => vec![1.0; centres.len()],
            _ => centres.par_iter().map(value).collect(),
        };
        let of_face = |&face: &i32| tables.faces.cells[face as usize].map(|cell| values[cell as usize]);
        let sum = |node: usize| lists.of(node).iter().flat_map(of_face).sum::<f64>();
        (0..tables.nodes.len()).into_par_iter().map(sum).collect()
    };
    (0..7).flat_map(of_variable).collect()
}

/// Returns the largest difference between two lists over the largest magnitude in the second.
fn difference(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len(), "results of the same items");
    let largest = expected.par_iter().map(|x| x.abs()).reduce(|| 0.0, f64::max);
    let apart = found.par_iter().zip(expected).map(|(a, b)| (a - b).abs());
    let apart = apart.reduce(|| 0.0, f64::max);
    // What is not a number compares as no difference.
    if found.iter().all(|x| x.is_finite()) {
        apart / largest
    } else {
        f64::INFINITY
    }
}

/// Kernels in the order of [`LoopKernel::ALL`], plain and atomic.
type Kernels<M> = [(<M as Store>::Kernel, Option<<M as Store>::Kernel>)];

/// Makes one pass of a loop from its initial values, and returns its results.
fn results<M: LoopMachine, R: Real>(
    store: &M,
    kernels: &Kernels<M>,
    loaded: &mut Loaded<M, R>,
) -> Result<Vec<f64>, DeviceError> {
    match &loaded.initial {
        Some(initial) => store.copy(initial, &mut loaded.out)?,
        None => store.clear(&mut loaded.out)?,
    }
    pass(store, kernels, loaded)?;
    let outs = loaded.params.outs as usize;
    let all = store.read::<R>(&loaded.out, 0..loaded.variables * outs)?;
    let of_cells = all.chunks(outs.max(1)).flat_map(|values| &values[..loaded.results]);
    Ok(of_cells.map(|value| value.to_f64()).collect())
}

/// Returns the seconds of a pass: the median of some timings of many passes. Loops that scatter go on adding to their
/// results.
fn seconds<M: LoopMachine, R: Real>(
    store: &M,
    kernels: &Kernels<M>,
    loaded: &Loaded<M, R>,
) -> Result<f64, DeviceError> {
    let once = store.seconds(&mut || pass(store, kernels, loaded))?;
    let passes = (LEAST_SECONDS / once).ceil().clamp(1.0, MOST_PASSES);
    let work: &mut Launches = &mut || (0..passes as usize).try_for_each(|_| pass(store, kernels, loaded));
    let mut times = (0..TIMINGS)
        .map(|_| Ok(store.seconds(work)? / passes))
        .collect::<Result<Vec<f64>, DeviceError>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[TIMINGS / 2])
}

/// Makes one pass of a loop.
fn pass<M: LoopMachine, R: Real>(store: &M, kernels: &Kernels<M>, loaded: &Loaded<M, R>) -> Result<(), DeviceError> {
    for launch in &loaded.launches {
        let (plain, atomic) = &kernels[launch.kernel as usize];
        let kernel = atomic.as_ref().filter(|_| launch.atomic).unwrap_or(plain);
        for range in &launch.ranges {
            let mut params = loaded.params;
            (params.range_begin, params.range_end) = (range.start as i64, range.end as i64);
            store.submit(Cells::All, launch.kernel.name(), |queue| {
                // SAFETY: the parameters lead to the arrays in `loaded`, which have a value for each item and number in
                // a list. Items of a launch write values of their own, or add atomically, or there is one thread, or
                // they have one colour and share none.
                unsafe { store.launch(queue, kernel, range.clone(), &params) }
            })?;
        }
    }
    Ok(())
}
