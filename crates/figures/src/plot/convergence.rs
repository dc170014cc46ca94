//! The convergence of steady solutions (`convergence.csv`): residuals over their largest values, forces on the no-slip
//! walls, and the CFL number, over the iterations.

use std::fmt::Write;
use std::path::Path;

use super::error::Error;
use super::figure::{Curve, Figure, Panel, Scale, Style};
use crate::format::number;
use crate::io::{Table, read_series};

/// The column of the iterations, and another that only these tables have.
const ITERATION: &str = "iteration";
const OWN: &str = "friction_x";
/// The columns that have residuals, with the name of the equation of each.
const RESIDUALS: [(&str, &str); 6] = [
    ("density", "density"),
    ("momentum", "momentum"),
    ("energy", "energy"),
    ("nu-tilde", "\u{3bd}\u{303}"),
    ("k", "k"),
    ("omega", "\u{3c9}"),
];
/// Share of the largest force below which a component is round-off.
const ROUND_OFF: f64 = 1e-9;

/// The convergence of a steady solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Convergence {
    /// The name in the legend.
    pub label: String,
    table: Table,
}

/// Returns whether a table holds the convergence of a steady solution.
pub fn is_convergence(table: &Table) -> bool {
    [ITERATION, OWN].iter().all(|name| table.column(name).is_some())
}

impl Convergence {
    /// Reads a table.
    ///
    /// # Errors
    /// The file cannot be read, or has fewer than two rows.
    pub fn read(label: String, path: &Path) -> Result<Self, Error> {
        let table = read_series(path)?;
        let rows = table.columns.first().map_or(0, Vec::len);
        if rows < 2 {
            return Err(Error::TooShort {
                path: path.into(),
                rows,
                needed: 2,
            });
        }
        Ok(Self::of_table(label, table))
    }

    /// Takes a table that has been read.
    pub fn of_table(label: String, table: Table) -> Self {
        Convergence { label, table }
    }

    fn column(&self, name: &str) -> &[f64] {
        self.table.column(name).unwrap_or_default()
    }

    /// Returns a residual over its largest value; empty of an equation that is not solved.
    fn residual(&self, name: &str) -> Vec<f64> {
        let column = self.column(name);
        let largest = column.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            column.iter().map(|value| value / largest).collect()
        } else {
            Vec::new()
        }
    }

    /// Returns the sum of pressure and friction along each direction, with its name; without what is round-off.
    fn forces(&self) -> Vec<(&'static str, Vec<f64>)> {
        let of = |d: &str| -> Vec<f64> {
            let parts = ["pressure", "friction"].map(|part| self.column(&format!("{part}_{d}")));
            parts[0].iter().zip(parts[1]).map(|(a, b)| a + b).collect()
        };
        let size = |force: &[f64]| force.last().map_or(0.0, |last| last.abs());
        let all = ["x", "y", "z"].map(|d| (d, of(d)));
        let largest = all.iter().map(|(_, force)| size(force)).fold(0.0, f64::max);
        let kept = all.into_iter().filter(|(_, force)| size(force) > ROUND_OFF * largest);
        kept.collect()
    }
}

/// Returns the figure. One solution has the residuals of all equations; several have those of the density.
pub fn figure(runs: &[Convergence]) -> Figure {
    let panel = |title: &str, symbol: &str| Panel {
        title: title.into(),
        x_label: "iteration".into(),
        y_label: symbol.into(),
        ..Panel::default()
    };
    let mut residuals = panel("Residuals over their largest values", "residual");
    residuals.y_scale = Scale::Logarithmic;
    let mut forces = panel("Forces on the no-slip walls", "force");
    let mut cfl = panel("CFL number", "CFL");
    let alone = runs.len() == 1;
    for (index, run) in runs.iter().enumerate() {
        let add = |panel: &mut Panel, label: String, y: Vec<f64>, style: Style| {
            if !y.is_empty() {
                panel.curves.push(Curve {
                    label,
                    x: run.column(ITERATION).to_vec(),
                    y,
                    style,
                });
            }
        };
        let shown = if alone { RESIDUALS.len() } else { 1 };
        for (number, (name, what)) in RESIDUALS.into_iter().enumerate().take(shown) {
            let label = if alone { what.to_owned() } else { run.label.clone() };
            add(
                &mut residuals,
                label,
                run.residual(name),
                Style::run(if alone { number } else { index }),
            );
        }
        for (number, (direction, force)) in run.forces().into_iter().enumerate() {
            let (label, style) = if alone {
                (direction.to_owned(), Style::run(number))
            } else {
                (format!("{}, {direction}", run.label), Style::measured(index, number))
            };
            let style = Style {
                marker: Default::default(),
                ..style
            };
            add(&mut forces, label, force, style);
        }
        let label = if alone { String::new() } else { run.label.clone() };
        add(&mut cfl, label, run.column("cfl").to_vec(), Style::run(index));
    }
    let panels = [residuals, forces, cfl]
        .into_iter()
        .filter(|panel| !panel.curves.is_empty());
    Figure {
        own_legends: true,
        panels: panels.collect(),
        ..Figure::default()
    }
}

/// Returns the last values of all solutions: residuals over their largest values, and forces.
pub fn table(runs: &[Convergence]) -> String {
    let mut lines = String::new();
    for run in runs {
        let last = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
        // Writing into a string cannot fail, hence the ignored results.
        let _ = writeln!(lines, "{}: iteration {}", run.label, last(run.column(ITERATION)));
        for (name, _) in RESIDUALS {
            let residual = run.residual(name);
            if !residual.is_empty() {
                let _ = writeln!(
                    lines,
                    "  residual of {name}: {} of the largest",
                    number(last(&residual))
                );
            }
        }
        for part in ["pressure", "friction"] {
            let [x, y, z] = ["x", "y", "z"].map(|d| number(last(run.column(&format!("{part}_{d}")))));
            let _ = writeln!(lines, "  force of {part}: {x}, {y}, {z}");
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solution(label: &str) -> Convergence {
        let text =
            b"iteration,cfl,density,momentum,energy,nu-tilde,pressure_x,pressure_y,pressure_z,friction_x,friction_y,\
                     friction_z\n,,,,,,,,,,,\n20,1,4,2,8,0,1,-3,1e-15,0.5,0,0\n40,1.2,2,4,2,0,2,-4,1e-15,0.25,0,0\n";
        Convergence::of_table(label.to_owned(), Table::parse(text).unwrap())
    }

    #[test]
    fn residuals_are_relative_and_forces_are_sums_without_round_off() {
        let run = solution("a");
        assert!(is_convergence(&run.table));
        let one = figure(std::slice::from_ref(&run));
        let [residuals, forces, cfl] = &one.panels[..] else {
            panic!("{one:?}")
        };
        let labels = |panel: &Panel| panel.curves.iter().map(|curve| curve.label.clone()).collect::<Vec<_>>();
        assert_eq!(labels(residuals), ["density", "momentum", "energy"]);
        assert_eq!(residuals.curves[0].y, [1.0, 0.5]);
        assert_eq!(residuals.curves[1].y, [0.5, 1.0]);
        assert_eq!(residuals.y_scale, Scale::Logarithmic);
        assert_eq!(labels(forces), ["x", "y"]);
        assert_eq!(forces.curves[0].y, [1.5, 2.25]);
        assert_eq!(cfl.curves[0].y, [1.0, 1.2]);
        let two = figure(&[run.clone(), solution("b")]);
        assert_eq!(labels(&two.panels[0]), ["a", "b"]);
        assert_eq!(labels(&two.panels[1]), ["a, x", "a, y", "b, x", "b, y"]);
        let text = table(&[run]);
        assert!(
            text.contains("a: iteration 40\n  residual of density: 0.5 of the largest\n"),
            "{text}"
        );
        assert!(
            text.contains("force of pressure: 2, -4, ") && !text.contains("nu-tilde"),
            "{text}"
        );
    }
}
