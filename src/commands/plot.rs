//! `fr-les plot`: one figure of the integrals of one or more runs, beside a reference if there is one, and their
//! dissipation peaks in numbers; or one of benchmark results; or one of a timeline of queues. What is given says which: a folder or
//! a JSON file, and what is in the file.

use super::run::print_line;
use crate::plot::figure::{self, Figure, Format};
use crate::plot::integrals::{self, Series};
use crate::plot::{Error, bench, timeline};
use std::path::{Path, PathBuf};

/// Draw the integrals of runs over time (dissipation rate, enstrophy, kinetic energy), or results of `fr-les bench` (speed
/// against size and order, time of the kernels), or a timeline of `fr-les bench --timeline` (what the queues of every GPU do
/// during a time step, and how much of the transfers kernels hide).
#[derive(Debug, clap::Args)]
pub struct PlotArgs {
    /// Folders of the runs, each with an integrals.csv; or JSON files of fr-les bench --json; or one of fr-les bench --timeline (what the
    /// queues of GPUs do in a time step, and how much of the transfers kernels hide)
    #[arg(value_name = "DIR|FILE.json", required = true)]
    pub runs: Vec<PathBuf>,
    /// CSV file to compare with: columns time and any of dissipation, enstrophy, kinetic_energy; for benchmarks order,
    /// gdof_per_s and label
    #[arg(long, value_name = "FILE.csv")]
    pub reference: Option<PathBuf>,
    /// Name of each run or file in the legend, in their order [default: the names of the folders or files]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub label: Vec<String>,
    /// Figure to write, .png or .svg [default: integrals.png in the first folder, or the first file's name with .png]
    #[arg(long, value_name = "FIGURE")]
    pub output: Option<PathBuf>,
}

/// Writes the figure and prints its path and the table of the peaks.
pub fn run(args: &PlotArgs) -> Result<(), Error> {
    let Some(first) = args.runs.first() else {
        return Err(Error::Labels {
            labels: args.label.len(),
            runs: 0,
        });
    };
    let file = |path: &&PathBuf| is_json_file(path);
    if let Some(results) = args.runs.iter().find(file) {
        if let Some(run) = args.runs.iter().find(|path| !file(path)) {
            return Err(Error::Mixed {
                run: run.clone(),
                bench: results.clone(),
            });
        }
        return draw_json(args, first);
    }
    let output = args.output.clone().unwrap_or_else(|| first.join("integrals.png"));
    // Before anything is read, since a wrong name is cheap to find now.
    Format::of(&output)?;
    let labels = labels(&args.runs, &args.label)?;
    let runs: Vec<Series> = args
        .runs
        .iter()
        .zip(labels)
        .map(|(dir, label)| Series::read(label, &dir.join("integrals.csv")))
        .collect::<Result<_, _>>()?;
    let reference = args
        .reference
        .as_deref()
        .map(|path| {
            let stem = name(path.file_stem(), path);
            let label = if stem == "reference" {
                stem
            } else {
                format!("reference ({stem})")
            };
            Series::read(label, path)
        })
        .transpose()?;
    figure::draw(&integrals::figure(&runs, reference.as_ref())?, &output)?;
    print_line(format_args!(
        "{}\n{}",
        output.display(),
        integrals::peaks(&runs, reference.as_ref()).trim_end()
    ));
    Ok(())
}

/// Whether a path is that of benchmark results or a timeline: a file, where a figure of integrals is given a folder.
fn is_json_file(path: &Path) -> bool {
    path.is_file() || (!path.exists() && path.extension().is_some_and(|extension| extension == "json"))
}

/// The same for JSON files, of which a timeline is drawn alone.
fn draw_json(args: &PlotArgs, first: &Path) -> Result<(), Error> {
    let output = args.output.clone().unwrap_or_else(|| first.with_extension("png"));
    Format::of(&output)?;
    let mut figure = None;
    for path in &args.runs {
        let Some(timeline) = timeline::read(path)? else {
            continue;
        };
        let besides = [
            (args.runs.len() > 1, "the other files"),
            (args.reference.is_some(), "--reference"),
            (!args.label.is_empty(), "--label"),
        ];
        if let Some((_, beside)) = besides.into_iter().find(|(given, _)| *given) {
            let path = path.clone();
            return Err(Error::Alone { path, beside });
        }
        figure = Some(timeline::figure(&timeline));
    }
    let figure = match figure {
        Some(figure) => figure,
        None => bench_figure(args)?,
    };
    figure::draw(&figure, &output)?;
    print_line(format_args!("{}", output.display()));
    Ok(())
}

/// The figure of results of the benchmark.
fn bench_figure(args: &PlotArgs) -> Result<Figure, Error> {
    let labels = labels(&args.runs, &args.label)?;
    let mut results = Vec::new();
    for (path, label) in args.runs.iter().zip(&labels) {
        results.extend(bench::read(label.strip_suffix(".json").unwrap_or(label), path)?);
    }
    let references = args.reference.as_deref().map(bench::read_references).transpose()?;
    Ok(bench::figure(
        &results,
        &references.unwrap_or_default(),
        !args.label.is_empty(),
    ))
}

/// The labels given, or else the names of the folders; their paths where two names are the same.
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
            // Made absolute, since `.` and `..` have no name of their own.
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

/// A part of a path as text, or the whole path where there is no such part.
fn name(part: Option<&std::ffi::OsStr>, path: &Path) -> String {
    part.map_or_else(
        || path.display().to_string(),
        |part| part.to_string_lossy().into_owned(),
    )
}
