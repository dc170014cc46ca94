//! Rows of bars in a running case: where they are in the mesh, the time step that they allow, and what they do to the
//! gas.
//!
//! The time eta in which the gas inside a bar takes the velocity of the bar is a constant of a run: the first time step
//! over the strength that the case gives. Eta and the time at which the bars began are in the checkpoints. Neither
//! clipped steps nor the number of ranks change them.

use super::bar_track::Track;
use crate::device::{BAR_SUMS, Device, DeviceError, Later};
use crate::format::number;
use crate::geometry::{Geometry, extent};
use crate::io::CheckpointData;
use crate::physics::{BarRow, FEWEST_POINTS, Spacing};
use crate::ranks::ExactSum;
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant, Restart};
use crate::solver::{SetupError, StepError};
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
pub struct AllBars {
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
    /// Finds the spacing of the points in the track of each row and how its bars repeat, if the case has bars.
    /// Collective.
    ///
    /// # Errors
    /// The bars do not fit into the domain, or there are no cells where they are.
    pub fn of_case(case: &Case) -> Result<Option<Self>, SetupError> {
        let (rows, order) = (&case.settings.bars, case.settings.order);
        if rows.is_empty() {
            return Ok(None);
        }
        let period = case.geometry.period(case.mesh, order, 1, case.ranks);
        let one = |row: &BarRow| -> Result<Bars, SetupError> {
            let wrong = |key: &str, what| SetupError::Bars {
                key: format!("bars.{}.{key}", row.name),
                what,
            };
            let spacing = row.spacing(period).map_err(|what| wrong("pitch", what))?;
            let track = Track::new(row, spacing, case.geometry, order, case.ranks);
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
        Ok(Some(AllBars { rows, begun: None }))
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[Bars] {
        &self.rows
    }

    /// Returns eta of a row; `None` before the bars begin.
    pub fn eta(&self, row: usize) -> Option<f64> {
        self.begun.map(|(_, dt)| dt / self.rows[row].row.strength)
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

    /// Returns the largest strength of a row.
    pub fn strongest(&self) -> f64 {
        self.rows.iter().map(|bars| bars.row.strength).fold(0.0, f64::max)
    }

    /// Warns of bars that have too few points to act as bodies.
    fn warn_of_thin_bars(&self) {
        let thin = self
            .rows
            .iter()
            .filter(|bars| bars.points_per_diameter() < FEWEST_POINTS);
        for bars in thin {
            tracing::warn!(
                "bars.{}.diameter: {:.1} solution points over the diameter of a bar are too few: below \
                 {FEWEST_POINTS} the gas leaks through it; smaller cells or a higher order help",
                bars.row.name,
                bars.points_per_diameter()
            );
        }
    }

    /// Warns of bars that move too fast for this time step.
    fn warn_of_fast_bars(&self, dt: f64) {
        for Bars { row, width, .. } in &self.rows {
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
    }

    /// Writes the rows at these moments to the device.
    fn write(&self, device: &mut dyn Device, moments: &[f64]) -> Result<(), DeviceError> {
        let of_time = |time| self.rows.iter().flat_map(move |bars| bars.numbers(time, self.begun));
        let numbers: Vec<f64> = moments.iter().copied().flat_map(of_time).collect();
        device.set_bars(&numbers)
    }

    /// Computes what the bars of a row do to the gas at the present state, by the number of the bar. Bar 0 is the one
    /// whose place the case gives, and the others follow in the direction of y. `moments` are those of a step of length
    /// zero at this time. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn loads(
        &self,
        domain: &Domain,
        device: &mut dyn Device,
        number: usize,
        moments: &[f64],
    ) -> Result<Vec<BarLoads>, DeviceError> {
        self.write(device, moments)?;
        let (cells, time) = (device.bars(number)?, moments[0]);
        let bars = &self.rows[number];
        let (row, spacing) = (&bars.row, bars.spacing);
        let since = time - self.begun.map_or(time, |(begin, _)| begin);
        let (y, speed) = (row.y_at(since), row.speed * row.level(since));
        // The kernel counts from the bar in the first pitch.
        let first = spacing.pitches_below(y);
        let y = y - spacing.pitch * first;
        let mut sums: Vec<[ExactSum; BAR_SUMS]> = (0..spacing.count).map(|_| Default::default()).collect();
        for (cell, values) in cells.chunks(2 * BAR_SUMS).enumerate() {
            if values.iter().all(|value| *value == 0.0) {
                continue;
            }
            let [low, high] = extent(domain.geometry.cell_positions(cell));
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
            let [x, y, heat, momentum_x, momentum_y] = ExactSum::allreduce(&domain.ranks, sums).map(ExactSum::value);
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

impl Participant for AllBars {
    fn reserve(&self, geometry: &Geometry, later: &mut Later) {
        let points = self.cells(geometry).map(|cell| geometry.cell_positions(cell).len());
        later.bar_points = points.sum();
    }

    /// Writes the points that bars may meet.
    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        let mut list = Vec::new();
        for cell in self.cells(&domain.geometry) {
            let points = domain.geometry.cell_positions(cell);
            list.push(cell as f64);
            list.extend(points.iter().map(|x| x[0]));
            list.extend(points.iter().map(|x| x[1]));
        }
        device.place_bars(&list)?;
        self.warn_of_thin_bars();
        Ok(())
    }

    /// Takes this time step for eta, unless the bars have begun.
    fn begin(&mut self, time: f64, dt: f64) -> bool {
        if self.begun.is_some() {
            return false;
        }
        self.begun = Some((time, dt));
        self.warn_of_fast_bars(dt);
        let rows = self.rows.iter();
        rows.for_each(|bars| tracing::info!("bars    {}", bars.describe(dt)));
        true
    }

    /// Returns the largest rate 1/eta; 0 before the bars begin.
    fn damping(&self) -> f64 {
        self.begun.map_or(0.0, |(_, dt)| self.strongest() / dt)
    }

    fn begin_step(&mut self, device: &mut dyn Device, moments: &[f64]) -> Result<(), DeviceError> {
        self.write(device, moments)
    }

    /// Adds the time at which the bars began, and the time step of eta.
    fn save(&self, _: &Domain, _: &dyn Device, data: &mut CheckpointData) -> Result<(), StepError> {
        if let Some((begin, dt)) = self.begun {
            data.section.arrays.insert(ENTRY.to_owned(), vec![begin, dt]);
        }
        Ok(())
    }

    /// Continues with the values of a checkpoint. If it has none, the bars begin later.
    fn restore(&mut self, _: &Domain, _: &mut dyn Device, from: &Restart) -> Result<(), StepError> {
        match from.data.section.arrays.get(ENTRY).map(Vec::as_slice) {
            Some(&[begin, dt]) => self.begun = Some((begin, dt)),
            _ if self.begun.is_none() => tracing::info!("bars begin now: the checkpoint has none"),
            _ => {}
        }
        Ok(())
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
