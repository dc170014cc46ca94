//! `fr-les run --steady`: the steady solution of a case, in place of its run in time.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::inputs::require_inputs_elsewhere;
use super::{Failure, print_line};
use crate::case::Case;
use crate::input::Field;
use crate::io::{self, Provenance, Writer};
use crate::physics::{Boundary, Hold, Initial};
use crate::ranks::Ranks;
use crate::run::{AllSettings, Outcome, Stop};
use crate::steady::{self, Finish, SteadyError};

/// Computes the steady solution of a case. `begin` is the start of the program; with `hash` that of the final values is
/// printed. Collective.
///
/// # Errors
/// The case cannot be set up or asks for what the steady solution does not have, the solution diverges, or a device or
/// file fails.
pub(super) fn carry_out(
    case: &Case,
    world: &SimpleCommunicator,
    signal: Arc<AtomicUsize>,
    begin: Instant,
    hash: bool,
) -> Result<Outcome, Failure> {
    let settings = accepted(case)?;
    let deadline = case.run.wall_clock.and_then(|limit| begin.checked_add(limit));
    let root = Ranks::of(world).rank() == 0;
    tracing::info!("{}", case.title);
    let checked = io::check_directory(&case.output.directory);
    let checked = checked.map_err(|e| case.refuse("output.directory", e.to_string()).into());
    Ranks::of(world).agree(checked, Failure::OnOtherRank)?;
    require_inputs_elsewhere(case, Writer::Steady, world)?;
    let provenance = Provenance {
        title: case.title.clone(),
        case_text: case.text.clone(),
        ..Provenance::of_this_program()
    };
    let run = AllSettings {
        solver: &case.solver,
        output: &case.output,
        run: &case.run,
    };
    let stop = Stop { signal, deadline };
    let finish = steady::run(run, settings, world, &stop, provenance, begin);
    let Finish {
        outcome,
        hash: of_values,
        files,
        ..
    } = finish.map_err(|error| located(case, error))?;
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    tracing::info!(
        "wrote {} after {:.1} s",
        files.join(", "),
        begin.elapsed().as_secs_f64()
    );
    if hash && root {
        print_line(format_args!("{of_values:016x}"));
    }
    Ok(outcome)
}

/// Returns the error of the case at its line, if it has one.
pub(super) fn located(case: &Case, error: SteadyError) -> Failure {
    match error {
        SteadyError::Setup(error) => case.locate_setup(error).map_or_else(Failure::from, Failure::from),
        SteadyError::Refused { key, what } => case.refuse(&key, what).into(),
        SteadyError::Restart(error) if !matches!(error, io::Error::OnOtherRank { .. }) => {
            case.refuse("restart", error.to_string()).into()
        }
        SteadyError::Directory(error) => case.refuse("output.directory", error.to_string()).into(),
        error => error.into(),
    }
}

/// Returns the settings of a case, if it asks for nothing that the steady solution does not have.
pub(super) fn accepted(case: &Case) -> Result<&steady::Settings, Failure> {
    let Some(settings) = &case.steady else {
        let what = "`--steady` needs the section `steady` in the case; `steady: {}` takes all defaults";
        return Err(Failure::Argument(what.to_owned()));
    };
    let solver = &case.solver;
    if solver.forcing.force.iter().flatten().any(Field::depends_on_time) {
        let what = "the steady solution takes no force that changes in time";
        return Err(case.refuse("forcing.force", what.to_owned()).into());
    }
    for (there, key, what) in [
        (!solver.bars.is_empty(), "bars", "bars"),
        (!solver.sponges.is_empty(), "sponges", "sponges"),
        (!solver.scalars.is_empty(), "scalars", "passive scalars"),
    ] {
        if there {
            return Err(case
                .refuse(key, format!("the steady solution does not have {what}"))
                .into());
        }
    }
    let model = settings.scheme.turbulence;
    if model.has_two_equations() && solver.gas.viscosity.is_none() {
        let what = format!(
            "the model {} needs a viscosity (`gas.viscosity`), from which omega follows",
            model.name()
        );
        return Err(case.refuse("steady.turbulence", what).into());
    }
    for (name, boundary) in &solver.boundaries {
        let key = format!("boundaries.{name}");
        if boundary.varies() {
            let what = "the steady solution takes no values that change in time";
            return Err(case.refuse(&key, what.to_owned()).into());
        }
        if matches!(boundary.hold(), Some(Hold::MassFlow { .. })) {
            let what = "the steady solution holds no mass flow at an outlet: give a pressure";
            return Err(case.refuse(&key, what.to_owned()).into());
        }
    }
    let known = |name: &&String| solver.boundaries.contains_key(*name);
    if let Some(name) = settings.ratios.keys().find(|name| !known(name)) {
        let what = format!("the case has no boundary `{name}`");
        return Err(case.refuse(&format!("steady.ratios.{name}"), what).into());
    }
    if let Some(name) = settings
        .ratios
        .keys()
        .find(|name| solver.boundaries[*name].wall().is_some())
    {
        let what = format!("no gas enters through the wall `{name}`");
        return Err(case.refuse(&format!("steady.ratios.{name}"), what).into());
    }
    if settings.control.force.is_some() && !solver.boundaries.values().any(Boundary::is_no_slip) {
        let what = "the case has no no-slip wall whose forces could be looked at";
        return Err(case.refuse("steady.force", what.to_owned()).into());
    }
    if let Initial::File { path, fluctuations } = &solver.initial {
        if fluctuations.is_some() {
            let what = "the steady solution has no fluctuations: leave them out";
            return Err(case.refuse("initial.fluctuations", what.to_owned()).into());
        }
        if io::is_checkpoint(path) {
            let what = "the steady solution begins with fields or with those of a file NAME.vtkhdf; `restart` \
                        continues from a checkpoint of the same mesh";
            return Err(case.refuse("initial.file", what.to_owned()).into());
        }
    }
    Ok(settings)
}
