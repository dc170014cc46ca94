//! The programs of a run: which files are compiled with which macros and constants.
//!
//! All constants of the run are frozen into the code, and sweep 2 is compiled once for every stage: what does not apply is
//! not there, and what is known is an operand. Without constants (PTX made ahead of time) the kernels read them as parameters.

use std::fmt::Write as _;

use super::shape::launch_shape;
use super::source::Program;
use crate::device::Physics;
use crate::device::Scheme;
use crate::device::memory::Real;
use crate::device::params::Params;
use crate::element::Correction;
use crate::element::{ElementKind, LineElement};
use crate::physics::{Gas, Riemann, Split, Viscosity};

/// Stages of sweep 2 as ptx/params.h numbers them.
const STAGES: [&str; 4] = ["rhs", "first", "middle", "last"];

/// Files of the kernels of a run.
const FILES: usize = 9;

/// What kernels are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Kind of cell.
    pub kind: ElementKind,
    /// Polynomial degree.
    pub order: usize,
    /// Double precision.
    pub double: bool,
    /// Approximate reciprocals and roots.
    pub fast: bool,
    /// Metric terms at every point.
    pub curved: bool,
}

impl Variant {
    /// The programs: [`Variant::files`] but sweep 2, then sweep 2 by stage, or once if there are no constants.
    pub fn programs(&self, constants: Option<&Constants>) -> Vec<Program> {
        let mut programs: Vec<Program> = (self.files().iter().take(FILES - 1))
            .map(|file| self.program(file, constants))
            .collect();
        match constants {
            Some(_) => {
                let stages = STAGES.iter().enumerate();
                programs.extend(stages.map(|(stage, name)| Program {
                    label: format!("sweep2 {name}"),
                    file: self.sweep2(),
                    macros: self.macros(self.sweep2(), constants, stage),
                }));
            }
            None => programs.push(self.program(self.sweep2(), None)),
        }
        programs
    }

    /// The files of a run's kernels, sweep 2 last.
    pub fn files(&self) -> [&'static str; FILES] {
        [
            "ghosts.cu",
            "surface.cu",
            "halo.cu",
            "sample.cu",
            self.sweep1(),
            "bounds.cu",
            "integrals.cu",
            "statistics.cu",
            self.sweep2(),
        ]
    }

    /// The file of sweep 1.
    pub fn sweep1(&self) -> &'static str {
        match self.kind {
            ElementKind::Hex => "sweep1.cu",
            _ => "sweep1_dense.cu",
        }
    }

    /// The file of sweep 2.
    pub fn sweep2(&self) -> &'static str {
        match self.kind {
            ElementKind::Hex => "sweep2.cu",
            _ => "sweep2_dense.cu",
        }
    }

    /// One file as a program of its own.
    pub fn program(&self, file: &'static str, constants: Option<&Constants>) -> Program {
        Program {
            label: file.trim_end_matches(".cu").trim_end_matches("_dense").to_owned(),
            file,
            macros: self.macros(file, constants, 0),
        }
    }

    fn macros(&self, file: &str, constants: Option<&Constants>, stage: usize) -> Vec<(String, String)> {
        let shape = launch_shape(file, "", self);
        let mut macros = vec![
            ("ELEMENT", self.kind.name().to_uppercase()),
            ("WIDE", shape.wide.to_string()),
            ("ORDER", self.order.to_string()),
            ("REAL", if self.double { "double" } else { "float" }.to_owned()),
            ("CELLS", shape.cells.to_string()),
            ("BLOCKS", shape.blocks.to_string()),
        ];
        if self.fast {
            macros.push(("FAST", "1".to_owned()));
        }
        if let Some(Constants(text)) = constants {
            let points = if self.curved { self.kind.points(self.order) } else { 1 };
            let frozen =
                format!("{text}static constexpr int stage = {stage}; static constexpr int metric_points = {points};");
            macros.push(("FROZEN", frozen));
        }
        macros
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

/// The constants of `struct Params` (ptx/params.h) but stage and metric points, as static members of the same names.
pub struct Constants(String);

impl Constants {
    /// Those of a run, in decimal numbers that read back to the same bits.
    pub fn of<R: Real>(p: &Params<R>) -> Self {
        let number = |x: R| {
            if R::DOUBLE {
                format!("{:e}", x.to_f64())
            } else {
                format!("{:e}f", x.to_f64() as f32)
            }
        };
        let mut text = String::new();
        for (name, values) in [
            ("diff", &p.diff[..]),
            ("correction", &p.correction),
            ("weights", &p.weights),
        ] {
            let list: Vec<String> = values.iter().map(|&x| number(x)).collect();
            let _ = write!(text, "static constexpr real {name}[] = {{{}}}; ", list.join(", "));
        }
        for (name, value) in [
            ("gamma", p.gamma),
            ("gas_constant", p.gas_constant),
            ("cv", p.cv),
            ("cp", p.cp),
            ("conductivity_factor", p.conductivity_factor),
            ("mu", p.mu),
            ("sutherland_factor", p.sutherland_factor),
            ("sutherland_s", p.sutherland_s),
            ("sgs_factor", p.sgs_factor),
            ("sgs_conductivity_factor", p.sgs_conductivity_factor),
        ] {
            let _ = write!(text, "static constexpr real {name} = {}; ", number(value));
        }
        for (name, value) in [
            ("split", p.split),
            ("riemann", p.riemann),
            ("viscosity", p.viscosity),
            ("kahan", p.kahan),
            ("boundaries", p.boundaries),
            ("uniform", p.uniform),
            ("sgs", p.sgs),
        ] {
            let _ = write!(text, "static constexpr int {name} = {value}; ");
        }
        Constants(text)
    }

    /// Those of a Taylor-Green vortex with the default scheme: what listings show.
    pub fn typical(variant: &Variant) -> Self {
        let physics = Physics {
            gas: Gas {
                gamma: 1.4,
                prandtl: 0.71,
                gas_constant: 1.0,
                viscosity: Some(Viscosity::Constant(1.0 / 1600.0)),
            },
            scheme: Scheme {
                split: Split::KennedyGruber,
                riemann: Riemann::Roe,
                correction: Correction::Radau,
            },
            kahan: true,
            sgs: None,
        };
        let line = LineElement::new(variant.order, physics.scheme.correction);
        fn of<R: Real>(line: &LineElement, physics: &Physics) -> Constants {
            let mut params = Params::<R>::constants(line, physics);
            params.uniform = 1;
            Constants::of(&params)
        }
        if variant.double {
            of::<f64>(&line, &physics)
        } else {
            of::<f32>(&line, &physics)
        }
    }
}
