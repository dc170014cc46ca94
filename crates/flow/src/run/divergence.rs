//! The place at which a run diverged: the cell whose state a stage of a step left unphysical before any other, what is
//! there and beside it, now and at the last good look, and what is near.
//!
//! Every stage notes such a cell on the device (ptx/method/note.h), so that the place is known although the states are
//! looked at every few steps only and spread by several cells a step meanwhile. All of this is gathered from the ranks
//! that have the cells, and is the same on any number of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::device::{DeviceError, Fault};
use crate::format::{four_digits, location, physical_time};
use crate::mesh::Side;
use crate::solver::{Clock, Solver};

/// Layers of neighbours around the place that are written to a file.
pub const LAYERS: usize = 2;

/// Cells beside the place that the message has room for.
const MOST_BESIDE: usize = 8;

/// What is said of a cell without a number, before its points.
const NO_NUMBERS: &str = "no number is left at its";

/// The surroundings of a cell on this rank.
pub struct Region {
    /// Cells of this rank with the number of faces between them and the cell in the middle, in ascending order.
    pub cells: Vec<(usize, usize)>,
}

impl Region {
    /// Finds the cells of this rank within `layers` layers around a cell, given by its number in the whole mesh, across
    /// ranks and periodic boundaries. Collective.
    pub fn around(solver: &Solver, number: usize, layers: usize) -> Self {
        let mesh = &solver.mesh;
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        let mut front: BTreeSet<u64> = BTreeSet::from([number as u64]);
        for layer in 0..=layers {
            let new: Vec<usize> = (0..mesh.len())
                .filter(|cell| front.contains(&(mesh.global(*cell) as u64)) && !found.contains_key(cell))
                .collect();
            found.extend(new.iter().map(|&cell| (cell, layer)));
            let beside = new.iter().flat_map(|&cell| mesh.cell_sides(cell));
            let beside: Vec<u64> = beside.filter_map(|side| behind(solver, side)).collect();
            front = solver.ranks.allgather(&beside).into_iter().collect();
        }
        Region {
            cells: found.into_iter().collect(),
        }
    }
}

/// Returns the number in the whole mesh of the cell behind a side; `None` at a boundary.
fn behind(solver: &Solver, side: &Side) -> Option<u64> {
    match *side {
        Side::Cell { cell, .. } | Side::Rotated { cell, .. } => Some(solver.mesh.global(cell) as u64),
        Side::Remote { cell, .. } => Some(cell as u64),
        Side::Mortar(_) | Side::Boundary(_) => None,
    }
}

/// How a run diverged.
#[derive(Debug)]
pub struct Divergence {
    /// The step and the stage that left the state unphysical, and the step at which this was found.
    pub when: When,
    /// The cell and what is known of it.
    pub place: Place,
    /// What was tried to save the run.
    pub tried: Option<String>,
    /// Whether the states are filtered, and steps taken back.
    pub filters: bool,
    /// The file with the cells around it, if it could be written.
    pub file: Option<String>,
    /// Path of the file, or 'none'.
    pub last_output: String,
    /// Whether the case has bars.
    pub bars: bool,
    /// Whether the flux at interfaces keeps densities positive in strong expansions.
    pub positive_flux: bool,
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Place { cell, at, states, .. } = &self.place;
        let when = &self.when;
        write!(
            f,
            "diverged at {when}: density or pressure is not a positive number in {cell} at {at}\n  {states}"
        )?;
        let [lost, all] = self.place.lost;
        if lost > 0 && !self.filters {
            write!(f, "\n  {lost} of {all} cells have no number left now; ")?;
            write!(f, "without `scheme.shock` no earlier state is kept")?;
        }
        write!(f, "\n  near: {}", self.place.near)?;
        if let Some(tried) = &self.tried {
            write!(f, "\n  tried: {tried}")?;
        }
        if let Some(file) = &self.file {
            write!(f, "\n  the cells around it: {file}")?;
        }
        write!(f, "\n  last good output: {}\n  help: ", self.last_output)?;
        if self.filters {
            write!(
                f,
                "a finer mesh, a smaller cfl or dt, or boundaries that agree with the flow"
            )?;
            if !self.positive_flux {
                write!(
                    f,
                    "; `scheme.riemann: hllc` keeps densities positive in strong expansions, this flux does not"
                )?;
            }
        } else {
            write!(
                f,
                "`scheme.shock: positivity` damps such a cell, takes the steps back if that does not help, and "
            )?;
            write!(
                f,
                "repeats them with 1/2 to 1/64 of the time step; a checkpoint can be continued with it. Or take "
            )?;
            write!(f, "a smaller cfl or dt, or a finer mesh")?;
        }
        if self.bars {
            write!(f, "; bars need cells that resolve their wakes, or a longer `ramp`")?;
        }
        Ok(())
    }
}

/// What is known of the place at which a run diverged, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Kind and number of the cell.
    pub cell: String,
    /// Its centre.
    pub at: String,
    /// Density and pressure there, then at the last good look, of the cell and of those beside it.
    pub states: String,
    /// Boundaries and other kinds of cells nearby.
    pub near: String,
    /// Number of cells of the mesh without a number at any point, and of all.
    pub lost: [u64; 2],
}

impl Place {
    /// Describes a cell, given by its number in the whole mesh. `good` is the step of the last good look, if the device
    /// has kept its state. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn describe(solver: &Solver, number: usize, good: Option<u64>) -> Result<Self, DeviceError> {
        let region = Region::around(solver, number, LAYERS);
        let now = solver.device.state()?;
        let kept = match good {
            Some(_) => solver.device.kept_state()?,
            None => Vec::new(),
        };
        let mesh = &solver.mesh;
        let gather = |lines: Vec<String>| gathered(solver, &lines);
        let middle = region
            .cells
            .iter()
            .find(|(_, layer)| *layer == 0)
            .map(|(cell, _)| *cell);
        let name = |cell: usize| mesh.name_of(cell);
        let centre = |cell: usize| location(mesh.center(cell));
        let here = |text: &dyn Fn(usize) -> String| gather(middle.map(text).into_iter().collect()).concat();
        let mut states = format!(
            "there: {} now",
            here(&|cell| Ranges::of(solver, &now, cell).to_string())
        );
        let mut beside_it = &now;
        if let Some(step) = good {
            let _ = write!(
                states,
                "; {} at step {step}",
                here(&|cell| Ranges::of(solver, &kept, cell).to_string())
            );
            beside_it = &kept;
        }
        let first = region.cells.iter().filter(|(_, layer)| *layer == 1);
        // The number comes first, so that the lines of all ranks are put in one order.
        let line = |&(cell, _): &(usize, usize)| {
            let number = mesh.global(cell);
            format!("{number:020} {}: {}", name(cell), Ranges::of(solver, beside_it, cell))
        };
        let lines: Vec<String> = gather(first.map(line).collect());
        let moment = good.map_or_else(|| "now".to_owned(), |step| format!("at step {step}"));
        let known = lines
            .iter()
            .map(|line| &line[21..])
            .filter(|line| !line.contains(NO_NUMBERS));
        let known: Vec<&str> = known.collect();
        let shown = known[..known.len().min(MOST_BESIDE)].join("; ");
        let beside = match (known.len(), lines.len()) {
            (_, 0) => "no cell".to_owned(),
            (0, count) => format!("none of the {count} cells has a number left"),
            (some, all) if some == all => shown,
            (some, all) => format!("{shown}; {} other cells have no number left", all - some),
        };
        let _ = write!(states, "\n  beside it {moment}: {beside}");
        let lost = (0..mesh.len()).filter(|&cell| Ranges::of(solver, &now, cell).none_left());
        let mut lost = [lost.count() as f64];
        solver.ranks.allreduce_sum(&mut lost);
        Ok(Place {
            cell: here(&name),
            at: here(&centre),
            states,
            near: near(solver, &region, middle),
            lost: [lost[0] as u64, mesh.cells_of_all_ranks() as u64],
        })
    }
}

/// Returns the lines of all ranks, each once, in their order. Collective.
fn gathered(solver: &Solver, lines: &[String]) -> Vec<String> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let all = solver.ranks.allgather(text.as_bytes());
    let lines: BTreeSet<String> = String::from_utf8_lossy(&all).lines().map(str::to_owned).collect();
    lines.into_iter().collect()
}

/// Returns the boundaries and the other kinds of cells near a cell, the one in the middle, in words. Collective.
fn near(solver: &Solver, region: &Region, middle: Option<usize>) -> String {
    let mesh = &solver.mesh;
    let mut seen = Vec::new();
    for &(cell, layer) in &region.cells {
        for side in mesh.cell_sides(cell) {
            let Side::Boundary(name) = *side else { continue };
            let of = format!("`{}`", mesh.boundary_names[name]);
            seen.push(match layer {
                0 => format!("0 it lies on the boundary {of}"),
                1 => format!("1 the boundary {of} is one cell away"),
                _ => format!("{layer} the boundary {of} is {layer} cells away"),
            });
        }
    }
    let own = gathered(
        solver,
        &middle
            .map(|cell| mesh.kinds[cell].to_string())
            .into_iter()
            .collect::<Vec<_>>(),
    );
    let kinds = region.cells.iter().filter(|(_, layer)| *layer == 1);
    let kinds = kinds.map(|(cell, _)| mesh.kinds[*cell].to_string());
    let others = kinds.filter(|kind| own.first() != Some(kind));
    seen.extend(others.map(|kind| format!("3 a {kind} shares a face with it")));
    // Of a boundary only the nearest cell counts: lines are in the order of layers.
    let mut named = BTreeSet::new();
    let mut words = Vec::new();
    for line in gathered(solver, &seen) {
        let name = line.split('`').nth(1).map_or_else(|| line.clone(), str::to_owned);
        if named.insert(name) {
            words.push(line[2..].to_owned());
        }
    }
    if words.is_empty() {
        format!("no boundary and no other kind of cell is within {LAYERS} cells")
    } else {
        words.join("; ")
    }
}

/// The ranges of density and pressure over the points of a cell.
struct Ranges {
    density: [f64; 2],
    pressure: [f64; 2],
    /// Points with a value that is not a number.
    lost: usize,
    points: usize,
}

impl Ranges {
    /// Returns the ranges in a cell of a state, `[cell][5][point]`.
    fn of(solver: &Solver, state: &[f64], cell: usize) -> Self {
        let first = &solver.geometry.first_point;
        let u = &state[5 * first[cell]..5 * first[cell + 1]];
        let points = u.len() / 5;
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let mut all = Ranges {
            density: none,
            pressure: none,
            lost: 0,
            points,
        };
        for p in 0..points {
            let [rho, _, _, _, pressure, _] = solver.gas.primitive(std::array::from_fn(|v| u[v * points + p]));
            if !rho.is_finite() || !pressure.is_finite() {
                all.lost += 1;
                continue;
            }
            all.density = [all.density[0].min(rho), all.density[1].max(rho)];
            all.pressure = [all.pressure[0].min(pressure), all.pressure[1].max(pressure)];
        }
        all
    }

    fn none_left(&self) -> bool {
        self.lost == self.points
    }
}

impl std::fmt::Display for Ranges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.none_left() {
            return write!(f, "{NO_NUMBERS} {} points", self.points);
        }
        let range = |[least, most]: [f64; 2]| format!("{} to {}", four_digits(least), four_digits(most));
        write!(f, "density {}, pressure {}", range(self.density), range(self.pressure))?;
        match self.lost {
            0 => Ok(()),
            lost => write!(f, ", not a number at {lost} of {} points", self.points),
        }
    }
}

/// When a state became unphysical, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct When {
    /// The step, by its number in the run; 0 of the initial state.
    pub step: u64,
    /// The time at its end.
    pub time: f64,
    /// The stage of the step, from 1; 0 if the state was unphysical before any step, or no stage noted it.
    pub stage: u64,
    /// Stages of a step.
    pub stages: usize,
    /// The step at which it was found.
    pub found: u64,
    /// The time at its end.
    pub found_time: f64,
}

impl When {
    /// Returns what a note says, which was found at the time of `clock`, `since` steps after the look before it;
    /// `times` has the numbers and times of these.
    pub fn of_note(fault: Option<Fault>, clock: &Clock, since: u64, stages: usize, times: &[(u64, f64)]) -> Self {
        let found = clock.step;
        let step = fault.map_or(found, |fault| (found + fault.step).saturating_sub(since).min(found));
        let time = times.iter().find(|(number, _)| *number == step);
        When {
            step,
            time: time.map_or(clock.time, |(_, time)| *time),
            stage: fault.map_or(0, |fault| fault.stage),
            stages,
            found,
            found_time: clock.time,
        }
    }
}

impl std::fmt::Display for When {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.stage {
            0 => write!(f, "step {}", self.step),
            stage => write!(f, "step {}, stage {stage} of {}", self.step, self.stages),
        }?;
        write!(f, ", t = {}", physical_time(self.time))?;
        if self.found > self.step {
            write!(
                f,
                ", found at step {}, t = {}",
                self.found,
                physical_time(self.found_time)
            )?;
        }
        Ok(())
    }
}
