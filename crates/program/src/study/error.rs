//! What ends a study.

use thiserror::Error;

use crate::{case, io};

/// An error of a study as a whole; designs that fail are no errors.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The study file or the case of a design is wrong.
    #[error(transparent)]
    Case(#[from] case::Error),
    /// A file of the study cannot be read or written.
    #[error("error: {0}")]
    Io(#[from] io::Error),
    /// The study was changed after designs had been planned.
    #[error(
        "error: {id} was planned with other variables or another case: name a new directory in `output`, or remove \
         the directories of the old designs"
    )]
    Changed {
        /// The first design that differs.
        id: String,
    },
    /// The variables were changed after designs had been planned.
    #[error(
        "error: the designs were planned with `{was}` ({file}), and the study has `{now}`: name a new directory in \
         `output`, or remove the directories of the old designs"
    )]
    Variables {
        /// The file with the variables of the designs.
        file: String,
        /// The first variable that differs, or nothing.
        was: String,
        /// What it is now, or nothing.
        now: String,
    },
    /// The first design cannot be set up, or does not write what the designs are compared by.
    #[error("{0}")]
    Refused(String),
    /// The mesh of a design cannot be made.
    #[error("error: the mesh cannot be made: {0}")]
    Mesh(String),
    /// All designs have failed.
    #[error("error: all {count} designs failed, {first}: --status names the reasons")]
    AllFailed {
        /// Number of designs.
        count: usize,
        /// The first design and its reason.
        first: String,
    },
    /// Jobs of the batch system cannot be submitted.
    #[error("error: {0}")]
    Jobs(String),
    /// A process cannot be started.
    #[error("error: cannot start {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// The reason.
        source: std::io::Error,
    },
}
