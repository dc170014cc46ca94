//! Studies: many runs of one case with other values of some variables, compared by what the runs write.
//!
//! A [`Study`] is read from `study.yaml`. Its designs are chosen by an [experiment] or an [evolution]; each is the base
//! case with the values of its variables set, in a directory of its own of the [`Store`]. The [`Driver`] runs the
//! designs, one process each, and goes on after any interruption. The [`Measure`]s of objectives and constraints take
//! their values from the files of a run.

mod deb;
mod error;
pub mod evolution;
pub mod experiment;
mod keys;
mod measure;
mod method;
mod places;
mod record;
pub mod report;
mod runner;
mod settings;
mod slurm;
mod store;
mod variable;

pub use deb::by_debs_rules;
pub use error::StudyError;
#[cfg(test)]
pub(crate) use keys::StudyKeys;
pub use measure::Measure;
pub use method::Method;
pub use places::{Batch, Workers};
pub use record::{Record, State, ranked};
pub use runner::{Driver, Ended, die_with, values};
pub use settings::{Constraint, Objective, Planned, Study};
pub use store::{Store, Stored};
pub use variable::{Choice, Domain, Variable};
