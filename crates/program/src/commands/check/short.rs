//! What a check says without `--long`: what somebody who wants to start a run asks first, in a few lines, with the
//! warnings behind them. It reads the structure of the check, from which the long text and `--json` come, too.

use super::boundaries::Row;
use super::checked::Checked;
use super::scalars::ScalarFacts;
use super::start::Start;
use crate::format::{duration, physical_time, short, size};
use crate::log;

/// Most outputs that have a line each.
const MOST_OUTPUTS: usize = 9;

/// Logs the summary of a check.
pub(super) fn log(checked: &Checked) {
    log_start(&checked.title, &checked.start);
    if let Some(found) = &checked.hanging_nodes {
        tracing::info!("mesh    {found}");
    }
    for interface in &checked.interfaces {
        tracing::info!("slides  {}", interface.words());
    }
    checked.scalars.iter().for_each(ScalarFacts::log);
    let (dt, count) = (checked.steps.dt.value, checked.steps.count);
    let end = checked.run.end();
    let first = checked.steps.first_step;
    if first > 0 {
        let time = physical_time(checked.steps.first_time.value);
        tracing::info!("restart at step {first}, t = {time}: steps and cost are those that are left");
    }
    if checked.run.ends_at_a_time() {
        let more = checked.steps.more_in_words();
        tracing::info!("time    {end}: about {count} steps of dt = {dt:.3e}{more}");
    } else if first > 0 {
        tracing::info!("time    {end}, of which {count} are left; dt = {dt:.3e} at the start");
    } else {
        tracing::info!("time    {end}; dt = {dt:.3e} at the start");
    }
    tracing::info!(
        "cost    {} and {} of memory, timed here: {}",
        duration(checked.seconds()),
        size(checked.run.memory()),
        checked.run.device()
    );
    let output = checked.run.output();
    let bytes = checked.cost.bytes();
    let bytes = bytes.map_or(String::new(), |bytes| {
        format!(", of which those that grow with the mesh take {}", size(bytes))
    });
    let (directory, files) = (output.directory.display(), &output.outputs);
    match files.len() {
        0 => tracing::info!("files   none"),
        _ => tracing::info!("files   in {directory}{bytes}:"),
    }
    // One line says how many are left out, so that leaving out a single one would save nothing.
    let shown = if files.len() > MOST_OUTPUTS {
        MOST_OUTPUTS - 1
    } else {
        files.len()
    };
    files[..shown].iter().for_each(|file| tracing::info!("        {file}"));
    if shown < files.len() {
        tracing::info!("        and {} others", files.len() - shown);
    }
    tracing::info!("more    with --long: scheme, memory, limits of the step, Mach numbers at the boundaries");
}

/// Logs the title of a case, its domain and its flow at the start.
pub(super) fn log_start(title: &str, start: &Start) {
    tracing::info!("{title}");
    tracing::info!("domain  {}", start.extent.words());
    tracing::info!("cells   {}", start.size.words());
    if !start.boundaries.is_empty() {
        tracing::info!("sides   {}", by_type(&start.boundaries));
    }
    tracing::info!("flow    {}", flow(start));
}

/// Logs the warnings that were held back.
pub(super) fn log_warnings() {
    for warning in log::warnings() {
        tracing::warn!("{warning}");
    }
}

/// Returns the names of boundaries with their types. Those of the same type stand together.
fn by_type(boundaries: &[Row]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in boundaries {
        match groups.iter_mut().find(|(kind, _)| *kind == row.kind) {
            Some((_, names)) => names.push(&row.name),
            None => groups.push((&row.kind, vec![&row.name])),
        }
    }
    let groups = groups
        .iter()
        .map(|(kind, names)| format!("{}: {kind}", names.join(", ")));
    groups.collect::<Vec<_>>().join("; ")
}

/// Returns Mach and Reynolds numbers in words.
fn flow(start: &Start) -> String {
    let reynolds = match start.extent.reynolds_numbers() {
        Some([longest, shortest]) => format!(
            "Reynolds number up to {} with the longest side, {} with the shortest",
            short(longest),
            short(shortest)
        ),
        None if !start.flow.is_viscous() => "inviscid gas".to_owned(),
        None => "Reynolds number 0: the gas is at rest".to_owned(),
    };
    format!("Mach number {} at the start, {reynolds}", start.flow.mach_numbers())
}
