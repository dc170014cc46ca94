//! Keys of a case with other values, as `--set` takes them, with which a design is tried again.

use crate::input::Problem;

use super::keys::RetryKeys;

/// Checks the form of assignments `KEY=VALUE` of a key of the study.
///
/// # Errors
/// One of them sets nothing.
pub(super) fn check_assignments(key: &str, set: &[String]) -> Result<(), Problem> {
    match set.iter().find(|set| !set.contains('=')) {
        None => Ok(()),
        Some(bad) => {
            let problem = Problem::new(format!("`{bad}` sets nothing")).key(key);
            Err(problem.help("it is like `time.end=20`"))
        }
    }
}

/// Evaluates and checks the keys of all retries: the assignments of each.
///
/// # Errors
/// One of them sets nothing.
pub(super) fn resolve(keys: &[RetryKeys]) -> Result<Vec<Vec<String>>, Problem> {
    let one = |(i, retry): (usize, &RetryKeys)| {
        let key = format!("retries[{i}].set");
        if retry.set.is_empty() {
            let problem = Problem::new("the same keys would give the same run").key(key);
            return Err(problem.help("`set` has keys with other values, such as `steady.implicit.cfl=[1, 20]`"));
        }
        check_assignments(&key, &retry.set)?;
        Ok(retry.set.clone())
    };
    keys.iter().enumerate().map(one).collect()
}
