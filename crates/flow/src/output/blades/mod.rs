//! Distributions along blades: means over time and span of pressure and friction on a wall that is extruded along z, as
//! cascades are measured, or means over time at sections of any wall.
//!
//! `stations` finds the stations of the wall and `curve` their order, which depend on the mesh alone. `sections` finds
//! those of a section, the surface of which is in `section`, from the cuts of faces in `cut`. `loads` takes the
//! means over the span of a sample. The means over time are kept in batches, so that every result has its statistical
//! error. `sides` divides the wall at its leading and trailing edges, `expansion` has the isentropic relations,
//! `distribution` computes what is asked for from the means, and `table` writes the files, with every checkpoint and at
//! the end. `blade` is the output; `request` has its settings, which follow from the keys here.

mod blade;
mod curve;
mod cut;
mod distribution;
mod expansion;
mod loads;
mod request;
mod section;
mod sections;
mod sides;
mod stations;
mod table;

use std::sync::Arc;

use super::error::OutputError;
use super::interface::Output;
use super::keys::{Context, Keys};
use super::phase_means::PhaseKeys;
use super::request::{Phases, Request, Setup};
use crate::format::number;
use crate::input::{Axis, Count, Every, Number, Problem, Scope, check, keys, not_negative, positive};
use crate::solver::Solver;
use blade::Blade;
use request::{BladeRequest, CascadeRequest, NAME, Part};
use section::Section;
use stations::Extent;
pub(super) use stations::Stations;

keys! {
/// The distribution along a wall: exactly one of `every` and `every-steps`.
BladeKeys as "a mapping with keys such as `boundary`, `total-pressure`, `pressure` and `every-steps`" {
    /// Name of the boundary: a wall of hexahedra or prisms that are extruded along z or, with `spans` or `radii`, any
    /// wall.
    pub boundary: String,
    /// Values of z (length) at which the wall is cut, in place of the mean over the span: a curve for each, in the
    /// files blade_NAME.section-1.csv and so on.
    pub spans: Option<Vec<Number>>,
    /// Radii about `axis` (length, above 0) at which the wall is cut, in place of `spans`.
    pub radii: Option<Vec<Number>>,
    /// The axis of `radii`, through the origin; default: x.
    pub axis: Option<Axis>,
    /// Time from which on the state is sampled, at least 0.
    #[serde(default = "start")]
    pub from: Number,
    /// Period of the samples in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period of the samples in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Total pressure of the inlet, above `pressure`.
    pub total_pressure: Number,
    /// Static pressure of the exit, above 0.
    pub pressure: Number,
    /// Total temperature of the inlet, above 0, from which velocity and Reynolds number of the isentropic exit follow;
    /// default: they are left out.
    pub total_temperature: Option<Number>,
    /// x and y of the leading edge, where the two sides of a closed wall begin: the station nearest to it. Default: the
    /// station of the largest mean pressure in the front half of the wall. Both sides end at the station of the largest
    /// x. A wall with two ends has one side, from the end of smaller x. Not with `radii`.
    pub leading_edge: Option<[Number; 2]>,
    /// The cascade of which the blade is one, for Zweifel's number.
    pub cascade: Option<CascadeKeys>,
    /// Phases of a periodic event, such as the passing of bars, at which means are taken as well. They are in the file
    /// blade_NAME.phase.csv.
    pub phase: Option<PhaseKeys>,
}}

keys! {
/// A cascade.
CascadeKeys as "a mapping with the keys `pitch`, `inlet-angle` and `exit-angle`" {
    /// Distance of the blades in y, above 0.
    pub pitch: Number,
    /// Angle of the flow at the inlet from the direction x, in degrees, between -90 and 90: positive if the flow at the
    /// exit is inclined to the other side of x.
    pub inlet_angle: Number,
    /// Angle of the flow at the exit from the direction x, in degrees, between 0 and 90.
    pub exit_angle: Number,
}}

fn start() -> Number {
    0.0.into()
}

impl CascadeKeys {
    fn request(&self, key: &str, scope: &Scope) -> Result<CascadeRequest, Problem> {
        let at = |part: &str| format!("{key}.{part}");
        let inlet = &self.inlet_angle;
        let exit = &self.exit_angle;
        let acute = |a: f64| a.abs() < 90.0;
        let must = "between -90 and 90";
        let forward = |a: f64| (0.0..90.0).contains(&a);
        let must_exit = "at least 0 and below 90";
        let angles = [
            scope.number_if(&at("inlet-angle"), inlet, acute, must)?,
            scope.number_if(&at("exit-angle"), exit, forward, must_exit)?,
        ];
        Ok(CascadeRequest {
            pitch: scope.number_if(&at("pitch"), &self.pitch, positive, "above 0")?,
            angles: angles.map(f64::to_radians),
        })
    }
}

impl BladeKeys {
    /// Returns the sections at which the wall is cut.
    fn sections(&self, context: &Context) -> Result<Vec<Section>, Problem> {
        let scope = context.scope;
        let list = |name: &str, numbers: &[Number]| -> Result<Vec<f64>, Problem> {
            let key = context.at(name);
            if numbers.is_empty() {
                return Err(Problem::new(format!("`{name}` is empty: it must have at least one number")).key(key));
            }
            let each = numbers.iter().enumerate();
            each.map(|(i, number)| scope.number(&format!("{key}[{i}]"), number))
                .collect()
        };
        let alone = |name: &str, why: &str| Problem::new(why).key(context.at(name));
        match (&self.spans, &self.radii, self.axis) {
            (Some(_), Some(_), _) => Err(alone("radii", "a blade has `spans` or `radii`, and not both")),
            (_, None, Some(_)) => Err(alone("axis", "the axis is that of `radii`, which are missing")),
            (Some(spans), None, None) => Ok(list("spans", spans)?.into_iter().map(Section::Plane).collect()),
            (None, Some(radii), axis) => {
                if self.leading_edge.is_some() {
                    return Err(alone(
                        "leading-edge",
                        "with `radii` the leading edge is that of the largest pressure",
                    ));
                }
                let axis = axis.map_or(0, Axis::index);
                let radii = list("radii", radii)?.into_iter().enumerate();
                let section = |(i, r)| {
                    check(&context.at(&format!("radii[{i}]")), r, positive(r), "above 0")?;
                    Ok(Section::Cylinder(axis, r))
                };
                radii.map(section).collect()
            }
            (None, None, None) => Ok(Vec::new()),
        }
    }
}

impl Keys for BladeKeys {
    const NOUN: &'static str = "a blade";

    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let scope = context.scope;
        context.check_wall(&self.boundary)?;
        let pressure = scope.number_if(&context.at("pressure"), &self.pressure, positive, "above 0")?;
        let key = context.at("total-pressure");
        let total_pressure = scope.number(&key, &self.total_pressure)?;
        if total_pressure <= pressure {
            let what =
                format!("`total-pressure` is {total_pressure}: it must be above `pressure`, which is {pressure}");
            return Err(Problem::new(what).key(key));
        }
        let temperature = |t: &Number| scope.number_if(&context.at("total-temperature"), t, positive, "above 0");
        let place = |at: &[Number; 2]| {
            let coordinate = |d: usize| scope.number(&context.at(&format!("leading-edge[{d}]")), &at[d]);
            Ok([coordinate(0)?, coordinate(1)?])
        };
        let cascade = self.cascade.as_ref().map(|c| c.request(&context.at("cascade"), scope));
        Ok(Arc::new(BladeRequest {
            name: context.name.to_owned(),
            boundary: self.boundary.clone(),
            from: scope.number_if(&context.at("from"), &self.from, not_negative, "at least 0")?,
            every: scope.every(&context.key, &self.every, &self.every_steps)?,
            total_pressure,
            pressure,
            total_temperature: self.total_temperature.as_ref().map(temperature).transpose()?,
            leading_edge: self.leading_edge.as_ref().map(place).transpose()?,
            sections: self.sections(context)?,
            cascade: cascade.transpose()?,
            phase: self.phase.as_ref().map(|keys| keys.resolve(context)).transpose()?,
        }))
    }
}

impl Request for BladeRequest {
    fn label(&self) -> String {
        format!("{NAME} {}", self.name)
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(Blade::new(setup, self)?)])
    }

    fn replaces_its_file(&self) -> bool {
        true
    }

    fn samples_from(&self) -> Option<f64> {
        Some(self.from)
    }

    fn phases(&self) -> Option<Phases> {
        self.phase
    }

    fn describe(&self, solver: &Solver) -> Result<Option<String>, OutputError> {
        let (_, parts) = self.parts(solver)?;
        let words = |part: &Part| {
            let curve = &part.stations.curve;
            let words = format!(
                "{} curve of {} stations, {} long",
                if curve.closed { "a closed" } else { "an open" },
                curve.len(),
                number(curve.length),
            );
            match part.stations.extent {
                Extent::Span(span) => format!("{words}, with a span of {}", number(span)),
                Extent::Section(section, _) => format!("{words}, at {}", section.words()),
            }
        };
        let names = self.names();
        let files = |name: &str| self.files(name).join(" and ");
        let rest = match &names[..] {
            [_, .., last] => format!(" and so on to {}", files(last)),
            _ => String::new(),
        };
        Ok(Some(format!(
            "{} from t = {} on: `{}` is {}; to {}{rest}",
            self.every,
            self.from,
            self.boundary,
            parts.iter().map(words).collect::<Vec<_>>().join(", "),
            files(&names[0])
        )))
    }
}
