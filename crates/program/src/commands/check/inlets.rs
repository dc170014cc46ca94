//! The report of turbulent inlets: modes and scales.

use std::f64::consts::TAU;

use serde::Serialize;

use crate::format::short;
use crate::io::{Interval, Quantity};
use crate::solver::{Inlet, Solver};
use crate::vector::length;

/// A turbulent inlet.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct TurbulentInlet {
    name: String,
    modes: usize,
    /// Wave numbers of the modes, and that at which the cells end the spectrum.
    wave_numbers: Interval,
    cut_off: Quantity,
    integral_length: Quantity,
    largest_scale: Quantity,
    points_a_length: f64,
    /// Share of the energy of the spectrum that the cut-off leaves.
    kept: f64,
    /// Mean of uu, vv, ww, uv, uw, vw over the area.
    stresses: [f64; 6],
    intensity: f64,
    speed: Quantity,
}

/// Logs a few lines for each turbulent inlet, returns what they say, and warns of one whose cells carry little of the
/// spectrum.
pub(super) fn log(solver: &Solver) -> Vec<TurbulentInlet> {
    let mut found = Vec::new();
    for inlet in solver.inlets() {
        let Inlet { name, spectrum, .. } = inlet;
        let (first, last) = (spectrum.shells.first(), spectrum.shells.last());
        let wave_numbers = [first, last].map(|shell| shell.map_or(0.0, |shell| shell.k));
        let range = wave_numbers.map(short);
        tracing::info!(
            "inlet   {name}: {} modes, wave numbers {} to {}, cut-off {} by cells of size {} over the order",
            inlet.modes.len(),
            range[0],
            range[1],
            short(inlet.ends.cut),
            short(inlet.cell_size)
        );
        let integral = spectrum.length();
        tracing::info!(
            "        L11 {}, l_e {}, {} points a length; the cut-off leaves {:.0} % of the energy of the spectrum",
            short(integral),
            short(spectrum.largest_scale()),
            short(integral / inlet.cell_size),
            100.0 * spectrum.kept
        );
        if inlet.smallest_scale < spectrum.largest_scale() {
            tracing::info!(
                "        these are the largest; l_e varies from {} on",
                short(inlet.smallest_scale)
            );
        }
        let [uu, vv, ww, uv, uw, vw] = inlet.stresses.map(short);
        let speed = length(inlet.velocity);
        let energy = inlet.stresses[..3].iter().sum::<f64>();
        let intensity = (energy / 3.0).sqrt() / speed;
        tracing::info!(
            "        mean stresses uu {uu}, vv {vv}, ww {ww}, uv {uv}, uw {uw}, vw {vw}: intensity {} of the speed {}",
            short(intensity),
            short(speed)
        );
        let periods: Vec<String> = inlet.periods.iter().map(|&period| short(length(period))).collect();
        match inlet.periods.iter().map(|&period| length(period)).fold(0.0, f64::max) {
            0.0 => tracing::info!("        not periodic along its face"),
            longest => tracing::info!(
                "        periodic by {}: the first lattice mode has the wave number {}",
                periods.join(" and "),
                short(TAU / longest)
            ),
        }
        if inlet.ends.cut < 4.0 * spectrum.peak {
            tracing::warn!(
                "boundaries.{name}.turbulence: the cells at the inlet cut the spectrum near its peak: smaller cells or \
                 a larger length carry more of it"
            );
        }
        found.push(TurbulentInlet {
            name: name.clone(),
            modes: inlet.modes.len(),
            wave_numbers: Interval::new(wave_numbers, "1/m"),
            cut_off: Quantity::new(inlet.ends.cut, "1/m"),
            integral_length: Quantity::new(integral, "m"),
            largest_scale: Quantity::new(spectrum.largest_scale(), "m"),
            points_a_length: integral / inlet.cell_size,
            kept: spectrum.kept,
            stresses: inlet.stresses,
            intensity,
            speed: Quantity::new(speed, "m/s"),
        });
    }
    found
}
