//! Files of statistical profiles: a table for people and plots, and the same in HDF5 for programs. Means over one
//! direction, whose rows lie in a plane, have the second file only: it holds each place once, whereas the fields repeat
//! the means at all points of the mesh.

use std::path::Path;

use hdf5::types::VarLenUnicode;

use super::walls::{Wall, reynolds_number};
use crate::io::{self, Partial, Provenance, shortest};
use crate::output::estimate::{AT_LEAST, ERROR, Estimate, StandardError};
use crate::output::results::NamedResult;

/// The number and the times of the samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Number of samples.
    pub samples: u64,
    /// Start of the averaging time.
    pub from: f64,
    /// Time of the last sample.
    pub to: f64,
}

impl Span {
    /// Returns the averaging time.
    pub fn time(&self) -> f64 {
        self.to - self.from
    }
}

/// Returns the description of the samples and the walls in the header, in the form that `fr-les plot` reads.
pub fn in_lines(span: Span, walls: &[Wall], errors: Option<&Errors>) -> Vec<String> {
    let Span { samples, from, to } = span;
    let time = shortest(span.time());
    let from = shortest(from);
    let to = shortest(to);
    let mut comments = vec![
        format!("samples: {samples}"),
        format!("sample-time: {time}"),
        format!("from: {from}"),
        format!("to: {to}"),
    ];
    for wall in walls {
        let u_tau = wall.u_tau();
        let nu = wall.nu();
        let [x, y, z] = wall.stress;
        let mut line = |kind: &str, values: &[(&str, f64)], errors: &[(&str, StandardError)]| {
            // Without viscosity there are no wall units.
            let values = values
                .iter()
                .filter(|(_, value)| value.is_finite())
                .map(|(name, value)| format!("{name} = {}", shortest(*value)));
            let errors = errors
                .iter()
                .filter(|(_, error)| error.size.is_finite())
                .map(|(name, error)| format!("{name}{ERROR} = {}", error.in_words(shortest)));
            let entries: Vec<String> = values.chain(errors).collect();
            comments.push(format!("{kind} {}: {}", wall.name, entries.join(", ")));
        };
        line(
            "wall",
            &[
                ("tau", wall.tau),
                ("rho", wall.rho),
                ("mu", wall.mu),
                ("u_tau", u_tau),
                ("nu", nu),
                ("heat_flux", wall.heat_flux),
            ],
            &wall.named_errors(),
        );
        line(
            "wall-detail",
            &[
                ("tau_x", x),
                ("tau_y", y),
                ("tau_z", z),
                ("u_tau_over_nu", u_tau / nu),
                ("first_point", wall.first_point),
                ("first_point_plus", wall.first_point * u_tau / nu),
            ],
            &[],
        );
    }
    let number = reynolds_number(walls);
    comments.extend(number.map(|number| format!("re_tau: {}", shortest(number))));
    let error = errors
        .map(|errors| errors.re_tau)
        .filter(|error| error.size.is_finite());
    comments.extend(error.map(|error| format!("re_tau_error: {}", error.in_words(shortest))));
    comments
}

/// Returns the results at walls that [`in_lines`] has with their errors, and the friction velocity.
pub fn results(walls: &[Wall], errors: Option<&Errors>) -> Vec<NamedResult> {
    let result = |name: String, unit: &str, value: f64, error: StandardError| {
        let estimate = Estimate {
            value,
            error: error.size,
            certainty: error.certainty,
            half_difference: f64::NAN,
        };
        NamedResult::new(format!("statistics.{name}"), unit, estimate)
    };
    let of_wall = |wall: &Wall| {
        let [tau, heat_flux] = wall.named_errors().map(|(_, error)| error);
        let name = &wall.name;
        // That of the stress over twice the friction velocity times the density, which counts as known.
        let u_tau = StandardError {
            size: 0.5 * wall.u_tau() * tau.size / wall.tau,
            ..tau
        };
        [
            result(format!("{name}.tau"), "Pa", wall.tau, tau),
            result(format!("{name}.u_tau"), "m/s", wall.u_tau(), u_tau),
            result(format!("{name}.heat_flux"), "W/m^2", wall.heat_flux, heat_flux),
        ]
    };
    let mut results: Vec<NamedResult> = walls.iter().flat_map(of_wall).collect();
    let error = errors.map_or(StandardError::UNKNOWN, |errors| errors.re_tau);
    results.extend(reynolds_number(walls).map(|number| result("re_tau".to_owned(), "-", number, error)));
    results
}

/// Standard errors of a profile.
#[derive(Debug)]
pub struct Errors {
    /// Those of the moments and terms, `[place][name]`.
    pub values: Vec<Vec<StandardError>>,
    /// That of the friction Reynolds number, of which density and viscosity count as known; not known if there is none.
    pub re_tau: StandardError,
}

/// Means along one direction or in a plane.
#[derive(Debug)]
pub struct Profile<'a> {
    /// Names of the coordinates, one or two.
    pub axes: &'a [&'static str],
    /// The places, `[place][coordinate]`; ascending.
    pub at: &'a [Vec<f64>],
    /// Names and units of the moments and terms.
    pub names: &'a [(&'a str, &'static str)],
    /// Their values, `[place][name]`.
    pub values: &'a [Vec<f64>],
    /// The standard errors, if they are computed.
    pub errors: Option<&'a Errors>,
    /// The number and the times of the samples.
    pub span: Span,
    /// The no-slip walls.
    pub walls: &'a [Wall],
}

impl Profile<'_> {
    /// Returns names, units and values of the columns. An error, and whether it is a lower bound, stand beside its
    /// mean.
    fn columns(&self) -> Vec<(String, &'static str, Vec<f64>)> {
        let coordinate = |(d, axis): (usize, &&'static str)| {
            let values = self.at.iter().map(|x| x[d]).collect();
            ((*axis).to_owned(), "m", values)
        };
        let mut all: Vec<_> = self.axes.iter().enumerate().map(coordinate).collect();
        for (number, &(name, unit)) in self.names.iter().enumerate() {
            let values = self.values.iter().map(|row| row[number]).collect();
            all.push((name.to_owned(), unit, values));
            if let Some(errors) = self.errors {
                let of_rows = |part: fn(&StandardError) -> f64| {
                    let errors = errors.values.iter().map(|row| part(&row[number]));
                    errors.collect::<Vec<f64>>()
                };
                all.push((format!("{name}{ERROR}"), unit, of_rows(|error| error.size)));
                let bounds = of_rows(|error| error.certainty.entry());
                all.push((format!("{name}{AT_LEAST}"), "-", bounds));
            }
        }
        all
    }

    /// Writes `statistics.csv` into a directory.
    pub fn write_table(&self, directory: &Path, provenance: &Provenance) -> Result<(), io::Error> {
        let all = self.columns();
        let columns: Vec<(&str, &str)> = all.iter().map(|(name, unit, _)| (name.as_str(), *unit)).collect();
        let rows = (0..self.at.len()).flat_map(|i| all.iter().map(move |(.., values)| values[i]));
        let rows: Vec<f64> = rows.collect();
        let table = directory.join("statistics.csv");
        io::write_table(
            &table,
            &columns,
            &rows,
            &in_lines(self.span, self.walls, self.errors),
            provenance,
        )
    }

    /// Writes `statistics.h5` into a directory.
    pub fn write_hdf5(&self, directory: &Path, provenance: &Provenance) -> Result<(), io::Error> {
        let path = directory.join("statistics.h5");
        let partial = Partial::new(&path)?;
        // HDF5 would write through a symbolic link that it found under this name.
        partial.create()?;
        // The first format of the library keeps no times of groups, so that the same sums give the same bytes.
        let file = hdf5::File::create(partial.temporary()).map_err(io::Error::hdf5("create the file", &path))?;
        self.fill(&file, provenance).map_err(io::Error::hdf5("write", &path))?;
        file.close().map_err(io::Error::hdf5("close the file", &path))?;
        partial.publish()
    }

    /// Writes datasets with the names and units of the columns, walls as groups, and the description of the samples as
    /// attributes.
    fn fill(&self, file: &hdf5::File, provenance: &Provenance) -> hdf5::Result<()> {
        let number = |group: &hdf5::Group, name: &str, value: f64| {
            if value.is_finite() {
                group.new_attr::<f64>().create(name)?.write_scalar(&value)
            } else {
                Ok(())
            }
        };
        let with_bound = |group: &hdf5::Group, name: &str, error: StandardError| {
            number(group, &format!("{name}{ERROR}"), error.size)?;
            if error.size.is_finite() {
                number(group, &format!("{name}{AT_LEAST}"), error.certainty.entry())
            } else {
                Ok(())
            }
        };
        let word = |at: &hdf5::Location, name: &str, text: &str| {
            let text: VarLenUnicode = text.replace('\0', "").parse().unwrap_or_default();
            at.new_attr::<VarLenUnicode>().create(name)?.write_scalar(&text)
        };
        for (name, unit, values) in self.columns() {
            let dataset = file.new_dataset::<f64>().shape(values.len()).create(name.as_str())?;
            dataset.write_raw(&values)?;
            word(&dataset, "unit", unit)?;
        }
        file.new_attr::<u64>()
            .create("samples")?
            .write_scalar(&self.span.samples)?;
        number(file, "sample-time", self.span.time())?;
        number(file, "from", self.span.from)?;
        number(file, "to", self.span.to)?;
        if let Some(re_tau) = reynolds_number(self.walls) {
            number(file, "re_tau", re_tau)?;
            let error = self.errors.map_or(StandardError::UNKNOWN, |errors| errors.re_tau);
            with_bound(file, "re_tau", error)?;
        }
        word(file, "coordinate", &self.axes.join(", "))?;
        word(file, "provenance", &provenance.comment())?;
        let walls = file.create_group("walls")?;
        for wall in self.walls {
            // Names of boundaries may contain slashes, which HDF5 reserves.
            let group = walls.create_group(&wall.name.replace('/', "_"))?;
            word(&group, "name", &wall.name)?;
            for (name, value) in [
                ("tau", wall.tau),
                ("tau_x", wall.stress[0]),
                ("tau_y", wall.stress[1]),
                ("tau_z", wall.stress[2]),
                ("rho", wall.rho),
                ("mu", wall.mu),
                ("u_tau", wall.u_tau()),
                ("nu", wall.nu()),
                ("heat_flux", wall.heat_flux),
                ("first_point", wall.first_point),
                ("first_point_plus", wall.first_point * wall.u_tau() / wall.nu()),
            ] {
                number(&group, name, value)?;
            }
            for (name, error) in wall.named_errors() {
                with_bound(&group, name, error)?;
            }
        }
        Ok(())
    }
}
