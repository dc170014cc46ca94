//! The programs of a run: the files to compile, with their macros and constants.
//!
//! All constants of the run are frozen into the code, and sweep 2 is compiled once for each stage, so that the compiler
//! folds constants and removes branches. Without constants, in prebuilt PTX, the kernels read them as parameters.

use super::shape::launch_shape;
use super::source::Program;
use super::variant::Variant;
use crate::device::contract::{CONSTANTS, ConstantValue, Kernel, Params, Stage, Use, files_of};
use crate::device::memory::Real;
use crate::device::{Physics, Scheme};
use crate::element::{Correction, LineElement};
use crate::physics::{EntropyCorrection, Gas, MOST_SCALARS, Riemann, ScalarConstants, Shock, Split, Viscosity};

impl Variant {
    /// Returns the programs of a run: one for each file of its kernels, without those of passive scalars if the
    /// constants say that it has none. With constants, files that are compiled by stage have one program for each.
    pub fn programs(&self, constants: Option<&Constants>) -> Vec<Program> {
        let stages: &[Stage] = if constants.is_some() { &Stage::ALL } else { &[] };
        let scalars = constants.is_none_or(|constants| constants.scalars);
        let (once, by_stage) = if scalars {
            (
                &[Use::Run, Use::Scalars][..],
                &[Use::ScalarsByStage, Use::RunByStage][..],
            )
        } else {
            (&[Use::Run][..], &[Use::RunByStage][..])
        };
        let mut programs: Vec<Program> = files_of(self.kind, once)
            .into_iter()
            .map(|file| self.program(file, constants))
            .collect();
        for file in files_of(self.kind, by_stage) {
            if stages.is_empty() {
                programs.push(self.program(file, constants));
            }
            programs.extend(stages.iter().map(|&stage| Program {
                label: format!("{} {}", label(file), stage.name()),
                folder: "kernels",
                file,
                stage: Some(stage),
                macros: self.of_file(file, Some(stage)).macros(file, constants, Some(stage)),
            }));
        }
        programs
    }

    /// Returns the program of one file, which is not specialised for a stage of the time step.
    pub fn program(&self, file: &'static str, constants: Option<&Constants>) -> Program {
        Program {
            label: label(file).to_owned(),
            folder: "kernels",
            file,
            stage: None,
            macros: self.of_file(file, None).macros(file, constants, None),
        }
    }

    /// Returns the names and values of the macros of a program, of one stage or of all.
    fn macros(&self, file: &str, constants: Option<&Constants>, stage: Option<Stage>) -> Vec<(String, String)> {
        let shape = launch_shape(file, None, self);
        let mut macros = vec![
            ("ELEMENT", self.kind.name().to_uppercase()),
            ("POINTS_PER_THREAD", shape.points_per_thread.to_string()),
            ("ORDER", self.order.to_string()),
            ("REAL", if self.double { "double" } else { "float" }.to_owned()),
            ("CELLS_PER_BLOCK", shape.cells.to_string()),
            ("MIN_BLOCKS_PER_SM", shape.min_blocks.to_string()),
        ];
        if self.fast {
            macros.push(("FAST_MATH", "1".to_owned()));
        }
        if self.tensor_cores(file) {
            macros.push(("TENSOR_CORES", "1".to_owned()));
        }
        if self.corrects_entropy {
            macros.push(("ENTROPY_CORRECTION", "1".to_owned()));
        }
        if let Some(constants) = constants {
            let points = if self.curved { self.kind.points(self.order) } else { 1 };
            macros.push((
                "FROZEN",
                constants.frozen(file, stage.unwrap_or(Stage::RhsOnly), points),
            ));
        }
        // params.h asserts the offsets of fields by offsetof, which NVRTC does not have. Its front end has __INTADDR__.
        macros.push((
            "__builtin_offsetof(type, field)",
            "__INTADDR__(&(((type *)0)->field))".to_owned(),
        ));
        // The kernels assert that the threads and the shared memory of the host's launches are those that they use.
        macros.push(("LAUNCH_THREADS", shape.threads.to_string()));
        let shared = Kernel::ALL
            .iter()
            .filter(|kernel| kernel.file(self.kind) == Some(file))
            .map(|kernel| {
                (
                    format!("SHARED_BYTES_{}", kernel.spec().name),
                    self.shared(*kernel).to_string(),
                )
            });
        let shared: Vec<_> = shared.collect();
        let macros = macros.into_iter().map(|(name, value)| (name.to_owned(), value));
        macros.chain(shared).collect()
    }
}

/// Returns the name of a file in listings.
fn label(file: &str) -> &str {
    file.trim_end_matches(".cu").trim_end_matches("_dense")
}

/// Returns the declaration of a constant as a static member; `number` writes a real so that it is read back with the
/// same bits.
pub(super) fn member(name: &str, value: ConstantValue, number: impl Fn(f64) -> String) -> String {
    match value {
        ConstantValue::Int(value) => format!("static constexpr int {name} = {value}; "),
        ConstantValue::Real(value) => format!("static constexpr real {name} = {}; ", number(value)),
        ConstantValue::Reals(values) => {
            let list: Vec<String> = values.into_iter().map(number).collect();
            format!("static constexpr real {name}[] = {{{}}}; ", list.join(", "))
        }
    }
}

/// The constants of a run: names, and C++ declarations of static members of these names.
pub struct Constants {
    members: Vec<(&'static str, String)>,
    /// What the kernel of the filter has in place of the constant `shock`, if it is another than the other kernels
    /// have: listings show that kernel, and the others as they are without it.
    of_filter: Option<String>,
    /// Whether the run has passive scalars.
    scalars: bool,
}

/// The file of the filter.
const FILTER: &str = "filter.cu";

impl Constants {
    /// Returns the constants of a run. Reals are decimal numbers that are read back with the same bits.
    pub fn of<R: Real>(p: &Params<R>) -> Self {
        let number = |x: f64| {
            if R::DOUBLE {
                format!("{x:e}")
            } else {
                format!("{:e}f", x as f32)
            }
        };
        let members = CONSTANTS.iter().zip(p.constant_values());
        Constants {
            members: members
                .map(|(field, value)| (field.name, member(field.name, value, number)))
                .collect(),
            of_filter: None,
            scalars: p.scalar_count > 0,
        }
    }

    /// Returns the declarations of all members. The stage and the number of metric points are those of the program.
    fn frozen(&self, file: &str, stage: Stage, metric_points: usize) -> String {
        let of_filter = self.of_filter.as_ref().filter(|_| file == FILTER);
        let members = self.members.iter().map(|(name, member)| match *name {
            "shock" => of_filter.unwrap_or(member).clone(),
            "stage" => format!("static constexpr int stage = {}; ", stage as i32),
            "metric_points" => format!("static constexpr int metric_points = {metric_points}; "),
            _ => member.clone(),
        });
        members.collect()
    }

    /// Returns the constants of a Taylor-Green vortex with the default scheme, which listings of kernels use.
    pub fn typical(variant: &Variant) -> Self {
        let gas = Gas {
            gamma: 1.4,
            prandtl: 0.71,
            gas_constant: 1.0,
            viscosity: Some(Viscosity::Constant(1.0 / 1600.0)),
        };
        let scheme = Scheme {
            split: Split::KennedyGruber,
            riemann: Riemann::Roe,
            correction: Correction::Radau,
            entropy_correction: if variant.corrects_entropy {
                EntropyCorrection::Cells
            } else {
                EntropyCorrection::None
            },
            shock: Shock::None,
            entropy_tolerance: 1e-4,
            artificial_bulk_viscosity: 0.0,
        };
        let physics = Physics {
            scalars: ScalarConstants {
                count: 1,
                diffusion: [1.0; MOST_SCALARS],
                eddy_diffusion: [1.0; MOST_SCALARS],
            },
            ..Physics::new(gas, scheme)
        };
        let line = LineElement::new(variant.order, physics.scheme.correction);
        fn of<R: Real>(line: &LineElement, physics: &Physics) -> Constants {
            let mut params = Params::<R>::constants(line, physics);
            params.uniform = 1;
            Constants::of(&params)
        }
        let constants = if variant.double {
            of::<f64>(&line, &physics)
        } else {
            of::<f32>(&line, &physics)
        };
        let shock = ConstantValue::Int(Shock::EntropyFilter as i32);
        Constants {
            of_filter: Some(member("shock", shock, |number| number.to_string())),
            ..constants
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ElementKind;

    /// Returns the labels of the programs that have the correction of the entropy.
    fn corrected(programs: &[Program]) -> Vec<&str> {
        let has = |program: &&Program| program.macros.iter().any(|(name, _)| name == "ENTROPY_CORRECTION");
        programs
            .iter()
            .filter(has)
            .map(|program| program.label.as_str())
            .collect()
    }

    #[test]
    fn the_entropy_is_corrected_in_the_last_stage_and_in_prebuilt_kernels_of_all_stages() {
        for kind in ElementKind::ALL {
            let variant = Variant {
                kind,
                order: 3,
                double: false,
                fast: true,
                curved: true,
                corrects_entropy: true,
            };
            let constants = Constants::typical(&variant);
            let of_run = variant.programs(Some(&constants));
            assert_eq!(corrected(&of_run), ["sweep2 rhs", "sweep2 last"], "{kind}");
            assert_eq!(corrected(&variant.prebuilt().programs(None)), ["sweep2"], "{kind}");
            let without = Variant {
                corrects_entropy: false,
                ..variant
            };
            assert!(corrected(&without.programs(Some(&constants))).is_empty(), "{kind}");
        }
    }
}
