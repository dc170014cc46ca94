//! The comments above statistics that describe a channel: its scales, and the direction of the flow.

use std::path::Path;

use crate::format::{assigned, leading_number};
use crate::output::StandardError;
use crate::plot::error::{Error, read_text};
use crate::vector::length;

/// Smallest fraction of the stress on a wall that must point along the channel.
const ALONG: f64 = 0.9;

/// The description of a channel in the comments above statistics.
pub(super) struct Head {
    /// Friction Reynolds number.
    pub re_tau: f64,
    /// Its standard error.
    pub re_tau_error: StandardError,
    /// Friction velocity and kinematic viscosity from the mean state of all walls.
    pub u_tau: f64,
    pub nu: f64,
    /// Time of the samples.
    pub time: f64,
    /// The axis along which the stress on the walls points, as the flow does; `sense` is -1 if it points against that
    /// axis, else 1.
    pub along: usize,
    pub sense: f64,
}

impl Head {
    /// Reads the description at the top of the file.
    ///
    /// # Errors
    /// The file cannot be read, or lacks a part of the description.
    pub fn read(path: &Path) -> Result<Head, Error> {
        let wrong = |detail: String| Error::Profile {
            path: path.into(),
            detail,
        };
        let text = read_text(path)?;
        let comments: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix('#'))
            .map(str::trim)
            .collect();
        let text = |key: &str| {
            let mut lines = comments.iter();
            lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))
        };
        let found = |key: &str| text(key).and_then(leading_number);
        let entry = |key: &str| {
            let value = found(key).filter(|value| *value > 0.0);
            value.ok_or_else(|| {
                wrong(format!(
                    "a line `# {key}: NUMBER` with a number above 0 is needed among the comments"
                ))
            })
        };
        let walls: Vec<&&str> = comments.iter().filter(|line| line.starts_with("wall ")).collect();
        if walls.is_empty() {
            return Err(wrong(
                "a line `# wall NAME: tau = X, rho = X, mu = X, ...` is needed among the comments for each wall".into(),
            ));
        }
        let mean = |key: &str| -> Result<f64, Error> {
            let mut sum = 0.0;
            for wall in &walls {
                let value = wall.split_once(':').and_then(|(_, entries)| assigned(entries, key));
                // The stress on the walls points along the flow or against it, depending on the program that wrote it.
                let value = value.map(f64::abs).filter(|value| *value > 0.0);
                sum += value.ok_or_else(|| wrong(format!("`# {wall}`: it needs `{key} = NUMBER`, not 0")))?;
            }
            Ok(sum / walls.len() as f64)
        };
        let tau = mean("tau")?;
        let rho = mean("rho")?;
        let mu = mean("mu")?;
        let (along, sense) = direction(&comments, walls.len()).map_err(wrong)?;
        Ok(Head {
            re_tau: entry("re_tau")?,
            re_tau_error: text("re_tau_error").map_or(StandardError::UNKNOWN, StandardError::of_words),
            u_tau: (tau / rho).sqrt(),
            nu: mu / rho,
            time: entry("sample-time")?,
            along,
            sense,
        })
    }
}

/// Returns the axis along which the stress on so many walls points, and its sense there, 1 or -1; or what is wrong.
fn direction(comments: &[&str], walls: usize) -> Result<(usize, f64), String> {
    let details = comments.iter().filter(|line| line.starts_with("wall-detail "));
    let stress = |line: &&str| -> Option<[f64; 3]> {
        let entries = line.split_once(':')?.1;
        let [x, y, z] = ["tau_x", "tau_y", "tau_z"].map(|key| assigned(entries, key));
        Some([x?, y?, z?])
    };
    let stresses: Vec<[f64; 3]> = details.filter_map(stress).collect();
    let total = [0, 1, 2].map(|d| stresses.iter().map(|s| s[d]).sum::<f64>());
    let size = |d: &usize| total[*d].abs();
    let along = (0..3).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0);
    let sense = total[along].signum();
    if stresses.len() != walls || stresses.iter().any(|&s| sense * s[along] < ALONG * length(s)) {
        return Err(format!(
            "the stress on all walls must point along one axis and the same way, as lines \
             `# wall-detail NAME: tau_x = X, tau_y = Y, tau_z = Z` state it; here are {stresses:?}"
        ));
    }
    Ok((along, sense))
}
