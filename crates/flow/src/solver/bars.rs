//! Rows of bars in a running case: where they are in the mesh, the time step that they allow, and what they do to the
//! gas.
//!
//! The time eta in which the gas inside a bar takes the velocity of the bar is a constant of a run: the first time step
//! over the strength that the case gives. Eta and the time at which the bars began are in the checkpoints. Neither
//! clipped steps nor the number of ranks change them.

use super::bar_track::Track;
use super::{SetupError, Solver};
use crate::device::{BAR_SUMS, Device, DeviceError};
use crate::format::number;
use crate::geometry::{Geometry, extent};
use crate::io::CheckpointSection;
use crate::mesh::Mesh;
use crate::physics::{BarRow, FEWEST_POINTS, Spacing};
use crate::ranks::{ExactSum, Ranks};
use crate::vector::Vector;

/// Name of the entry in a checkpoint: time at which the bars began, and the time step that set eta.
const ENTRY: &str = "bars";
/// Width of the mask in spacings of points. The area of a mask on the points of p = 3, with 12 over the diameter, is
/// off by up to 1.5 % at a width of 1, 0.7 % at 1.5 and 0.2 % at 2, and changes by as much as the bar moves.
const WIDTH: f64 = 2.0;
/// Share by which the cells that a bar may meet are listed beyond its edge, for positions in single precision.
const MARGIN: f64 = 1e-3;

/// A row of bars in a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The row as the case describes it.
    pub row: BarRow,
    /// How the bars repeat.
    pub spacing: Spacing,
    /// Length over which the mask falls from 1 to 0: two of the largest spacings of points in the track of the bars.
    pub width: f64,
    /// Lowest and highest y of the mesh at the x of the row.
    pub(super) ends: [f64; 2],
}

/// What the bars of a row do, by bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarLoads {
    /// Force of the gas on the bar in x and y.
    pub force: [f64; 2],
    /// Power of the bar on the gas, force times velocity of the bar.
    pub power: f64,
    /// Heat that the bar gives to the gas.
    pub heat: f64,
    /// Momentum of the gas inside the bar in x and y.
    pub momentum: [f64; 2],
}

impl BarLoads {
    /// Returns force, power, heat and momentum, in the order of the series.
    pub fn values(&self) -> [f64; 6] {
        let ([force_x, force_y], [momentum_x, momentum_y]) = (self.force, self.momentum);
        [force_x, force_y, self.power, self.heat, momentum_x, momentum_y]
    }
}

/// Farthest way of a bar in a time step without a warning, in distances of neighbouring points.
const FASTEST: f64 = 1.0;

/// All rows of a case.
#[derive(Debug)]
pub(super) struct AllBars {
    rows: Vec<Bars>,
    /// Time at which the bars began, and the time step that sets eta.
    begun: Option<(f64, f64)>,
}

impl Bars {
    /// Returns the number of solution points over the diameter of a bar.
    pub fn points_per_diameter(&self) -> f64 {
        self.row.diameter * WIDTH / self.width
    }

    /// Returns a line for the log about bars that begin with this time step.
    fn describe(&self, dt: f64) -> String {
        let (row, count) = (&self.row, self.spacing.count);
        let frequency = row.passing_frequency(self.spacing);
        let moves = match (row.speed == 0.0, frequency > 0.0) {
            (true, _) => "at rest".to_owned(),
            (false, true) => format!("passing frequency {frequency:.4}, period {}", number(1.0 / frequency)),
            (false, false) => "moving".to_owned(),
        };
        format!(
            "{}: {count} bar{}, {:.1} points over the diameter, {moves}, ramp {}, eta {:.4e}",
            row.name,
            if count == 1 { "" } else { "s" },
            self.points_per_diameter(),
            row.ramp,
            dt / row.strength
        )
    }

    /// Largest distance from the axis at which a bar acts. In the middle of its fall the mask is at the radius at which
    /// its integral is the area of the bar: pi (r^2 + width^2/20).
    fn outer(&self) -> f64 {
        let radius = 0.5 * self.row.diameter;
        let middle = (radius * radius - self.width * self.width / 20.0).max(0.0).sqrt();
        middle + 0.5 * self.width
    }

    /// Returns the least distance that an axis of this row ever has from one of another row. Rows of different motion
    /// pass each other at some time.
    fn nearest_approach(&self, other: &Bars) -> f64 {
        let (a, b) = (&self.row, &other.row);
        let across = (a.x - b.x).abs();
        let together = a.speed == b.speed && (a.speed == 0.0 || a.ramp == b.ramp);
        if !together {
            return across;
        }
        let along = (0..self.spacing.count).map(|bar| {
            let y = a.y + self.spacing.pitch * bar as f64;
            (y - b.y - other.spacing.pitch * other.spacing.nearest(y, b.y)).abs()
        });
        across.hypot(along.fold(f64::INFINITY, f64::min))
    }

    /// Numbers of the row at a time for the kernels, in the order of the fields of
    /// [`BarNumbers`](crate::device::contract::BarNumbers). Before the bars begin they stand still and do nothing.
    fn numbers(&self, time: f64, begun: Option<(f64, f64)>) -> [f64; 9] {
        let (row, pitch) = (&self.row, self.spacing.pitch);
        let (since, rate) = begun.map_or((0.0, 0.0), |(begin, dt)| (time - begin, row.strength / dt));
        let (y, level) = (row.y_at(since), row.level(since));
        [
            row.x,
            y - pitch * self.spacing.pitches_below(y),
            self.outer(),
            1.0 / self.width,
            pitch,
            self.spacing.inverse_pitch(),
            row.speed * level,
            rate * level,
            row.temperature.unwrap_or(0.0),
        ]
    }
}

impl AllBars {
    /// Finds the spacing of the points in the track of each row and how its bars repeat. Collective.
    ///
    /// # Errors
    /// The bars do not fit into the domain, or there are no cells where they are.
    pub fn new(
        rows: &[BarRow],
        mesh: &Mesh,
        geometry: &Geometry,
        order: usize,
        ranks: &Ranks,
    ) -> Result<Self, SetupError> {
        if rows.is_empty() {
            let (rows, begun) = (Vec::new(), None);
            return Ok(AllBars { rows, begun });
        }
        let period = geometry.period(mesh, order, 1, ranks);
        let one = |row: &BarRow| -> Result<Bars, SetupError> {
            let wrong = |key: &str, what| SetupError::Bars {
                key: format!("bars.{}.{key}", row.name),
                what,
            };
            let spacing = row.spacing(period).map_err(|what| wrong("pitch", what))?;
            let track = Track::new(row, spacing, geometry, order, ranks);
            track.require_cells(row).map_err(|(key, what)| wrong(key, what))?;
            Ok(Bars {
                row: row.clone(),
                spacing,
                width: WIDTH * track.spacing,
                ends: track.ends,
            })
        };
        let rows = rows.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        keep_apart(&rows)?;
        Ok(AllBars { rows, begun: None })
    }

    /// Writes the points that bars may meet to the device.
    ///
    /// # Errors
    /// The device fails.
    pub fn place(&self, device: &mut dyn Device, geometry: &Geometry) -> Result<(), DeviceError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut list = Vec::new();
        for cell in self.cells(geometry) {
            let points = geometry.cell_positions(cell);
            list.push(cell as f64);
            list.extend(points.iter().map(|x| x[0]));
            list.extend(points.iter().map(|x| x[1]));
        }
        device.place_bars(&list)
    }

    /// Returns the cells of this rank that bars may meet.
    fn cells(&self, geometry: &Geometry) -> impl Iterator<Item = usize> {
        let near = |bars: &Bars, points: &[Vector]| {
            let reach = bars.outer() * (1.0 + MARGIN);
            points.iter().any(|x| (x[0] - bars.row.x).abs() < reach)
        };
        let met = move |&cell: &usize| self.rows.iter().any(|bars| near(bars, geometry.cell_positions(cell)));
        (0..geometry.kinds.len()).filter(met)
    }

    /// Returns the number of points of these cells.
    pub fn points(&self, geometry: &Geometry) -> usize {
        self.cells(geometry)
            .map(|cell| geometry.cell_positions(cell).len())
            .sum()
    }

    /// Returns the largest 1/eta.
    fn rate(&self) -> f64 {
        self.begun.map_or(0.0, |(_, dt)| self.strongest() / dt)
    }

    /// Returns the largest strength of a row.
    fn strongest(&self) -> f64 {
        self.rows.iter().map(|bars| bars.row.strength).fold(0.0, f64::max)
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Refuses bars whose masks meet: the gas would not pass between them, and forces would be counted for the wrong bar.
fn keep_apart(rows: &[Bars]) -> Result<(), SetupError> {
    for (number, bars) in rows.iter().enumerate() {
        let (row, reach) = (&bars.row, 2.0 * bars.outer());
        if bars.spacing.pitch > 0.0 && bars.spacing.pitch < reach {
            return Err(SetupError::Bars {
                key: format!("bars.{}.pitch", row.name),
                what: format!(
                    "bars at a pitch of {} meet: with the mask, which is {:.3} wide at this size of the cells, a bar \
                     reaches over {reach:.3}; a larger pitch, a smaller diameter or smaller cells help",
                    bars.spacing.pitch, bars.width
                ),
            });
        }
        for other in &rows[..number] {
            let apart = other.nearest_approach(bars);
            if apart < bars.outer() + other.outer() {
                return Err(SetupError::Bars {
                    key: format!("bars.{}.x", row.name),
                    what: format!(
                        "the bars {} and {} come within {apart:.3} of each other: with their masks they need {:.3}",
                        other.row.name,
                        row.name,
                        bars.outer() + other.outer()
                    ),
                });
            }
        }
    }
    Ok(())
}

impl Solver {
    /// Returns the rows of bars.
    pub fn bars(&self) -> &[Bars] {
        &self.bars.rows
    }

    /// Returns eta of a row; `None` before the bars begin.
    pub fn eta(&self, row: usize) -> Option<f64> {
        self.bars.begun.map(|(_, dt)| dt / self.bars.rows[row].row.strength)
    }

    /// Returns the largest rate 1/eta of the bars; 0 without bars, or before they begin.
    pub(super) fn bars_rate(&self) -> f64 {
        self.bars.rate()
    }

    /// Returns the largest stable step once the bars have begun with the step `dt`, if `stable` is the largest without
    /// them.
    pub fn stable_step_with_bars(&self, stable: f64, dt: f64) -> f64 {
        1.0 / (1.0 / stable + self.bars.strongest() / dt / self.time_scheme.damping_limit())
    }

    /// Lets the bars begin at this time, with this time step for eta, unless they have begun. Returns whether there are
    /// bars that begin now; the time step must then be taken anew.
    ///
    /// # Errors
    /// The device fails.
    pub fn begin_bars(&mut self, time: f64, dt: f64) -> Result<bool, DeviceError> {
        if self.bars.is_empty() || self.bars.begun.is_some() {
            return Ok(false);
        }
        self.bars.begun = Some((time, dt));
        for Bars { row, width, .. } in &self.bars.rows {
            let steps = row.speed.abs() * dt / (width / WIDTH);
            if steps > FASTEST {
                tracing::warn!(
                    "bars.{}.speed: a bar moves by {} times the distance of neighbouring points in a time step, which \
                     no run resolves; up to {FASTEST} are possible, with a lower speed or a shorter step",
                    row.name,
                    number(steps)
                );
            }
        }
        self.bars
            .rows
            .iter()
            .for_each(|bars| tracing::info!("bars    {}", bars.describe(dt)));
        Ok(true)
    }

    /// Warns of bars that have too few points to act as bodies.
    pub(super) fn warn_of_thin_bars(&self) {
        for bars in self
            .bars
            .rows
            .iter()
            .filter(|bars| bars.points_per_diameter() < FEWEST_POINTS)
        {
            tracing::warn!(
                "bars.{}.diameter: {:.1} solution points over the diameter of a bar are too few: below \
                 {FEWEST_POINTS} the gas leaks through it; smaller cells or a higher order help",
                bars.row.name,
                bars.points_per_diameter()
            );
        }
    }

    /// Writes the rows at these moments to the device.
    ///
    /// # Errors
    /// The device fails.
    pub(super) fn move_bars(&mut self, moments: &[f64]) -> Result<(), DeviceError> {
        let AllBars { rows, begun } = &self.bars;
        if rows.is_empty() {
            return Ok(());
        }
        let of_time = |time| rows.iter().flat_map(move |bars| bars.numbers(time, *begun));
        let numbers: Vec<f64> = moments.iter().copied().flat_map(of_time).collect();
        self.device.set_bars(&numbers)
    }

    /// Returns the entry of a checkpoint: its name, the time at which the bars began, and the time step of eta.
    pub(super) fn save_bars(&self) -> Option<(String, Vec<f64>)> {
        let (begin, dt) = self.bars.begun?;
        Some((ENTRY.to_owned(), vec![begin, dt]))
    }

    /// Continues with the values of a checkpoint. If it has none, the bars begin later.
    pub fn restore_bars(&mut self, section: &CheckpointSection) {
        if self.bars.is_empty() {
            return;
        }
        match section.arrays.get(ENTRY).map(Vec::as_slice) {
            Some(&[begin, dt]) => self.bars.begun = Some((begin, dt)),
            _ => tracing::info!("bars begin now: the checkpoint has none"),
        }
    }

    /// Computes what the bars of a row do to the gas at the present state, by the number of the bar. Bar 0 is the one
    /// whose place the case gives, and the others follow in the direction of y. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn bar_loads(&mut self, number: usize, time: f64) -> Result<Vec<BarLoads>, DeviceError> {
        self.move_bars(&self.moments(time, 0.0))?;
        let cells = self.device.bars(number)?;
        let bars = &self.bars.rows[number];
        let (row, spacing) = (&bars.row, bars.spacing);
        let since = time - self.bars.begun.map_or(time, |(begin, _)| begin);
        let (y, speed) = (row.y_at(since), row.speed * row.level(since));
        // The kernel counts from the bar in the first pitch.
        let first = spacing.pitches_below(y);
        let y = y - spacing.pitch * first;
        let mut sums: Vec<[ExactSum; BAR_SUMS]> = (0..spacing.count).map(|_| Default::default()).collect();
        for (cell, values) in cells.chunks(2 * BAR_SUMS).enumerate() {
            if values.iter().all(|value| *value == 0.0) {
                continue;
            }
            let [low, high] = extent(self.geometry.cell_positions(cell));
            let middle = 0.5 * (low[1] + high[1]);
            let nearest = spacing.nearest(middle, y);
            let beside = if middle - y - spacing.pitch * nearest > 0.0 {
                nearest + 1.0
            } else {
                nearest - 1.0
            };
            for (parity, values) in values.chunks(BAR_SUMS).enumerate() {
                let of_parity = |bar: f64| bar.rem_euclid(2.0) == parity as f64;
                let bar = if of_parity(nearest) { nearest } else { beside };
                let bar = (bar - first).rem_euclid(spacing.count as f64) as usize;
                sums[bar]
                    .iter_mut()
                    .zip(values)
                    .for_each(|(sum, &value)| sum.add(value));
            }
        }
        let loads = |sums| {
            let [x, y, heat, momentum_x, momentum_y] = ExactSum::allreduce(&self.ranks, sums).map(ExactSum::value);
            BarLoads {
                force: [-x, -y],
                power: y * speed,
                heat,
                momentum: [momentum_x, momentum_y],
            }
        };
        Ok(sums.into_iter().map(loads).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::contract::BarNumbers;

    #[test]
    fn the_numbers_are_those_of_the_kernels() {
        let row = BarRow {
            name: "a".to_owned(),
            x: 1.0,
            y: 2.0,
            diameter: 3.0,
            pitch: None,
            speed: 4.0,
            strength: 0.5,
            ramp: 5.0,
            temperature: Some(6.0),
        };
        let spacing = Spacing { pitch: 8.0, count: 1 };
        let bars = Bars {
            row,
            spacing,
            width: 0.25,
            ends: [0.0, 8.0],
        };
        let numbers = bars.numbers(20.0, Some((7.0, 0.125)));
        assert_eq!(size_of_val(&numbers), size_of::<BarNumbers>());
        let of = BarNumbers {
            x: 1.0,
            // 2 + 4 (5/2 + 8) is 44: five pitches and 4.
            y: 4.0,
            outer: 0.125 + f64::sqrt(2.25 - 0.003125),
            inverse_width: 4.0,
            pitch: 8.0,
            inverse_pitch: 0.125,
            speed: 4.0,
            rate: 4.0,
            temperature: 6.0,
        };
        let fields = [
            of.x,
            of.y,
            of.outer,
            of.inverse_width,
            of.pitch,
            of.inverse_pitch,
            of.speed,
            of.rate,
            of.temperature,
        ];
        assert_eq!(numbers, fields);
        assert_eq!(bars.points_per_diameter(), 24.0);
    }
}
