//! The files of the distributions along a wall: lines about the wall and the flow, and a row for each station of each
//! side. The file of the means over all time has the force and the places of separation as well, and that of the means
//! at phases has the rows of each phase.

use std::path::Path;

use super::distribution::{Distribution, OF_HEAT, VALUES, Zero};
use super::loads::AT_STATION;
use super::request::CascadeRequest;
use super::stations::Extent;
use crate::io::{self, Provenance, shortest};
use crate::output::estimate::{Certainty, Estimate, columns_with_errors, values_with_errors};
use crate::output::phase_means::{PhaseBin, PhaseMeans};

/// Columns before the values. Only sections have the last one.
const PLACE: [(&str, &str); 6] = [
    ("side", "-"),
    ("s_over_S", "-"),
    ("x_over_C", "-"),
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
];

/// Columns of the file of phases before the place, and the values that it has.
const PHASE: [(&str, &str); 2] = [("phase", "-"), ("sample_time", "s")];
const AT_PHASES: [&str; 5] = ["p", "tau", "M_is", "C_p", "C_f"];

/// Names of the coefficients of forces.
pub const COEFFICIENTS: [&str; 4] = ["C_x", "C_y", "C_x_friction", "C_y_friction"];

/// Definitions of the columns.
const DEFINITIONS: [&str; 6] = [
    "side: 1 suction side, 2 pressure side; s_over_S: length from the leading edge over that of the side; x_over_C: \
     distance in x from the front over C_ax",
    "C_p = (p - p2)/(p01 - p2), C_p01 = (p01 - p)/(p01 - p2), M_is: isentropic Mach number of p with p01, 0 where p is \
     not below p01",
    "C_f = tau/(p01 - p2), C_f_is = tau/(rho2 V2^2/2) of the isentropic exit; tau is positive towards the trailing \
     edge",
    "y_plus of the first solution point off the wall; dx_plus, dz_plus: length of the cell along the wall and along z, \
     over the order + 1",
    "heat_flux into the wall; h = heat_flux/(T01 - T), Nu = h C/k(T) with the largest distance C between stations, \
     St = h/(rho2 V2 cp) of the isentropic exit; recovery = (T - T_is)/(T01 - T_is), T_is isentropic at p",
    "NAME_error: standard error of NAME; NaN with fewer than 16 batches of samples; NAME_at_least: 1 if it is a lower \
     bound",
];

/// Definitions of what is another in a section.
const OF_SECTION: &str = "section: values at the places where it cuts the wall; x_over_C along its axis, dz_plus along \
                          z or r; forces per length of z or r, those in y of cylinders around the axis";

/// Names of the sides in results. A wall with two ends has one side.
fn side_name(distribution: &Distribution, number: usize) -> &'static str {
    match (distribution.sides.len(), number) {
        (1, _) => "wall",
        (_, 0) => "suction",
        _ => "pressure",
    }
}

/// A result at the head of the file: name, unit and value.
pub type Named = (String, &'static str, Estimate);

/// Returns the places where the flow separates and reattaches, in their order on each side, with their names:
/// `suction_separation_1`.
pub fn separation(distribution: &Distribution) -> Vec<(String, Zero)> {
    let mut places = Vec::new();
    for (number, side) in distribution.sides.iter().enumerate() {
        let mut counts = [0, 0];
        for zero in distribution.zeros(side) {
            let count = &mut counts[usize::from(zero.separates)];
            *count += 1;
            let what = if zero.separates { "separation" } else { "reattachment" };
            places.push((format!("{}_{what}_{count}", side_name(distribution, number)), zero));
        }
    }
    places
}

/// Returns force, coefficients and places of separation, by name and unit.
pub fn results(d: &Distribution, cascade: Option<&CascadeRequest>) -> Vec<Named> {
    let forces = d.force();
    let named = |names: [&str; 4], unit: &'static str, values: [Estimate; 4]| {
        let pairs = names.into_iter().zip(values);
        pairs
            .map(move |(name, value)| (name.to_owned(), unit, value))
            .collect::<Vec<Named>>()
    };
    let unit = match d.stations.extent {
        Extent::Span(_) => "N",
        Extent::Section(..) => "N/m",
    };
    let mut results = named(["force_x", "force_y", "friction_x", "friction_y"], unit, forces);
    let coefficients = d.force_coefficients();
    results.extend(named(COEFFICIENTS, "-", coefficients));
    if let Some(cascade) = cascade {
        let tangential = coefficients[1];
        let by_force = tangential.over(tangential.value.signum());
        results.push(("zweifel".to_owned(), "-", by_force));
        let by_angles = Estimate {
            value: cascade.zweifel(d.chord),
            error: f64::NAN,
            certainty: Certainty::AtLeast,
            half_difference: f64::NAN,
        };
        results.push(("zweifel_angles".to_owned(), "-", by_angles));
    }
    for (name, zero) in separation(d) {
        results.push((format!("{name}_s_over_S"), "-", zero.s));
        results.push((format!("{name}_x_over_C"), "-", zero.x));
    }
    results
}

/// Returns the lines about the samples, the wall and the flow.
fn head(d: &Distribution) -> Vec<String> {
    let flow = &d.expansion;
    let coordinates = PLACE[3..].iter().zip(coordinates(d, d.sides[0].stations[0]));
    let leading = coordinates.map(|((name, _), value)| format!("{name} = {}", shortest(value)));
    let wall = match d.stations.extent {
        Extent::Span(span) => format!("wall: C_ax = {}, span = {}", shortest(d.chord), shortest(span)),
        Extent::Section(section, _) => {
            let [level, chord] = [section.level(), d.chord].map(shortest);
            format!("section: {} = {level}, C_ax = {chord}", section.name())
        }
    };
    let mut lines = d.means.description();
    lines.extend([
        format!("{wall}, stations = {}", d.stations.curve.len()),
        format!("leading-edge: {}", leading.collect::<Vec<_>>().join(", ")),
        format!(
            "isentropic exit: p01 = {}, p2 = {}, M_2is = {}",
            shortest(flow.total_pressure),
            shortest(flow.pressure),
            shortest(flow.mach(flow.pressure))
        ),
    ]);
    lines
}

/// Returns the lines at the head of the file of the means over all time.
fn comments(d: &Distribution, results: &[Named]) -> Vec<String> {
    let mut lines = head(d);
    lines.extend(d.total_temperature.map(|t| reynolds_number(d, t)));
    lines.push(format!("stations at or above p01: {}", d.above_total_pressure()));
    lines.extend(results.iter().map(|(name, unit, value)| value.line(name, unit)));
    lines.extend(DEFINITIONS.map(str::to_owned));
    lines.extend(definition_of_section(d));
    lines
}

/// Returns the definitions of a section.
fn definition_of_section(d: &Distribution) -> Option<String> {
    matches!(d.stations.extent, Extent::Section(..)).then(|| OF_SECTION.to_owned())
}

/// Returns the line of the velocity and the Reynolds number of the isentropic exit.
fn reynolds_number(d: &Distribution, total_temperature: f64) -> String {
    let exit = d.isentropic_exit(total_temperature);
    let chord = d.largest_distance;
    let mu = d.gas.mu(exit.temperature);
    let mut line = format!(
        "isentropic exit speed: V_2is = {}, T_2is = {}",
        shortest(exit.speed),
        shortest(exit.temperature)
    );
    if mu > 0.0 {
        let reynolds = exit.density * exit.speed * chord / mu;
        line += &format!(", Re_2is = {} with the chord {}", shortest(reynolds), shortest(chord));
    }
    line
}

/// Returns the coordinates of a station: x and y, and z in a section.
fn coordinates(d: &Distribution, station: usize) -> Vec<f64> {
    let at = d.stations.curve.at[station];
    match d.stations.extent {
        Extent::Span(_) => at.to_vec(),
        Extent::Section(section, zero) => section.point(at, zero).to_vec(),
    }
}

/// Returns the columns of the place of a station.
fn place_columns(d: &Distribution) -> &'static [(&'static str, &'static str)] {
    match d.stations.extent {
        Extent::Span(_) => &PLACE[..PLACE.len() - 1],
        Extent::Section(..) => &PLACE,
    }
}

/// Returns the place of station number `index` of side number `number`, in the order of [`PLACE`].
fn place(d: &Distribution, number: usize, index: usize) -> Vec<f64> {
    let side = &d.sides[number];
    let station = side.stations[index];
    let length = side.s[side.s.len() - 1];
    let along = [(number + 1) as f64, side.s[index] / length, d.x_over_chord(station)];
    along.into_iter().chain(coordinates(d, station)).collect()
}

/// Writes the file of the means over all time, with the results in its head.
pub fn write(
    path: &Path,
    distribution: &Distribution,
    results: &[Named],
    provenance: &Provenance,
) -> Result<(), io::Error> {
    let known = match distribution.total_temperature {
        Some(_) => VALUES.len(),
        None => VALUES.len() - OF_HEAT,
    };
    let columns = columns_with_errors(
        place_columns(distribution).iter().copied(),
        VALUES[..known].iter().copied(),
    );
    let columns: Vec<(&str, &str)> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
    let mut rows = Vec::new();
    for (number, side) in distribution.sides.iter().enumerate() {
        for (index, &station) in side.stations.iter().enumerate() {
            rows.extend(place(distribution, number, index));
            let values = distribution.at(side, station);
            rows.extend(values_with_errors(&values[..known]));
        }
    }
    let comments = comments(distribution, results);
    io::write_table(path, &columns, &rows, &comments, provenance)
}

/// Writes the file of the means at phases. The sides are those of the means over all time.
pub fn write_phases(
    path: &Path,
    distribution: &Distribution,
    phases: &PhaseMeans,
    provenance: &Provenance,
) -> Result<(), io::Error> {
    let chosen: Vec<usize> = (0..VALUES.len())
        .filter(|&v| AT_PHASES.contains(&VALUES[v].0))
        .collect();
    let columns = columns_with_errors(
        PHASE.into_iter().chain(place_columns(distribution).iter().copied()),
        chosen.iter().map(|&v| VALUES[v]),
    );
    let columns: Vec<(&str, &str)> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
    let sides = distribution.sides.iter().enumerate();
    let places: Vec<_> = sides
        .flat_map(|(number, side)| side.stations.iter().enumerate().map(move |place| (number, side, place)))
        .collect();
    let values = |loads: &[f64]| {
        let of_place = |&(_, side, (_, &station)): &(_, _, (_, &usize))| {
            let values = distribution.of_means(side, station, &loads[AT_STATION * station..][..AT_STATION]);
            chosen.iter().map(move |&v| values[v])
        };
        places.iter().flat_map(of_place).collect()
    };
    let mut rows = Vec::new();
    for PhaseBin { phase, time, estimates } in phases.bins(values) {
        for (&(number, _, (index, _)), estimates) in places.iter().zip(estimates.chunks(chosen.len())) {
            rows.extend([phase, time]);
            rows.extend(place(distribution, number, index));
            rows.extend(values_with_errors(estimates));
        }
    }
    let mut comments = head(distribution);
    comments.extend(phases.description());
    comments.extend(DEFINITIONS[..3].iter().map(|line| (*line).to_owned()));
    comments.extend(definition_of_section(distribution));
    io::write_table(path, &columns, &rows, &comments, provenance)
}
