//! What the verbs of a study do with one design: its values, its mesh, and the state in which a failure leaves it.

use std::path::Path;

use crate::commands::Failure;
use crate::ranks::Ranks;
use crate::steady::SteadyError;
use crate::study::{Choice, Record, State, Study, StudyError};

/// Returns the values of a design in the order of the variables.
pub fn choices(study: &Study, record: &Record) -> Result<Vec<Choice>, StudyError> {
    let id = record.id.clone();
    record.choices(study).ok_or(StudyError::Changed { id })
}

/// Makes the mesh of a design, on the first rank. Collective.
pub fn make_mesh(study: &Study, x: &[Choice], folder: &Path, ranks: &Ranks) -> Result<(), Failure> {
    let made = match ranks.rank() {
        0 => study.make_mesh(x, folder).map_err(Failure::from),
        _ => Ok(()),
    };
    ranks.agree(made, Failure::OnOtherRank)
}

/// Returns the state of a design whose run has failed.
pub fn state_of(failure: &Failure) -> State {
    match failure {
        Failure::Study(StudyError::Mesh(_)) => State::Mesh,
        Failure::Run(error) if error.is_divergence() => State::Diverged,
        Failure::Steady(SteadyError::Diverged { .. } | SteadyError::StandsStill { .. }) => State::Diverged,
        failure if failure.exit_code() == 2 => State::Refused,
        _ => State::Lost,
    }
}

/// Returns the first line of the message of a failure.
pub fn plain(failure: &Failure) -> String {
    let text = failure.to_string();
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}
