//! Whether the results of a cascade agree with one another and with the case: the force on the blades and that of the
//! momentum balance, the mass flux through two planes, the pressure behind, and the state at the inlet.

use super::html::{escaped, paragraph, table};
use super::run::Run;
use crate::format::{assigned, number};
use crate::io::TableFile;
use crate::output::{Certainty, Estimate};
use crate::physics::{Boundary, FacePoint, Gas, InitialGas, TotalSlot};
use crate::plot::blades;
use crate::plot::figure::SHOWN_ERRORS;

/// Largest deviation with which a balance counts as reached.
#[derive(Clone, Copy)]
enum Limit {
    /// A fraction of the expected value.
    Relative(f64),
    /// A difference of angles in degrees.
    Degrees(f64),
}

/// The limit of each component of the force.
const FORCE: Limit = Limit::Relative(0.01);
/// The limit of the mass flux.
const MASS: Limit = Limit::Relative(1e-4);
/// The limit of the pressure behind the cascade.
const EXIT: Limit = Limit::Relative(1e-3);
/// The limit of total pressure and total temperature at the inlet.
const INLET: Limit = Limit::Relative(1e-3);
/// The limit of the angle of the flow at the inlet.
const ANGLE: Limit = Limit::Degrees(0.1);

/// A quantity that is known twice.
struct Balance {
    name: &'static str,
    found: Estimate,
    expected: Estimate,
    limit: Limit,
}

/// The state that is prescribed at the inlet.
struct Inlet {
    total_pressure: f64,
    total_temperature: f64,
    /// Angle of the flow from x in degrees, if the direction is given.
    angle: Option<f64>,
}

/// Returns the balances of each traverse with a plane upstream, in a run with blades; nothing for other runs. Runs with
/// interfaces have several rows, of which these balances do not know which lie between the planes and in what frame.
pub(super) fn closures(run: &Run) -> String {
    let blades: Vec<&TableFile> = run.tables.iter().filter(|file| is_blade(file)).collect();
    let Some(first) = blades.first() else {
        return String::new();
    };
    let case = run.case.as_ref();
    if case.is_some_and(|case| !case.solver.sides_of_interfaces().is_empty()) {
        return String::new();
    }
    let inlet = case.and_then(|case| {
        let boundaries: Vec<&Boundary> = case.solver.boundaries.values().collect();
        inlet(&boundaries, &case.solver.gas)
    });
    let exit = line_value(first, "isentropic exit: ", "p2");
    let force = force_per_span(&blades);
    let traverses = run
        .tables
        .iter()
        .filter(|file| result(file, "inlet_mass_flux").is_some());
    let of_traverse = |file: &TableFile| {
        let balances = balances(file, force, exit, inlet.as_ref());
        let rows: Vec<Vec<String>> = balances.iter().map(Balance::row).collect();
        let heads = [
            "quantity",
            "found",
            "expected",
            "deviation",
            "2 x standard error",
            "limit",
            "",
        ];
        format!(
            "<h3>Closure of {}</h3>\n{}",
            escaped(&file.name()),
            table(&heads, &rows)
        )
    };
    let tables: String = traverses.map(of_traverse).collect();
    if tables.is_empty() {
        tables
    } else {
        paragraph(
            "Forces are those per span on all blades with `output.blades`, and those of the momentum balance \
                 between the planes, to which everything between them belongs, bars too. The pressure p2 is that of \
                 the output of the blade, and the state of the inlet that of the boundary, if it is the same \
                 everywhere. Errors of both sides count as independent.",
        ) + &tables
    }
}

/// Returns whether a file is the distribution along a whole closed wall: the forces of sections are not those on it.
pub(super) fn is_blade(file: &TableFile) -> bool {
    let sides = file.table.column("side").unwrap_or_default();
    let is_section = file.comments.iter().any(|line| line.starts_with("section: "));
    !is_section && blades::is_distribution(&file.table) && sides.contains(&1.0) && sides.contains(&2.0)
}

/// Returns the result of this name at the head of a file.
pub(super) fn result(file: &TableFile, name: &str) -> Option<Estimate> {
    let mut results = file.comments.iter().filter_map(|line| Estimate::of_line(line));
    let found = results.find(|(known, _)| known.split(' ').next() == Some(name));
    found
        .map(|(_, result)| result)
        .filter(|result| result.value.is_finite())
}

/// Returns a number of a line at the head: `BEGINNAME = 1.5, OTHER = 2`.
fn line_value(file: &TableFile, begin: &str, name: &str) -> Option<f64> {
    let line = file.comments.iter().find_map(|line| line.strip_prefix(begin))?;
    assigned(line, name)
}

/// Returns the lines that tell which wall the file of a blade belongs to.
pub(super) fn place_of(file: &TableFile) -> Vec<&String> {
    let of_wall = |line: &&String| line.starts_with("wall: ") || line.starts_with("leading-edge: ");
    file.comments.iter().filter(of_wall).collect()
}

/// Returns the force on all blades over the span, in x and y. Outputs of the same wall count once.
fn force_per_span(blades: &[&TableFile]) -> Option<[Estimate; 2]> {
    let mut places: Vec<Vec<&String>> = Vec::new();
    let mut sums = [exact(0.0); 2];
    for file in blades {
        let place = place_of(file);
        if places.contains(&place) {
            continue;
        }
        places.push(place);
        let span = line_value(file, "wall: ", "span")?;
        for (sum, name) in sums.iter_mut().zip(["force_x", "force_y"]) {
            let force = result(file, name)?.over(span);
            sum.value += force.value;
            sum.error = sum.error.hypot(force.error);
            sum.certainty = Certainty::of_all([sum.certainty, force.certainty]);
        }
    }
    Some(sums)
}

/// Returns a number without an error.
fn exact(value: f64) -> Estimate {
    Estimate {
        value,
        error: 0.0,
        certainty: Certainty::Estimated,
        half_difference: f64::NAN,
    }
}

/// Returns the state that is prescribed at the inlet, if the case has one total inlet whose values are the same
/// everywhere.
fn inlet(boundaries: &[&Boundary], gas: &Gas) -> Option<Inlet> {
    let mut inlets = boundaries.iter().filter(|boundary| boundary.kind().is_total_inlet());
    let (Some(inlet), None) = (inlets.next(), inlets.next()) else {
        return None;
    };
    let x = [0.0; 3];
    if !inlet.is_uniform() || inlet.frame_velocity(x).is_some() {
        return None;
    }
    // The values are those of any point of a plane x = const.
    let at = FacePoint {
        x,
        normal: [-1.0, 0.0, 0.0],
        extent: 1.0,
        face_size: 1.0,
        time: 0.0,
        gas,
        initial: InitialGas::Known(1.0, [1.0, 0.0, 0.0], 1.0),
    };
    let data = inlet.data(&at).ok()?;
    let direction = TotalSlot::Direction as usize;
    let [u, v] = [data[direction], data[direction + 1]];
    Some(Inlet {
        total_pressure: data[TotalSlot::Pressure as usize],
        total_temperature: data[TotalSlot::Temperature as usize],
        angle: (u > 0.0).then(|| v.atan2(u).to_degrees()),
    })
}

/// Returns what is known twice in a run with a traverse.
fn balances(file: &TableFile, force: Option<[Estimate; 2]>, exit: Option<f64>, inlet: Option<&Inlet>) -> Vec<Balance> {
    let span = file
        .comments
        .iter()
        .find_map(|line| line.strip_prefix("span: ")?.parse::<f64>().ok());
    let by_momentum = |name: &str| Some(result(file, name)?.over(span?));
    let found = |name: &str| result(file, name);
    let of_inlet = |value: fn(&Inlet) -> Option<f64>| inlet.and_then(value).map(exact);
    let [x, y] = [0, 1].map(|d| force.map(|force| force[d]));
    let all = [
        ("force in x, N/m", x, by_momentum("force_x"), FORCE),
        ("force in y, N/m", y, by_momentum("force_y"), FORCE),
        (
            "mass flux out and in, kg/(m^2 s)",
            found("mass_flux"),
            found("inlet_mass_flux"),
            MASS,
        ),
        ("p2, mixed out, Pa", found("p_mixed"), exit.map(exact), EXIT),
        (
            "p0 of the inlet plane, Pa",
            found("inlet_p0_mass"),
            of_inlet(|inlet| Some(inlet.total_pressure)),
            INLET,
        ),
        (
            "T0 of the inlet plane, K",
            found("inlet_T0_mass"),
            of_inlet(|inlet| Some(inlet.total_temperature)),
            INLET,
        ),
        (
            "angle of the inlet plane, deg",
            found("inlet_angle_mixed"),
            of_inlet(|inlet| inlet.angle),
            ANGLE,
        ),
    ];
    let known = all.into_iter().filter_map(|(name, found, expected, limit)| {
        Some(Balance {
            name,
            found: found?,
            expected: expected?,
            limit,
        })
    });
    known.collect()
}

impl Balance {
    /// Returns the row of the table.
    fn row(&self) -> Vec<String> {
        let (size, limit) = match self.limit {
            Limit::Relative(limit) => (self.expected.value, limit),
            Limit::Degrees(limit) => (1.0, limit),
        };
        let deviation = (self.found.value - self.expected.value) / size;
        let error = SHOWN_ERRORS * self.found.error.hypot(self.expected.error) / size.abs();
        let certainty = Certainty::of_all([self.found.certainty, self.expected.certainty]);
        let text = |value: f64| match self.limit {
            _ if !value.is_finite() => "-".to_owned(),
            Limit::Relative(_) => format!("{:.4} %", 100.0 * value),
            Limit::Degrees(_) => format!("{value:.3} deg"),
        };
        let mark = match deviation.abs() {
            unknown if !unknown.is_finite() => "",
            small if small <= limit => "reached",
            large if large - error <= limit => "open",
            _ if error.is_finite() && certainty == Certainty::AtLeast => "open",
            _ => "missed",
        };
        vec![
            self.name.to_owned(),
            number(self.found.value),
            number(self.expected.value),
            text(deviation),
            if error.is_finite() {
                format!("{}{}", certainty.words(), text(error))
            } else {
                text(error)
            },
            text(limit),
            mark.to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A balance of 1 and what is expected.
    fn of(expected: f64, limit: Limit) -> Balance {
        Balance {
            name: "",
            found: exact(1.0),
            expected: exact(expected),
            limit,
        }
    }

    /// Deviation, error and mark of a balance.
    fn shown(balance: &Balance) -> [String; 3] {
        let row = balance.row();
        [3, 4, 6].map(|cell| row[cell].clone())
    }

    #[test]
    fn a_deviation_that_is_not_finite_has_no_mark() {
        assert_eq!(shown(&of(0.0, FORCE)), ["-", "-", ""]);
        assert_eq!(shown(&of(f64::NAN, ANGLE)), ["-", "0.000 deg", ""]);
        assert_eq!(shown(&of(0.5, FORCE)), ["100.0000 %", "0.0000 %", "missed"]);
    }

    #[test]
    fn a_deviation_beyond_a_lower_bound_of_its_error_may_be_chance() {
        let mut balance = of(0.5, FORCE);
        balance.found.error = 0.001;
        assert_eq!(shown(&balance), ["100.0000 %", "0.4000 %", "missed"]);
        balance.found.certainty = Certainty::AtLeast;
        assert_eq!(shown(&balance), ["100.0000 %", "at least 0.4000 %", "open"]);
    }
}
