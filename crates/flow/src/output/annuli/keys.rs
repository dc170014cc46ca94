//! The keys of a traverse of an annulus, and the traverse as a case asks for it.

use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::surface::{Place, RULE};
use crate::input::{Axis, Count, Every, Expression, Number, Problem, check, keys, not_negative, positive};
use crate::output::keys::{Context, Keys};
use crate::output::request::Request;
use crate::output::traverses::Frame;

/// Largest number of points, those inside the bands included.
const MOST_POINTS: f64 = 1e6;

/// The positions of a meridional line along the axis: one number, or those of both ends.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Positions {
    /// That of a plane.
    Plane(Number),
    /// Those of a cone, at the hub and at the casing.
    Cone([Number; 2]),
}

impl<'de> Deserialize<'de> for Positions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrTwo;
        impl<'de> Visitor<'de> for OneOrTwo {
            type Value = Positions;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, or a list of two")
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Positions, E> {
                Ok(Positions::Plane(v.into()))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Positions, E> {
                Ok(Positions::Plane(Number(Expression::Text(v.to_owned()))))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Positions, A::Error> {
                let ends = Vec::<Number>::deserialize(SeqAccessDeserializer::new(list))?;
                let ends = <[Number; 2]>::try_from(ends);
                ends.map(Positions::Cone)
                    .map_err(|ends| de::Error::invalid_length(ends.len(), &self))
            }
        }
        deserializer.deserialize_any(OneOrTwo)
    }
}

impl JsonSchema for Positions {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Positions".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["number", "string", "array"],
            "items": generator.subschema_for::<Number>(),
            "minItems": 2,
            "maxItems": 2,
            "description": "A number, or a list of two.",
        })
    }
}

keys! {
/// A traverse of an annulus: exactly one of `every` and `every-steps`.
AnnulusKeys as "a mapping with keys such as `x`, `counts` and `every-steps`" {
    /// Position of the plane along the axis (length), or a list of two: those of a cone at the first and at the second
    /// radius, between which its meridional line is straight.
    pub x: Positions,
    /// The axis of the annulus, through the origin.
    #[serde(default = "along_x")]
    pub axis: Axis,
    /// Radii of the hub and of the casing on the surface (length), or any two between them; default: those of the hub
    /// and of the casing of the mesh, found at `x`.
    pub radii: Option<[Number; 2]>,
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
        let radii = self.radii.as_ref().map(|radii| {
            let radius = |i: usize| {
                let key = context.at(&format!("radii[{i}]"));
                scope.number_if(&key, &radii[i], not_negative, "at least 0")
            };
            let [low, high] = [radius(0)?, radius(1)?];
            let must = format!("above that of the hub, {low}");
            check(&context.at("radii[1]"), high, high > low, &must)?;
            Ok([low, high])
        });
        let x = match &self.x {
            Positions::Plane(x) => [scope.number(&context.at("x"), x)?; 2],
            Positions::Cone([first, second]) => [
                scope.number(&context.at("x[0]"), first)?,
                scope.number(&context.at("x[1]"), second)?,
            ],
        };
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
        Ok(Arc::new(AnnulusRequest {
            name: context.name.to_owned(),
            place: Place {
                axis: self.axis.index(),
                x,
                radii: radii.transpose()?,
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
