//! The boundary conditions of a case at the vertices of the dual.
//!
//! A steady flow has no waves that a relaxed condition would let pass, so that relaxed kinds act as the kinds of the
//! same data that hold their values at every instant.

use super::dual::DualMesh;
use crate::input::BadValue;
use crate::physics::{Boundary, BoundaryKind, FacePoint, Gas, GivenIn, InitialGas, PointData};
use crate::solver::OtherUnits;
use crate::vector::{Vector, length};

/// The vertices on one boundary.
#[derive(Debug, Clone)]
pub struct BoundaryList {
    /// The condition, as the kernels number it.
    pub kind: BoundaryKind,
    /// Local vertices.
    pub vertex: Vec<u32>,
    /// Outward area vectors, `[vertex of the boundary]`.
    pub area: Vec<Vector>,
    /// Data of the condition, `[vertex of the boundary]`.
    pub data: Vec<PointData>,
    /// nu~/nu of gas that enters.
    pub ratio: f64,
    /// The frame in which the condition is applied.
    pub given: GivenIn,
}

impl BoundaryList {
    /// Whether it is a no-slip wall.
    pub fn is_no_slip(&self) -> bool {
        self.kind.is_resolved_no_slip()
    }

    /// Whether it is a wall, with friction or without.
    pub fn is_wall(&self) -> bool {
        self.kind.is_resolved_wall()
    }
}

/// The reason why the steady solver cannot take a boundary condition.
#[derive(Debug, thiserror::Error)]
pub enum ConditionError {
    /// A condition has no valid value at a vertex.
    #[error(transparent)]
    Value(#[from] BadValue),
    /// A kind of condition that the steady solver does not have.
    #[error("boundary '{0}': the steady solver has no wall models; it resolves the layer (type: no-slip-adiabatic)")]
    WallModel(String),
}

/// Evaluates the conditions of all boundaries at the vertices of this rank. `conditions` are in the order of `names`,
/// `initial` is the initial state at a vertex of a boundary, by the numbers of both, and `ratio` is nu~/nu of gas that
/// enters through a boundary. Warns of values that seem to be in other units than the initial state.
///
/// # Errors
/// A condition has no valid value at a vertex, or if the solver has no conditions of its kind.
pub fn evaluate<'a>(
    dual: &DualMesh,
    names: &[String],
    conditions: &[Boundary],
    initial: impl Fn(usize, usize) -> InitialGas<'a>,
    gas: &Gas,
    ratio: impl Fn(&str) -> f64,
) -> Result<Vec<BoundaryList>, ConditionError> {
    let mut lists = Vec::new();
    for (b, ((vertices, condition), name)) in dual.boundary.iter().zip(conditions).zip(names).enumerate() {
        let mut units = OtherUnits::default();
        // The rate of a relaxed outlet, which is not used here, would refuse gas that passes faster than sound.
        let condition = &condition.without_relaxation();
        let kind = condition
            .kind()
            .held()
            .ok_or_else(|| ConditionError::WallModel(name.clone()))?;
        let data = vertices
            .vertex
            .iter()
            .zip(&vertices.area)
            .enumerate()
            .map(|(i, (&vertex, &area))| {
                let size = length(area);
                let at = FacePoint {
                    x: dual.position[vertex as usize],
                    normal: area.map(|a| a / size),
                    // Only the rates of relaxed conditions refer to lengths, and the solver does not use them.
                    extent: 1.0,
                    face_size: 1.0,
                    time: 0.0,
                    gas,
                    initial: initial(b, i),
                };
                units.look(condition, &at);
                let value = condition.data(&at);
                value.map_err(|wrong| BadValue::new(&format!("boundaries.{name}"), wrong, at.x, 0.0))
            });
        let data: Vec<PointData> = data.collect::<Result<_, _>>()?;
        units.warn(name);
        lists.push(BoundaryList {
            kind,
            data,
            vertex: vertices.vertex.clone(),
            area: vertices.area.clone(),
            ratio: ratio(name),
            given: match condition.frame_velocity([0.0; 3]) {
                Some(_) => GivenIn::Absolute,
                None => GivenIn::Relative,
            },
        });
    }
    Ok(lists)
}
