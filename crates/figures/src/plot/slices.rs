//! Pictures of slices: quantities of the flow on the cut of a plane, with axes, in a window, and with copies of a
//! periodic passage beside it. A report, `fr-les plot` and a run that draws its slices have them from here.

use std::path::{Path, PathBuf};

use super::colours::{AROUND_ZERO, LOW_TO_HIGH, Map, quantile};
use super::draw::draw_sized;
use super::error::Error;
use super::field::Field;
use super::figure::{Figure, Panel, Size};
use super::stored::Stored;
use crate::format::number;
use crate::output::{Pictured, SlicePictures, View};
use crate::physics::Gas;
use crate::vector::{Vector, cross, dot, length, minus};

/// Share of the values, at either end, that the colours do not distinguish: a few extremes would hide the rest.
const BEYOND: f64 = 0.005;
/// The same for Q, whose extremes lie further away; its colours are those of both signs.
const BEYOND_OF_Q: f64 = 0.02;
/// Extents of slices that are drawn.
const EXTENTS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;
/// Most copies to one side.
const COPIES: i32 = 20;

/// A file of a slice.
pub struct Slice {
    path: PathBuf,
    stored: Stored,
    /// Positions in the plane, `[point]`.
    flat: Vec<[f64; 2]>,
    /// Points of each triangle, sorted by their cell of the mesh: the same in files of any number of ranks.
    triangles: Vec<[usize; 3]>,
    plane: Plane,
}

/// The axes of a picture in space.
struct Plane {
    right: Vector,
    up: Vector,
    normal: Vector,
}

impl Slice {
    /// Opens a file of a slice.
    ///
    /// # Errors
    /// It cannot be read, or is no such file.
    pub fn open(path: &Path) -> Result<Slice, Error> {
        let stored = Stored::open(path)?;
        let triangles = stored.triangles()?;
        let cells = stored.cells()?;
        let mut order: Vec<usize> = (0..triangles.len()).collect();
        order.sort_by_key(|&triangle| cells.get(triangle));
        let triangles: Vec<[usize; 3]> = order.into_iter().map(|triangle| triangles[triangle]).collect();
        let plane = Plane::of(&stored.points, &triangles);
        Ok(Slice {
            path: path.to_owned(),
            flat: stored.points.iter().map(|&x| plane.flat(x)).collect(),
            stored,
            triangles,
            plane,
        })
    }

    /// Returns the time of the state in words.
    pub fn time(&self) -> String {
        self.stored.time().map_or_else(|| "?".to_owned(), number)
    }

    /// Returns the picture of a quantity, with a title that ends in `name` and the time. `None` if the file lacks what
    /// it follows from, or the gas is not known.
    ///
    /// # Errors
    /// The slice has no extent, or the view does not fit it.
    pub fn picture(
        &self,
        quantity: Pictured,
        name: &str,
        view: &View,
        gas: Option<&Gas>,
    ) -> Result<Option<Figure>, Error> {
        let Some(mut values) = self.values(quantity, gas) else {
            return Ok(None);
        };
        let whole = self.extent()?;
        let shifts = self.shifts(view, whole)?;
        let window = match view.window {
            Some([left, right, lower, upper]) => [[left, lower], [right, upper]],
            None => around(whole, &shifts),
        };
        let points = self.seen(window, &shifts);
        if points.is_empty() {
            let [low, high] = whole;
            return Err(self.wrong(format!(
                "the window has no point of the slice, which reaches from {} to {} and from {} to {}",
                number(low[0]),
                number(high[0]),
                number(low[1]),
                number(high[1])
            )));
        }
        let seen: Vec<f64> = points
            .into_iter()
            .map(|point| values[point])
            .filter(|value| value.is_finite())
            .collect();
        if seen.is_empty() {
            return Err(self.wrong(format!("no value of `{}` is finite", quantity.name())));
        }
        let (title, colours) = about(quantity);
        if quantity == Pictured::Entropy {
            let least = quantile(seen.clone(), BEYOND);
            values.iter_mut().for_each(|value| *value -= least);
        }
        let range = range(quantity, &seen);
        let [x_label, y_label] = [self.plane.right, self.plane.up].map(axis);
        Ok(Some(Figure {
            panels: vec![Panel {
                title: format!("{title}; {name} at t = {}", self.time()),
                x_label,
                y_label,
                field: Some(Field {
                    points: self.flat.clone(),
                    triangles: self.triangles.clone(),
                    values,
                    window,
                    shifts,
                    range,
                    colours,
                }),
                ..Panel::default()
            }],
            ..Figure::default()
        }))
    }

    /// Returns the values of a quantity at the points.
    fn values(&self, quantity: Pictured, gas: Option<&Gas>) -> Option<Vec<f64>> {
        let field = |name| self.stored.field(name);
        let speed = || {
            Some(
                self.stored
                    .vectors("velocity")?
                    .into_iter()
                    .map(length)
                    .collect::<Vec<f64>>(),
            )
        };
        match quantity {
            Pictured::Density => field("density"),
            Pictured::Pressure => field("pressure"),
            Pictured::Temperature => field("temperature"),
            Pictured::QCriterion => field("q_criterion"),
            Pictured::Speed => speed(),
            Pictured::Mach => field("mach").or_else(|| {
                let sound = self.of_state(gas, |gas, rho, p| gas.sound_speed(rho, p))?;
                Some(
                    speed()?
                        .into_iter()
                        .zip(sound)
                        .map(|(speed, sound)| speed / sound)
                        .collect(),
                )
            }),
            // s/c_p = ln(p/rho^gamma)/gamma.
            Pictured::Entropy => self.of_state(gas, |gas, rho, p| p.ln() / gas.gamma - rho.ln()),
        }
    }

    /// Returns a function of density and pressure at the points.
    fn of_state(&self, gas: Option<&Gas>, value: impl Fn(&Gas, f64, f64) -> f64) -> Option<Vec<f64>> {
        let gas = gas?;
        let density = self.stored.field("density")?;
        let states = density.into_iter().zip(self.stored.field("pressure")?);
        Some(states.map(|(rho, p)| value(gas, rho, p)).collect())
    }

    /// Returns the corners of the smallest rectangle around all triangles.
    fn extent(&self) -> Result<[[f64; 2]; 2], Error> {
        let points = self.triangles.iter().flatten().map(|&node| self.flat[node]);
        let grown = |[low, high]: [[f64; 2]; 2], x: [f64; 2]| {
            [
                std::array::from_fn(|d| f64::min(low[d], x[d])),
                std::array::from_fn(|d| f64::max(high[d], x[d])),
            ]
        };
        let [low, high] = points.fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], grown);
        // Of a damaged file the positions may be any numbers, between which an axis has no marks.
        let extends = (0..2).all(|d| {
            let size = high[d] - low[d];
            EXTENTS.contains(&size) && size > 1e-9 * low[d].abs().max(high[d].abs())
        });
        if extends {
            Ok([low, high])
        } else {
            Err(self.wrong("the slice has no extent".to_owned()))
        }
    }

    /// Returns the shifts of the copies in the plane, with one of zero for the slice itself.
    fn shifts(&self, view: &View, [low, high]: [[f64; 2]; 2]) -> Result<Vec<[f64; 2]>, Error> {
        let Some(by) = view.repeat else {
            return Ok(vec![[0.0; 2]]);
        };
        View::check_repeat(by, self.plane.normal).map_err(|what| self.wrong(what))?;
        let by = self.plane.flat(by);
        let Some([left, right, lower, upper]) = view.window else {
            return Ok([-1.0, 0.0, 1.0].map(|k| by.map(|part| k * part)).to_vec());
        };
        let copies = (-COPIES..=COPIES).map(|k| by.map(|part| f64::from(k) * part));
        let within = |shift: &[f64; 2]| {
            low[0] + shift[0] < right
                && high[0] + shift[0] > left
                && low[1] + shift[1] < upper
                && high[1] + shift[1] > lower
        };
        Ok(copies.filter(within).collect())
    }

    /// Returns the points that a window shows, once for each copy.
    fn seen(&self, [low, high]: [[f64; 2]; 2], shifts: &[[f64; 2]]) -> Vec<usize> {
        let inside = |point: usize, shift: &[f64; 2]| {
            (0..2).all(|d| (low[d]..=high[d]).contains(&(self.flat[point][d] + shift[d])))
        };
        let of_copy = |shift| (0..self.flat.len()).filter(move |&point| inside(point, shift));
        shifts.iter().flat_map(of_copy).collect()
    }

    fn wrong(&self, what: String) -> Error {
        Error::View {
            path: self.path.clone(),
            what,
        }
    }
}

/// Draws the pictures of a slice beside its file: `slices_mid_0003_mach.png` beside `slices_mid_0003.vtkhdf`. Returns
/// their paths; a message says why one cannot be drawn.
pub fn draw_beside(file: &Path, pictures: &SlicePictures, gas: &Gas) -> Result<Vec<PathBuf>, String> {
    let drawn = || -> Result<Vec<PathBuf>, Error> {
        let slice = Slice::open(file)?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut paths = Vec::new();
        for &quantity in &pictures.of {
            if let Some(figure) = slice.picture(quantity, name_of(&stem), &pictures.view, Some(gas))? {
                let path = file.with_file_name(format!("{stem}_{}.png", quantity.name()));
                draw_sized(&figure, Size::Picture, &path)?;
                paths.push(path);
            }
        }
        Ok(paths)
    };
    drawn().map_err(|error| error.to_string())
}

/// Returns the name of a slice from that of its file without the extension: `mid` of `slices_mid_0003`.
pub fn name_of(stem: &str) -> &str {
    let without_number = stem.rsplit_once('_').map_or(stem, |(name, _)| name);
    without_number.strip_prefix("slices_").unwrap_or(without_number)
}

/// Returns the title of a quantity, and its colours.
fn about(quantity: Pictured) -> (&'static str, &'static Map) {
    match quantity {
        Pictured::Mach => ("Mach number", &LOW_TO_HIGH),
        Pictured::Entropy => ("Entropy over c_p, above that of the least", &LOW_TO_HIGH),
        Pictured::QCriterion => ("Q, above zero where rotation outweighs strain", &AROUND_ZERO),
        Pictured::Speed => ("Speed", &LOW_TO_HIGH),
        Pictured::Density => ("Density", &LOW_TO_HIGH),
        Pictured::Pressure => ("Pressure", &LOW_TO_HIGH),
        Pictured::Temperature => ("Temperature", &LOW_TO_HIGH),
    }
}

/// Returns the values at the ends of the colours.
fn range(quantity: Pictured, values: &[f64]) -> [f64; 2] {
    let [low, high] = [BEYOND, 1.0 - BEYOND].map(|share| quantile(values.to_vec(), share));
    match quantity {
        Pictured::Mach | Pictured::Speed => [0.0, high],
        Pictured::Entropy => [0.0, high - low],
        Pictured::QCriterion => {
            let most = quantile(values.iter().map(|value| value.abs()).collect(), 1.0 - BEYOND_OF_Q);
            [-most, most]
        }
        Pictured::Density | Pictured::Pressure | Pictured::Temperature => [low, high],
    }
}

/// Returns the smallest rectangle around all copies of one.
fn around([low, high]: [[f64; 2]; 2], shifts: &[[f64; 2]]) -> [[f64; 2]; 2] {
    let least = |d: usize| {
        shifts
            .iter()
            .map(|shift| low[d] + shift[d])
            .fold(f64::INFINITY, f64::min)
    };
    let most = |d: usize| {
        shifts
            .iter()
            .map(|shift| high[d] + shift[d])
            .fold(f64::NEG_INFINITY, f64::max)
    };
    [[least(0), least(1)], [most(0), most(1)]]
}

/// Returns the name of an axis along a direction, with the unit.
fn axis(along: Vector) -> String {
    let named = ["x", "y", "z"]
        .iter()
        .zip(along)
        .find(|(_, part)| part.abs() > 1.0 - 1e-9);
    match named {
        Some((name, _)) => format!("{name}, m"),
        None => format!("along ({}), m", along.map(|part| format!("{part:.3}")).join(", ")),
    }
}

impl Plane {
    /// Returns the axes of the plane of some triangles: the horizontal one along x, or y in a plane across x; the
    /// vertical one points upward along y or z.
    fn of(points: &[Vector], triangles: &[[usize; 3]]) -> Plane {
        let areas = triangles.iter().map(|nodes| {
            let [a, b, c] = nodes.map(|node| points[node]);
            cross(minus(b, a), minus(c, a))
        });
        let largest = areas.max_by(|a, b| length(*a).total_cmp(&length(*b)));
        let normal = largest.filter(|area| length(*area) > 0.0);
        let normal = normal.map_or([0.0, 0.0, 1.0], |area| area.map(|part| part / length(area)));
        let along = if normal[0].abs() > 0.99 {
            [0.0, 1.0, 0.0]
        } else {
            [1.0, 0.0, 0.0]
        };
        let out = dot(along, normal);
        let right = minus(along, normal.map(|part| out * part));
        let right = right.map(|part| part / length(right));
        let up = cross(normal, right);
        let largest = up.into_iter().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let up = if largest.is_some_and(|part| part < 0.0) {
            up.map(|part| -part)
        } else {
            up
        };
        Plane { right, up, normal }
    }

    fn flat(&self, x: Vector) -> [f64; 2] {
        [dot(x, self.right), dot(x, self.up)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_seen_with_y_or_z_upward() {
        let of = |points: [Vector; 3]| {
            let plane = Plane::of(&points, &[[0, 1, 2]]);
            (points.map(|x| plane.flat(x)), [plane.right, plane.up].map(axis))
        };
        let close = |(found, names): ([[f64; 2]; 3], [String; 2]), exact: [[f64; 2]; 3], axes: [&str; 2]| {
            let pairs = found.iter().flatten().zip(exact.iter().flatten());
            pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-15, "{found:?} {exact:?}"));
            assert_eq!(names, axes);
        };
        let flat = [[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]];
        close(of(flat.map(|[a, b]| [a, b, 7.0])), flat, ["x, m", "y, m"]);
        close(of(flat.map(|[a, b]| [a, 7.0, b])), flat, ["x, m", "z, m"]);
        close(of(flat.map(|[a, b]| [7.0, a, b])), flat, ["y, m", "z, m"]);
        // The same plane with its normal reversed.
        let [a, b, c] = flat.map(|[a, b]| [a, b, 7.0]);
        close(of([b, a, c]), [flat[1], flat[0], flat[2]], ["x, m", "y, m"]);
    }

    #[test]
    fn colours_leave_out_a_few_extremes() {
        let values: Vec<f64> = (0..=200).rev().map(f64::from).collect();
        assert_eq!(range(Pictured::Pressure, &values), [1.0, 199.0]);
        assert_eq!(range(Pictured::Mach, &values), [0.0, 199.0]);
        assert_eq!(range(Pictured::Entropy, &values), [0.0, 198.0]);
        assert_eq!(range(Pictured::QCriterion, &values), [-196.0, 196.0]);
    }

    #[test]
    fn the_name_of_a_slice_follows_from_its_file() {
        assert_eq!(name_of("slices_mid_span_0003"), "mid_span");
        assert_eq!(name_of("cut"), "cut");
    }
}
