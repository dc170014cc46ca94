//! The keys of `output`: what a run writes, where and when.

use std::collections::BTreeMap;

use crate::case::Precision;
use crate::input::{Axis, Count, Expression, Number, keys};
use crate::output::DEFAULT_KEEP;

keys! {
/// Output.
OutputKeys as "a mapping with keys such as `directory` and `solution`" {
    /// Directory, relative to the working directory.
    #[serde(default = "directory")]
    pub directory: String,
    /// Solution files; without it none are written.
    pub solution: Option<SolutionKeys>,
    /// Integrals over the domain; without it none are written.
    pub integrals: Option<SeriesKeys>,
    /// What flows through each boundary: forces, mass, energy; without it none is written.
    pub boundaries: Option<SeriesKeys>,
    /// Force and bulk velocity of `forcing.mass-flow`; without it they are not written.
    pub forcing: Option<SeriesKeys>,
    /// Means over time and over directions in which the flow is homogeneous; without it none are taken.
    pub statistics: Option<StatisticsKeys>,
    /// Reference state of coefficients: of pressure and skin friction in the files of `surfaces`, and of forces in a second
    /// series beside `boundaries`, coefficients.csv, in which pressure counts over that of the reference, with the heat and y+ of each no-slip wall.
    pub reference: Option<ReferenceKeys>,
    /// Files of what acts on boundaries: pressure, traction, heat flux, y+; without it none are written.
    pub surfaces: Option<SurfacesKeys>,
    /// Files of what lies in planes, by names that the files get.
    #[serde(default)]
    pub slices: BTreeMap<String, SliceKeys>,
    /// The state at places within the domain, by a name for each set of places (letters, digits, `_`, `-`); the initial state is
    /// sampled too. Up to 1000 points, single or on a line, go into the series probes_NAME.csv; more of them, and planes, into a
    /// file for each sample, probes_NAME_0000.vtkhdf and so on.
    #[serde(default)]
    pub probes: BTreeMap<String, ProbesKeys>,
    /// Power spectra and two-point correlations along a direction in which the domain is periodic, means over time (every sample
    /// counting alike) and over lines spread over a second such direction: spectra.csv and correlations.csv, written with every
    /// checkpoint and at the end. Without it there are none.
    pub spectra: Option<SpectraKeys>,
    /// Checkpoints to continue from, also at the end of the run; without it one is written only when a signal or
    /// `time.wall-clock` ends the run.
    pub checkpoint: Option<CheckpointKeys>,
}}

keys! {
/// Solution files: exactly one of `every` and `every-steps`.
SolutionKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Precision in the file.
    #[serde(default)]
    pub precision: Precision,
}}

keys! {
/// A series of values over time: exactly one of `every` and `every-steps`.
SeriesKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
}}

keys! {
/// Statistics of turbulence: exactly one of `every` and `every-steps`.
StatisticsKeys as "a mapping with keys such as `every-steps` and `average`" {
    /// Time from which on the state is sampled, at least 0.
    #[serde(default = "start")]
    pub from: Number,
    /// Period of the samples in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period of the samples in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Up to two directions in which the flow is homogeneous, over which means are taken too; points must lie along them in
    /// every cell. With two the result is a profile, `statistics.csv`, else fields, `statistics.vtkhdf`.
    #[serde(default)]
    pub average: Vec<Axis>,
}}

keys! {
/// A reference state.
ReferenceKeys as "a mapping with the keys `pressure`, `density`, `velocity`, `area`" {
    /// Static pressure, above 0.
    pub pressure: Number,
    /// Density, above 0.
    pub density: Number,
    /// Velocity, of which the size counts, and the direction as that of drag.
    pub velocity: [Number; 3],
    /// Area by which forces are divided, above 0.
    pub area: Number,
    /// Direction of lift; what is perpendicular to the velocity in it counts. The side force is along velocity x lift.
    #[serde(default = "upward")]
    pub lift: [Number; 3],
}}

keys! {
/// Files of boundaries: exactly one of `every` and `every-steps`.
SurfacesKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Names of the boundaries; default all no-slip walls.
    pub boundaries: Option<Vec<String>>,
}}

keys! {
/// A plane: exactly one of `every` and `every-steps`.
SliceKeys as "a mapping with the keys `point`, `normal` and `every` or `every-steps`" {
    /// A point of the plane (length).
    pub point: [Number; 3],
    /// Normal of the plane, of any length but 0.
    pub normal: [Number; 3],
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
}}

keys! {
/// A set of places: exactly one of `points`, `line` and `plane`, and exactly one of `every` and `every-steps`.
ProbesKeys as "a mapping with the keys `points`, `line` or `plane` and `every` or `every-steps`" {
    /// Points (length).
    pub points: Option<Vec<[Number; 3]>>,
    /// Points on a straight line, at equal distances.
    pub line: Option<LineKeys>,
    /// Points on a plane, at equal distances.
    pub plane: Option<PlaneKeys>,
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
}}

keys! {
/// A line.
LineKeys as "a mapping with the keys `from`, `to` and `count`" {
    /// First point (length).
    pub from: [Number; 3],
    /// Last point (length).
    pub to: [Number; 3],
    /// Number of points, both ends included: at least 2.
    pub count: Count,
}}

keys! {
/// A plane, or a parallelogram.
PlaneKeys as "a mapping with the keys `origin`, `edges` and `counts`" {
    /// A corner (length).
    pub origin: [Number; 3],
    /// The two edges that begin there (length).
    pub edges: [[Number; 3]; 2],
    /// Number of points along each edge, both ends included: at least 2.
    pub counts: [Count; 2],
}}

keys! {
/// Spectra and correlations along lines; exactly one of `every` and `every-steps`.
SpectraKeys as "a mapping with the keys `direction`, `at` and `every` or `every-steps`" {
    /// Direction of the lines.
    pub direction: Axis,
    /// Heights (length), in the direction in which the domain is not periodic; where it is in all three, in y, or in z if the
    /// lines are along y.
    pub at: Vec<Number>,
    /// Time before which nothing is sampled.
    #[serde(default = "start")]
    pub from: Number,
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
}}

keys! {
/// Checkpoints: exactly one of `every` and `every-steps`.
CheckpointKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0. Steps are not shortened to meet it: the first step at or after each time is taken, so that
    /// checkpoints never change a result.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
    /// How many of the run's newest checkpoints stay; older ones are removed when a new one is whole.
    #[serde(default = "keep")]
    pub keep: Count,
}}

fn start() -> Number {
    0.0.into()
}

fn upward() -> [Number; 3] {
    [0.0, 1.0, 0.0].map(Number::from)
}

fn keep() -> Count {
    Count(Expression::Value(DEFAULT_KEEP as f64))
}

fn directory() -> String {
    "results".into()
}

impl Default for OutputKeys {
    fn default() -> Self {
        Self {
            directory: directory(),
            solution: None,
            integrals: None,
            boundaries: None,
            forcing: None,
            statistics: None,
            reference: None,
            surfaces: None,
            slices: BTreeMap::new(),
            probes: BTreeMap::new(),
            spectra: None,
            checkpoint: None,
        }
    }
}
