//! Values of boundary conditions: fields of the case evaluated at the points of boundary faces, and refused where they mean
//! nothing or do not go with the side that the face looks to.

use crate::device::{Behind, BoundaryFace};
use crate::geometry::Geometry;
use crate::input::{BadValue, Field, InvalidValue, finite, positive_value as positive};
use crate::physics::{Boundary, Gas, GasState, Thermal};
use crate::vector::{dot, length};
use crate::words::place;

/// Largest cosine between a total-inlet's direction and the outward normal: half a degree beyond the face, the angle that
/// ptx/physics/boundary.h takes a direction along the face for.
const ALONG: f64 = 0.01;
/// Sine of the angle between a wall's velocity and the wall above which the velocity is none of a wall, and not of one that
/// turns and is made of a few flat faces: 30 degrees.
const THROUGH: f64 = 0.5;
/// The same above which the user is told: 1 degree.
const LEANING: f64 = 0.0175;
/// Speeds that are nothing but round-off, as where a wall's axis of rotation is, over the speed of sound.
const AT_REST: f64 = 1e-9;

/// The fields of a boundary condition.
fn fields(boundary: &Boundary) -> Vec<&Field> {
    fn thermal(t: &Thermal) -> &Field {
        let (Thermal::Temperature(field) | Thermal::Density(field)) = t;
        field
    }
    match boundary {
        Boundary::Slip | Boundary::SupersonicOutlet => Vec::new(),
        Boundary::NoSlipAdiabatic { velocity } => velocity.iter().collect(),
        Boundary::NoSlipIsothermal { velocity, temperature } => velocity.iter().chain([temperature]).collect(),
        Boundary::FarField(state) | Boundary::SupersonicInlet(state) => {
            let others = [&state.pressure, thermal(&state.thermal)];
            state.velocity.iter().chain(others).collect()
        }
        Boundary::TotalInlet {
            pressure,
            temperature,
            direction,
        } => [pressure, temperature]
            .into_iter()
            .chain(direction.iter().flatten())
            .collect(),
        Boundary::PressureOutlet { pressure, temperature } => [pressure].into_iter().chain(temperature).collect(),
        Boundary::VelocityInlet { velocity, thermal: t } => velocity.iter().chain([thermal(t)]).collect(),
    }
}

/// Whether a boundary's values change in time.
pub fn varies(boundary: &Boundary) -> bool {
    fields(boundary).into_iter().any(Field::depends_on_time)
}

/// What boundary values are made of.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The boundary faces.
    pub faces: &'a [BoundaryFace],
    /// Names of the boundaries.
    pub names: &'a [String],
    /// Condition of every named boundary.
    pub boundaries: &'a [Boundary],
    /// The initial state.
    pub initial: &'a GasState,
    /// The gas.
    pub gas: &'a Gas,
    /// Where the faces lie.
    pub geometry: &'a Geometry,
    /// Order of the solution.
    pub order: usize,
}

/// A point of a boundary face.
#[derive(Clone, Copy)]
struct FacePoint {
    /// Index of the boundary.
    boundary: usize,
    x: [f64; 3],
    /// Outward, of length 1.
    normal: [f64; 3],
}

/// The vector scaled to length 1.
fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = length(v);
    v.map(|c| c / length)
}

impl Values<'_> {
    /// Calls `f` with every face that has a boundary condition and each of its points, by number.
    fn each_point(&self, mut f: impl FnMut(&BoundaryFace, usize, FacePoint)) {
        for b in self.faces {
            let Behind::Condition(boundary) = b.behind else {
                continue;
            };
            let positions = self.geometry.cell_positions(b.cell);
            let start = self.geometry.face_start(b.cell, b.face, self.order);
            let points = self.geometry.kinds[b.cell].face_indices(b.face, self.order);
            for (l, p) in points.into_iter().enumerate() {
                let (x, normal) = (positions[p], unit(self.geometry.areas[start + l]));
                f(b, l, FacePoint { boundary, x, normal });
            }
        }
    }

    /// Data of all boundary face points at a time, [boundary face][5][face point]; or the first value that means nothing.
    pub fn data(&self, time: f64) -> Result<Vec<f64>, BadValue> {
        let points = self.faces.last().map_or(0, |b| b.first_point + b.points);
        let mut data = vec![0.0; 5 * points];
        let mut first = Ok(());
        self.each_point(|b, l, at| match self.point_data(at, time) {
            Ok(point) => {
                for (v, value) in point.into_iter().enumerate() {
                    data[5 * b.first_point + v * b.points + l] = value;
                }
            }
            Err(wrong) if first.is_ok() => {
                let group = format!("boundaries.{}", self.names[at.boundary]);
                first = Err(BadValue::new(&group, wrong, at.x, time));
            }
            Err(_) => {}
        });
        first.map(|()| data)
    }

    /// Data of one boundary face point, as ptx/physics/boundary.h takes them.
    fn point_data(&self, at: FacePoint, time: f64) -> Result<[f64; 5], InvalidValue> {
        let (gas, x) = (self.gas, at.x);
        match &self.boundaries[at.boundary] {
            Boundary::Slip | Boundary::SupersonicOutlet => Ok([0.0; 5]),
            Boundary::NoSlipAdiabatic { velocity } => {
                let [u, v, w] = self.wall_velocity(velocity, at, time)?;
                Ok([u, v, w, 0.0, 0.0])
            }
            Boundary::NoSlipIsothermal { velocity, temperature } => {
                let [u, v, w] = self.wall_velocity(velocity, at, time)?;
                Ok([u, v, w, positive("temperature", temperature, x, time)?, 0.0])
            }
            Boundary::FarField(state) | Boundary::SupersonicInlet(state) => state.conserved(x, time, gas),
            Boundary::TotalInlet {
                pressure,
                temperature,
                direction,
            } => {
                let pressure = positive("total-pressure", pressure, x, time)?;
                let temperature = positive("total-temperature", temperature, x, time)?;
                // All zero stands for the normal.
                let d = match direction {
                    None => [0.0; 3],
                    Some(fields) => inward(
                        vector(["direction[0]", "direction[1]", "direction[2]"], fields, x, time)?,
                        at,
                    )?,
                };
                Ok([pressure, temperature, d[0], d[1], d[2]])
            }
            Boundary::PressureOutlet { pressure, temperature } => {
                let pressure = positive("p", pressure, x, time)?;
                let total_temperature = match temperature {
                    Some(t) => positive("total-temperature", t, x, time)?,
                    None => {
                        let (rho, _, p) = self.initial.at(x, 0.0, gas)?;
                        p / (rho * gas.gas_constant)
                    }
                };
                Ok([pressure, total_temperature, 0.0, 0.0, 0.0])
            }
            Boundary::VelocityInlet { velocity, thermal } => {
                let [u, v, w] = vector(["u", "v", "w"], velocity, x, time)?;
                match thermal {
                    Thermal::Temperature(t) => Ok([u, v, w, positive("temperature", t, x, time)?, 0.0]),
                    Thermal::Density(rho) => Ok([u, v, w, 0.0, positive("rho", rho, x, time)?]),
                }
            }
        }
    }

    /// A wall's velocity, which must lie along the wall.
    fn wall_velocity(&self, fields: &[Field; 3], at: FacePoint, time: f64) -> Result<[f64; 3], InvalidValue> {
        let velocity = vector(["velocity[0]", "velocity[1]", "velocity[2]"], fields, at.x, time)?;
        let (through, speed) = (dot(velocity, at.normal), dot(velocity, velocity).sqrt());
        if through.abs() > THROUGH * speed && through.abs() > AT_REST * self.speed_of_sound(at.x)? {
            return Err(InvalidValue {
                key: "velocity",
                what: "goes through the wall: its component along the outward normal is",
                value: through,
                must: "0, as the mesh does not move",
            });
        }
        Ok(velocity)
    }

    /// The initial speed of sound.
    fn speed_of_sound(&self, x: [f64; 3]) -> Result<f64, InvalidValue> {
        let (rho, _, p) = self.initial.at(x, 0.0, self.gas)?;
        Ok(self.gas.sound_speed(rho, p))
    }

    /// Tells of walls whose velocity at the start leaves them by an angle that a coarse mesh of a turning wall explains.
    pub fn warn_of_leaning_walls(&self) {
        let mut worst = vec![(LEANING, [0.0; 3]); self.boundaries.len()];
        self.each_point(|_, _, at| {
            let (Boundary::NoSlipAdiabatic { velocity } | Boundary::NoSlipIsothermal { velocity, .. }) =
                &self.boundaries[at.boundary]
            else {
                return;
            };
            let v = [0, 1, 2].map(|d| velocity[d].eval(at.x, 0.0));
            let (through, speed) = (dot(v, at.normal).abs(), dot(v, v).sqrt());
            let real = self.speed_of_sound(at.x).is_ok_and(|c| through > AT_REST * c);
            if real && through > worst[at.boundary].0 * speed {
                worst[at.boundary] = (through / speed, at.x);
            }
        });
        for (name, (sine, at)) in self.names.iter().zip(worst) {
            if sine > LEANING {
                tracing::warn!(
                    "boundaries.{name}.velocity leaves the wall by up to {:.1} degrees, at {}, and gas \
                     passes through there: more cells, or curved ones, follow the wall better",
                    sine.asin().to_degrees(),
                    place(at)
                );
            }
        }
    }
}

/// Three fields that must be finite.
fn vector(keys: [&'static str; 3], fields: &[Field; 3], x: [f64; 3], t: f64) -> Result<[f64; 3], InvalidValue> {
    let [a, b, c] = fields;
    Ok([
        finite(keys[0], a, x, t)?,
        finite(keys[1], b, x, t)?,
        finite(keys[2], c, x, t)?,
    ])
}

/// A direction of inflow, which must have a length and lead into the domain; scaled to length 1.
fn inward(direction: [f64; 3], at: FacePoint) -> Result<[f64; 3], InvalidValue> {
    let (key, d) = ("direction", unit(direction));
    if !d.iter().all(|c| c.is_finite()) {
        return Err(InvalidValue {
            key,
            what: "has the length",
            value: dot(direction, direction).sqrt(),
            must: "positive and finite",
        });
    }
    let outward = dot(d, at.normal);
    if outward > ALONG {
        return Err(InvalidValue {
            key,
            what: "points out of the domain: its cosine with the outward normal is",
            value: outward,
            must: "negative",
        });
    }
    Ok(d)
}
