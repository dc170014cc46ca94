//! `fr-les plot`: a figure of series over time or of their spectra; or of the integrals of runs beside a reference,
//! with a table of their dissipation peaks; or of the profiles of their statistics; or of distributions along blades;
//! or of traverses; or of means at phases; or of boundary layers and annuli; or of the convergence of steady solutions;
//! or of a slice. The paths decide: a folder, a slice or a CSV file, and the contents of the file. Options of series
//! make a folder stand for its series.

mod args;
mod over_time;
mod slices;

pub use args::PlotArgs;

use crate::io::{RUN_RECORD, STEADY_CONVERGENCE, STEADY_FOLDER, read_series};
use crate::plot::blades::{self, Distribution};
use crate::plot::convergence::{self, Convergence};
use crate::plot::integrals::{self, Series};
use crate::plot::profiles::{self, Profiles};
use crate::plot::{Error, phases, series, traverses};
use crate::report::places;
use args::{beside, drawn, holds, is_csv_file, of_runs, output_or, read_all, read_reference};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Name of the profiles in the folder of a run.
const STATISTICS: &str = "statistics.csv";
/// Series of runs with boundaries or forces, which are drawn in place of the decay of the energy.
const DRIVEN: [&str; 4] = ["boundaries.csv", "coefficients.csv", "forcing.csv", "bars.csv"];

/// Writes the figure and prints its path and the table of the peaks.
///
/// # Errors
/// The arguments cannot be combined, a file cannot be read, or the figure cannot be written.
pub fn run(args: &PlotArgs) -> Result<(), Error> {
    let Some(first) = args.runs.first() else {
        return Err(Error::Labels {
            labels: args.label.len(),
            runs: 0,
        });
    };
    if let Some(path) = args.runs.iter().find(|path| slices::is_slice(path)) {
        check_alone(args, path, "a slice, which is drawn alone")?;
        return slices::draw(args, path);
    }
    if let Some(option) = slices::option(args) {
        return Err(Error::NoSlice {
            path: first.into(),
            option,
        });
    }
    // What kind of figure it is follows from its columns: a table that cannot be read has none.
    for table in args.runs.iter().filter(|path| path.is_file() && is_csv_file(path)) {
        read_series(table)?;
    }
    if over_time::option(args).is_some() || args.runs.iter().any(|path| holds(path, series::is_series)) {
        return over_time::draw(args);
    }
    args.runs.iter().try_for_each(|path| check_drawn(path))?;
    if let Some(path) = args.runs.iter().find(|path| holds(path, phases::are_phases)) {
        return draw_phases(args, path);
    }
    if args.runs.iter().any(|path| holds(path, traverses::is_traverse)) {
        return draw_traverses(args, first);
    }
    if let Some(path) = args.runs.iter().find(|path| holds(path, places::are_stations_or_radii)) {
        return draw_places(args, path);
    }
    let of_solutions: Vec<PathBuf> = args.runs.iter().filter_map(|path| convergence_file(path)).collect();
    if !of_solutions.is_empty() && of_solutions.len() == args.runs.len() {
        return draw_convergence(args, &of_solutions);
    }
    let of_blades = blade_files(args)?;
    if !of_blades.is_empty() {
        return draw_blades(args, first, &of_blades);
    }
    if are_profiles(args) {
        return draw_profiles(args, first);
    }
    let output = output_or(args, first.join("integrals.png"))?;
    args.runs
        .iter()
        .try_for_each(|path| check_decays(path, args.reference.is_some()))?;
    let runs = read_all(args, &args.runs, &args.runs, |label, dir| {
        Series::read(label, &dir.join("integrals.csv"))
    })?;
    let reference = read_reference(args, Series::read)?;
    let figure = integrals::figure(&runs, reference.as_ref())?;
    drawn(args, &figure, &output, &integrals::peaks(&runs, reference.as_ref()))
}

/// Refuses folders that are not there or have no integrals, and, unless they are compared with a reference, those of
/// runs whose energy does not decay freely.
fn check_decays(path: &Path, compared: bool) -> Result<(), Error> {
    if !path.exists() {
        return Err(Error::Nowhere(path.into()));
    }
    let has = |name: &str| path.join(name).exists();
    if !has("integrals.csv") {
        let tables = drawn_in(path);
        return Err(Error::NoRun {
            path: path.into(),
            tables,
        });
    }
    // Statistics may be those of a decaying flow.
    let of_bodies = |table: &PathBuf| table.file_name().is_none_or(|name| name != STATISTICS);
    let driven = DRIVEN.iter().any(|name| has(name)) || drawn_in(path).iter().any(of_bodies);
    if driven && !compared {
        Err(Error::Driven {
            path: path.into(),
            tables: drawn_in(path),
        })
    } else {
        Ok(())
    }
}

/// Returns the tables in a folder that are drawn, or the folders of runs in it, in alphabetical order.
fn drawn_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let kinds = [
        blades::is_distribution,
        traverses::is_traverse,
        phases::are_phases,
        places::are_stations_or_radii,
    ];
    let drawn = |path: &PathBuf| {
        path.join(RUN_RECORD).exists()
            || path
                .file_name()
                .is_some_and(|name| name == STATISTICS || DRIVEN.iter().any(|driven| name == *driven))
            || kinds.iter().any(|kind| holds(path, *kind))
    };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(drawn).collect();
    found.sort_unstable();
    found
}

/// Refuses files of which there are no figures.
fn check_drawn(path: &Path) -> Result<(), Error> {
    if !path.is_file() || is_csv_file(path) {
        return Ok(());
    }
    let what = match path.extension().and_then(OsStr::to_str) {
        Some("h5" | "vtkhdf") => {
            "no table: ParaView opens .vtkhdf files; of these the slices of a run are drawn, slices_NAME_0000.vtkhdf"
        }
        Some("msh" | "cgns" | "su2") => "a mesh, and no table of a run: `fr-les mesh info` describes it",
        Some("yaml" | "yml") => {
            "a file of settings, and no table of a run: name what the run has written, a folder or its tables (.csv)"
        }
        Some("json") => "no table of a run; `fr-les bench --against` compares results of the benchmark",
        _ => "no table of a run: these are folders of runs, and their files .csv",
    };
    Err(Error::NotDrawn {
        path: path.into(),
        what,
    })
}

/// Returns whether profiles are drawn: a file of them is given, or the reference holds profiles, or the folders have
/// nothing else.
fn are_profiles(args: &PlotArgs) -> bool {
    let only = |dir: &PathBuf| !dir.join("integrals.csv").exists() && dir.join(STATISTICS).exists();
    args.runs.iter().any(|path| is_csv_file(path))
        || args.runs.iter().all(only)
        || args.reference.as_deref().is_some_and(profiles::is_reference)
}

/// Returns the distributions along blades that are drawn: files of them, and those of folders if these have nothing
/// else or the reference is one.
fn blade_files(args: &PlotArgs) -> Result<Vec<PathBuf>, Error> {
    let wanted = args
        .reference
        .as_deref()
        .is_some_and(|path| holds(path, blades::is_distribution));
    let others = ["integrals.csv", STATISTICS];
    let mut files = Vec::new();
    for path in &args.runs {
        if holds(path, blades::is_distribution) {
            files.push(path.clone());
        } else if path.is_dir() && (wanted || !others.iter().any(|name| path.join(name).exists())) {
            files.extend(blades::files_of(path)?);
        }
    }
    Ok(files)
}

/// Returns the table of the convergence of a steady solution that a path names: the file, its folder, or the output
/// directory of the case if a run in time has left nothing there.
fn convergence_file(path: &Path) -> Option<PathBuf> {
    if !path.is_dir() {
        return holds(path, convergence::is_convergence).then(|| path.to_path_buf());
    }
    let folder = if path.join(RUN_RECORD).exists() {
        path.to_path_buf()
    } else {
        path.join(STEADY_FOLDER)
    };
    let table = folder.join(STEADY_CONVERGENCE);
    holds(&table, convergence::is_convergence).then_some(table)
}

/// Draws the convergence of steady solutions, and prints their last values.
fn draw_convergence(args: &PlotArgs, files: &[PathBuf]) -> Result<(), Error> {
    let output = output_or(args, files[0].with_extension("png"))?;
    let runs = read_all(args, files, &of_runs(files), Convergence::read)?;
    drawn(args, &convergence::figure(&runs), &output, &convergence::table(&runs))
}

/// Draws distributions along blades.
fn draw_blades(args: &PlotArgs, first: &Path, files: &[PathBuf]) -> Result<(), Error> {
    let output = output_or(args, beside(first, "blades.png"))?;
    let runs = read_all(args, files, &of_runs(files), Distribution::read_run)?;
    let reference = read_reference(args, Distribution::read_reference)?;
    drawn(args, &blades::figure(&runs, reference.as_ref()), &output, "")
}

/// Draws means at phases.
fn draw_phases(args: &PlotArgs, path: &Path) -> Result<(), Error> {
    let output = output_or(args, path.with_extension("png"))?;
    check_alone(args, path, "means at phases, which are drawn alone")?;
    drawn(args, &phases::figure(&phases::Phases::read(path)?), &output, "")
}

/// Draws boundary layers or an annulus as the report does.
fn draw_places(args: &PlotArgs, path: &Path) -> Result<(), Error> {
    let output = output_or(args, path.with_extension("png"))?;
    check_alone(args, path, "a table of several places, which is drawn alone")?;
    let found = places::drawn(&read_series(path)?).map(|found| found.figure);
    let figure = found.filter(|figure| !figure.panels.is_empty());
    let figure = figure.ok_or_else(|| Error::NotDrawn {
        path: path.into(),
        what: "a table in which nothing changes from place to place",
    })?;
    drawn(args, &figure, &output, "")
}

/// Checks that nothing is drawn besides a file.
fn check_alone(args: &PlotArgs, path: &Path, what: &'static str) -> Result<(), Error> {
    let besides = [
        (args.runs.len() > 1, "the other files"),
        (args.reference.is_some(), "--reference"),
        (!args.label.is_empty(), "--label"),
        (args.from.is_some(), "--from"),
        (args.to.is_some(), "--to"),
        (args.log, "--log"),
        (args.spectrum, "--spectrum"),
    ];
    let beside = besides.into_iter().find(|(given, _)| *given);
    beside.map_or(Ok(()), |(_, beside)| {
        Err(Error::Alone {
            path: path.into(),
            what,
            beside,
        })
    })
}

/// Draws traverses, and prints their results.
fn draw_traverses(args: &PlotArgs, first: &Path) -> Result<(), Error> {
    let output = output_or(args, first.with_extension("png"))?;
    let runs = read_all(args, &args.runs, &of_runs(&args.runs), traverses::Traverse::read)?;
    drawn(args, &traverses::figure(&runs), &output, &traverses::table(&runs))
}

/// Draws profiles of statistics, and prints the table of their differences from the reference.
fn draw_profiles(args: &PlotArgs, first: &Path) -> Result<(), Error> {
    let output = output_or(args, beside(first, "profiles.png"))?;
    // A file with the usual name is labelled with the name of its folder.
    let named = |path: &PathBuf| {
        let usual = is_csv_file(path) && path.file_name().is_some_and(|name| name == STATISTICS);
        let folder = path.parent().filter(|_| usual);
        let here = |folder: &Path| folder.as_os_str().is_empty();
        folder.map_or_else(
            || path.clone(),
            |folder| if here(folder) { ".".into() } else { folder.into() },
        )
    };
    let named: Vec<PathBuf> = args.runs.iter().map(named).collect();
    let runs = read_all(args, &args.runs, &named, |label, path| {
        let inside = path.join(STATISTICS);
        Profiles::read_run(label, if is_csv_file(path) { path } else { &inside })
    })?;
    let reference = read_reference(args, Profiles::read_reference)?;
    let table = profiles::table(&runs, reference.as_ref());
    drawn(args, &profiles::figure(&runs, reference.as_ref()), &output, &table)
}
