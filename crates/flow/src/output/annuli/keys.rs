//! The keys of a traverse of an annulus, and the traverse as a case asks for it.

use std::sync::Arc;

use super::surface::{Place, RULE};
use crate::input::{Axis, Count, Every, Number, Problem, check, keys, not_negative, positive};
use crate::output::keys::{Context, Keys};
use crate::output::request::Request;
use crate::output::traverses::Frame;

/// Largest number of points, those inside the bands included.
const MOST_POINTS: f64 = 1e6;
/// Steepest cone, in dx/dr.
const STEEPEST: f64 = 10.0;

keys! {
/// A traverse of an annulus: exactly one of `every` and `every-steps`.
AnnulusKeys as "a mapping with keys such as `x`, `radii`, `counts` and `every-steps`" {
    /// Position of the surface along the axis (length); that of the tip of a cone.
    pub x: Number,
    /// The surface is the cone x + cone r, from -10 to 10; with 0 it is a plane.
    #[serde(default = "zero")]
    pub cone: Number,
    /// The axis of the annulus, through the origin.
    #[serde(default = "along_x")]
    pub axis: Axis,
    /// Radii of the hub and of the casing on the surface (length), or any two between them.
    pub radii: [Number; 2],
    /// Number of points around, at least 2, equidistant over the angle after which the mesh repeats, and of bands of
    /// equal area between both radii, at least 1. Each band has three points over its height.
    pub counts: [Count; 2],
    /// Total pressure of the inlet, p01 of the loss coefficients, above 0; without it there are none.
    pub total_pressure: Option<Number>,
    /// Frame of velocities, angles and total pressures where blocks of cells turn past each other at an interface:
    /// `block` or `first`.
    #[serde(default)]
    pub frame: Frame,
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

fn along_x() -> Axis {
    Axis::X
}

/// A traverse of an annulus that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnulusRequest {
    /// Name of the traverse.
    pub name: String,
    /// The surface that is sampled.
    pub place: Place,
    /// Total pressure of the inlet, if it is given.
    pub total_pressure: Option<f64>,
    /// The frame of velocities.
    pub frame: Frame,
    /// Time from which on the state is sampled.
    pub from: f64,
    /// The period of the samples.
    pub every: Every,
}

impl Keys for AnnulusKeys {
    const NOUN: &'static str = "a traverse of an annulus";

    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let scope = context.scope;
        let radius = |i: usize| {
            let key = context.at(&format!("radii[{i}]"));
            scope.number_if(&key, &self.radii[i], not_negative, "at least 0")
        };
        let [low, high] = [radius(0)?, radius(1)?];
        let must = format!("above that of the hub, {low}");
        check(&context.at("radii[1]"), high, high > low, &must)?;
        let count = |i: usize, least: u64| {
            let key = context.at(&format!("counts[{i}]"));
            let count = scope.count(&key, &self.counts[i])?;
            check(&key, count as f64, count >= least, &format!("at least {least}")).map(|_| count as usize)
        };
        let counts = [count(0, 2)?, count(1, 1)?];
        let points = counts.iter().map(|&n| n as f64).product::<f64>() * RULE.len() as f64;
        check(
            &context.at("counts"),
            points,
            points <= MOST_POINTS,
            "at most 1,000,000 points in all, three for each band and angle",
        )?;
        let total = self.total_pressure.as_ref();
        let steep = |slope: f64| slope.abs() <= STEEPEST;
        Ok(Arc::new(AnnulusRequest {
            name: context.name.to_owned(),
            place: Place {
                axis: self.axis.index(),
                x: scope.number(&context.at("x"), &self.x)?,
                cone: scope.number_if(&context.at("cone"), &self.cone, steep, "from -10 to 10")?,
                radii: [low, high],
                counts,
            },
            total_pressure: total
                .map(|total| scope.number_if(&context.at("total-pressure"), total, positive, "above 0"))
                .transpose()?,
            frame: self.frame,
            from: scope.number_if(&context.at("from"), &self.from, not_negative, "at least 0")?,
            every: scope.every(&context.key, &self.every, &self.every_steps)?,
        }))
    }
}
