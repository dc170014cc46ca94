//! `fr-les plot` of series over time and of their spectra.

use std::path::{Path, PathBuf};

use super::args::{PlotArgs, drawn, is_csv_file, of_runs, output_or, read_all, read_reference};
use crate::io::{TableFile, read_series};
use crate::plot::Error;
use crate::plot::figure::Scale;
use crate::plot::series::{self, Reference, Run, Window};

/// Series of a run of which a folder stands for the first that is there, if no columns are chosen.
const USUAL: [&str; 4] = ["coefficients.csv", "boundaries.csv", "forcing.csv", "integrals.csv"];

/// Returns the option that was given and belongs to series alone.
pub(super) fn option(args: &PlotArgs) -> Option<&'static str> {
    let given = [
        (!args.columns().is_empty(), "--columns"),
        (args.from.is_some(), "--from"),
        (args.to.is_some(), "--to"),
        (args.log, "--log"),
        (args.spectrum, "--spectrum"),
    ];
    given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
}

/// Draws series, and prints their means and frequencies.
pub(super) fn draw(args: &PlotArgs) -> Result<(), Error> {
    let window = Window {
        from: args.from.unwrap_or(f64::NEG_INFINITY),
        to: args.to.unwrap_or(f64::INFINITY),
    };
    if window.from >= window.to {
        return Err(Error::NoWindow {
            from: window.from,
            to: window.to,
        });
    }
    let files = args
        .runs
        .iter()
        .map(|path| files_of(args, path))
        .collect::<Result<Vec<_>, Error>>()?;
    let first = files.iter().flatten().next().cloned().unwrap_or_default();
    let default = match &args.runs[0] {
        _ if args.spectrum => first.with_extension("spectrum.png"),
        folder if folder.is_dir() => folder.join("series.png"),
        file => file.with_extension("png"),
    };
    let output = output_or(args, default)?;
    let runs = read_all(args, &args.runs, &of_runs(&args.runs), |label, path| {
        let at = args.runs.iter().position(|run| run == path).unwrap_or(0);
        Run::read(label, &files[at], window)
    })?;
    if !args.spectrum {
        let reference = read_reference(args, |label, path| Run::read(label, &[path.into()], window))?;
        let scale = if args.log { Scale::Logarithmic } else { Scale::Fitted };
        let drawing = series::over_time(&runs, reference.as_ref(), &args.columns(), scale)?;
        return drawn(args, &drawing.figure, &output, &drawing.table);
    }
    let reference = read_reference(args, |label, path| Reference::read(label, path, window))?;
    let segments = args.segments as usize;
    let (drawing, tables) = series::over_frequency(&runs, reference.as_ref(), &args.columns(), segments)?;
    let mut written = String::new();
    for (path, spectra) in &tables {
        spectra.write(path)?;
        written += &format!("{}\n", path.display());
    }
    drawn(args, &drawing.figure, &output, &(written + &drawing.table))
}

/// Returns the series for which a path stands: the file, or those of a folder that have a chosen column.
fn files_of(args: &PlotArgs, path: &Path) -> Result<Vec<PathBuf>, Error> {
    let none = |tables| Error::NoSeries {
        path: path.into(),
        option: option(args).unwrap_or("a figure over time"),
        tables,
    };
    if !path.exists() {
        return Err(Error::Nowhere(path.into()));
    }
    if !path.is_dir() {
        let is_series = is_csv_file(path) && series::is_series(&TableFile::read(path)?.table);
        return if is_series {
            Ok(vec![path.into()])
        } else {
            Err(none(Vec::new()))
        };
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let tables = entries.map(|entry| entry.path()).filter(|path| is_csv_file(path));
    let mut found: Vec<(PathBuf, Vec<String>)> = tables
        .filter_map(|path| {
            let read = read_series(&path);
            let read = read.inspect_err(|error| tracing::warn!("{error}: this table is left out"));
            Some((path, read.ok().filter(series::is_series)?.names))
        })
        .collect();
    found.sort_unstable();
    let all: Vec<PathBuf> = found.iter().map(|(path, _)| path.clone()).collect();
    let columns = args.columns();
    let has = |names: &[String]| columns.iter().any(|column| names.contains(column));
    let chosen: Vec<PathBuf> = found
        .iter()
        .filter(|(_, names)| has(names))
        .map(|(path, _)| path.clone())
        .collect();
    let usual = USUAL
        .iter()
        .map(|name| path.join(name))
        .find(|usual| all.contains(usual));
    match usual {
        _ if all.is_empty() => Err(none(Vec::new())),
        _ if !chosen.is_empty() => Ok(chosen),
        // Their columns are told where a chosen one is in none of them.
        _ if !columns.is_empty() => Ok(all),
        Some(usual) => Ok(vec![usual]),
        None => Err(none(all)),
    }
}
