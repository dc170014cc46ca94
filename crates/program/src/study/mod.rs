//! Studies: many runs of one case with other values of some variables, compared by what the runs write.
//!
//! A [`Study`] is read from `study.yaml`. Its designs are chosen by an [experiment], by an [evolution], or by [ego]
//! with its [Kriging](kriging) models. Each is the base case with the values of its variables set, perhaps with a mesh
//! of its own ([`Geometry`]), in a directory of its own of the [`Store`]. The [`Driver`] runs the designs, one process
//! each, and goes on after any interruption. The [`Measure`]s of objectives and constraints take their values from the
//! files of a run.

mod choose;
mod clouds;
mod compare;
mod confirm;
mod deb;
pub mod ego;
mod error;
pub mod evolution;
pub mod experiment;
mod geometry;
mod guest;
mod keys;
pub mod kriging;
mod limits;
mod measure;
mod method;
mod models;
mod places;
mod process;
mod record;
pub mod report;
mod retries;
mod runner;
mod search;
mod sections;
mod settings;
mod slurm;
mod steady;
mod store;
mod variable;

pub use confirm::{Confirmation, Confirmed};
pub use deb::by_debs_rules;
pub use error::StudyError;
pub use geometry::Geometry;
pub use guest::{Told, read_proposals, read_results};
pub use keys::Mode;
pub(crate) use keys::StudyKeys;
pub use limits::Limits;
pub use measure::{Measure, Measured, RunEnd, Written, unknown_error};
pub use method::{Ego, Method};
pub use places::{Batch, Workers};
pub use process::die_with;
pub use record::{Record, State, ranked};
pub use runner::{Driver, Ended, Work, values};
pub use settings::{Constraint, Objective, Planned, Study};
pub use steady::{end_of_steady, residual_of, written_by_steady};
pub use store::{RESULTS, Store, Stored};
pub use variable::{BladePart, Choice, Domain, Target, Variable};
