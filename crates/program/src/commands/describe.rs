//! The description before a run or at a check, in the log and as JSON: ranks, mesh, scheme, device, memory, time step,
//! output and averages, with warnings of settings that cannot work as intended.

use std::path::PathBuf;

use mpi::topology::SimpleCommunicator;
use serde::Serialize;

use super::loads::Loads;
use super::{Failure, word};
use crate::case::Case;
use crate::device::Precision;
use crate::format::{number, size};
use crate::io::Quantity;
use crate::mesh::partition::Report;
use crate::output;
use crate::physics::{EntropyCorrection, Riemann, Shock};
use crate::run::{RunError, TimeStep, copy_of_checkpoint};
use crate::runge_kutta::TimeScheme;
use crate::solver::Solver;

/// What a run is, before its first step.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Description {
    /// The division among ranks, of which mesh, points of the scheme and memory are those of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<Loads>,
    mesh: MeshFacts,
    scheme: SchemeFacts,
    device: String,
    memory: MemoryFacts,
    time: TimeFacts,
    output: OutputFacts,
    /// What is averaged, in words.
    means: Vec<String>,
}

impl Description {
    /// Returns the end of the run in words.
    pub fn end(&self) -> String {
        self.time.end_in_words()
    }

    /// Returns whether a time ends the run, and not a number of steps alone.
    pub fn ends_at_a_time(&self) -> bool {
        self.time.end.is_some()
    }

    /// Returns the device in words.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Returns the bytes of memory on the device of a rank.
    pub fn memory(&self) -> f64 {
        self.memory.total.value
    }

    /// Returns where and what the run writes.
    pub fn output(&self) -> &OutputFacts {
        &self.output
    }
}

/// Logs the description of a run, and returns it. Warns if the time step is beyond linear stability or an output would
/// stay empty. Collective.
///
/// # Errors
/// The device fails, or statistics cannot be taken on this mesh.
pub fn describe(case: &Case, solver: &mut Solver, world: &SimpleCommunicator) -> Result<Description, Failure> {
    let rates = solver.time_step_bounds()?;
    let stable = solver.stable_step(&rates);
    let ranks = (solver.ranks.size() > 1).then(|| {
        let report = Report::of_ranks(&solver.mesh, world, case.solver.order);
        tracing::info!("ranks   {}", report.summary(case.solver.precision));
        tracing::info!("        of the first:");
        Loads::of(&report)
    });
    let mesh = MeshFacts::of(solver);
    mesh.log();
    let scheme = SchemeFacts::of(case, solver);
    scheme.log(case);
    scheme.warn_of_central_interfaces(case);
    let device = solver.device.describe();
    tracing::info!("device  {device}");
    let memory = MemoryFacts::of(case, solver);
    memory.log();
    let time = TimeFacts::of(case);
    time.log();
    warn_of_instability(case, solver, stable);
    let output = OutputFacts::of(case);
    output.log();
    warn_of_empty_output(case);
    let means = means(case, solver)?;
    for line in &means {
        tracing::info!("means   {line}");
    }
    Ok(Description {
        ranks,
        mesh,
        scheme,
        device,
        memory,
        time,
        output,
        means,
    })
}

/// The cells of a rank.
#[derive(Debug, Serialize)]
struct MeshFacts {
    /// Kinds of cells that occur, and the number of each.
    cells: Vec<KindFacts>,
    affine: usize,
    curved: usize,
}

#[derive(Debug, Serialize)]
struct KindFacts {
    kind: &'static str,
    count: usize,
    #[serde(skip)]
    noun: &'static str,
}

impl MeshFacts {
    fn of(solver: &Solver) -> Self {
        let affine = (0..solver.mesh.len()).filter(|&c| solver.geometry.is_affine(c)).count();
        let kinds = solver.mesh.kinds_present().into_iter().map(|kind| {
            let count = solver.mesh.kinds.iter().filter(|k| **k == kind).count();
            KindFacts {
                kind: kind.name(),
                count,
                noun: if count == 1 { kind.noun() } else { kind.plural() },
            }
        });
        MeshFacts {
            cells: kinds.collect(),
            affine,
            curved: solver.mesh.len() - affine,
        }
    }

    fn log(&self) {
        let kinds = self.cells.iter().map(|kind| format!("{} {}", kind.count, kind.noun));
        tracing::info!(
            "mesh    {} ({} affine, {} with metric terms at every point)",
            kinds.collect::<Vec<_>>().join(", "),
            self.affine,
            self.curved
        );
    }
}

/// The scheme, in the words of the case file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct SchemeFacts {
    order: usize,
    points: usize,
    split: String,
    riemann: String,
    correction: String,
    entropy_correction: String,
    shock: String,
    time_scheme: String,
    precision: String,
    /// Which cells of the mesh have their entropy corrected, in words.
    #[serde(skip)]
    corrected: &'static str,
}

impl SchemeFacts {
    fn of(case: &Case, solver: &Solver) -> Self {
        let (scheme, kinds) = (&case.solver.scheme, solver.mesh.kinds_present());
        let corrected: Vec<_> = kinds.iter().filter(|kind| scheme.corrects_entropy(**kind)).collect();
        SchemeFacts {
            order: case.solver.order,
            points: solver.points(),
            split: word(scheme.split),
            riemann: word(scheme.riemann),
            correction: word(scheme.correction),
            entropy_correction: word(scheme.entropy_correction),
            shock: word(scheme.shock),
            time_scheme: word(case.solver.time_scheme),
            precision: word(case.solver.precision),
            corrected: match (corrected.len(), kinds.len()) {
                (0, _) => "",
                (some, all) if some < all => ", entropy corrected in hexahedra and prisms",
                _ => ", entropy corrected in cells",
            },
        }
    }

    fn log(&self, case: &Case) {
        tracing::info!(
            "scheme  p = {}, {} points, split {}, {} interfaces, {} correction{}, {}{}{}{}",
            self.order,
            self.points,
            self.split,
            self.riemann,
            self.correction,
            self.corrected,
            case.solver.time_scheme.name(),
            if case.solver.kahan { " with Kahan summation" } else { "" },
            match case.solver.scheme.shock {
                Shock::None => "",
                Shock::EntropyFilter => ", entropy filter",
                Shock::Positivity => ", positivity limiter",
            },
            match case.solver.scheme.artificial_bulk_viscosity {
                0.0 => String::new(),
                constant => format!(", artificial bulk viscosity {constant}"),
            }
        );
        let reasons = self.reasons_of_defaults(case);
        if !reasons.is_empty() {
            tracing::info!("        of these by default: {}", reasons.join("; "));
        }
    }

    /// Warns of a correction of the entropy that the interfaces do not go with.
    fn warn_of_central_interfaces(&self, case: &Case) {
        if case.solver.scheme.riemann == Riemann::Central && !self.corrected.is_empty() {
            tracing::warn!(
                "`scheme.riemann: central` dissipates nothing at interfaces, and `entropy-correction: {}` corrects \
                 what cells do inside alone, so that nothing bounds the total entropy: take `roe` or \
                 `roe-entropy-stable`",
                self.entropy_correction
            );
        }
    }

    /// Returns what a case takes that does not say otherwise, so that it runs unattended, each with its reason.
    fn reasons_of_defaults(&self, case: &Case) -> Vec<&'static str> {
        let scheme = &case.solver.scheme;
        let mut reasons = Vec::new();
        if scheme.entropy_correction == EntropyCorrection::default() && !self.corrected.is_empty() {
            reasons.push("`entropy-correction: auto`, since under-resolved hexahedra and prisms may die without it");
        }
        if scheme.shock == Shock::default() {
            reasons.push("`shock: positivity`, which acts where a cell would be lost");
        }
        if case.solver.time_scheme == TimeScheme::default() {
            reasons.push("`time.scheme: lsrk10`, which needs few right-hand sides and adds little rounding");
        }
        reasons
    }
}

/// The memory of the device of a rank.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct MemoryFacts {
    total: Quantity,
    per_point: PointMemory,
    reals_per_point: f64,
    /// Copies on the host from which the files of one step are written beside the run.
    copies_for_files: Quantity,
}

/// Bytes of each point.
#[derive(Debug, Serialize)]
struct PointMemory {
    total: f64,
    state: f64,
    traces: f64,
    geometry: f64,
    connectivity: f64,
    other: f64,
    unit: &'static str,
}

impl MemoryFacts {
    fn of(case: &Case, solver: &Solver) -> Self {
        let memory = solver.device.memory();
        let real = if case.solver.precision == Precision::Double {
            8.0
        } else {
            4.0
        };
        let per_point = |bytes: usize| bytes as f64 / solver.points() as f64;
        MemoryFacts {
            total: Quantity::new(memory.total() as f64, "bytes"),
            per_point: PointMemory {
                total: per_point(memory.total()),
                state: per_point(memory.state),
                traces: per_point(memory.traces),
                geometry: per_point(memory.geometry),
                connectivity: per_point(memory.connectivity),
                other: per_point(memory.other),
                unit: "bytes",
            },
            reals_per_point: per_point(memory.total()) / real,
            copies_for_files: Quantity::new(copies_for_files(case, solver), "bytes"),
        }
    }

    fn log(&self) {
        let point = &self.per_point;
        tracing::info!(
            "memory  {}: {:.1} bytes = {:.1} reals a point (state {:.0}, traces {:.0}, geometry {:.0}, \
             connectivity {:.0}, other {:.0}); on the host {} for copies from which files are written",
            size(self.total.value),
            point.total,
            self.reals_per_point,
            point.state,
            point.traces,
            point.geometry,
            point.connectivity,
            point.other,
            size(self.copies_for_files.value)
        );
    }
}

/// Returns the bytes of the copies from which a checkpoint and the files of the same step are written beside the run: a
/// mean over the ranks for the files of outputs. Collective.
fn copies_for_files(case: &Case, solver: &Solver) -> f64 {
    let beside = case
        .output
        .requests
        .iter()
        .filter(|request| request.is_written_beside());
    let files: f64 = beside.filter_map(|request| request.bytes_per_file(solver)).sum();
    let checkpoint = if case.output.writes() {
        copy_of_checkpoint(&case.solver, solver)
    } else {
        0.0
    };
    files / solver.ranks.size() as f64 + checkpoint
}

/// When a run ends, and what chooses its step.
#[derive(Debug, Serialize)]
struct TimeFacts {
    end: Option<Quantity>,
    steps: Option<u64>,
    until: Option<UntilFacts>,
    dt: Option<Quantity>,
    cfl: Option<f64>,
}

/// The result that ends a run, and the share of its value that its error has to be below.
#[derive(Debug, Serialize)]
struct UntilFacts {
    known: String,
    to: f64,
}

impl TimeFacts {
    fn of(case: &Case) -> Self {
        let until = case.run.until.as_ref();
        let seconds = |time: f64| Quantity::new(time, "s");
        let (dt, cfl) = match case.run.step {
            TimeStep::Fixed(dt) => (Some(seconds(dt)), None),
            TimeStep::Cfl(cfl) => (None, Some(cfl)),
        };
        TimeFacts {
            end: case.run.end.map(seconds),
            steps: case.run.steps,
            until: until.map(|until| UntilFacts {
                known: until.result.clone(),
                to: until.share,
            }),
            dt,
            cfl,
        }
    }

    fn end_in_words(&self) -> String {
        let end = match (self.end.as_ref().map(|end| end.value), self.steps) {
            (Some(t), Some(n)) => format!("to t = {} or {n} steps", number(t)),
            (Some(t), None) => format!("to t = {}", number(t)),
            (None, Some(n)) => format!("{n} steps"),
            (None, None) => String::new(),
        };
        let until = self.until.as_ref();
        let until = until.map_or_else(String::new, |until| {
            format!(", or until {} is known to {} %", until.known, number(100.0 * until.to))
        });
        end + &until
    }

    fn log(&self) {
        let dt = self.dt.iter().map(|dt| format!("dt = {:.4e}", dt.value));
        let step: String = dt.chain(self.cfl.map(|cfl| format!("cfl = {cfl}"))).collect();
        tracing::info!("time    {}, {step}", self.end_in_words());
    }
}

/// Where and what a run writes.
#[derive(Debug, Serialize)]
pub struct OutputFacts {
    /// Directory of all files.
    pub directory: PathBuf,
    /// Each output with its period, in words.
    pub outputs: Vec<String>,
}

impl OutputFacts {
    fn of(case: &Case) -> Self {
        OutputFacts {
            directory: case.output.directory.clone(),
            outputs: case.output.files(),
        }
    }

    fn log(&self) {
        let list = if self.outputs.is_empty() {
            "none".to_owned()
        } else {
            self.outputs.join(", ")
        };
        tracing::info!("output  {}: {list}", self.directory.display());
    }
}

fn warn_of_instability(case: &Case, solver: &Solver, stable: f64) {
    match case.run.step {
        TimeStep::Fixed(dt) if dt <= stable && dt > solver.stable_step_with_bars(stable, dt) => {
            let with_bars = solver.stable_step_with_bars(stable, dt);
            tracing::warn!(
                "dt {dt:.3e} is above the linear stability limit of the initial state with bars, {with_bars:.3e}: a \
                 smaller dt or a smaller `strength` of the bars helps"
            );
        }
        TimeStep::Fixed(dt) if dt > stable => {
            tracing::warn!("dt {dt:.3e} is above the linear stability limit {stable:.3e} of the initial state");
        }
        TimeStep::Cfl(cfl) if cfl > 1.0 => {
            tracing::warn!("cfl {cfl} is above 1, the limit of linear stability: the run may diverge");
        }
        _ => {}
    }
}

fn warn_of_empty_output(case: &Case) {
    for warning in &case.output.warnings {
        tracing::warn!("{warning}");
    }
    if case.output.requests.is_empty() {
        let left = if case.output.checkpoints.is_some() {
            "nothing but checkpoints"
        } else {
            "nothing at all"
        };
        tracing::warn!(
            "output: the run writes {left}: with `output: {{integrals: {{every-steps: 10}}, solution: {{every: 1}}}}` \
             it would write sums over the domain and files for ParaView"
        );
    }
    for request in &case.output.requests {
        let Some(end) = case.run.end else { continue };
        let name = request.label().replace(' ', ".");
        if let Some(from) = request.samples_from().filter(|from| *from >= end) {
            tracing::warn!(
                "output.{name}.from: nothing is sampled, as the run ends at t = {end} and samples begin \
                 after t = {from}"
            );
        }
        if let Some(from) = request.means_from().filter(|from| *from >= end) {
            tracing::warn!(
                "output.{name}.means-from: no means are taken, as the run ends at t = {end} and they begin \
                 after t = {from}"
            );
        }
    }
}

/// Returns what is averaged, in words. Collective.
fn means(case: &Case, solver: &mut Solver) -> Result<Vec<String>, Failure> {
    let lines = output::describe(&case.output, solver).map_err(RunError::from);
    lines.map_err(|e| case.locate_run(e).map_or_else(Failure::from, Failure::from))
}
