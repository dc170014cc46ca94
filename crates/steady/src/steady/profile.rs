//! A profile of the steady solution in a plane, as a table that boundaries and turbulent inlets read.
//!
//! The plane is normal to an axis, and the profile runs along another. The values are those where the edges of the
//! sub-mesh meet the plane; places of the same coordinate are averaged, which an extruded mesh has many of. The
//! stresses are those of Boussinesq, with the kinetic energy of the model, and realisable. The length is the
//! longitudinal integral length, 0.43 k^(3/2)/eps at high Reynolds numbers (S. B. Pope, Turbulent Flows, 2000, section
//! 6.5.7), which `turbulence.length` takes.

use std::path::Path;

use super::boundary_layer::{BoundaryLayer, Place};
use super::handover::Solution;
use crate::format::number;
use crate::input::{Number, Problem, Scope, is_name, keys};
use crate::io::{self, Provenance};
use crate::physics::Gas;
use crate::ranks::Ranks;

keys! {
/// A profile: the position of its plane, by exactly one of `x`, `y` and `z`, and the direction along which it runs.
ProfileKeys as "a mapping with the keys `along` and `x`, `y` or `z`" {
    /// Plane normal to x (length).
    pub x: Option<Number>,
    /// Plane normal to y (length).
    pub y: Option<Number>,
    /// Plane normal to z (length).
    pub z: Option<Number>,
    /// Direction of the coordinate of the table, in the plane: x, y or z.
    pub along: Axis,
}}

/// A coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ProfileAxis")]
pub enum Axis {
    /// The coordinate x.
    X,
    /// The coordinate y.
    Y,
    /// The coordinate z.
    Z,
}

/// A profile that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileRequest {
    /// Name.
    pub name: String,
    /// Axis to which the plane is normal.
    pub normal: usize,
    /// Position of the plane.
    pub at: f64,
    /// Axis of the coordinate.
    pub along: usize,
}

impl ProfileKeys {
    /// Evaluates and checks the keys of the profile `name`.
    ///
    /// # Errors
    /// A value is not possible.
    pub(super) fn resolve(&self, name: &str, scope: &Scope) -> Result<ProfileRequest, Problem> {
        let key = format!("steady.profiles.{name}");
        if !is_name(name) {
            let what = format!("`{name}` cannot be the name of a profile");
            let help = "the name becomes part of a file's: at most 100 letters, digits, `_` and `-`";
            return Err(Problem::new(what).key(key).help(help));
        }
        let planes = [("x", &self.x), ("y", &self.y), ("z", &self.z)];
        let mut given = planes
            .iter()
            .enumerate()
            .filter_map(|(normal, (axis, at))| Some((normal, *axis, at.as_ref()?)));
        let (Some((normal, axis, at)), None) = (given.next(), given.next()) else {
            let what = "exactly one of `x`, `y` and `z` gives the plane of a profile";
            return Err(Problem::new(what).key(key));
        };
        let along = self.along as usize;
        if along == normal {
            let what = format!("a profile in a plane normal to {axis} does not run along {axis}");
            let help = "`along` is one of the two directions in the plane";
            return Err(Problem::new(what).key(format!("{key}.along")).help(help));
        }
        Ok(ProfileRequest {
            name: name.to_owned(),
            normal,
            at: scope.number(&format!("{key}.{axis}"), at)?,
            along,
        })
    }
}

impl ProfileRequest {
    /// Returns the path of its key.
    pub fn key(&self) -> String {
        format!("steady.profiles.{}", self.name)
    }

    /// Returns its plane in words.
    pub fn describe(&self) -> String {
        format!("{} = {}", ["x", "y", "z"][self.normal], number(self.at))
    }
}

/// Ratio of the longitudinal integral length to k^(3/2)/eps.
const INTEGRAL_LENGTH: f64 = 0.43;
/// Places whose coordinates differ by less than this part of the profile's length are one.
const SAME: f64 = 1e-6;

/// Names and units of the columns behind the coordinate.
pub const COLUMNS: [(&str, &str); 16] = [
    ("rho", "density"),
    ("u", "velocity"),
    ("v", "velocity"),
    ("w", "velocity"),
    ("p", "pressure"),
    ("T", "temperature"),
    ("k", "velocity^2"),
    ("epsilon", "velocity^3/length"),
    ("length", "length"),
    ("uu", "velocity^2"),
    ("vv", "velocity^2"),
    ("ww", "velocity^2"),
    ("uv", "velocity^2"),
    ("uw", "velocity^2"),
    ("vw", "velocity^2"),
    ("wall-distance", "length"),
];

/// A profile: rows of the coordinate and the columns of the table, in ascending order of the coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Axis of the coordinate.
    pub along: usize,
    /// Rows.
    pub rows: Vec<[f64; 1 + COLUMNS.len()]>,
}

impl Profile {
    /// Returns the profile along the axis `along` in the plane where the coordinate `normal` is `at`. It is empty if no
    /// edge meets the plane. Collective; the same on all ranks, to the bit on any number of them.
    pub fn new(solution: &Solution, [normal, along]: [usize; 2], at: f64, ranks: &Ranks) -> Self {
        let dual = solution.dual;
        let mut mine: Vec<f64> = Vec::new();
        for vertex in 0..dual.owned {
            let here = dual.position[vertex][normal] - at;
            let meets = |there: f64| (here <= 0.0 && there > 0.0) || (here == 0.0 && there < 0.0);
            for edge in dual.edges(vertex) {
                let there = here + dual.displacement[edge][normal];
                if !meets(there) {
                    continue;
                }
                let share = here / (here - there);
                let other = dual.neighbour[edge] as usize;
                let a = row(solution, vertex, 0);
                let b = row(solution, other, dual.turns_of_edge(edge));
                let place = dual.position[vertex][along] + share * dual.displacement[edge][along];
                // Keys that sort the samples whatever rank has them.
                mine.extend([place, dual.global[vertex] as f64, dual.global[other] as f64]);
                mine.extend(a.iter().zip(b).map(|(a, b)| a + share * (b - a)));
            }
        }
        const WIDTH: usize = 3 + COLUMNS.len();
        let all = ranks.allgather(&mine);
        let mut samples = all.as_chunks::<WIDTH>().0.to_vec();
        samples.sort_by(|a, b| {
            let orders = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
            orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let ends = samples.first().zip(samples.last());
        let length = ends.map_or(0.0, |(first, last)| last[0] - first[0]);
        let mut rows = Vec::new();
        let mut rest = &samples[..];
        while let Some(first) = rest.first() {
            let count = rest.partition_point(|sample| sample[0] - first[0] <= SAME * length);
            let mean = |i: usize| rest[..count].iter().map(|sample| sample[i]).sum::<f64>() / count as f64;
            rows.push(std::array::from_fn(|i| mean(if i == 0 { 0 } else { i + 2 })));
            rest = &rest[count..];
        }
        Profile { along, rows }
    }

    /// Returns the boundary layers at both ends, where these are on walls.
    pub fn boundary_layers(&self, gas: &Gas) -> Vec<BoundaryLayer> {
        let place = |row: &[f64; 1 + COLUMNS.len()]| {
            let [coordinate, rho, u, v, w, _, temperature, .., distance] = *row;
            Place {
                coordinate,
                distance,
                rho,
                velocity: [u, v, w],
                temperature,
            }
        };
        let places: Vec<Place> = self.rows.iter().map(place).collect();
        BoundaryLayer::of_profile(&places, gas)
    }

    /// Writes the table. To be called by one rank.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path, comments: &[String], provenance: &Provenance) -> Result<(), io::Error> {
        let coordinate = (["x", "y", "z"][self.along], "length");
        let columns: Vec<(&str, &str)> = [coordinate].into_iter().chain(COLUMNS).collect();
        io::write_table(path, &columns, self.rows.as_flattened(), comments, provenance)
    }
}

/// The columns at a vertex, carried with so many turns.
fn row(solution: &Solution, vertex: usize, turns: i8) -> [f64; COLUMNS.len()] {
    let [rho, u, v, w, temperature, ..] = solution.values_turned(vertex, turns);
    let k = solution.kinetic_energy(vertex);
    let epsilon = solution.dissipation(vertex);
    let length = if epsilon > 0.0 {
        INTEGRAL_LENGTH * k.powf(1.5) / epsilon
    } else {
        0.0
    };
    let [uu, vv, ww, uv, uw, vw] = solution.stresses(vertex, turns);
    [
        rho,
        u,
        v,
        w,
        rho * solution.gas.gas_constant * temperature,
        temperature,
        k,
        epsilon,
        length,
        uu,
        vv,
        ww,
        uv,
        uw,
        vw,
        solution.dual.wall_distance[vertex],
    ]
}
