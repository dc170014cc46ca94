//! Times of steps of the steady solver as `fr-les bench --steady` writes them, and their figure: the time of a whole
//! solution over the ratio R_C of the numbers of explicit and implicit steps, as in figure 6.9 of M. H. Aissa (thesis,
//! von Karman Institute 2017). An explicit solution is a line in it and an implicit one a constant; they meet at the
//! ratio R* of the times of their steps.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::Error;
use super::figure::{Curve, Figure, Panel, Scale, Style};

/// Times of steps on one mesh and device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepTimes {
    /// Version of the program.
    pub version: String,
    /// Date and time.
    pub created: String,
    /// What computes.
    pub device: String,
    /// Vertices.
    pub vertices: usize,
    /// Cubes per direction.
    pub cells: u64,
    /// Degree of the points.
    pub order: u64,
    /// What the cubes are divided into.
    pub elements: String,
    /// Seconds of an explicit step.
    pub explicit_seconds: f64,
    /// Implicit steps with each preconditioner.
    pub preconditioners: Vec<ImplicitTimes>,
}

/// Times of an implicit step and of its parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImplicitTimes {
    /// The preconditioner, in the spelling of the case file.
    pub preconditioner: String,
    /// Seconds of the residual.
    pub residual_seconds: f64,
    /// Seconds of the assembly of both systems.
    pub assembly_seconds: f64,
    /// Seconds of the factors.
    pub factors_seconds: f64,
    /// Seconds of an iteration.
    pub iteration_seconds: f64,
    /// Seconds of a step.
    pub step_seconds: f64,
    /// Iterations of the mean flow in the step.
    pub iterations: usize,
}

impl ImplicitTimes {
    /// Returns the time of the factors over that of an iteration.
    pub fn factors_over_iteration(&self) -> f64 {
        self.factors_seconds / self.iteration_seconds
    }

    /// Returns the fraction of the step that residual and assembly take.
    pub fn share_of_assembly(&self) -> f64 {
        (self.residual_seconds + self.assembly_seconds) / self.step_seconds
    }
}

/// The preconditioner of the implicit solutions in the figure, which is the default of a case.
const SHOWN: &str = "gauss-seidel";
/// Range of R_C in the figure.
const RATIOS: [f64; 2] = [1.0, 1000.0];

/// Reads the times of steps in the JSON file at `path`; `None` if the file holds something else.
///
/// # Errors
/// The file cannot be read, is no JSON, or holds wrong times.
pub fn read(path: &Path) -> Result<Option<Vec<StepTimes>>, Error> {
    let text = super::error::read_text(path)?;
    let wrong = |detail: String| Error::Json {
        path: path.into(),
        detail,
    };
    let json: Value = serde_json::from_str(&text).map_err(|e| wrong(format!("not JSON: {e}")))?;
    if json.get(0).is_none_or(|first| first.get("preconditioners").is_none()) {
        return Ok(None);
    }
    // From the text again, so that an error names its line.
    let times: Vec<StepTimes> = serde_json::from_str(&text).map_err(|e| wrong(format!("times of steps: {e}")))?;
    let shown = |times: &StepTimes| times.preconditioners.iter().any(|t| t.preconditioner == SHOWN);
    if times.iter().all(shown) {
        Ok(Some(times))
    } else {
        Err(wrong(format!("times of steps: one has no preconditioner {SHOWN}")))
    }
}

/// Returns the figure of files that are read: a panel for each mesh that all of them have, with the solutions of each
/// file. The reference of a panel is the implicit solution of the first file. `labels` name the files in place of their
/// devices, if there are any.
pub fn figure(files: &[Vec<StepTimes>], labels: &[String]) -> Figure {
    let mesh = |t: &StepTimes| (t.elements.clone(), t.order, t.cells);
    let of = |file: &[StepTimes], like: &StepTimes| file.iter().find(|t| mesh(t) == mesh(like)).cloned();
    let implicit = |t: &StepTimes| {
        let shown = t.preconditioners.iter().find(|p| p.preconditioner == SHOWN);
        shown.map_or(f64::NAN, |p| p.step_seconds)
    };
    let panel = |first: &StepTimes| {
        let all: Option<Vec<StepTimes>> = files.iter().map(|file| of(file, first)).collect();
        let reference = implicit(first);
        let curves = all?.into_iter().enumerate().flat_map(|(index, times)| {
            let curve = |what: &str, seconds: [f64; 2], mark| Curve {
                label: format!("{what}, {}", labels.get(index).unwrap_or(&times.device)),
                x: RATIOS.to_vec(),
                y: seconds.map(|s| s / reference).to_vec(),
                style: Style::measured(index, mark),
            };
            let explicit = RATIOS.map(|ratio| ratio * times.explicit_seconds);
            let implicit = [implicit(&times); 2];
            [curve("explicit", explicit, 0), curve("implicit", implicit, 1)]
        });
        Some(Panel {
            title: format!("{} vertices", first.vertices),
            x_label: "explicit over implicit steps, R_C".into(),
            y_label: format!("time over implicit, {}", labels.first().unwrap_or(&first.device)),
            curves: curves.collect(),
            x_scale: Scale::Logarithmic,
            y_scale: Scale::Logarithmic,
            ..Panel::default()
        })
    };
    Figure {
        title: format!("Time of a steady solution; implicit with {SHOWN}"),
        panels: files.first().into_iter().flatten().filter_map(panel).collect(),
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(device: &str, cells: u64, explicit: f64, implicit: f64) -> StepTimes {
        StepTimes {
            version: String::new(),
            created: String::new(),
            device: device.into(),
            vertices: (cells * cells * (cells + 1)) as usize,
            cells,
            order: 1,
            elements: "hex".into(),
            explicit_seconds: explicit,
            preconditioners: vec![ImplicitTimes {
                preconditioner: SHOWN.into(),
                residual_seconds: 0.1 * implicit,
                assembly_seconds: 0.15 * implicit,
                factors_seconds: 0.02 * implicit,
                iteration_seconds: 0.04 * implicit,
                step_seconds: implicit,
                iterations: 17,
            }],
        }
    }

    #[test]
    fn lines_and_constants_meet_at_the_ratio_of_the_steps() {
        let files = [
            vec![times("CPU", 8, 1.0, 10.0), times("CPU", 16, 8.0, 80.0)],
            vec![times("GPU", 16, 0.5, 4.0)],
        ];
        let figure = figure(&files, &[]);
        // The mesh of 8 cubes a side is in one file alone.
        assert_eq!(figure.panels.len(), 1);
        let [ref cpu_line, ref cpu, ref gpu_line, ref gpu] = figure.panels[0].curves[..] else {
            panic!("two curves for each file");
        };
        assert_eq!((cpu.y[0], cpu.y[1]), (1.0, 1.0));
        assert_eq!((gpu.y[0], gpu.y[1]), (0.05, 0.05));
        assert!((cpu_line.y[0] * 10.0 - cpu.y[0]).abs() < 1e-15);
        assert!((gpu_line.y[1] / 1000.0 * 8.0 - gpu.y[1]).abs() < 1e-15);
        let shares = &files[0][0].preconditioners[0];
        assert!((shares.factors_over_iteration() - 0.5).abs() < 1e-15);
        assert!((shares.share_of_assembly() - 0.25).abs() < 1e-15);
    }
}
