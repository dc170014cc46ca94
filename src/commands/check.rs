//! `fr-les check run.yaml`: reads and builds everything, reports mesh, memory and time step, and runs nothing.

use mpi::topology::SimpleCommunicator;

use super::Failure;
use super::describe::describe;
use super::run::{CaseArgs, set_up};
use crate::device::DeviceKind;
use crate::device::cuda::Gpu;
use crate::input::Every;
use crate::output;
use crate::ranks::Ranks;
use crate::run::{Restart, RunError, TimeStep};
use crate::solver::Clock;

/// Reports what a run would be on the ranks of `world`.
pub fn run(args: &CaseArgs, world: &SimpleCommunicator) -> Result<(), Failure> {
    let mut case = args.read_on_ranks(world)?;
    tracing::info!("{}", case.title);
    // Where clusters are logged in to, cases are checked, and there is no GPU.
    if case.solver.device == DeviceKind::Cuda && !Gpu::has_driver() {
        tracing::warn!(
            "device: cuda, and no NVIDIA driver here: a run needs one, and what follows is what the CPU would take"
        );
        case.solver.device = DeviceKind::Cpu;
    }
    let restart = match &case.run.restart {
        Some(Restart::File(path)) if !path.exists() => {
            let text = format!("there is no checkpoint {}", path.display());
            Err(case.refuse("restart", text).into())
        }
        _ => Ok(()),
    };
    Ranks::of(world).agree(restart, Failure::Elsewhere)?;
    let mut solver = set_up(&case, world)?;
    let outputs = output::create(&case.output, &mut solver, &Clock::default()).map(drop);
    let outputs = outputs.map_err(RunError::from);
    outputs.map_err(|e| case.locate_run(e).map_or_else(Failure::from, Failure::from))?;
    describe(&case, &mut solver, world)?;
    let rates = solver.rates()?;
    let stable = solver.stable_step(&rates);
    let dt = match case.run.step {
        TimeStep::Fixed(dt) => dt,
        TimeStep::Cfl(cfl) => cfl * stable,
    };
    let steps = match (case.run.end, case.run.steps) {
        (Some(end), Some(n)) => ((end / dt).ceil() as u64).min(n),
        (Some(end), None) => (end / dt).ceil() as u64,
        (None, n) => n.unwrap_or(0),
    };
    tracing::info!(
        "limits  acoustic {:.3e}, viscous {:.3e}: linear stability allows dt = {stable:.3e} at the start",
        solver.acoustic_step(&rates),
        solver.viscous_step(&rates)
    );
    let span = case.run.end.unwrap_or(f64::INFINITY).min(steps as f64 * dt);
    // Checkpoints wait for the end of a step.
    let files = case.output.files();
    let meant = files.iter().filter(|(name, _)| name != "checkpoints");
    let stops = meant.filter_map(|(_, every)| match every {
        Every::Time(period) => Some((span / period).floor()),
        Every::Steps(_) => None,
    });
    let stops: f64 = stops.sum();
    let more = match stops {
        0.0 => String::new(),
        _ => format!(", and up to {stops:.0} more where outputs shorten one"),
    };
    tracing::info!("steps   about {steps} of dt = {dt:.3e}{more}");
    tracing::info!(
        "mesh    hash {:016x}, volume {:.8e}",
        solver.mesh.hash(),
        solver.geometry.volume
    );
    tracing::info!("ok");
    Ok(())
}
