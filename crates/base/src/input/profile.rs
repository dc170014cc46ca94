//! A field from the columns of a table: a function of one coordinate or of two.
//!
//! Measured and computed profiles arrive as tables, and a fit by an expression would lose what they hold. A profile is
//! read once, and checked when the case is read as far as the table goes. Whether it covers the points at which it is
//! needed shows when the mesh is there. Beyond the ends of the table the end value holds within a small part of its
//! length, since tables are rounded. Farther out the value is not a number, which every user of a field refuses: a
//! profile of half an inlet would otherwise give a plausible flow that nobody asked for.

use std::f64::consts::TAU;

use xxhash_rust::xxh3::Xxh3;

use super::monotone::interpolate;
use super::problem::Problem;
use super::profile_keys::{Coordinate, Interpolation, ProfileKeys};
use super::table::Table;
use crate::format::number;
use crate::vector::{dot, minus};

/// Units of temperatures that do not count from absolute zero.
const RELATIVE: [&str; 9] = [
    "C", "degC", "deg C", "\u{b0}C", "Celsius", "celsius", "F", "degF", "\u{b0}F",
];
/// Units in which a column may be: those of SI and angles, in the ways in which they are written, and the names by
/// which profiles of steady solutions leave the units to the case.
const UNITS: [&str; 53] = [
    "1",
    "m",
    "s",
    "K",
    "Pa",
    "N",
    "J",
    "W",
    "kg",
    "rad",
    "radian",
    "radians",
    "deg",
    "degree",
    "degrees",
    "\u{b0}",
    "m/s",
    "m s^-1",
    "m s-1",
    "m.s^-1",
    "m.s-1",
    "m*s^-1",
    "1/s",
    "s^-1",
    "rad/s",
    "N/m^2",
    "N/m2",
    "J/m^3",
    "kg/m^3",
    "kg/m3",
    "kg/m\u{b3}",
    "kg m^-3",
    "kg.m-3",
    "kg m-3",
    "m^2/s^2",
    "m2/s2",
    "m\u{b2}/s\u{b2}",
    "m^2/s^3",
    "m^2/s",
    "m2/s",
    "m\u{b2}/s",
    "J/kg",
    "W/m^2",
    "Pa s",
    "kg/(m s)",
    "length",
    "time",
    "density",
    "velocity",
    "pressure",
    "temperature",
    "velocity^2",
    "velocity^3/length",
];

/// Part of the length of a table by which points may lie beyond its ends: the rounding of four digits.
const BEYOND: f64 = 1e-4;

/// The distance from the nearest wall as a function of position.
pub type Walls = dyn Fn([f64; 3]) -> f64 + Send + Sync;

/// A field from the columns of a table.
#[derive(Debug)]
pub struct Profile {
    /// Path of the file, as it is written in the case.
    file: String,
    /// Name of the column of the values.
    column: String,
    interpolation: Interpolation,
    /// Direction of the axis, 0 to 2, of radius and angle.
    axis: usize,
    /// A point of that axis.
    origin: [f64; 3],
    /// The coordinates, one or two.
    along: Vec<Abscissae>,
    /// Values, `[first coordinate][second coordinate]`.
    values: Vec<f64>,
    /// Hash of all that determines the values, so that a change of the file shows when a run continues.
    hash: u64,
}

/// Which table a field is, to tell what has changed when a run continues.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FieldTable {
    /// Path of the file, as it is written in the case.
    pub file: String,
    /// A text that changes with the values of the field.
    pub contents: String,
}

/// The values of a coordinate in a table.
#[derive(Debug)]
struct Abscissae {
    coordinate: Coordinate,
    /// The values, increasing; at least two. Angles are in radians.
    x: Vec<f64>,
    /// Radians per unit of the column of an angle; 1 for lengths.
    unit: f64,
}

/// A point that lies beyond the ends of a table.
pub struct Beyond {
    /// The coordinate, as the beginning of a sentence whose subject is the field.
    pub what: &'static str,
    /// Its value in the unit of the table.
    pub value: f64,
    /// The range that the table covers.
    pub must: String,
}

impl Abscissae {
    /// Returns the name of the coordinate.
    fn name(&self) -> &'static str {
        self.coordinate.name()
    }

    /// Returns the first and the last value.
    fn ends(&self) -> [f64; 2] {
        [self.x[0], self.x[self.x.len() - 1]]
    }

    /// Returns the value in the table for that of a point, unless it lies beyond the ends.
    fn within(&self, at: f64) -> Option<f64> {
        let [first, last] = self.ends();
        let beyond = BEYOND * (last - first);
        let fits = |at: f64| (first - beyond <= at && at <= last + beyond).then(|| at.clamp(first, last));
        if self.coordinate != Coordinate::Angle {
            return fits(at);
        }
        // The same direction in the turn that begins with the table; round-off may take it for the turn after.
        let turned = at - TAU * ((at - first) / TAU).floor();
        fits(turned).or_else(|| fits(turned - TAU))
    }

    /// Returns the range in the unit of the table, as text.
    fn range(&self) -> String {
        let [first, last] = self.ends().map(|end| number(end / self.unit));
        format!("{first} to {last}")
    }
}

impl Profile {
    /// Takes the columns of a table. `origin` is a point of the axis, `name` is that of the key, and `positive` states
    /// that the values must be above 0.
    ///
    /// # Errors
    /// A column is missing, a value is not finite or not in its range, the rows do not increase, or there are too few.
    pub fn new(
        keys: &ProfileKeys,
        table: &Table,
        origin: [f64; 3],
        name: &str,
        positive: bool,
    ) -> Result<Self, Problem> {
        let columns = Columns {
            file: &keys.file,
            table,
        };
        let along = &keys.along.0;
        if (keys.axis.is_some() || keys.origin.is_some()) && !along.iter().any(|c| c.has_axis()) {
            let key = if keys.axis.is_some() { "axis" } else { "origin" };
            return Err(Problem::new(format!("`{key}` goes with a table along radius or angle")).key(key));
        }
        let column = keys.column.as_deref().unwrap_or(name);
        if column.contains('[') {
            let what = format!(
                "which column of {} is it? A part of a list needs the key `column`",
                keys.file
            );
            return Err(Problem::new(what));
        }
        let given = columns.values(column, "column").map_err(|problem| match keys.column {
            None if problem.key == "column" => problem.help("`column` names one that is not called like the key"),
            _ => problem,
        })?;
        if let Some(row) = given.iter().position(|&value| positive && value <= 0.0) {
            let what = format!("`{column}` is {}: it must be above 0", given[row]);
            return Err(columns.wrong_row(row, what));
        }
        let coordinate = |&coordinate: &Coordinate| columns.coordinate(coordinate);
        let given_along: Vec<(Vec<f64>, f64)> = along.iter().map(coordinate).collect::<Result<_, Problem>>()?;
        let (x, values) = match &given_along[..] {
            [(x, unit)] => {
                columns.require_increase(along[0], x, *unit)?;
                (vec![x.clone()], given.to_vec())
            }
            _ => columns.grid(given_along.iter().map(|(x, _)| x.as_slice()).collect(), given, along)?,
        };
        let abscissae = |((x, &coordinate), (_, unit))| Abscissae { coordinate, x, unit };
        let along = x.into_iter().zip(along).zip(given_along).map(abscissae).collect();
        let mut profile = Profile {
            file: keys.file.clone(),
            column: column.to_owned(),
            interpolation: keys.interpolation,
            axis: keys.axis.map_or(2, |axis| axis.index()),
            origin,
            along,
            values,
            hash: 0,
        };
        profile.hash = profile.hash_of_all();
        Ok(profile)
    }

    /// Whether the table is along the distance from walls.
    pub fn needs_walls(&self) -> bool {
        self.along.iter().any(|a| a.coordinate == Coordinate::WallDistance)
    }

    /// Returns the value at a position; not a number beyond the ends of the table, and where it needs the distance from
    /// walls and `walls` is not there.
    pub fn eval(&self, position: [f64; 3], walls: Option<&Walls>) -> f64 {
        let at = |a: &Abscissae| a.within(self.coordinate(a.coordinate, position, walls));
        let how = self.interpolation;
        match &self.along[..] {
            [a] => at(a).map_or(f64::NAN, |at| interpolate(how, &a.x, at, |i| self.values[i])),
            [a, b] => match (at(a), at(b)) {
                (Some(first), Some(second)) => {
                    let row = |i: usize| &self.values[i * b.x.len()..];
                    let on_row = |i: usize| interpolate(how, &b.x, second, |j| row(i)[j]);
                    interpolate(how, &a.x, first, on_row)
                }
                _ => f64::NAN,
            },
            _ => unreachable!("a table is along one coordinate or two"),
        }
    }

    /// Returns which coordinate of a position lies beyond the ends of the table, if one does.
    pub fn beyond(&self, position: [f64; 3], walls: Option<&Walls>) -> Option<Beyond> {
        let of = |a: &Abscissae| self.coordinate(a.coordinate, position, walls);
        let out = self.along.iter().find(|a| a.within(of(a)).is_none())?;
        Some(Beyond {
            what: match out.coordinate {
                Coordinate::X => "is needed at x =",
                Coordinate::Y => "is needed at y =",
                Coordinate::Z => "is needed at z =",
                Coordinate::Radius => "is needed at radius =",
                Coordinate::Angle => "is needed at angle =",
                Coordinate::WallDistance => "is needed at wall-distance =",
            },
            value: of(out) / out.unit,
            must: format!("within {}, which {} covers", out.range(), self.file),
        })
    }

    /// Returns a description: column, file, range and number of the rows.
    pub fn describe(&self) -> String {
        let along = |a: &Abscissae| format!("{} {} ({} values)", a.name(), a.range(), a.x.len());
        let along: Vec<String> = self.along.iter().map(along).collect();
        let how = match self.interpolation {
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "monotone cubic",
        };
        format!(
            "{} from {} along {}, {how}",
            self.column,
            self.file,
            along.join(" and ")
        )
    }

    /// Returns a hash of all that determines the values.
    fn hash_of_all(&self) -> u64 {
        let round = self.along.iter().any(|a| a.coordinate.has_axis());
        let axis = round.then_some((self.axis, self.origin));
        let coordinates: Vec<Coordinate> = self.along.iter().map(|a| a.coordinate).collect();
        let mut hash = Xxh3::new();
        hash.update(format!("{coordinates:?} {axis:?} {:?}", self.interpolation).as_bytes());
        let abscissae = self.along.iter().flat_map(|a| &a.x);
        abscissae
            .chain(&self.values)
            .for_each(|value| hash.update(&value.to_le_bytes()));
        hash.digest()
    }

    /// Returns a coordinate of a position; angles in radians.
    fn coordinate(&self, coordinate: Coordinate, position: [f64; 3], walls: Option<&Walls>) -> f64 {
        let x = minus(position, self.origin);
        let (b, c) = (x[(self.axis + 1) % 3], x[(self.axis + 2) % 3]);
        match coordinate {
            Coordinate::X | Coordinate::Y | Coordinate::Z => position[coordinate as usize],
            Coordinate::Radius => dot([b, c, 0.0], [b, c, 0.0]).sqrt(),
            Coordinate::Angle => c.atan2(b),
            Coordinate::WallDistance => walls.map_or(f64::NAN, |walls| walls(position)),
        }
    }
}

/// The columns of a table that is being checked.
struct Columns<'a> {
    file: &'a str,
    table: &'a Table,
}

impl<'a> Columns<'a> {
    /// Returns the finite values of a column; `key` is the key that names it.
    fn values(&self, name: &str, key: &str) -> Result<&'a [f64], Problem> {
        let names: Vec<&str> = self.table.names.iter().map(String::as_str).collect();
        let values = self.table.column(name).ok_or_else(|| {
            let problem = Problem::new(format!("{} has no column `{name}`", self.file)).key(key);
            problem.suggest(name, &names, "columns")
        })?;
        self.require_unit(name)?;
        if values.len() < 2 {
            let what = format!(
                "{} has too few rows of numbers ({}): at least 2 are needed",
                self.file,
                values.len()
            );
            return Err(Problem::new(what).key("file"));
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(self.wrong_row(row, format!("`{name}` is {}, not a finite number", values[row]))),
            None => Ok(values),
        }
    }

    /// Refuses a column in a unit in which no case is: values are taken as they are.
    fn require_unit(&self, name: &str) -> Result<(), Problem> {
        let unit = self.table.unit(name).unwrap_or_default();
        let what = format!(
            "the column `{name}` of {} is in {unit}, and values are taken as they are",
            self.file
        );
        if unit.is_empty() || UNITS.contains(&unit) {
            return Ok(());
        }
        let help = if RELATIVE.contains(&unit) {
            "temperatures count from absolute zero: write the column in K"
        } else {
            "write the column in m, s, Pa, K, m/s, kg/m^3 and so on; a case in other units, which fit together, has \
             tables without units"
        };
        Err(Problem::new(what).key("file").help(help))
    }

    /// Returns the values of a coordinate with its unit; angles in radians.
    fn coordinate(&self, coordinate: Coordinate) -> Result<(Vec<f64>, f64), Problem> {
        let name = coordinate.name();
        let values = self.values(name, "along")?;
        let unit = match (coordinate, self.table.unit(name)) {
            (Coordinate::Angle, Some("deg" | "degree" | "degrees" | "\u{b0}")) => 1_f64.to_radians(),
            (Coordinate::Angle, Some("rad" | "radian" | "radians")) => 1.0,
            (Coordinate::Angle, _) => {
                let what = format!("the column `{name}` of {} needs the unit deg or rad, as in", self.file);
                return Err(Problem::new(format!("{what} `{name} [deg]`")).key("along"));
            }
            _ => 1.0,
        };
        let x: Vec<f64> = values.iter().map(|x| x * unit).collect();
        let of_size = matches!(coordinate, Coordinate::Radius | Coordinate::WallDistance);
        if let Some(row) = x.iter().position(|&x| of_size && x < 0.0) {
            return Err(self.wrong_row(row, format!("`{name}` is {}: it cannot be below 0", values[row])));
        }
        let (least, most) = x.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        if coordinate == Coordinate::Angle && most - least > TAU * (1.0 + 1e-9) {
            let what = format!("the column `{name}` of {} spans more than a turn", self.file);
            return Err(Problem::new(what).key("along"));
        }
        Ok((x, unit))
    }

    /// Refuses rows that do not increase.
    fn require_increase(&self, coordinate: Coordinate, x: &[f64], unit: f64) -> Result<(), Problem> {
        let Some(before) = x.windows(2).position(|pair| pair[1] <= pair[0]) else {
            return Ok(());
        };
        let [after, value] = [before, before + 1].map(|row| number(x[row] / unit));
        let what = format!(
            "`{}` is {value} after {after}: it must increase from row to row",
            coordinate.name()
        );
        Err(self.wrong_row(before + 1, what))
    }

    /// Returns the abscissae of both coordinates, sorted, and the values in their order.
    fn grid(
        &self,
        given: Vec<&[f64]>,
        values: &[f64],
        along: &[Coordinate],
    ) -> Result<(Vec<Vec<f64>>, Vec<f64>), Problem> {
        let sorted = |x: &&[f64]| {
            let mut x = x.to_vec();
            x.sort_by(f64::total_cmp);
            x.dedup();
            x
        };
        let x: Vec<Vec<f64>> = given.iter().map(sorted).collect();
        let names = [along[0].name(), along[1].name()];
        let [rows, columns] = [x[0].len(), x[1].len()];
        let counts = format!("{rows} values of {} and {columns} of {}", names[0], names[1]);
        if rows < 2 || columns < 2 {
            let what = format!("{} has {counts}: at least 2 of each are needed", self.file);
            return Err(Problem::new(what).key("file"));
        }
        if rows.checked_mul(columns) != Some(values.len()) {
            let rows = values.len();
            let what = format!(
                "{} has {counts}, but {rows} rows: it needs one for each pair of them",
                self.file
            );
            return Err(Problem::new(what).key("file"));
        }
        let mut row_of = vec![None; values.len()];
        let mut in_order = vec![0.0; values.len()];
        for (row, &value) in values.iter().enumerate() {
            let index = |d: usize| x[d].partition_point(|&x| x < given[d][row]);
            let place = index(0) * columns + index(1);
            if let Some(first) = row_of[place].replace(row) {
                let line = self.table.lines[first];
                let what = format!("this pair of {} and {} stands in line {line} too", names[0], names[1]);
                return Err(self.wrong_row(row, what));
            }
            in_order[place] = value;
        }
        Ok((x, in_order))
    }

    /// Returns the problem with a row.
    fn wrong_row(&self, row: usize, what: String) -> Problem {
        Problem::new(format!("{}:{}: {what}", self.file, self.table.lines[row])).key("file")
    }
}

impl std::fmt::Display for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let along: Vec<&str> = self.along.iter().map(Abscissae::name).collect();
        write!(f, "table of {} with the hash {:016x}", along.join(", "), self.hash)
    }
}
