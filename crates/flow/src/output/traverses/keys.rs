//! The keys of a traverse, and the traverse as a case asks for it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Inlet;
use crate::input::{Count, Every, Number, Problem, Scope, check, keys, not_negative, one_of, positive};
use crate::output::keys::{Context, Keys};
use crate::output::phase_means::PhaseKeys;
use crate::output::request::{Phases, Request};

/// Largest number of points of a plane.
const MOST_POINTS: f64 = 1e6;

keys! {
/// A traverse: exactly one of `every` and `every-steps`.
TraverseKeys as "a mapping with keys such as `x`, `counts` and `every-steps`" {
    /// Position of the plane (length).
    pub x: Number,
    /// Number of points over the pitch, at least 2, and of lines over the span, at least 1; all are equidistant. As
    /// many points as the mesh has solution points across resolve what its cells do.
    pub counts: [Count; 2],
    /// Position (length) of a plane upstream, below `x`, that is sampled at the same times. Its mass-weighted mean
    /// total pressure is p01 of the loss coefficients, and the force between both planes follows from their momentum
    /// fluxes. Excludes `total-pressure`; without both there are no loss coefficients.
    pub inlet_x: Option<Number>,
    /// Total pressure of the inlet, p01, above 0.
    pub total_pressure: Option<Number>,
    /// Static pressure behind, p2 of the loss coefficients, above 0; default that of the mixed-out state.
    pub pressure: Option<Number>,
    /// Ordinate at which the line begins (length). It is one pitch long and, as the flow repeats, may leave the mesh.
    #[serde(default = "zero")]
    pub y: Number,
    /// Phases of a periodic event, such as the passing of bars, at which means are taken as well. They are in the file
    /// traverse_NAME.phase.csv.
    pub phase: Option<PhaseKeys>,
    /// The frame of velocities and of all that contains them, where blocks of cells move past each other at an
    /// interface.
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

/// A frame in which a traverse sees the flow on its planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Frame {
    /// That of the block of cells at `x`, in which a plane of another block is seen, too.
    #[default]
    Block,
    /// That of the first sides of all interfaces, which is the absolute one of a stage that begins with a vane.
    First,
}

/// A traverse that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct TraverseRequest {
    /// Name of the traverse.
    pub name: String,
    /// Position of the plane.
    pub x: f64,
    /// Numbers of points over the pitch and of lines over the span.
    pub counts: [usize; 2],
    /// Where the total pressure of the inlet comes from.
    pub inlet: Inlet,
    /// The pressure behind, if it is given.
    pub pressure: Option<f64>,
    /// Ordinate of the first point.
    pub y: f64,
    /// The phases at which means are taken, if they are.
    pub phase: Option<Phases>,
    /// The frame of velocities.
    pub frame: Frame,
    /// Time from which on the state is sampled.
    pub from: f64,
    /// The period of the samples.
    pub every: Every,
}

impl Keys for TraverseKeys {
    const NOUN: &'static str = "a traverse";

    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let scope = context.scope;
        // What a mesh file repeats in is not known before it is read.
        if context.facts.periodic.is_some_and(|[_, y, _]| !y) {
            return Err(
                Problem::new("the box is not periodic in y: a traverse is a line over a pitch in y")
                    .key(&context.key)
                    .help("`output.probes` samples lines and planes of any flow"),
            );
        }
        let number = |name: &str, number: &Number| scope.number(&context.at(name), number);
        let above_zero = |name: &str, number: &Option<Number>| {
            let value = number.as_ref();
            value
                .map(|value| scope.number_if(&context.at(name), value, positive, "above 0"))
                .transpose()
        };
        let x = number("x", &self.x)?;
        let request = TraverseRequest {
            name: context.name.to_owned(),
            x,
            counts: [self.count(context, 0, 2)?, self.count(context, 1, 1)?],
            inlet: self.inlet(context, x)?,
            pressure: above_zero("pressure", &self.pressure)?,
            y: number("y", &self.y)?,
            phase: self.phase.as_ref().map(|keys| keys.resolve(context)).transpose()?,
            frame: self.frame,
            from: scope.number_if(&context.at("from"), &self.from, not_negative, "at least 0")?,
            every: scope.every(&context.key, &self.every, &self.every_steps)?,
        };
        let points = request.counts.iter().map(|&n| n as f64).product::<f64>();
        check(
            &context.at("counts"),
            points,
            points <= MOST_POINTS,
            "at most 1,000,000 points in all",
        )?;
        match (request.inlet, request.pressure) {
            (Inlet::None, Some(_)) => Err(Problem::new(
                "`pressure` is p2 of the loss coefficients, which need the total pressure of the inlet",
            )
            .key(context.at("pressure"))
            .help("add `inlet-x` or `total-pressure`")),
            (Inlet::TotalPressure(total), Some(pressure)) if pressure >= total => Err(Problem::new(format!(
                "`pressure` is {pressure}: it must be below `total-pressure`, which is {total}"
            ))
            .key(context.at("pressure"))),
            _ => Ok(Arc::new(request)),
        }
    }
}

impl TraverseKeys {
    /// Returns one of the two numbers of points.
    fn count(&self, context: &Context, which: usize, least: u64) -> Result<usize, Problem> {
        let key = context.at(&format!("counts[{which}]"));
        let count = context.scope.count(&key, &self.counts[which])?;
        let must = format!("at least {least}");
        check(&key, count as f64, count >= least, &must).map(|_| count as usize)
    }

    /// Returns where the total pressure of the inlet comes from.
    fn inlet(&self, context: &Context, x: f64) -> Result<Inlet, Problem> {
        let scope: &Scope = context.scope;
        match (&self.inlet_x, &self.total_pressure) {
            (None, None) => Ok(Inlet::None),
            (None, Some(total)) => {
                let key = context.at("total-pressure");
                scope
                    .number_if(&key, total, positive, "above 0")
                    .map(Inlet::TotalPressure)
            }
            (Some(inlet), None) => {
                let key = context.at("inlet-x");
                let inlet = scope.number(&key, inlet)?;
                check(&key, inlet, inlet < x, "below `x`").map(Inlet::Plane)
            }
            (Some(_), Some(_)) => Err(one_of(&context.key, "inlet-x", "total-pressure", true)),
        }
    }
}
