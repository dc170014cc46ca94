//! `fr-les plot`: a figure of the integrals of runs beside a reference, with a table of their dissipation peaks; or of
//! the profiles of their statistics; or of distributions along blades; or of traverses; or of means at phases; or of
//! spectra; or of the convergence of steady solutions. The paths decide: a folder or a CSV file, and the contents of
//! the file. For spectra an option is given.

use super::print_line;
use crate::io::{RUN_RECORD, STEADY_CONVERGENCE, STEADY_FOLDER, Table, read_series};
use crate::plot::blades::{self, Distribution};
use crate::plot::convergence::{self, Convergence};
use crate::plot::figure::{Figure, Format};
use crate::plot::integrals::{self, Series};
use crate::plot::profiles::{self, Profiles};
use crate::plot::{Error, draw, phases, spectra, traverses};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Name of the profiles in the folder of a run.
const STATISTICS: &str = "statistics.csv";
/// Tables of runs with boundaries or forces.
const DRIVEN: [&str; 4] = ["boundaries.csv", "coefficients.csv", "forcing.csv", "bars.csv"];

/// Draw the integrals of runs over time (dissipation rate, enstrophy, kinetic energy), or profiles of a channel from
/// their statistics (mean velocity and stresses in wall units), or distributions along blades (isentropic Mach number,
/// pressure coefficient, skin friction), or traverses behind cascades (loss over the pitch and over time), or the means
/// of either at equal phases (colours in space and time), or the convergence of steady solutions.
#[derive(Debug, clap::Args)]
pub struct PlotArgs {
    /// What to draw; all arguments have the same kind. For integrals name the folders of runs. For profiles name
    /// statistics.csv of runs, for blades blade_NAME.csv, for traverses traverse_NAME.csv, and for means at phases one
    /// NAME.phase.csv. A folder without integrals.csv stands for the statistics.csv in it, and one without both for
    /// the blade_NAME.csv in it; a folder also stands for what the reference holds. For steady solutions name
    /// convergence.csv or its folder
    #[arg(value_name = "DIR|FILE.csv", required = true)]
    pub runs: Vec<PathBuf>,
    /// CSV file to compare with: columns time and any of dissipation, enstrophy, kinetic_energy; for profiles y_over_h,
    /// y_plus, U_plus, uu_plus, vv_plus, ww_plus and uv_plus from a wall to the middle; for blades x_over_C and any of
    /// M_is, C_p, C_f
    #[arg(long, value_name = "FILE.csv")]
    pub reference: Option<PathBuf>,
    /// Name of each run or file in the legend, in their order [default: the names of the folders or files]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub label: Vec<String>,
    /// Figure to write, .png or .svg [default: integrals.png, profiles.png or blades.png in the first folder, or the
    /// first file's name with .png]
    #[arg(long, value_name = "FIGURE")]
    pub output: Option<PathBuf>,
    /// Draw the spectra of a series of probes, probes_NAME.csv, whose samples are equidistant in time, and write them
    /// to probes_NAME.spectrum.csv: power spectral densities by the method of Welch
    #[arg(long)]
    pub spectrum: bool,
    /// Number of segments of a spectrum, which overlap by halves: more give smaller errors, fewer lower frequencies
    #[arg(long, value_name = "N", default_value_t = 8, requires = "spectrum",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub segments: u32,
}

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
    if args.spectrum {
        return draw_spectra(args, first);
    }
    args.runs.iter().try_for_each(|path| check_drawn(path))?;
    if let Some(path) = args.runs.iter().find(|path| holds(path, phases::are_phases)) {
        return draw_phases(args, path);
    }
    if args.runs.iter().any(|path| holds(path, traverses::is_traverse)) {
        return draw_traverses(args, first);
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
    drawn(&figure, &output, &integrals::peaks(&runs, reference.as_ref()))
}

/// Returns the path of the figure, which is checked first, because a wrong name is cheap to find before anything is
/// read.
fn output_or(args: &PlotArgs, default: PathBuf) -> Result<PathBuf, Error> {
    let output = args.output.clone().unwrap_or(default);
    Format::of(&output)?;
    Ok(output)
}

/// Reads files under their labels in the legend, which follow from `named` where none are given.
fn read_all<T>(
    args: &PlotArgs,
    files: &[PathBuf],
    named: &[PathBuf],
    read: impl Fn(String, &Path) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let labels = labels(named, &args.label)?;
    files
        .iter()
        .zip(labels)
        .map(|(file, label)| read(label, file))
        .collect()
}

/// Reads the reference, if there is one.
fn read_reference<T>(args: &PlotArgs, read: impl Fn(String, &Path) -> Result<T, Error>) -> Result<Option<T>, Error> {
    let reference = args.reference.as_deref();
    reference.map(|path| read(reference_label(path), path)).transpose()
}

/// Draws a figure, and prints its path and a table below it.
fn drawn(figure: &Figure, output: &Path, table: &str) -> Result<(), Error> {
    draw(figure, output)?;
    let text = format!("{}\n{table}", output.display());
    print_line(format_args!("{}", text.trim_end()));
    Ok(())
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
    let kinds = [blades::is_distribution, traverses::is_traverse, phases::are_phases];
    let drawn = |path: &PathBuf| {
        path.join(RUN_RECORD).exists()
            || path.file_name().is_some_and(|name| name == STATISTICS)
            || kinds.iter().any(|kind| holds(path, *kind))
    };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(drawn).collect();
    found.sort_unstable();
    found
}

/// Refuses files of which there are no figures.
fn check_drawn(path: &Path) -> Result<(), Error> {
    let of_solver = |extension: &OsStr| ["h5", "vtkhdf"].iter().any(|known| extension == *known);
    let is_series = |table: &Table| table.column("time").is_some() && !traverses::is_traverse(table);
    let what = if path.is_file() && path.extension().is_some_and(of_solver) {
        "no table: ParaView opens .vtkhdf files, and `fr-les report` draws slices of a run"
    } else if path.is_file() && !is_csv_file(path) {
        "no table of a run; `fr-les bench --against` compares results of the benchmark"
    } else if holds(path, is_series) {
        "a series over time: add --spectrum for probes, or look at `fr-les report`, which draws all series of a run"
    } else {
        return Ok(());
    };
    Err(Error::NotDrawn {
        path: path.into(),
        what,
    })
}

/// Returns the name of a reference in the legend.
fn reference_label(path: &Path) -> String {
    let stem = name(path.file_stem(), path);
    if stem == "reference" {
        stem
    } else {
        format!("reference ({stem})")
    }
}

/// Returns whether a path is that of statistics, not of a folder that holds them.
fn is_csv_file(path: &Path) -> bool {
    !path.is_dir() && path.extension().is_some_and(|extension| extension == "csv")
}

/// Returns whether a path names a CSV file and `kind` recognises its table.
fn holds(path: &Path, kind: fn(&Table) -> bool) -> bool {
    is_csv_file(path) && read_series(path).is_ok_and(|table| kind(&table))
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
    drawn(&convergence::figure(&runs), &output, &convergence::table(&runs))
}

/// Draws distributions along blades.
fn draw_blades(args: &PlotArgs, first: &Path, files: &[PathBuf]) -> Result<(), Error> {
    let output = output_or(args, beside(first, "blades.png"))?;
    let runs = read_all(args, files, &of_runs(files), Distribution::read_run)?;
    let reference = read_reference(args, Distribution::read_reference)?;
    drawn(&blades::figure(&runs, reference.as_ref()), &output, "")
}

/// Returns the usual path of the figure of a file, or of the contents of a folder.
fn beside(path: &Path, name: &str) -> PathBuf {
    if is_csv_file(path) {
        path.with_extension("png")
    } else {
        path.join(name)
    }
}

/// Writes and draws the spectra of a series of probes.
fn draw_spectra(args: &PlotArgs, path: &Path) -> Result<(), Error> {
    let table = path.with_extension("spectrum.csv");
    let output = output_or(args, table.with_extension("png"))?;
    check_alone(args, path, "a series, whose spectrum is drawn alone")?;
    let found = spectra::Spectra::read(path, args.segments as usize)?;
    found.write(&table)?;
    drawn(&spectra::figure(&found), &output, &table.display().to_string())
}

/// Draws means at phases.
fn draw_phases(args: &PlotArgs, path: &Path) -> Result<(), Error> {
    let output = output_or(args, path.with_extension("png"))?;
    check_alone(args, path, "means at phases, which are drawn alone")?;
    drawn(&phases::figure(&phases::Phases::read(path)?), &output, "")
}

/// Checks that nothing is drawn besides a file.
fn check_alone(args: &PlotArgs, path: &Path, what: &'static str) -> Result<(), Error> {
    let besides = [
        (args.runs.len() > 1, "the other files"),
        (args.reference.is_some(), "--reference"),
        (!args.label.is_empty(), "--label"),
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
    drawn(&traverses::figure(&runs), &output, &traverses::table(&runs))
}

/// Returns what files are labelled with: the same file of several runs with its folder, others with their names.
fn of_runs(files: &[PathBuf]) -> Vec<PathBuf> {
    let same = files.iter().all(|file| file.file_name() == files[0].file_name());
    let named = |file: &PathBuf| match file.parent().filter(|_| same && files.len() > 1) {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => file.with_extension(""),
    };
    files.iter().map(named).collect()
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
    drawn(&profiles::figure(&runs, reference.as_ref()), &output, &table)
}

/// Returns the given labels, or else the names of the folders, or their paths if two names are the same.
fn labels(dirs: &[PathBuf], given: &[String]) -> Result<Vec<String>, Error> {
    if !given.is_empty() {
        let (labels, runs) = (given.len(), dirs.len());
        return if labels == runs {
            Ok(given.to_vec())
        } else {
            Err(Error::Labels { labels, runs })
        };
    }
    let names: Vec<String> = dirs
        .iter()
        .map(|dir| {
            // Absolute, because `.` and `..` have no name of their own.
            let absolute = dir.canonicalize().unwrap_or_else(|_| dir.clone());
            name(absolute.file_name(), dir)
        })
        .collect();
    let label = |(index, name): (usize, &String)| {
        let unique = names.iter().filter(|other| *other == name).count() == 1;
        if unique {
            name.clone()
        } else {
            dirs[index].display().to_string()
        }
    };
    Ok(names.iter().enumerate().map(label).collect())
}

/// Returns a part of a path as text, or the whole path if there is no such part.
fn name(part: Option<&std::ffi::OsStr>, path: &Path) -> String {
    part.map_or_else(
        || path.display().to_string(),
        |part| part.to_string_lossy().into_owned(),
    )
}
