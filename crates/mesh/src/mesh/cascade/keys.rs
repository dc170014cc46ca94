//! The keys of the settings of a cascade mesh.
//!
//! The doc comments of the keys are addressed to the user: docs/reference/cascade-keys.md is made from them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::annular::{Annular, annular};
use super::heights::Layers;
use super::profile_keys::{BladeProfileKeys, Placed};
use super::settings::{BladeSizes, Cascade, End, PassageSizes, Strip};
use super::span::{EndWall, Span, TipGap};
use crate::input::{Count, Number, Problem, Scope, check, keys, positive};

/// Most cells in z.
const MOST_CELLS_Z: u64 = 10_000;
/// Most layers.
const MOST_LAYERS: u64 = 200;
/// Lengths of a mesh in chords.
const LENGTHS: RangeInclusive<f64> = 1e-8..=100.0;
const WITHIN_LENGTHS: &str = "from 1e-8 to 100 chords";
/// Numbers of blades around an axis.
const BLADES: RangeInclusive<u64> = 3..=1000;
/// Largest radius of a hub or a casing, in chords.
const FARTHEST_RADIUS: f64 = 1e4;
/// Largest distance of the points from the smoothed wall, in chords.
const FARTHEST: f64 = 0.01;

keys! {
#[schemars(title = "fr-les cascade")]
/// A mesh of one passage of a cascade of blades. The flow goes along x, the blades repeat in y, and the section is
/// extended in z; or, with `annulus`, the blades repeat about the x axis. Lengths are in chords, from 1e-8 to 100;
/// angles in degrees from x, positive towards y.
CascadeKeys as "a mapping of keys such as `profile` and `pitch`" {
    /// Numbers by name, for use in expressions.
    #[serde(default)]
    pub constants: BTreeMap<String, Number>,
    /// The shape of the blade.
    pub profile: BladeProfileKeys,
    /// Distance of two blades in y; exactly one of `pitch` and `annulus`.
    pub pitch: Option<Number>,
    /// The blades stand around the x axis between a hub and a casing.
    pub annulus: Option<AnnulusKeys>,
    /// Extent in z, from 0 on. It is periodic, or lies between end walls. In an annulus it goes from the hub to the
    /// casing.
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
/// An annulus about the x axis.
AnnulusKeys as "a mapping with the keys `blades`, `hub` and `casing`" {
    /// Number of blades around, from 3 to 1000.
    pub blades: Count,
    /// Points [x, r] of the hub with ascending x, at least 2. The wall is a cubic spline through them, which goes from
    /// the inlet to the outlet.
    pub hub: Vec<[Number; 2]>,
    /// Points [x, r] of the casing, likewise.
    pub casing: Vec<[Number; 2]>,
}}

keys! {
/// The extent across the section.
SpanKeys as "a mapping with the keys `length` and `cells`" {
    /// Length; not in an annulus.
    pub length: Option<Number>,
    /// Number of cells; between end walls, of those between the layers of both.
    pub cells: Count,
    /// Layers at a hub and a casing, which close the span. Without this key it is periodic, or, in an annulus, has
    /// equal cells. There the heights are those at the middle of the blade, and change with the height of the annulus.
    pub end_walls: Option<LayerKeys>,
    /// A gap between the tip of the blade and an end wall. It needs `end-walls`, whose layers are then those of the
    /// other wall.
    pub tip_gap: Option<TipGapKeys>,
}}

keys! {
/// A gap between the flat tip of the blade and an end wall. On the blade's side of the tip more layers grow from
/// `layers.first` by `layers.growth` until they are as high as the cells of `span.cells`.
TipGapKeys as "a mapping with the keys `height` and `layers`" {
    /// The end wall before which the blade ends.
    #[serde(default)]
    pub at: EndWall,
    /// Height of the gap; in an annulus at the middle of the blade, and elsewhere the same share of the height.
    pub height: Number,
    /// Layers at the tip, and the same at the end wall.
    pub layers: LayerKeys,
    /// Number of equal cells between both layers; without it as many as are about as high as the last layer.
    pub cells: Option<Count>,
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
/// Layers of hexahedra or prisms at a wall.
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
        let layers = |key: &str, keys: &LayerKeys| {
            let grows = |ratio: f64| (1.0..=2.0).contains(&ratio);
            let growth = format!("{key}.growth");
            Ok(Layers {
                first: length(&format!("{key}.first"), &keys.first)?,
                growth: scope.number_if(&growth, &keys.growth, grows, "from 1 to 2")?,
                number: count(&format!("{key}.number"), &keys.number, MOST_LAYERS)?,
            })
        };
        let turns = |degrees: f64| (1.0..=60.0).contains(&degrees);
        let row = self.row(scope, [ends[0].x, ends[1].x])?;
        let span = Span {
            length: row.height,
            cells: count("span.cells", &self.span.cells, MOST_CELLS_Z)?,
            walls: match &self.span.end_walls {
                Some(keys) => Some(layers("span.end-walls", keys)?),
                None => None,
            },
            gap: match &self.span.tip_gap {
                Some(keys) => Some(TipGap {
                    at: keys.at,
                    height: length("span.tip-gap.height", &keys.height)?,
                    layers: layers("span.tip-gap.layers", &keys.layers)?,
                    cells: keys
                        .cells
                        .as_ref()
                        .map(|cells| count("span.tip-gap.cells", cells, MOST_CELLS_Z))
                        .transpose()?,
                }),
                None => None,
            },
        };
        Ok(Cascade {
            points: row.points,
            annular: row.annular,
            tolerance: scope.number_if(
                "profile.tolerance",
                &self.profile.tolerance,
                narrow,
                &format!("above 0 and at most {FARTHEST}"),
            )?,
            pitch: row.pitch,
            span,
            ends,
            layers: layers("layers", &self.layers)?,
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

/// What a linear and an annular row have in common.
struct Row {
    points: Vec<[f64; 2]>,
    pitch: f64,
    height: f64,
    annular: Option<Annular>,
}

impl CascadeKeys {
    /// Evaluates the keys of the blade and of the places of its neighbours, hub and casing.
    fn row(&self, scope: &Scope, ends: [f64; 2]) -> Result<Row, Problem> {
        let length =
            |key: &str, number: &Number| scope.number_if(key, number, |value| LENGTHS.contains(&value), WITHIN_LENGTHS);
        let Some(keys) = &self.annulus else {
            let missing = |key: &str| Problem::new(format!("the key `{key}` is missing"));
            let pitch = self
                .pitch
                .as_ref()
                .ok_or_else(|| missing("pitch").help("or `annulus`, for blades around an axis"))?;
            let span = self.span.length.as_ref().ok_or_else(|| missing("length").key("span"))?;
            return Ok(Row {
                points: self.profile.points(scope)?,
                pitch: length("pitch", pitch)?,
                height: length("span.length", span)?,
                annular: None,
            });
        };
        for (key, given) in [
            ("pitch", self.pitch.is_some()),
            ("span.length", self.span.length.is_some()),
            ("strip", self.strip.is_some()),
        ] {
            if given {
                let what = "this belongs to a linear cascade, and not to a row with the key `annulus`";
                return Err(Problem::new(what).key(key));
            }
        }
        let (annular, points) = keys.resolve(scope, ends, self.profile.sections(scope)?)?;
        Ok(Row {
            points,
            pitch: annular.pitch(),
            height: annular.height,
            annular: Some(annular),
        })
    }
}

impl AnnulusKeys {
    fn resolve(
        &self,
        scope: &Scope,
        ends: [f64; 2],
        sections: Vec<Placed>,
    ) -> Result<(Annular, Vec<[f64; 2]>), Problem> {
        let blades = scope.count("annulus.blades", &self.blades)?;
        let possible = BLADES.contains(&blades);
        check("annulus.blades", blades as f64, possible, "from 3 to 1000")?;
        let wall = |key: &str, points: &[[Number; 2]]| -> Result<Vec<[f64; 2]>, Problem> {
            let near = |value: f64| value.abs() <= FARTHEST_RADIUS;
            let each = points.iter().enumerate();
            each.map(|(i, point)| {
                let [x, r] = [0, 1].map(|d| {
                    let key = format!("annulus.{key}[{i}][{d}]");
                    scope.number_if(&key, &point[d], near, "within 1e4 chords")
                });
                Ok([x?, r?])
            })
            .collect()
        };
        let [hub, casing] = [wall("hub", &self.hub)?, wall("casing", &self.casing)?];
        annular(blades as usize, [&hub, &casing], ends, sections)
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
