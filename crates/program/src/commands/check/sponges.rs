//! The report of sponges: their size, their thickness in cells, and the sound that passes them.

use serde::Serialize;

use crate::format::short;
use crate::io::Quantity;
use crate::solver::Solver;

/// A sponge.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SpongeFacts {
    name: String,
    cells: u64,
    points: u64,
    largest_rate: Quantity,
    /// Time over which the mean is taken towards which it damps; `None` if it damps towards a given state.
    averaging_time: Option<Quantity>,
    layer: Option<Layer>,
    /// Distance within which sound decays by a factor e at the largest rate.
    decay_length: Quantity,
}

/// The layer of fewest cells, and the share of its amplitude that sound keeps which passes the weakest one to and fro.
#[derive(Debug, Serialize)]
struct Layer {
    thickness: Quantity,
    cells: f64,
    echo: f64,
}

/// Logs two lines for each sponge, and returns what they say.
pub(super) fn log(solver: &Solver) -> Vec<SpongeFacts> {
    let facts: Vec<SpongeFacts> = facts(solver);
    facts.iter().for_each(SpongeFacts::log);
    facts
}

fn facts(solver: &Solver) -> Vec<SpongeFacts> {
    let of = solver.sponges().map(|(sponge, size)| {
        let layer = size.thinnest().zip(size.weakest()).map(|(thinnest, weakest)| Layer {
            thickness: Quantity::new(thinnest.side.thickness.min(thinnest.depth), "m"),
            cells: thinnest.cells,
            echo: weakest.echo,
        });
        SpongeFacts {
            name: sponge.name.clone(),
            cells: size.cells,
            points: size.points,
            largest_rate: Quantity::new(size.rate, "1/s"),
            averaging_time: sponge.averaging_time().map(|time| Quantity::new(time, "s")),
            layer,
            decay_length: Quantity::new(size.sound_speed / size.rate, "m"),
        }
    });
    of.collect()
}

impl SpongeFacts {
    fn log(&self) {
        let target = match &self.averaging_time {
            None => "a given state".to_owned(),
            Some(time) => format!("the running mean over {}", short(time.value)),
        };
        tracing::info!(
            "sponge  {}: {} cells, {} points, largest rate {}, towards {target}",
            self.name,
            self.cells,
            self.points,
            short(self.largest_rate.value)
        );
        match &self.layer {
            Some(layer) => tracing::info!(
                "        thickness {} = {:.1} cells; sound that passes it to and fro keeps {} of its amplitude",
                short(layer.thickness.value),
                layer.cells,
                short(layer.echo)
            ),
            None => tracing::info!(
                "        sound decays by a factor e within a distance of {} at the largest rate",
                short(self.decay_length.value)
            ),
        }
    }
}
