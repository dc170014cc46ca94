//! The report of turbulent inlets: modes and scales.

use std::f64::consts::TAU;

use crate::format::short;
use crate::solver::{Inlet, Solver};
use crate::vector::length;

/// Logs a few lines for each turbulent inlet, and warns of one whose cells carry little of the spectrum.
pub fn log(solver: &Solver) {
    for inlet in solver.inlets() {
        let Inlet { name, spectrum, .. } = inlet;
        let (first, last) = (spectrum.shells.first(), spectrum.shells.last());
        let range = [first, last].map(|shell| short(shell.map_or(0.0, |shell| shell.k)));
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
        tracing::info!(
            "        mean stresses uu {uu}, vv {vv}, ww {ww}, uv {uv}, uw {uw}, vw {vw}: intensity {} of the speed {}",
            short((energy / 3.0).sqrt() / speed),
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
    }
}
