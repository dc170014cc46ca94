//! The warning of an initial spectrum with waves that the mesh cannot hold.

use crate::case::Case;
use crate::format::{number, short};
use crate::mesh::MeshSource;

/// Warns of waves of the initial spectrum that are shorter than two distances between solution points, which alias into
/// longer ones. A run that continues another one does not begin with them.
pub fn warn(case: &Case) {
    let (Some(shells), MeshSource::Box(mesh), None) = (&case.shells, &case.solver.mesh, &case.run.restart) else {
        return;
    };
    let fewest = mesh.cells.into_iter().min().unwrap_or_default();
    let points = fewest * (case.solver.order + 1);
    if let Some(short_waves) = shells.beyond(points) {
        let help = match short_waves.held {
            0 => "take more cells".to_owned(),
            _ => format!("take more cells, or `cut-off: {}`", number(short_waves.cut_off)),
        };
        tracing::warn!(
            "initial.spectrum: {} of its {} shells have waves shorter than two distances between solution points, with \
             {} % of its energy: on {points} points in a period those above shell {} seem longer than they are; {help}",
            short_waves.count,
            short_waves.of,
            short(100.0 * short_waves.share),
            short_waves.held
        );
    }
}
