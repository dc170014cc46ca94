//! The keys of a mesh in a case: a box or a file, and pairs of boundaries to join.
//!
//! The doc comments of the keys are addressed to the user: the JSON schema and docs/reference/case-keys.md are made
//! from them.

use super::box_mesh::check_box;
use super::motion::Motion;
use super::source::{BoxElements, BoxMesh, MeshSource, PeriodicPair, WarpKind};
use crate::input::{Axis, Count, Number, Problem, Scope, check, each, keys, one_of};

/// Most cells of a mesh.
const MOST_CELLS: u128 = 1 << 31;

keys! {
/// The mesh: exactly one of `box` and `file`.
MeshKeys as "a mapping with the key `box` or `file`" {
    /// A box of cells.
    pub r#box: Option<BoxKeys>,
    /// Mesh file, native or of Gmsh, CGNS, SU2 or HOPR, relative to the case file.
    pub file: Option<String>,
    /// Pairs of boundaries of another program's file to join, in addition to those that it declares periodic.
    #[serde(default)]
    pub periodic: Vec<PeriodicKeys>,
}}

keys! {
/// Two boundaries with matching faces to be joined: exactly one of `translation` and `rotation`.
PeriodicKeys as "a mapping with the keys `from`, `to` and `translation` or `rotation`" {
    /// Name of the first boundary.
    pub from: String,
    /// Name of the second boundary.
    pub to: String,
    /// Translation that carries the first boundary to the second (length).
    pub translation: Option<[Number; 3]>,
    /// Rotation that carries the first boundary to the second.
    pub rotation: Option<RotationKeys>,
}}

keys! {
/// A rotation.
RotationKeys as "a mapping with the keys `axis` and `angle`" {
    /// Direction of the axis; the rotation is right-handed about it.
    pub axis: [Number; 3],
    /// A point of the axis (length).
    #[serde(default = "origin")]
    pub point: [Number; 3],
    /// Angle in degrees.
    pub angle: Number,
}}

keys! {
/// A box of cells.
BoxKeys as "a mapping with the keys `cells`, `lower`, `upper`" {
    /// Number of cubes in x, y, z, each at least 1.
    pub cells: [Count; 3],
    /// Lower corner (length).
    pub lower: [Number; 3],
    /// Upper corner (length), above the lower one.
    pub upper: [Number; 3],
    /// Directions that are periodic; the other sides need an entry in `boundaries`.
    #[serde(default)]
    pub periodic: Vec<Axis>,
    /// Elements into which the cubes of the box are divided; `mixed` needs an even number of cubes in every direction,
    /// at least 4 in x.
    #[serde(default)]
    pub elements: BoxElements,
    /// Clustering of the cells towards both ends of a direction. Without this key all cells have the same size.
    #[serde(default)]
    pub stretch: StretchKeys,
    /// Amplitude of a smooth distortion of the whole box, relative to its size, from 0 to below 0.5.
    #[serde(default = "no_warp")]
    pub warp: Number,
    /// How the distortion acts on the cells.
    #[serde(default)]
    pub warp_kind: WarpKind,
}}

keys! {
/// Clustering by direction.
#[derive(Default)]
StretchKeys as "a mapping of directions, as in `y: {tanh: 2}`" {
    /// In x.
    pub x: Option<StretchLawKeys>,
    /// In y.
    pub y: Option<StretchLawKeys>,
    /// In z.
    pub z: Option<StretchLawKeys>,
}}

keys! {
/// Law of the clustering.
StretchLawKeys as "a mapping with the key `tanh`" {
    /// Strength s of point n of N at (1 - tanh(s (1/2 - n/N))/tanh(s/2))/2 of the width; above 0, at most 20.
    pub tanh: Number,
}}

fn origin() -> [Number; 3] {
    [0.0, 0.0, 0.0].map(Number::from)
}

fn no_warp() -> Number {
    0.0.into()
}

impl MeshKeys {
    /// Evaluates and checks the keys.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a value is not possible.
    pub fn resolve(&self, scope: &Scope) -> Result<MeshSource, Problem> {
        match (&self.r#box, &self.file) {
            (Some(keys), None) => Ok(MeshSource::Box(box_mesh(scope, keys)?)),
            (None, Some(path)) => {
                let pairs = self.periodic.iter().enumerate();
                Ok(MeshSource::File {
                    path: scope.path_of(path),
                    periodic: pairs.map(|(i, keys)| pair(scope, i, keys)).collect::<Result<_, _>>()?,
                })
            }
            (given, _) => Err(one_of("mesh", "box", "file", given.is_some())),
        }
    }
}

/// Two boundaries to join.
fn pair(scope: &Scope, i: usize, keys: &PeriodicKeys) -> Result<PeriodicPair, Problem> {
    let key = format!("mesh.periodic[{i}]");
    if keys.from == keys.to {
        return Err(Problem::new(format!(
            "`from` and `to` are both `{}`: two boundaries are joined",
            keys.to
        ))
        .key(format!("{key}.to")));
    }
    let vector = |name: &str, v: &[Number; 3]| scope.numbers(&format!("{key}.{name}"), v);
    let motion = match (&keys.translation, &keys.rotation) {
        (Some(by), None) => Motion::Translation(vector("translation", by)?),
        (None, Some(turn)) => {
            let axis = vector("rotation.axis", &turn.axis)?;
            if axis == [0.0; 3] {
                return Err(Problem::new("the axis has no direction").key(format!("{key}.rotation.axis")));
            }
            Motion::Rotation {
                point: vector("rotation.point", &turn.point)?,
                axis,
                angle: scope
                    .number(&format!("{key}.rotation.angle"), &turn.angle)?
                    .to_radians(),
            }
        }
        (by, _) => return Err(one_of(&key, "translation", "rotation", by.is_some())),
    };
    Ok(PeriodicPair {
        first: keys.from.clone(),
        second: keys.to.clone(),
        motion,
    })
}

fn box_mesh(scope: &Scope, keys: &BoxKeys) -> Result<BoxMesh, Problem> {
    let cells = each(|d| scope.count(&format!("mesh.box.cells[{d}]"), &keys.cells[d]))?;
    let product: u128 = cells.iter().map(|n| u128::from(*n)).product();
    if product > MOST_CELLS {
        return Err(Problem::new(format!(
            "the box has {product} cells: at most {MOST_CELLS} are possible"
        ))
        .key("mesh.box.cells"));
    }
    let lower = scope.numbers("mesh.box.lower", &keys.lower)?;
    let upper = each(|d| {
        let key = format!("mesh.box.upper[{d}]");
        let value = scope.number(&key, &keys.upper[d])?;
        // The width itself must be a number too.
        let good = value > lower[d] && (value - lower[d]).is_finite();
        check(
            &key,
            value,
            good,
            &format!("above the lower corner, {}, by a finite width", lower[d]),
        )
    })?;
    let mut periodic = [false; 3];
    for (i, axis) in keys.periodic.iter().enumerate() {
        let direction = axis.index();
        if std::mem::replace(&mut periodic[direction], true) {
            return Err(Problem::new("a periodic direction is named twice").key(format!("mesh.box.periodic[{i}]")));
        }
    }
    let laws = [("x", &keys.stretch.x), ("y", &keys.stretch.y), ("z", &keys.stretch.z)];
    let stretch = each(|d| {
        let (name, law) = laws[d];
        let key = format!("mesh.box.stretch.{name}.tanh");
        // Above 20 the outermost cells would be thinner than rounding allows.
        let strength = |number| scope.number_if(&key, number, |v| v > 0.0 && v <= 20.0, "above 0 and at most 20");
        law.as_ref().map(|law| strength(&law.tanh)).transpose()
    })?;
    let warp = scope.number_if(
        "mesh.box.warp",
        &keys.warp,
        |v| (0.0..0.5).contains(&v),
        "from 0 to below 0.5",
    )?;
    let mesh = BoxMesh {
        cells: cells.map(|n| n as usize),
        lower,
        upper,
        periodic,
        elements: keys.elements,
        stretch,
        warp,
        warp_kind: keys.warp_kind,
    };
    check_box(&mesh).map_err(|e| Problem::new(e.to_string()).key("mesh.box.cells"))?;
    Ok(mesh)
}
