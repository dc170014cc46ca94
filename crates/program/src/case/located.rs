//! Errors of the solver and of the run as errors of the case, with the line that has to be corrected.

use super::error::Error;
use super::resolved::Case;
use crate::io;
use crate::run::RunError;
use crate::solver::SetupError;

impl Case {
    /// An error of the set-up as one of the case.
    ///
    /// # Errors
    /// The error itself where it is about no key.
    pub fn locate_setup(&self, error: SetupError) -> Result<Error, SetupError> {
        match error.key() {
            Some(key) => Ok(self.refuse(&key, error.to_string())),
            None => Err(error),
        }
    }

    /// An error of the run as one of the case.
    ///
    /// # Errors
    /// The error itself where it is about no key.
    pub fn locate_run(&self, error: RunError) -> Result<Error, RunError> {
        match error {
            RunError::Value { value, last_output } => Ok(self
                .refuse(&value.key, value.to_string())
                .help(&format!("last good output: {last_output}"))),
            RunError::Refused { key, what } => Ok(self.refuse(&key, what)),
            RunError::Directory(error) => Ok(self.refuse("output.directory", error.to_string())),
            // Where another rank failed, that rank reports why.
            RunError::Restart(error) if !matches!(error, io::Error::OnOtherRank { .. }) => {
                Ok(self.refuse("restart", error.to_string()))
            }
            other => Err(other),
        }
    }
}
