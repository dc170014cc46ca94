//! The keys of the shape of a blade, in the settings of a cascade mesh.
//!
//! The doc comments of the keys are addressed to the user: docs/reference/cascade-keys.md is made from them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use super::blade::Blade;
use super::profile;
use crate::input::{Number, Problem, Scope, Table, check, keys, positive};

/// Most control values of a camber line or a thickness.
const MOST_CONTROLS: usize = 100;
/// Radii of a rounded trailing edge, in chords.
const RADII: RangeInclusive<f64> = 1e-5..=0.1;
/// Largest coordinate of the origin of a file, in chords.
const FARTHEST_ORIGIN: f64 = 100.0;

keys! {
/// The shape of a blade.
BladeProfileKeys as "a mapping with the key `file`, `blade` or `sections`" {
    /// Table with the columns x and y, relative to the settings file. The points go round the profile once, from any
    /// point in any sense.
    pub file: Option<String>,
    /// A blade of few numbers, in place of `file`. `fr-les blade fit` finds the one that is nearest to a profile.
    pub blade: Option<ShapeKeys>,
    /// Sections of the blade of an annular row, in place of both, from the hub to the casing.
    #[serde(default)]
    pub sections: Vec<SectionKeys>,
    /// Length of the chord in the unit of the file.
    #[serde(default = "one")]
    pub chord: Number,
    /// Whether the profile of the file is turned over in y, so that it turns the flow to the other side: the vanes and
    /// the rotor of a stage turn it to opposite sides.
    #[serde(default)]
    pub mirrored: bool,
    /// Where the origin of the file lies, in chords.
    #[serde(default = "origin")]
    pub position: [Number; 2],
    /// Root mean square distance of the points of the file from the smoothed wall, at most 0.01.
    #[serde(default = "tolerance")]
    pub tolerance: Number,
    /// Radius with which a sharp trailing edge, or one that is cut off, is rounded, from 1e-5 to 0.1.
    #[serde(default = "trailing_radius")]
    pub trailing_radius: Number,
}}

keys! {
/// A section of the blade on a cylinder about the axis: exactly one of `file` and `blade`. Its points are x and the arc
/// length y, to the right about x, from one plane through the axis on, in the unit of the file.
SectionKeys as "a mapping with the keys `radius` and `file` or `blade`" {
    /// Radius of the cylinder.
    pub radius: Number,
    /// Table with the columns x and y, as `profile.file`.
    pub file: Option<String>,
    /// A blade of few numbers, as `profile.blade`.
    pub blade: Option<ShapeKeys>,
}}

keys! {
/// A blade of few numbers: a camber line and a thickness on both sides of it, over the axial position from the leading
/// edge to the centre of the round trailing edge.
ShapeKeys as "a mapping with the keys `axial-chord`, `camber` and `thickness`" {
    /// Position of the leading edge.
    #[serde(default = "origin")]
    pub leading_edge: [Number; 2],
    /// Axial distance of the leading edge and the centre of the trailing edge.
    pub axial_chord: Number,
    /// Control values of a B-spline, which is the angle of the camber line in degrees; 2 to 100.
    pub camber: Vec<Number>,
    /// Control values of a B-spline; half of the thickness is the spline times sqrt(s), s from 0 to 1. 2 to 100.
    pub thickness: Vec<Number>,
}}

fn origin() -> [Number; 2] {
    [0.0.into(), 0.0.into()]
}

fn one() -> Number {
    1.0.into()
}

fn tolerance() -> Number {
    6e-5.into()
}

fn trailing_radius() -> Number {
    0.004.into()
}

impl BladeProfileKeys {
    /// Returns the points of the file or of the blade, the same over the whole span.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if there is not exactly one of both, or it cannot be used.
    pub fn points(&self, scope: &Scope) -> Result<Vec<[f64; 2]>, Problem> {
        if !self.sections.is_empty() {
            return Err(
                Problem::new("sections at several radii belong to a row with the key `annulus`")
                    .key("profile.sections"),
            );
        }
        self.shape("profile", (&self.file, &self.blade), scope)
    }

    /// Returns the sections with their radii, or the only one without.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a section cannot be used.
    pub fn sections(&self, scope: &Scope) -> Result<Vec<Placed>, Problem> {
        if self.sections.is_empty() {
            return Ok(vec![(None, self.points(scope)?)]);
        }
        if self.file.is_some() || self.blade.is_some() {
            let problem = Problem::new("`sections` excludes `file` and `blade`");
            return Err(problem.key("profile.sections"));
        }
        let each = self.sections.iter().enumerate();
        each.map(|(k, section)| {
            let key = format!("profile.sections[{k}]");
            let radius = scope.number_if(&format!("{key}.radius"), &section.radius, positive, "above 0")?;
            let points = self.shape(&key, (&section.file, &section.blade), scope)?;
            Ok((Some(radius), points))
        })
        .collect()
    }

    /// Returns the points of a file or of a blade, which are keys of the mapping `key`.
    fn shape(
        &self,
        key: &str,
        (file, blade): (&Option<String>, &Option<ShapeKeys>),
        scope: &Scope,
    ) -> Result<Vec<[f64; 2]>, Problem> {
        match (file, blade) {
            (Some(file), None) => self.read(key, file, scope),
            (None, Some(keys)) => {
                for (name, number, default) in [
                    ("chord", &self.chord, one()),
                    ("trailing-radius", &self.trailing_radius, trailing_radius()),
                ] {
                    let of_all = format!("profile.{name}");
                    if scope.number(&of_all, number)? != scope.number(&of_all, &default)? {
                        let problem = Problem::new("this belongs to `file`, and not to a blade of few numbers");
                        return Err(problem.key(of_all));
                    }
                }
                if self.mirrored || self.placed(scope)? != [0.0; 2] {
                    let what = "`mirrored` and `position` belong to `file`: a blade of few numbers has `leading-edge` \
                                and the sign of `camber`";
                    return Err(Problem::new(what).key("profile"));
                }
                let key = format!("{key}.blade");
                let blade = keys.resolve(&key, scope)?;
                let points = blade.points().map_err(|problem| problem.under(&key))?;
                let along = |axis: usize| points.iter().map(move |point| point[axis]);
                let extent = extent(along(0)).max(extent(along(1)));
                refuse_extent(extent, "lengths are in chords").map_err(|problem| problem.key(key))?;
                Ok(points)
            }
            (file, _) => {
                let problem = match file {
                    Some(_) => "`file` and `blade` exclude each other",
                    None => "one of the keys `file` and `blade` is missing",
                };
                Err(Problem::new(problem).key(key))
            }
        }
    }

    /// Reads the points of a file, which is a key of the mapping `key`.
    fn read(&self, key: &str, file: &str, scope: &Scope) -> Result<Vec<[f64; 2]>, Problem> {
        let in_file = |problem: Problem| {
            if problem.key.is_empty() {
                problem.key(format!("{key}.file"))
            } else {
                problem.under("profile")
            }
        };
        let chord = scope.number_if("profile.chord", &self.chord, positive, "above 0")?;
        let radius = "profile.trailing-radius";
        let narrow = |radius: f64| RADII.contains(&radius);
        let radius = scope.number_if(radius, &self.trailing_radius, narrow, "from 1e-5 to 0.1 chords")?;
        let table = scope.table(file).map_err(in_file)?;
        let extent = columns_extent(&table) / chord;
        if table.column("x").is_some() && table.column("y").is_some() {
            refuse_extent(extent, "`chord` is the length of the chord in the unit of the file").map_err(in_file)?;
        }
        let points = profile::points(&table, chord, radius).map_err(in_file)?;
        let [x0, y0] = self.placed(scope)?;
        if self.mirrored {
            // The outline goes round to the left again.
            Ok(points.into_iter().rev().map(|[x, y]| [x0 + x, y0 - y]).collect())
        } else {
            Ok(points.into_iter().map(|[x, y]| [x0 + x, y0 + y]).collect())
        }
    }

    /// Returns where the origin of the file lies.
    fn placed(&self, scope: &Scope) -> Result<[f64; 2], Problem> {
        let near = |value: f64| value.abs() <= FARTHEST_ORIGIN;
        let number = |axis: usize| {
            let key = format!("profile.position[{axis}]");
            scope.number_if(&key, &self.position[axis], near, "within 100 chords")
        };
        Ok([number(0)?, number(1)?])
    }
}

/// A section, with its radius in chords unless it is that of the whole span.
pub(super) type Placed = (Option<f64>, Vec<[f64; 2]>);

/// Extent of a profile in chords, along the wider of the two axes, beyond which the chord has another unit than the
/// points.
const EXTENT: RangeInclusive<f64> = 0.2..=5.0;

/// Reads the points of a profile from a table, once round to the left, with a round trailing edge, in chords of this
/// length, which the user gives as `--chord`.
///
/// # Errors
/// The chord is no length or not of the size of the profile, or the table cannot be read or is no profile.
pub fn read_profile(path: &Path, chord: f64) -> Result<Vec<[f64; 2]>, Problem> {
    if !(chord.is_finite() && chord > 0.0) {
        let what = format!("`--chord {chord}` is no length: it is a finite number above 0, in the unit of the table");
        return Err(Problem::new(what));
    }
    let scope = Scope::new(&BTreeMap::new())?;
    // A table that cannot be read or lacks a column is reported below.
    if let Ok(table) = scope.table(&path.to_string_lossy()) {
        let extent = columns_extent(&table);
        if extent > 0.0 && !EXTENT.contains(&(extent / chord)) {
            return Err(Problem::new(format!(
                "the points extend over {extent}, which is {:.3e} times the chord of {chord}: from {} to {} times are \
                 possible; `--chord` is the length of the chord in the unit of the table",
                extent / chord,
                EXTENT.start(),
                EXTENT.end()
            )));
        }
    }
    let keys = BladeProfileKeys {
        file: Some(path.to_string_lossy().into_owned()),
        blade: None,
        sections: Vec::new(),
        chord: chord.into(),
        mirrored: false,
        position: origin(),
        tolerance: tolerance(),
        trailing_radius: trailing_radius(),
    };
    keys.points(&scope)
}

/// Returns the extent of the points of a table along the wider of the two axes.
fn columns_extent(table: &Table) -> f64 {
    let columns = ["x", "y"].iter().filter_map(|name| table.column(name));
    columns.map(|column| extent(column.iter().copied())).fold(0.0, f64::max)
}

/// Returns the difference of the largest and the smallest number.
fn extent(numbers: impl Iterator<Item = f64>) -> f64 {
    let bounds = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = numbers.fold(bounds, |(low, high), x| (low.min(x), high.max(x)));
    high - low
}

/// Refuses a profile with an extent, in chords, that none has.
fn refuse_extent(extent: f64, help: &str) -> Result<(), Problem> {
    if EXTENT.contains(&extent) {
        return Ok(());
    }
    let what = format!(
        "the profile extends over {extent:.3e} chords: from {} to {} are possible",
        EXTENT.start(),
        EXTENT.end()
    );
    Err(Problem::new(what).help(help))
}

impl ShapeKeys {
    /// Evaluates and checks the keys of a blade.
    ///
    /// # Errors
    /// A value is not possible.
    pub fn resolve(&self, key: &str, scope: &Scope) -> Result<Blade, Problem> {
        let list = |part: &str, numbers: &[Number]| {
            let key = format!("{key}.{part}");
            let each = numbers.iter().enumerate();
            let values: Vec<f64> = each
                .map(|(i, n)| scope.number(&format!("{key}[{i}]"), n))
                .collect::<Result<_, _>>()?;
            let possible = (2..=MOST_CONTROLS).contains(&values.len());
            let must = format!("from 2 to {MOST_CONTROLS} numbers");
            check(&key, values.len() as f64, possible, &must).map(|_| values)
        };
        let place = list("leading-edge", &self.leading_edge)?;
        Ok(Blade {
            leading_edge: [place[0], place[1]],
            axial_chord: scope.number_if(&format!("{key}.axial-chord"), &self.axial_chord, positive, "above 0")?,
            camber: list("camber", &self.camber)?,
            thickness: list("thickness", &self.thickness)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of T106 with these keys, or why they are refused.
    fn placed(mirrored: bool, position: [f64; 2]) -> Result<Vec<[f64; 2]>, Problem> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/profiles/t106.csv");
        let keys = BladeProfileKeys {
            file: Some(file.to_owned()),
            blade: None,
            sections: Vec::new(),
            chord: one(),
            mirrored,
            position: position.map(Number::from),
            tolerance: tolerance(),
            trailing_radius: trailing_radius(),
        };
        keys.points(&Scope::new(&BTreeMap::new())?)
    }

    #[test]
    fn profiles_are_turned_over_and_placed() {
        let plain = placed(false, [0.0; 2]).expect("points");
        let moved = placed(true, [-1.5, 0.25]).expect("points");
        assert_eq!(plain.len(), moved.len());
        for (a, b) in plain.iter().zip(moved.iter().rev()) {
            assert_eq!([a[0] - 1.5, 0.25 - a[1]], *b);
        }
        // Both go round to the left.
        let area = |points: &[[f64; 2]]| -> f64 {
            let sides = points.iter().zip(points.iter().cycle().skip(1));
            sides.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum()
        };
        assert!((area(&plain) - area(&moved)).abs() < 1e-12 && area(&plain) > 0.0);
        let problem = placed(false, [0.0, 1e3]).expect_err("refused").to_string();
        assert!(problem.contains("within 100 chords"), "{problem}");
    }
}
