//! Inflow of given total pressure, total temperature and direction.

use super::condition::Condition;
use super::point::{FacePoint, PointData};
use crate::input::{Field, FieldText, Group, InvalidValue, Problem, keys};
use crate::physics::frame::{GivenIn, RotatingFrame, Surroundings};
use crate::vector::{dot, length};

/// Largest cosine between the direction and the outward normal: half a degree beyond the face. The kernel takes a
/// direction within this angle for one along the face.
const ALONG: f64 = 0.01;

keys! {
/// Inflow of given total pressure, total temperature and direction.
TotalInletKeys as "a mapping with the key `type`" {
    /// Total pressure, above 0.
    pub total_pressure: FieldText,
    /// Total temperature, above 0.
    pub total_temperature: FieldText,
    /// Direction of the flow, into the domain and of any length but 0; default normal to the boundary.
    pub direction: Option<[FieldText; 3]>,
    /// Frame of total pressure, total temperature and direction: `relative` (that of the
    /// mesh) or `absolute`, beside a `rotating-frame`.
    #[serde(default)]
    pub frame: GivenIn,
}}

/// Slots of a total-inlet.
#[repr(i32)]
pub enum TotalSlot {
    /// Total pressure.
    Pressure,
    /// Total temperature.
    Temperature,
    /// Unit vector of the direction: three slots, all 0 for the inward normal.
    Direction,
}

/// Inflow of given total pressure, total temperature and direction.
#[derive(Debug, Clone)]
pub struct TotalInlet {
    pressure: Field,
    temperature: Field,
    /// Of any length; `None` is normal to the boundary.
    direction: Option<[Field; 3]>,
    /// The frame of the mesh, if the values are given in the absolute one.
    frame: Option<RotatingFrame>,
}

impl Condition for TotalInlet {
    type Keys = TotalInletKeys;

    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let direction = |texts| {
            let direction = group.vector("direction", texts)?;
            if direction.iter().all(|d| d.as_constant() == Some(0.0)) {
                let problem = Problem::new("the direction is 0, 0, 0, which is none");
                return Err(problem.key(group.path("direction")));
            }
            Ok(direction)
        };
        Ok(TotalInlet {
            pressure: group.positive("total-pressure", &keys.total_pressure)?,
            temperature: group.positive("total-temperature", &keys.total_temperature)?,
            direction: keys.direction.as_ref().map(direction).transpose()?,
            frame: around.frame_of(keys.frame, group)?,
        })
    }

    fn fields(&self) -> Vec<&Field> {
        let both = [&self.pressure, &self.temperature].into_iter();
        both.chain(self.direction.iter().flatten()).collect()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        let mut data = PointData::default();
        data[TotalSlot::Pressure as usize] = at.positive("total-pressure", &self.pressure)?;
        data[TotalSlot::Temperature as usize] = at.positive("total-temperature", &self.temperature)?;
        if let Some(fields) = &self.direction {
            let direction = at.vector(["direction[0]", "direction[1]", "direction[2]"], fields)?;
            data[TotalSlot::Direction as usize..][..3].copy_from_slice(&inward(direction, at.normal)?);
        }
        Ok(data)
    }

    fn pressure(&self, data: &PointData) -> Option<f64> {
        Some(data[TotalSlot::Pressure as usize])
    }

    fn frame_velocity(&self, x: [f64; 3]) -> Option<[f64; 3]> {
        self.frame.map(|frame| frame.velocity(x))
    }
}

/// Returns a direction of inflow scaled to length 1; it must have a length and lead into the domain.
fn inward(direction: [f64; 3], normal: [f64; 3]) -> Result<[f64; 3], InvalidValue> {
    let key = "direction";
    let size = length(direction);
    let d = direction.map(|c| c / size);
    if !d.iter().all(|c| c.is_finite()) {
        return Err(InvalidValue {
            key,
            what: "has the length",
            value: dot(direction, direction).sqrt(),
            must: "positive and finite".into(),
        });
    }
    let outward = dot(d, normal);
    if outward > ALONG {
        return Err(InvalidValue {
            key,
            what: "points out of the domain: its cosine with the outward normal is",
            value: outward,
            must: "negative".into(),
        });
    }
    Ok(d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::boundary::BoundaryKeys;
    use crate::physics::boundary::tests::{data, text, vector};

    #[test]
    fn directions_of_inflow_are_scaled_and_must_lead_inwards() {
        let inlet = |direction: Option<[&str; 3]>| {
            data(BoundaryKeys::TotalInlet(TotalInletKeys {
                total_pressure: text("1e5"),
                total_temperature: text("300"),
                direction: direction.map(vector),
                frame: GivenIn::Relative,
            }))
        };
        assert_eq!(inlet(None).expect("values"), [1e5, 300.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(
            inlet(Some(["-3", "4", "0"])).expect("values"),
            [1e5, 300.0, -0.6, 0.8, 0.0, 0.0]
        );
        assert!(
            inlet(Some(["1", "0", "0"]))
                .expect_err("outwards")
                .what
                .contains("points out of the domain")
        );
        assert_eq!(
            inlet(Some(["t - 2", "0", "0"])).expect_err("no length").what,
            "has the length"
        );
    }
}
