//! Sponges in a running case: their rates and targets at the points of the mesh, and the running means that some of
//! them drive the flow towards.
//!
//! A running mean begins as the state with which the run begins, and is advanced on the device at the steps at which
//! controls are adjusted. It is part of the checkpoints.

use rayon::prelude::*;

use super::sponge_size::SpongeSize;
use crate::device::{Device, DeviceError, Later};
use crate::element::ElementKind;
use crate::format::location;
use crate::geometry::Geometry;
use crate::input::BadValue;
use crate::io::{CheckpointData, Layout};
use crate::physics::{Gas, Sponge, SpongeTarget};
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant, Restart};
use crate::solver::{SetupError, StepError};
use crate::vector::Vector;

/// Name of the entries in a checkpoint: the means at all points, and the time of their last update.
const ENTRY: &str = "sponges.mean";

/// A cell in a sponge.
#[derive(Debug)]
struct SpongeCell {
    cell: usize,
    /// Rates of the points.
    rates: Vec<f64>,
    /// 1 over the averaging times of the points whose target is a running mean, 0 of others.
    means: Vec<f64>,
}

/// All sponges of a case.
#[derive(Debug)]
pub struct AllSponges {
    list: Vec<Sponge>,
    sizes: Vec<SpongeSize>,
    /// Cells of this rank in a sponge, ascending.
    cells: Vec<SpongeCell>,
    /// Targets of these cells that are given, `[cell][5][point]`, until they are on the device.
    given: Vec<f64>,
    /// Largest rate at a point of any rank.
    largest: f64,
    /// Time of the last update of the running means.
    updated: Option<f64>,
}

/// What all sponges together do at a point.
#[derive(Clone, Copy, Default)]
struct AtPoint {
    rate: f64,
    /// 1 over the averaging time, or 0.
    mean: f64,
    target: [f64; 5],
    /// The last sponge that acts there.
    sponge: Option<usize>,
}

impl AllSponges {
    /// Evaluates rates and given targets at all points, if the case has sponges. Collective.
    ///
    /// # Errors
    /// A weight or a target is not valid at a point, a running mean meets another target, or a sponge has no point.
    pub fn of_case(case: &Case) -> Result<Option<Self>, SetupError> {
        let list = &case.settings.sponges;
        let geometry = case.geometry;
        let gas = &case.settings.gas;
        if list.is_empty() {
            return Ok(None);
        }
        let mut sponges = AllSponges {
            list: list.clone(),
            sizes: Vec::new(),
            cells: Vec::new(),
            given: Vec::new(),
            largest: 0.0,
            updated: None,
        };
        let cells = 0..geometry.kinds.len();
        let found: Result<Vec<_>, SetupError> = cells
            .into_par_iter()
            .map(|cell| in_cell(list, cell, geometry.cell_positions(cell), gas))
            .collect();
        let found = case.ranks.agree(found, SetupError::OnOtherRank)?;
        for (cell, given) in found.into_iter().flatten() {
            sponges.largest = cell.rates.iter().copied().fold(sponges.largest, f64::max);
            sponges.cells.push(cell);
            sponges.given.extend(given);
        }
        let mut largest = [sponges.largest];
        case.ranks.allreduce_max(&mut largest);
        sponges.largest = largest[0];
        Ok(Some(sponges))
    }

    /// Returns the sponges with their sizes in the mesh.
    pub fn sizes(&self) -> impl Iterator<Item = (&Sponge, &SpongeSize)> {
        self.list.iter().zip(&self.sizes)
    }

    /// Sets the running means to values of all cells, `[cell][5][point]`.
    fn set_means(&self, geometry: &Geometry, device: &mut dyn Device, values: &[f64]) -> Result<(), DeviceError> {
        if !self.averages() {
            return Ok(());
        }
        let mut targets = device.sponge_targets()?;
        self.for_each_mean(geometry, |target, value| targets[target] = values[value]);
        device.set_sponge_targets(&targets)
    }

    /// Returns whether a running mean is sought anywhere.
    fn averages(&self) -> bool {
        self.list.iter().any(|sponge| sponge.averaging_time().is_some())
    }

    /// Calls `work` with the place of each value whose target is a running mean, among the targets and in a field of
    /// all cells `[cell][5][point]`.
    fn for_each_mean(&self, geometry: &Geometry, mut work: impl FnMut(usize, usize)) {
        let mut start = 0;
        for SpongeCell { cell, means, .. } in &self.cells {
            let (points, first) = (means.len(), 5 * geometry.first_point[*cell]);
            for value in (0..5 * points).filter(|value| means[value % points] > 0.0) {
                work(start + value, first + value);
            }
            start += 5 * points;
        }
    }
}

/// Returns what the sponges do at the points of a cell, and the targets that are given, `[5][point]`; `None` if none of
/// them acts there.
fn in_cell(
    list: &[Sponge],
    cell: usize,
    points: &[Vector],
    gas: &Gas,
) -> Result<Option<(SpongeCell, Vec<f64>)>, SetupError> {
    let values: Vec<AtPoint> = points
        .iter()
        .map(|&x| at_point(list, x, gas))
        .collect::<Result<_, _>>()?;
    if values.iter().all(|value| value.rate == 0.0) {
        return Ok(None);
    }
    let given = (0..5)
        .flat_map(|v| values.iter().map(move |value| value.target[v]))
        .collect();
    let sponge_cell = SpongeCell {
        cell,
        rates: values.iter().map(|value| value.rate).collect(),
        means: values.iter().map(|value| value.mean).collect(),
    };
    Ok(Some((sponge_cell, given)))
}

/// Returns what the sponges do at a point together: their rates add, and the target is the mean of theirs with the
/// rates as weights.
fn at_point(list: &[Sponge], x: Vector, gas: &Gas) -> Result<AtPoint, SetupError> {
    let mut sum = AtPoint::default();
    for (number, sponge) in list.iter().enumerate() {
        let bad = |group: &str, wrong| BadValue::new(&format!("sponges.{}{group}", sponge.name), wrong, x, 0.0);
        let rate = sponge.strength * sponge.region.weight(x).map_err(|wrong| bad("", wrong))?;
        if rate == 0.0 {
            continue;
        }
        if let Some(other) = sum.sponge.map(|other| &list[other])
            && other.averaging_time() != sponge.averaging_time()
        {
            let what = format!(
                "the sponges {} and {} meet at {}, and drive the state towards different things there: where sponges \
                 overlap, all have a `state`, or all have a `mean` of the same `time`",
                other.name,
                sponge.name,
                location(x)
            );
            let key = format!("sponges.{}", sponge.name);
            return Err(SetupError::Sponges { key, what });
        }
        sum.sponge = Some(number);
        sum.rate += rate;
        match &sponge.target {
            SpongeTarget::Mean(time) => sum.mean = 1.0 / time,
            SpongeTarget::State(state) => {
                let target = state.conserved(x, 0.0, gas).map_err(|wrong| bad(".state", wrong))?;
                for (mean, value) in sum.target.iter_mut().zip(target) {
                    *mean += rate / sum.rate * (value - *mean);
                }
            }
        }
    }
    Ok(sum)
}

/// Returns the layout of the running means in a checkpoint: in double precision, whatever that of the state is.
fn layout_of_means(order: usize) -> Layout {
    Layout::Cells(ElementKind::ALL.map(|kind| 5 * kind.points(order)))
}

impl Participant for AllSponges {
    fn reserve(&self, _: &Geometry, later: &mut Later) {
        later.sponge_points = self.cells.iter().map(|cell| cell.rates.len()).sum();
    }

    /// Writes rates and targets, and warns of sponges that are too thin or too weak.
    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        let state = device.state()?;
        let size = |sponge| SpongeSize::new(sponge, &domain.geometry, &state, &domain.gas, &domain.ranks);
        self.sizes = self.list.iter().map(size).collect::<Result<Vec<_>, _>>()?;
        if domain.ranks.rank() == 0 {
            self.sizes().for_each(|(sponge, size)| size.warn(sponge));
        }
        let mut cells = Vec::new();
        for SpongeCell { cell, rates, means } in &self.cells {
            cells.push(*cell as f64);
            cells.extend(rates);
            cells.extend(means);
        }
        device.place_sponges(&cells)?;
        device.set_sponge_targets(&std::mem::take(&mut self.given))?;
        Ok(self.set_means(&domain.geometry, device, &state)?)
    }

    fn damping(&self) -> f64 {
        self.largest
    }

    /// Advances the running means to this time. The first call sets the time from which they count.
    fn adjust(&mut self, _: &Domain, device: &mut dyn Device, time: f64) -> Result<(), StepError> {
        if !self.averages() {
            return Ok(());
        }
        match self.updated.replace(time) {
            Some(last) if time > last => Ok(device.advance_sponge_means(time - last)?),
            _ => Ok(()),
        }
    }

    /// Adds the running means. Points without one get the state.
    fn save(&self, domain: &Domain, device: &dyn Device, data: &mut CheckpointData) -> Result<(), StepError> {
        let Some(last) = self.updated else {
            return Ok(());
        };
        let (mut values, targets) = (device.state()?, device.sponge_targets()?);
        self.for_each_mean(&domain.geometry, |target, value| values[value] = targets[target]);
        let layout = layout_of_means(domain.elements.order);
        data.fields.insert(ENTRY.to_owned(), (layout, values));
        data.section.arrays.insert(ENTRY.to_owned(), vec![last]);
        Ok(())
    }

    /// Continues with the running means of a checkpoint. If it has none of this order, they begin anew with the state.
    fn restore(&mut self, domain: &Domain, device: &mut dyn Device, from: &Restart) -> Result<(), StepError> {
        if !self.averages() {
            return Ok(());
        }
        let (data, layout) = (from.data, layout_of_means(domain.elements.order));
        let stored = data.fields.get(ENTRY).filter(|(stored, _)| *stored == layout);
        if let (Some((_, values)), Some(&[last])) = (stored, data.section.arrays.get(ENTRY).map(Vec::as_slice)) {
            self.updated = Some(last);
            return Ok(self.set_means(&domain.geometry, device, values)?);
        }
        if domain.ranks.rank() == 0 {
            tracing::warn!("sponges: running means begin now: the checkpoint has none of this order");
        }
        self.updated = Some(from.time);
        let state = device.state()?;
        Ok(self.set_means(&domain.geometry, device, &state)?)
    }
}
