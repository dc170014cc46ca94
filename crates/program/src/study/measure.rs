//! Values of a run by which designs are compared: columns of its series, results with statistical errors, and its cost,
//! each from the files that the run has written.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::format::number;
use crate::input::{Number, Problem, Scope, listed, nearest};
use crate::io::{RunRecord, TableFile};
use crate::output::{Certainty, Estimate, Output, frequency_of, mean_of};

use super::keys::Take;

/// The values of the record of a run, and their units.
const OF_RUN: [(&str, &str); 3] = [("seconds", "s"), ("steps", "-"), ("points", "-")];
/// The column over which the rows of a series stand: the time of a run, or the steps of a steady solution.
const OVER: [&str; 2] = ["time", "iteration"];

/// The values that a run writes.
pub struct Written {
    /// Its series: name of the file, and names and units of the columns.
    pub series: Vec<(String, Vec<(String, &'static str)>)>,
    /// The names of its results with statistical errors.
    pub results: Vec<String>,
}

impl Written {
    /// Returns what the outputs of a run in time write.
    pub fn by(outputs: &[Box<dyn Output>]) -> Self {
        Written {
            series: outputs.iter().flat_map(|output| output.series()).collect(),
            results: outputs.iter().flat_map(|output| output.results()).collect(),
        }
    }
}

/// Factor by which a run may last longer than the steps of its initial state say.
const UNCERTAINTY: f64 = 2.0;

/// The end of a run: a time, or an iteration of a steady solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunEnd {
    /// At the latest there.
    At(f64),
    /// About there, if all steps are as long as the initial state allows.
    About(f64),
}

impl RunEnd {
    /// Returns the end of a run that ends at this time or where its number of steps ends it, whichever comes first.
    pub fn of_run(end: Option<f64>, by_steps: Option<RunEnd>) -> Self {
        let end = RunEnd::At(end.unwrap_or(f64::INFINITY));
        by_steps
            .filter(|by_steps| by_steps.latest() < end.latest())
            .unwrap_or(end)
    }

    /// Returns when the run has ended for certain.
    fn latest(self) -> f64 {
        match self {
            RunEnd::At(end) => end,
            RunEnd::About(end) => UNCERTAINTY * end,
        }
    }
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEnd::At(end) => write!(f, "{}", number(*end)),
            RunEnd::About(end) => write!(f, "about {}", number(*end)),
        }
    }
}

/// A value of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The name as it is given.
    from: String,
    source: Source,
    take: Take,
    /// First and last time of the rows that count.
    window: Option<[f64; 2]>,
}

/// The value of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The value, which is finite.
    pub value: f64,
    /// Its standard error; `None` if it has none, or none that is known.
    pub error: Option<f64>,
    /// That of its statistical error, if it has one: whether the run was too short to know it.
    pub certainty: Certainty,
}

/// Where the value stands.
#[derive(Debug, Clone, PartialEq)]
enum Source {
    /// A column of a series.
    Series { file: String, column: String },
    /// A result in the comments of a table.
    Result { file: String, name: String },
    /// A number of the record of the run.
    Run(String),
}

impl Measure {
    /// Evaluates and checks the keys of a value. Whether the run writes it is known when its outputs are.
    ///
    /// # Errors
    /// The name has no part that is a column, or the window is empty.
    pub(super) fn resolve(
        key: &str,
        (from, take, window): (&str, Take, &Option<[Number; 2]>),
        scope: &Scope,
    ) -> Result<Self, Problem> {
        let parts: Vec<&str> = from.split('.').collect();
        let source = match parts.as_slice() {
            ["run", value] if OF_RUN.iter().any(|(known, _)| known == value) => Source::Run((*value).to_owned()),
            ["run", value] => {
                let known = OF_RUN.map(|(known, _)| known);
                let problem = Problem::new(format!("the record of a run has no value `{value}`"));
                return Err(problem.suggest(value, &known, "values").key(format!("{key}.from")));
            }
            [file, column] if !file.is_empty() && !column.is_empty() => Source::Series {
                file: (*file).to_owned(),
                column: (*column).to_owned(),
            },
            [kind, instance, name] if parts.iter().all(|part| !part.is_empty()) => Source::Result {
                file: format!("{}_{instance}", kind.strip_suffix('s').unwrap_or(kind)),
                name: (*name).to_owned(),
            },
            _ => {
                let problem = Problem::new(format!("`{from}` names no value of a run")).key(format!("{key}.from"));
                return Err(problem.help("it is like `integrals.enstrophy`, `traverses.wake.omega` or `run.seconds`"));
            }
        };
        let window = match window {
            None => None,
            Some([first, last]) => {
                let key = format!("{key}.window");
                let (first, last) = (scope.number(&key, first)?, scope.number(&key, last)?);
                if first >= last {
                    return Err(Problem::new(format!("the window from {first} to {last} is empty")).key(key));
                }
                Some([first, last])
            }
        };
        let plain = take == Take::Last && window.is_none();
        if !plain && !matches!(source, Source::Series { .. }) {
            let problem = Problem::new(format!("`{from}` is one value, of which nothing can be taken"));
            return Err(problem.key(key).help("`take` and `window` belong to columns of series"));
        }
        Ok(Measure {
            from: from.to_owned(),
            source,
            take,
            window,
        })
    }

    /// Returns the unit of the value among what a run writes.
    ///
    /// # Errors
    /// Returns what is wrong if nothing writes the value, or if the window begins after the end of the run.
    pub fn require(&self, written: &Written, end: RunEnd) -> Result<String, String> {
        if let Some([first, _]) = self.window
            && first > end.latest()
        {
            return Err(format!("the window begins at {first}, and the run ends at {end}"));
        }
        match &self.source {
            Source::Run(value) => {
                let of_run = OF_RUN.iter().find(|(known, _)| known == value);
                Ok(of_run.map_or("-", |(_, unit)| *unit).to_owned())
            }
            Source::Result { .. } => {
                let known = &written.results;
                if known.contains(&self.from) {
                    Ok("-".to_owned())
                } else {
                    Err(unknown(
                        &format!("no output has the result `{}`", self.from),
                        &self.from,
                        known,
                    ))
                }
            }
            Source::Series { file, column } => {
                let names: Vec<String> = written.series.iter().map(|(name, _)| name.clone()).collect();
                let Some((_, columns)) = written.series.iter().find(|(name, _)| name == file) else {
                    return Err(unknown(&format!("no output writes {file}.csv"), file, &names));
                };
                let unit_of = |wanted: &str| columns.iter().find(|(name, _)| name == wanted).map(|(_, unit)| *unit);
                let over = || OVER.iter().find_map(|name| unit_of(name)).unwrap_or("-");
                let unit = |unit: &str| match self.take {
                    Take::Frequency => format!("1/{}", over()),
                    _ => unit.to_owned(),
                };
                unit_of(column).map(unit).ok_or_else(|| {
                    let columns: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
                    unknown(&format!("{file}.csv has no column `{column}`"), column, &columns)
                })
            }
        }
    }

    /// Returns the value of a run from its output directory.
    ///
    /// # Errors
    /// Returns what is missing, or that the value is not finite.
    pub fn of_run(&self, directory: &Path) -> Result<Measured, String> {
        let (mut error, mut certainty) = (None, Certainty::Estimated);
        let value = match &self.source {
            Source::Run(value) => of_record(directory, value)?,
            Source::Result { file, name } => {
                let table = read(directory, file)?;
                let mut results = table.comments.iter().filter_map(|line| Estimate::of_line(line));
                let named = results.find(|(known, _)| known.split(' ').next() == Some(name.as_str()));
                let (_, result) = named.ok_or_else(|| format!("{file}.csv has no result {name}"))?;
                error = Some(result.error).filter(|error| error.is_finite());
                certainty = result.certainty;
                result.value
            }
            Source::Series { file, column } => {
                let table = read(directory, file)?.table;
                let column = table
                    .column(column)
                    .ok_or_else(|| format!("{file}.csv has no column {column}"))?;
                let times = OVER.iter().find_map(|name| table.column(name));
                let times = times.ok_or_else(|| format!("{file}.csv has no column {}", OVER.join(" or ")))?;
                let rows: Vec<[f64; 2]> = times.iter().zip(column).map(|(t, value)| [*t, *value]).collect();
                self.of_rows(&rows).map_err(|what| format!("{file}.csv {what}"))?
            }
        };
        if value.is_finite() {
            Ok(Measured {
                value,
                error,
                certainty,
            })
        } else {
            Err(format!("{} is {value}", self.from))
        }
    }

    /// Returns whether the value has a statistical error.
    pub fn is_statistical(&self) -> bool {
        matches!(self.source, Source::Result { .. })
    }

    /// Returns the value of rows of time and value.
    ///
    /// # Errors
    /// No row counts, or there is no whole period.
    fn of_rows(&self, rows: &[[f64; 2]]) -> Result<f64, String> {
        let [first, last] = self.window.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let rows: Vec<[f64; 2]> = rows
            .iter()
            .filter(|[t, _]| (first..=last).contains(t))
            .copied()
            .collect();
        let values = || rows.iter().map(|[_, value]| *value);
        let Some(end) = rows.last() else {
            return Err("has no row in the window".to_owned());
        };
        Ok(match self.take {
            Take::Last => end[1],
            // A NaN must not disappear, as it does in `f64::min`.
            Take::Minimum => values().fold(f64::INFINITY, |a, b| if b < a || b.is_nan() { b } else { a }),
            Take::Maximum => values().fold(f64::NEG_INFINITY, |a, b| if b > a || b.is_nan() { b } else { a }),
            Take::Mean => mean_of(&rows),
            Take::Frequency => {
                let what = "does not rise through its mean twice in the window, so that it has no period";
                frequency_of(&rows).ok_or(what)?
            }
        })
    }
}

/// Returns a warning about a value whose statistical error the run was too short to know.
pub fn unknown_error(name: &str) -> String {
    format!("the statistical error of {name} is not known: the run is too short, and designs may differ by chance")
}

/// Returns a message about a name that is not known, with the nearest that is.
fn unknown(what: &str, name: &str, known: &[String]) -> String {
    let names = || known.iter().map(String::as_str);
    match nearest(name, names()) {
        _ if known.is_empty() => format!("{what}: the case asks for none"),
        Some(near) => format!("{what}: did you mean `{near}`? There are {}", listed(names())),
        None => format!("{what}: there are {}", listed(names())),
    }
}

fn read(directory: &Path, file: &str) -> Result<TableFile, String> {
    let path: PathBuf = directory.join(format!("{file}.csv"));
    TableFile::read(&path).map_err(|e| e.to_string())
}

/// Returns a value of the record of a run. A run in parts has the sum of their costs.
fn of_record(directory: &Path, value: &str) -> Result<f64, String> {
    let record = RunRecord::read(directory).map_err(|e| e.to_string())?;
    Ok(match value {
        "points" => record.mesh.points as f64,
        "steps" => record.parts.last().map_or(0.0, |part| part.last.0 as f64),
        _ => record.parts.iter().map(|part| part.seconds).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIES: &str = "step,time,a\n-,s,m\n0,0,4\n1,1,2\n2,3,1\n3,4,3\n";

    fn measure(from: &str, take: Take, window: Option<[f64; 2]>) -> Result<Measure, Problem> {
        let scope = Scope::new(&Default::default()).expect("an empty scope");
        Measure::resolve(
            "objectives.a",
            (from, take, &window.map(|w| w.map(Number::from))),
            &scope,
        )
    }

    #[test]
    fn values_are_taken_of_the_rows_in_the_window() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("s.csv"), SERIES).expect("written");
        let of = |take, window| {
            let measure = measure("s.a", take, window).expect("a measure");
            measure.of_run(folder.path()).map(|measured| measured.value)
        };
        for (take, whole, windowed) in [
            (Take::Last, 3.0, 1.0),
            // Areas 3, 3 and 2 over 4, and 3 and 3 over 3.
            (Take::Mean, 2.0, 2.0),
            (Take::Minimum, 1.0, 1.0),
            (Take::Maximum, 4.0, 4.0),
        ] {
            assert_eq!(of(take, None), Ok(whole), "{take:?}");
            assert_eq!(of(take, Some([0.0, 3.0])), Ok(windowed), "{take:?}");
        }
        assert_eq!(of(Take::Mean, Some([2.5, 3.5])), Ok(1.0), "a single row");
        assert!(
            of(Take::Last, Some([7.0, 8.0]))
                .expect_err("none")
                .contains("no row in the window")
        );
        std::fs::write(folder.path().join("s.csv"), SERIES.replace("3,1\n", "3,NaN\n")).expect("written");
        for take in [Take::Mean, Take::Minimum, Take::Maximum] {
            assert_eq!(of(take, None), Err("s.a is NaN".to_owned()), "{take:?}");
        }
    }

    #[test]
    fn a_window_that_begins_after_the_end_is_refused() {
        let columns = vec![("time".to_owned(), "s"), ("a".to_owned(), "m")];
        let written = Written {
            series: vec![("s".to_owned(), columns)],
            results: Vec::new(),
        };
        let of = |end| {
            let measure = measure("s.a", Take::Mean, Some([3.0, 4.0])).expect("a measure");
            measure.require(&written, end)
        };
        for end in [RunEnd::At(3.0), RunEnd::About(1.6), RunEnd::of_run(None, None)] {
            assert_eq!(of(end), Ok("m".to_owned()), "{end}");
        }
        let refused = "the window begins at 3, and the run ends at ";
        for (end, shown) in [(RunEnd::At(2.9), "2.9"), (RunEnd::About(1.4), "about 1.4")] {
            assert_eq!(of(end), Err(format!("{refused}{shown}")));
        }
        // Of a time and a number of steps the first ends the run.
        for (end, by_steps, first) in [
            (Some(2.0), RunEnd::At(1.0), RunEnd::At(1.0)),
            (Some(2.0), RunEnd::About(1.5), RunEnd::At(2.0)),
            (None, RunEnd::About(1.5), RunEnd::About(1.5)),
        ] {
            assert_eq!(RunEnd::of_run(end, Some(by_steps)), first);
        }
    }

    #[test]
    fn the_frequency_of_an_oscillation_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |value: &dyn Fn(f64) -> f64| {
            let row = |i: u32| (i, 0.1 * f64::from(i));
            let rows = (0..=400).map(row).map(|(i, t)| format!("{i},{t},{}\n", value(t)));
            let text = "step,time,a\n-,s,m\n".to_owned() + &rows.collect::<String>();
            std::fs::write(folder.path().join("s.csv"), text).expect("written");
        };
        let of = |window| {
            let measure = measure("s.a", Take::Frequency, window).expect("a measure");
            measure.of_run(folder.path()).map(|measured| measured.value)
        };
        // An oscillation of the frequency 0.17 about 3 that grows at first: 6.8 periods in all, 3.4 in the window.
        write(&|t: f64| 3.0 + (1.0 - (-t).exp()) * (2.0 * std::f64::consts::PI * 0.17 * t).sin());
        let whole = of(None).expect("a frequency");
        assert!((whole - 0.17).abs() < 1e-3 * 0.17, "{whole}");
        let part = of(Some([20.0, 40.0])).expect("a frequency");
        // The mean of a broken number of periods is not 3, which moves all times of rising alike.
        assert!((part - 0.17).abs() < 1e-3 * 0.17, "{part}");
        let none = of(Some([20.0, 24.0])).expect_err("less than a period");
        assert!(none.contains("does not rise through its mean twice"), "{none}");
        write(&|_| 1.0);
        assert!(of(None).is_err(), "a constant");
        write(&|t| if t > 30.0 { f64::NAN } else { t.sin() });
        assert_eq!(of(None), Err("s.a is NaN".to_owned()));
    }

    #[test]
    fn results_stand_in_the_comments_of_tables() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |from| {
            measure(from, Take::Last, None)
                .expect("a measure")
                .of_run(folder.path())
        };
        for certainty in [Certainty::Estimated, Certainty::AtLeast] {
            let line = Estimate {
                value: 0.25,
                error: 0.01,
                certainty,
                half_difference: 0.0,
            }
            .line("omega", "-");
            let text = format!("# {line}\ny,p0\nm,Pa\n0,1\n");
            std::fs::write(folder.path().join("traverse_wake.csv"), text).expect("written");
            let expected = Measured {
                value: 0.25,
                error: Some(0.01),
                certainty,
            };
            assert_eq!(of("traverses.wake.omega"), Ok(expected));
        }
        assert_eq!(
            of("traverses.wake.zeta"),
            Err("traverse_wake.csv has no result zeta".to_owned())
        );
    }

    #[test]
    fn names_that_cannot_be_values_are_refused() {
        for (from, take, part) in [
            ("enstrophy", Take::Last, "names no value"),
            ("a..b", Take::Last, "names no value"),
            ("run.second", Take::Last, "no value `second`"),
            ("run.seconds", Take::Mean, "is one value"),
        ] {
            let problem = measure(from, take, None).expect_err(from);
            assert!(problem.what.contains(part), "{problem}");
        }
        assert!(measure("a.b", Take::Mean, Some([1.0, 1.0])).is_err());
    }
}
