//! The keys of the settings of a cascade mesh.
//!
//! The doc comments of the keys are addressed to the user: docs/reference/cascade-keys.md is made from them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blade::Blade;
use super::profile;
use super::settings::{BladeSizes, Cascade, End, Layers, PassageSizes, Strip};
use crate::input::{Count, Number, Problem, Scope, Table, check, keys, positive};

/// Most cells in z.
const MOST_CELLS_Z: u64 = 10_000;
/// Most layers.
const MOST_LAYERS: u64 = 200;
/// Most control values of a camber line or a thickness.
const MOST_CONTROLS: usize = 100;
/// Lengths of a mesh in chords.
const LENGTHS: RangeInclusive<f64> = 1e-8..=100.0;
const WITHIN_LENGTHS: &str = "from 1e-8 to 100 chords";
/// Largest distance of the points from the smoothed wall, in chords.
const FARTHEST: f64 = 0.01;
/// Radii of a rounded trailing edge, in chords.
const RADII: RangeInclusive<f64> = 1e-5..=0.1;

keys! {
#[schemars(title = "fr-les cascade")]
/// A mesh of one passage of a cascade of blades. The flow goes along x, the blades repeat in y, and the section is
/// extended in z. Lengths are in chords, from 1e-8 to 100; angles in degrees from x, positive towards y.
CascadeKeys as "a mapping of keys such as `profile` and `pitch`" {
    /// Numbers by name, for use in expressions.
    #[serde(default)]
    pub constants: BTreeMap<String, Number>,
    /// The shape of the blade.
    pub profile: BladeProfileKeys,
    /// Distance of two blades in y.
    pub pitch: Number,
    /// Extent in z, from 0 on; it is periodic.
    pub span: SpanKeys,
    /// The inlet, an upright plane.
    pub inlet: EndKeys,
    /// The outlet, an upright plane.
    pub outlet: EndKeys,
    /// The layers of hexahedra at the blade.
    pub layers: LayerKeys,
    /// Lengths of the cells along the blade.
    pub blade: BladeKeys,
    /// Sizes of the other cells.
    pub passage: PassageKeys,
    /// A strip of equal hexahedra upstream of the blade, for moving bars.
    pub strip: Option<StripKeys>,
    /// Degree of the polynomials of the cells' shapes, from 1 to 4.
    #[serde(default = "geometry_order")]
    pub geometry_order: Count,
    /// Reynolds number of the exit velocity and the chord. With it the report estimates wall units.
    pub reynolds: Option<Number>,
}}

keys! {
/// The shape of a blade.
BladeProfileKeys as "a mapping with the key `file` or `blade`" {
    /// Table with the columns x and y, relative to the settings file. The points go round the profile once, from any
    /// point in any sense.
    pub file: Option<String>,
    /// A blade of few numbers, in place of `file`. `fr-les blade fit` finds the one that is nearest to a profile.
    pub blade: Option<ShapeKeys>,
    /// Length of the chord in the unit of the file.
    #[serde(default = "one")]
    pub chord: Number,
    /// Root mean square distance of the points of the file from the smoothed wall, at most 0.01.
    #[serde(default = "tolerance")]
    pub tolerance: Number,
    /// Radius with which a sharp trailing edge, or one that is cut off, is rounded, from 1e-5 to 0.1.
    #[serde(default = "trailing_radius")]
    pub trailing_radius: Number,
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

keys! {
/// The extent in z.
SpanKeys as "a mapping with the keys `length` and `cells`" {
    /// Length.
    pub length: Number,
    /// Number of cells.
    pub cells: Count,
}}

keys! {
/// The inlet or the outlet.
EndKeys as "a mapping with the keys `x`, `angle` and `size`" {
    /// Position in x.
    pub x: Number,
    /// Angle of the flow. The periodic sides and the refined wake follow it; the flow itself is up to the case.
    pub angle: Number,
    /// Size of the cells there.
    pub size: Number,
}}

keys! {
/// The layers at the blade.
LayerKeys as "a mapping with the keys `first`, `growth` and `number`" {
    /// Height of the first layer.
    pub first: Number,
    /// Ratio of the heights of each layer and the one below, from 1 to 2.
    pub growth: Number,
    /// Number of layers.
    pub number: Count,
}}

keys! {
/// Lengths of the cells along the blade.
BladeKeys as "a mapping with the key `size`" {
    /// Largest length.
    pub size: Number,
    /// Largest length at the leading edge; without it `turn` decides.
    pub leading_edge: Option<Number>,
    /// Largest length at the trailing edge; without it `turn` decides.
    pub trailing_edge: Option<Number>,
    /// Largest turn of the wall over a cell, in degrees, from 1 to 60.
    #[serde(default = "turn")]
    pub turn: Number,
    /// Growth of the length per distance from a place where it is shorter.
    #[serde(default = "blade_growth")]
    pub growth: Number,
}}

keys! {
/// Sizes of the cells between the layers and the boundaries.
PassageKeys as "a mapping with the keys `size` and `wake`" {
    /// Largest size between the blades.
    pub size: Number,
    /// Size in the wake, which grows slowly downstream.
    pub wake: Number,
    /// Growth of the size per distance from the layers, the wake and the strip.
    #[serde(default = "passage_growth")]
    pub growth: Number,
    /// The cells of the section.
    #[serde(default)]
    pub cells: PassageCells,
}}

/// The cells of the section between the layers and the boundaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassageCells {
    /// Triangles, which become prisms.
    #[default]
    Triangles,
    /// Quadrilaterals, which become hexahedra, with some triangles between them.
    Quads,
}

keys! {
/// A strip of equal cells.
StripKeys as "a mapping with the keys `from`, `to` and `size`" {
    /// Where it begins in x: at the inlet, or downstream of it.
    pub from: Number,
    /// Where it ends in x.
    pub to: Number,
    /// Length of the sides of its cells; it is adjusted so that a whole number of them makes the pitch and the width.
    pub size: Number,
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

fn turn() -> Number {
    25.0.into()
}

fn blade_growth() -> Number {
    0.25.into()
}

fn passage_growth() -> Number {
    0.25.into()
}

fn geometry_order() -> Count {
    Count(crate::input::Expression::Value(4.0))
}

impl CascadeKeys {
    /// Evaluates and checks the keys and reads the profile.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a value is not possible, or the profile cannot be used.
    pub fn resolve(&self, scope: &Scope) -> Result<Cascade, Problem> {
        let above_0 = |key: &str, number: &Number| scope.number_if(key, number, positive, "above 0");
        let is_length = |value: f64| LENGTHS.contains(&value);
        let length = |key: &str, number: &Number| scope.number_if(key, number, is_length, WITHIN_LENGTHS);
        let if_given =
            |key: &str, number: &Option<Number>| number.as_ref().map(|number| length(key, number)).transpose();
        let near = |value: f64| value.abs() <= *LENGTHS.end();
        let narrow = |value: f64| value > 0.0 && value <= FARTHEST;
        let count = |key: &str, number: &Count, most: u64| {
            let value = scope.count(key, number)?;
            check(key, value as f64, value <= most, &format!("at most {most}")).map(|_| value as usize)
        };
        let end = |key: &str, keys: &EndKeys| {
            let angle = format!("{key}.angle");
            let straight = |degrees: f64| degrees.abs() < 90.0;
            Ok(End {
                x: scope.number_if(&format!("{key}.x"), &keys.x, near, "within 100 chords")?,
                angle: scope
                    .number_if(&angle, &keys.angle, straight, "between -90 and 90")?
                    .to_radians(),
                size: length(&format!("{key}.size"), &keys.size)?,
            })
        };
        let ends = [end("inlet", &self.inlet)?, end("outlet", &self.outlet)?];
        let must = format!("above that of the inlet, {}", ends[0].x);
        check("outlet.x", ends[1].x, ends[1].x > ends[0].x, &must)?;
        let grows = |ratio: f64| (1.0..=2.0).contains(&ratio);
        let turns = |degrees: f64| (1.0..=60.0).contains(&degrees);
        Ok(Cascade {
            points: self.profile.points(scope)?,
            tolerance: scope.number_if(
                "profile.tolerance",
                &self.profile.tolerance,
                narrow,
                &format!("above 0 and at most {FARTHEST}"),
            )?,
            pitch: length("pitch", &self.pitch)?,
            span: length("span.length", &self.span.length)?,
            cells_z: count("span.cells", &self.span.cells, MOST_CELLS_Z)?,
            ends,
            layers: Layers {
                first: length("layers.first", &self.layers.first)?,
                growth: scope.number_if("layers.growth", &self.layers.growth, grows, "from 1 to 2")?,
                number: count("layers.number", &self.layers.number, MOST_LAYERS)?,
            },
            blade: BladeSizes {
                size: length("blade.size", &self.blade.size)?,
                leading: if_given("blade.leading-edge", &self.blade.leading_edge)?,
                trailing: if_given("blade.trailing-edge", &self.blade.trailing_edge)?,
                turn: scope
                    .number_if("blade.turn", &self.blade.turn, turns, "from 1 to 60")?
                    .to_radians(),
                growth: above_0("blade.growth", &self.blade.growth)?,
            },
            passage: PassageSizes {
                size: length("passage.size", &self.passage.size)?,
                wake: length("passage.wake", &self.passage.wake)?,
                growth: above_0("passage.growth", &self.passage.growth)?,
                quads: self.passage.cells == PassageCells::Quads,
            },
            strip: self
                .strip
                .as_ref()
                .map(|keys| keys.resolve(scope, ends[0].x))
                .transpose()?,
            geometry_order: count("geometry-order", &self.geometry_order, 4)?,
            reynolds: self
                .reynolds
                .as_ref()
                .map(|number| above_0("reynolds", number))
                .transpose()?,
        })
    }
}

impl BladeProfileKeys {
    /// Returns the points of the file or of the blade.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if there is not exactly one of both, or it cannot be used.
    pub fn points(&self, scope: &Scope) -> Result<Vec<[f64; 2]>, Problem> {
        match (&self.file, &self.blade) {
            (Some(file), None) => self.read(file, scope),
            (None, Some(keys)) => {
                for (key, number, default) in [
                    ("chord", &self.chord, one()),
                    ("trailing-radius", &self.trailing_radius, trailing_radius()),
                ] {
                    let key = format!("profile.{key}");
                    if scope.number(&key, number)? != scope.number(&key, &default)? {
                        let problem = Problem::new("this belongs to `file`, and not to a blade of few numbers");
                        return Err(problem.key(key));
                    }
                }
                let blade = keys.resolve("profile.blade", scope)?;
                let points = blade.points().map_err(|problem| problem.under("profile.blade"))?;
                let along = |axis: usize| points.iter().map(move |point| point[axis]);
                let extent = extent(along(0)).max(extent(along(1)));
                refuse_extent(extent, "lengths are in chords").map_err(|problem| problem.key("profile.blade"))?;
                Ok(points)
            }
            (file, _) => {
                let problem = match file {
                    Some(_) => "`file` and `blade` exclude each other",
                    None => "one of the keys `file` and `blade` is missing",
                };
                Err(Problem::new(problem).key("profile"))
            }
        }
    }

    /// Reads the points of a file.
    fn read(&self, file: &str, scope: &Scope) -> Result<Vec<[f64; 2]>, Problem> {
        let in_file = |problem: Problem| {
            if problem.key.is_empty() {
                problem.key("profile.file")
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
        profile::points(&table, chord, radius).map_err(in_file)
    }
}

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
        chord: chord.into(),
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

impl StripKeys {
    fn resolve(&self, scope: &Scope, inlet: f64) -> Result<Strip, Problem> {
        let from = scope.number("strip.from", &self.from)?;
        check(
            "strip.from",
            from,
            from >= inlet,
            &format!("at or downstream of the inlet, {inlet}"),
        )?;
        let to = scope.number("strip.to", &self.to)?;
        check(
            "strip.to",
            to,
            to > from,
            &format!("above the beginning of the strip, {from}"),
        )?;
        Ok(Strip {
            from,
            to,
            size: scope.number_if("strip.size", &self.size, |size| LENGTHS.contains(&size), WITHIN_LENGTHS)?,
        })
    }
}
