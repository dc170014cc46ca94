//! The options of `fr-les plot`, and what all its figures share: names in the legend, the reference, and the files that
//! are written.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::commands::print_line;
use crate::io::{Table, read_series};
use crate::plot::figure::{Figure, Format, Size};
use crate::plot::{Error, draw_sized};

/// Draw the files of runs: series over time, such as forces, integrals and probes, and their spectra; profiles of a
/// channel; distributions along blades; traverses behind cascades; means at phases; the convergence of steady
/// solutions; pictures of slices.
#[derive(Debug, clap::Args)]
pub struct PlotArgs {
    /// What to draw: tables of one kind, folders of runs, or a slice (slices_NAME_0000.vtkhdf). Tables are series (any
    /// with a column `time`, such as coefficients.csv), statistics.csv, blade_NAME.csv, traverse_NAME.csv,
    /// NAME.phase.csv, boundary_layer_NAME.csv, annulus_NAME.csv and convergence.csv. A folder stands for its decay of
    /// energy, profiles, blades or convergence, for what the reference holds, and with an option of series for its
    /// series
    #[arg(value_name = "DIR|FILE.csv", required = true)]
    pub runs: Vec<PathBuf>,
    /// Columns of series, separated by commas and quoted as in their table, such as '"fin,1_drag"' [default: the
    /// coefficients of forces, or what is usual of others]. Columns of one unit share a panel; of probes each column
    /// has one. Of a slice: mach (the default), entropy, q-criterion, speed, density, pressure, temperature
    #[arg(long = "columns", value_name = "NAME,...", value_parser = names)]
    lists: Vec<Names>,
    /// First time of series that counts, so that a transient is left out of axes, means and spectra
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Last time of series that counts
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub to: Option<f64>,
    /// Draw series on logarithmic vertical axes
    #[arg(long, conflicts_with = "spectrum")]
    pub log: bool,
    /// Draw the spectra of series, whose samples are equidistant in time, and write each to NAME.spectrum.csv: power
    /// spectral densities by the method of Welch, with the window of Hann
    #[arg(long)]
    pub spectrum: bool,
    /// Number of segments of a spectrum, which overlap by halves: more give smaller errors, fewer lower frequencies
    #[arg(long, value_name = "N", default_value_t = 8, requires = "spectrum",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub segments: u32,
    /// Part of a slice: left and right end, lower and upper end, in the axes of the picture [default: all]
    #[arg(long, value_name = "X0,X1,Y0,Y1", allow_hyphen_values = true, value_parser = numbers::<4>)]
    pub window: Option<[f64; 4]>,
    /// Translation at which a slice repeats, such as the pitch of a cascade: copies are drawn there, one to each side
    /// or as many as the window has room for
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = numbers::<3>)]
    pub repeat: Option<[f64; 3]>,
    /// Table to compare with: `time`, or `frequency` for spectra, and columns that are drawn; for a decay of energy
    /// `time` and any of dissipation, enstrophy, kinetic_energy; for profiles y_over_h, y_plus, U_plus, uu_plus,
    /// vv_plus, ww_plus and uv_plus from a wall to the middle; for blades x_over_C and any of M_is, C_p, C_f,
    /// heat_flux, h
    #[arg(long, value_name = "FILE.csv")]
    pub reference: Option<PathBuf>,
    /// Name of each run or file in the legend, in their order [default: the names of the folders or files]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub label: Vec<String>,
    /// Figure to write, .png or .svg [default: a PNG file beside the first table, or in the first folder]
    #[arg(long, value_name = "FIGURE")]
    pub output: Option<PathBuf>,
    /// Width on paper, such as 84mm for a column of a journal: letters have 7 to 8 points, and a PNG file 600 pixels an
    /// inch [default: 1600 pixels]
    #[arg(long, value_name = "WIDTH")]
    pub size: Option<Size>,
}

/// The names of an option, as a row of CSV has them.
#[derive(Debug, Clone)]
struct Names(Vec<String>);

impl PlotArgs {
    /// Returns the chosen columns.
    pub fn columns(&self) -> Vec<String> {
        self.lists.iter().flat_map(|Names(names)| names).cloned().collect()
    }
}

/// Returns the names of a text, which is a row of CSV.
fn names(text: &str) -> Result<Names, String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let rows: Result<Vec<Vec<String>>, _> = reader.deserialize().collect();
    match rows.map_err(|error| error.to_string())?.as_slice() {
        [names] => Ok(Names(names.clone())),
        _ => Err("these are names in one row, separated by commas".to_owned()),
    }
}

/// Sizes of numbers that a case and a command line may have.
const SIZES: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Returns the numbers of a text, which are separated by commas.
fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let number = |part: &str| {
        part.trim()
            .parse()
            .ok()
            .filter(|x: &f64| *x == 0.0 || SIZES.contains(&x.abs()))
    };
    let all: Option<Vec<f64>> = text.split(',').map(number).collect();
    let found = all.and_then(|all| <[f64; N]>::try_from(all).ok());
    found.ok_or_else(|| format!("these are {N} numbers, separated by commas"))
}

/// Returns the path of the figure, which is checked first, because a wrong name is cheap to find before anything is
/// read.
pub(super) fn output_or(args: &PlotArgs, default: PathBuf) -> Result<PathBuf, Error> {
    let output = args.output.clone().unwrap_or(default);
    Format::of(&output)?;
    Ok(output)
}

/// Reads files under their labels in the legend, which follow from `named` where none are given.
pub(super) fn read_all<T>(
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
pub(super) fn read_reference<T>(
    args: &PlotArgs,
    read: impl Fn(String, &Path) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let reference = args.reference.as_deref();
    reference.map(|path| read(reference_label(path), path)).transpose()
}

/// Draws a figure, and prints its path and a table below it.
pub(super) fn drawn(args: &PlotArgs, figure: &Figure, output: &Path, table: &str) -> Result<(), Error> {
    draw_sized(figure, args.size.unwrap_or_default(), output)?;
    let text = format!("{}\n{table}", output.display());
    print_line(format_args!("{}", text.trim_end()));
    Ok(())
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

/// Returns whether a path is that of a table, not of a folder that holds some.
pub(super) fn is_csv_file(path: &Path) -> bool {
    !path.is_dir() && path.extension().is_some_and(|extension| extension == "csv")
}

/// Returns whether a path names a CSV file and `kind` recognises its table.
pub(super) fn holds(path: &Path, kind: fn(&Table) -> bool) -> bool {
    is_csv_file(path) && read_series(path).is_ok_and(|table| kind(&table))
}

/// Returns the usual path of the figure of a file, or of the contents of a folder.
pub(super) fn beside(path: &Path, name: &str) -> PathBuf {
    if is_csv_file(path) {
        path.with_extension("png")
    } else {
        path.join(name)
    }
}

/// Returns what files are labelled with: the same file of several runs with its folder, others with their names.
/// Folders are labelled with theirs.
pub(super) fn of_runs(files: &[PathBuf]) -> Vec<PathBuf> {
    let same = files.iter().all(|file| file.file_name() == files[0].file_name());
    let named = |file: &PathBuf| match file.parent().filter(|_| same && files.len() > 1) {
        _ if file.is_dir() => file.clone(),
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => file.with_extension(""),
    };
    files.iter().map(named).collect()
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
fn name(part: Option<&OsStr>, path: &Path) -> String {
    part.map_or_else(
        || path.display().to_string(),
        |part| part.to_string_lossy().into_owned(),
    )
}
