//! The report of sponges: their size, their thickness in cells, and the sound that passes them.

use crate::format::short;
use crate::solver::Solver;

/// Logs two lines for each sponge.
pub fn log(solver: &Solver) {
    for (sponge, size) in solver.sponges() {
        let target = match sponge.averaging_time() {
            None => "a given state".to_owned(),
            Some(time) => format!("the running mean over {}", short(time)),
        };
        tracing::info!(
            "sponge  {}: {} cells, {} points, largest rate {}, towards {target}",
            sponge.name,
            size.cells,
            size.points,
            short(size.rate)
        );
        match (size.thinnest(), size.weakest()) {
            (Some(thinnest), Some(weakest)) => tracing::info!(
                "        thickness {} = {:.1} cells; sound that passes it to and fro keeps {} of its amplitude",
                short(thinnest.side.thickness.min(thinnest.depth)),
                thinnest.cells,
                short(weakest.echo)
            ),
            _ => tracing::info!(
                "        sound decays by a factor e within a distance of {} at the largest rate",
                short(size.sound_speed / size.rate)
            ),
        }
    }
}
