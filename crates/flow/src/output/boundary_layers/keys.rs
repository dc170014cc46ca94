//! The keys of boundary layers, and the boundary layers as a case asks for them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{Count, Every, Number, Problem, check, keys, not_negative, positive};
use crate::output::keys::{Context, Keys};
use crate::output::request::Request;

/// The key.
pub const NAME: &str = "boundary-layers";
/// Least number of points over the height.
const FEWEST: usize = 9;
/// Largest number of points of a wall.
const MOST_POINTS: f64 = 1e6;

/// The velocity whose outer value ends a boundary layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// The integral of the mean vorticity from the wall (P. R. Spalart, M. Kh. Strelets, J. Fluid Mech. 403, 2000,
    /// 329-349), which is constant where the mean flow is free of rotation.
    #[default]
    PseudoVelocity,
    /// The velocity after an isentropic change from mean total pressure and temperature to the pressure at the wall,
    /// which is constant where these are.
    TotalPressure,
}

keys! {
/// Boundary layers on a wall: exactly one of `every` and `every-steps`.
BoundaryLayerKeys as "a mapping with keys such as `boundary`, `at`, `height` and `every-steps`" {
    /// Name of the boundary: a wall of hexahedra or prisms that are extruded along z.
    pub boundary: String,
    /// x and y of the stations; each is moved to the nearest solution point of the wall, at most the length of a face
    /// away.
    pub at: Vec<[Number; 2]>,
    /// Length of the normals (length), above 0: some 1.5 times the thickness of the layer. Their ends must lie outside
    /// of the layer and inside the mesh.
    pub height: Number,
    /// Number of points along a normal, odd and at least 9, whose distances from the wall are in proportion to the
    /// squares of whole numbers, and of lines over the span, at least 1, which are equidistant.
    pub counts: [Count; 2],
    /// The velocity that tells the edge.
    #[serde(default)]
    pub edge: Edge,
    /// Time from which on the state is sampled, at least 0.
    #[serde(default = "zero")]
    pub from: Number,
    /// Period of the samples in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period of the samples in steps, at least 1.
    pub every_steps: Option<Count>,
}}

fn zero() -> Number {
    0.0.into()
}

/// Boundary layers that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundaryLayerRequest {
    /// Name of the output.
    pub name: String,
    /// Name of the boundary.
    pub boundary: String,
    /// Places of the stations.
    pub at: Vec<[f64; 2]>,
    /// Length of the normals.
    pub height: f64,
    /// Numbers of points along a normal and of lines over the span.
    pub counts: [usize; 2],
    /// The velocity that tells the edge.
    pub edge: Edge,
    /// Time from which on the state is sampled.
    pub from: f64,
    /// The period of the samples.
    pub every: Every,
}

impl BoundaryLayerRequest {
    /// Returns the path of the output in the case.
    pub fn key(&self) -> String {
        format!("output.{}", self.entry())
    }

    /// Returns the name of the entries in checkpoints.
    pub fn entry(&self) -> String {
        format!("{NAME}.{}", self.name)
    }
}

impl Keys for BoundaryLayerKeys {
    const NOUN: &'static str = "a boundary layer";

    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let scope = context.scope;
        context.check_wall(&self.boundary)?;
        if self.at.is_empty() {
            return Err(Problem::new("`at` names no station").key(context.at("at")));
        }
        let place = |(i, at): (usize, &[Number; 2])| {
            let coordinate = |d: usize| scope.number(&context.at(&format!("at[{i}][{d}]")), &at[d]);
            Ok([coordinate(0)?, coordinate(1)?])
        };
        let count = |which: usize| scope.count(&context.at(&format!("counts[{which}]")), &self.counts[which]);
        let counts = [count(0)? as usize, count(1)? as usize];
        let odd = counts[0] % 2 == 1 && counts[0] >= FEWEST;
        let must = format!("odd and at least {FEWEST}");
        check(&context.at("counts[0]"), counts[0] as f64, odd, &must)?;
        check(&context.at("counts[1]"), counts[1] as f64, counts[1] >= 1, "at least 1")?;
        let points = self.at.len() as f64 * counts[0] as f64 * counts[1] as f64;
        let few = points <= MOST_POINTS;
        check(&context.at("counts"), points, few, "at most 1,000,000 points in all")?;
        Ok(Arc::new(BoundaryLayerRequest {
            name: context.name.to_owned(),
            boundary: self.boundary.clone(),
            at: self.at.iter().enumerate().map(place).collect::<Result<_, Problem>>()?,
            height: scope.number_if(&context.at("height"), &self.height, positive, "above 0")?,
            counts,
            edge: self.edge,
            from: scope.number_if(&context.at("from"), &self.from, not_negative, "at least 0")?,
            every: scope.every(&context.key, &self.every, &self.every_steps)?,
        }))
    }
}
