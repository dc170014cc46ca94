//! The initial state from a checkpoint of the same mesh: that of another run, or of the steady solution.
//!
//! At the order of the case the values are copied to the bit. At another order the polynomials of the cells are
//! evaluated at the points of the case.

use std::path::Path;

use mpi::topology::SimpleCommunicator;
use rayon::prelude::*;

use super::SetupError;
use crate::element::{Correction, ElementKind, PerKind, ReferenceElement};
use crate::geometry::multiply;
use crate::io::{self, Layout, StoredCheckpoint};
use crate::mesh::Mesh;
use crate::ranks::Ranks;

/// Name of the state among the fields of a checkpoint.
pub const STATE: &str = "state";
/// Name of the Reynolds stresses among the fields of the checkpoint of a steady solution.
pub const REYNOLDS_STRESSES: &str = "reynolds-stresses";
/// Number of Reynolds stresses: uu, vv, ww, uv, uw, vw.
pub const STRESSES: usize = 6;
/// Number of variables of the state.
pub const VARIABLES: usize = 5;

/// Conserved variables at points, `[cell][point]`, and the Reynolds stresses there, if they are known.
pub(super) type AtPoints = (Vec<[f64; VARIABLES]>, Option<Vec<[f64; STRESSES]>>);

/// Returns whether the file is a checkpoint. Collective.
pub(super) fn is_checkpoint(path: &Path, ranks: &Ranks) -> bool {
    ranks.first_rank_where(io::is_checkpoint(path)).is_some()
}

/// Returns the conserved variables of a checkpoint at the points of degree `order`, `[cell][point]`, and the Reynolds
/// stresses there if it is the checkpoint of a steady solution. Collective.
///
/// # Errors
/// The file cannot be read, or is of another mesh.
pub(super) fn from_checkpoint(path: &Path, mesh: &Mesh, order: usize, ranks: &Ranks) -> Result<AtPoints, SetupError> {
    let world = ranks.duplicate().unwrap_or_else(SimpleCommunicator::self_comm);
    let wrong = |detail: String| {
        let path = path.to_path_buf();
        SetupError::Initial(io::Error::Checkpoint { path, detail })
    };
    let stored = StoredCheckpoint::open(path, &world).map_err(SetupError::Initial)?;
    if stored.header.mesh_hash != mesh.hash() {
        return Err(wrong(
            "it is of another mesh than this case, and a checkpoint does not hold its mesh: name a solution (.vtkhdf) \
             of that mesh"
                .to_owned(),
        ));
    }
    if stored.layout_of(STATE) != Some(Layout::Points(VARIABLES)) {
        return Err(wrong(format!("it has no state of {VARIABLES} variables")));
    }
    let cells: Vec<u64> = (0..mesh.len()).map(|cell| mesh.global(cell) as u64).collect();
    let fields = stored.cells(&world, &cells, &mesh.kinds).map_err(SetupError::Initial)?;
    let from = stored.header.order;
    let of_name = |name| {
        stored
            .fields()
            .zip(&fields)
            .find(|(other, _)| *other == name)
            .map(|(_, values)| values)
    };
    let state = of_name(STATE).map(|values| at_order::<VARIABLES>(values, &mesh.kinds, from, order));
    let stresses = of_name(REYNOLDS_STRESSES).map(|values| at_order::<STRESSES>(values, &mesh.kinds, from, order));
    if ranks.rank() == 0 {
        let how = if from == order {
            "copied".to_owned()
        } else {
            format!("interpolated from order {from}")
        };
        tracing::info!("initial state from the checkpoint {}: {how}", path.display());
    }
    Ok((
        by_points(&state.unwrap_or_default(), &mesh.kinds, order),
        stresses.map(|stresses| by_points(&stresses, &mesh.kinds, order)),
    ))
}

/// Returns values at points, `[cell][N][point]`, by points, `[cell][point][N]`.
fn by_points<const N: usize>(mut rest: &[f64], kinds: &[ElementKind], order: usize) -> Vec<[f64; N]> {
    let mut values = Vec::with_capacity(rest.len() / N);
    for kind in kinds {
        let points = kind.points(order);
        let (cell, others) = rest.split_at(N * points);
        values.extend((0..points).map(|p| std::array::from_fn(|v| cell[v * points + p])));
        rest = others;
    }
    values
}

/// Returns values at points, `[cell][N][point]`, at the points of another order.
pub fn at_order<const N: usize>(values: &[f64], kinds: &[ElementKind], from: usize, to: usize) -> Vec<f64> {
    if from == to {
        return values.to_vec();
    }
    let matrices = PerKind::new(|kind| {
        if !kinds.contains(&kind) {
            return Vec::new();
        }
        // The points do not depend on the correction function.
        let [old, new] = [from, to].map(|order| ReferenceElement::new(kind, order, Correction::Radau));
        old.interpolation(&new.points)
    });
    let mut first = vec![0];
    for kind in kinds {
        first.push(first[first.len() - 1] + N * kind.points(from));
    }
    let cell = |(cell, kind): (usize, &ElementKind)| {
        let (u, np) = (&values[first[cell]..first[cell + 1]], kind.points(from));
        let at_points: Vec<[f64; N]> = (0..np).map(|p| std::array::from_fn(|v| u[v * np + p])).collect();
        let values = multiply(&matrices[*kind], &at_points);
        let count = values.len();
        (0..N * count).map(move |i| values[i % count][i / count])
    };
    kinds.par_iter().enumerate().flat_map_iter(cell).collect()
}
