//! `fr-les blade fit`: the blade of few numbers that is nearest to a profile.

use std::path::PathBuf;

use super::print_line;
use crate::io::{atomic_write, check_file};
use crate::mesh::{BladeFit, read_profile};

/// Distance in chords above which the blade is hardly the profile.
const FAR: f64 = 1e-2;

/// Arguments of `fr-les blade`.
#[derive(Debug, clap::Args)]
pub struct BladeArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Find the blade of few numbers that is nearest to a profile, and print it as the key `profile` of a cascade
    Fit(FitArgs),
}

#[derive(Debug, clap::Args)]
struct FitArgs {
    /// Table with the columns x and y of the points, once round the profile
    profile: PathBuf,
    /// Numbers of control values of camber line and thickness, each from 2 to 40
    #[arg(long, value_name = "CAMBER,THICKNESS", default_value = "5,9", value_parser = counts)]
    points: [usize; 2],
    /// Length of the chord in the unit of the table
    #[arg(long, default_value_t = 1.0)]
    chord: f64,
    /// Write the outline of the blade as a table
    #[arg(long, value_name = "FILE.csv")]
    outline: Option<PathBuf>,
}

fn counts(text: &str) -> Result<[usize; 2], String> {
    let count = |text: &str| text.trim().parse().ok().filter(|count| (2..=40).contains(count));
    let both = text.split_once(',').and_then(|(a, b)| Some([count(a)?, count(b)?]));
    both.ok_or_else(|| "two numbers from 2 to 40, as in `5,9`".to_owned())
}

/// Executes the verb that the arguments name.
///
/// # Errors
/// The profile cannot be read or used, or the outline cannot be written.
pub fn run(args: &BladeArgs) -> Result<(), Box<dyn std::error::Error>> {
    let Verb::Fit(args) = &args.verb;
    if let Some(path) = &args.outline {
        check_file(path)?;
        let same = |input: PathBuf| path.canonicalize().is_ok_and(|output| output == input);
        if args.profile.canonicalize().is_ok_and(same) {
            return Err(format!(
                "--outline: {} is the file of the profile, which would be lost: name another file",
                path.display()
            )
            .into());
        }
    }
    let points = read_profile(&args.profile, args.chord).map_err(|problem| problem.to_string())?;
    let fit = BladeFit::new(&points, args.points);
    let outline = fit.blade.points().map_err(|problem| problem.to_string())?;
    let (worst, at) = fit.worst();
    let [x, y] = points[at];
    let [place, camber, thickness] = [&fit.blade.leading_edge[..], &fit.blade.camber, &fit.blade.thickness];
    print_line(format_args!(
        "# Nearest to {}: {} points have a root mean square distance of {:.2e} chords, the worst {worst:.2e} at \
         ({x:.4}, {y:.4}).\nprofile:\n  blade:\n    leading-edge: {}\n    axial-chord: {:.7}\n    camber: {}\n    \
         thickness: {}",
        args.profile.display(),
        points.len(),
        fit.mean(),
        list(place, 7),
        fit.blade.axial_chord,
        list(camber, 4),
        list(thickness, 7),
    ));
    if worst > FAR {
        tracing::warn!(
            "the blade is {worst:.2e} chords from the profile at ({x:.4}, {y:.4}), more than {FAR:e}: use more numbers \
             (--points), or the profile itself (`profile.file`)"
        );
    }
    if let Some(path) = &args.outline {
        let rows: String = outline.iter().map(|[x, y]| format!("{x},{y}\n")).collect();
        atomic_write(path, ("x,y\n".to_owned() + &rows).as_bytes())?;
    }
    Ok(())
}

/// Returns numbers as a list of YAML.
fn list(numbers: &[f64], digits: usize) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:.digits$}")).collect();
    format!("[{}]", numbers.join(", "))
}
