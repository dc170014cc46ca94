//! The outputs of a run: one file or folder of this room for each.
//!
//! The keys of an output become a [`Request`], its settings, which makes the [`Output`]s once there is a solver. The
//! run loop uses these two traits only. To add an output, write its file (keys, request, output) and its line in the
//! list of `outputs!` below. The reader, the schema, the spelling help and the table of keys follow.

mod annuli;
mod bars;
mod batch_errors;
mod batch_means;
mod blades;
mod bodies;
mod boundaries;
mod boundary_layers;
mod coefficients;
mod completion;
pub mod derived;
mod error;
mod estimate;
mod fields;
mod file_sequence;
mod forcing;
mod integrals;
mod interface;
mod keys;
mod loads;
mod matching;
mod nodes;
mod oscillation;
mod other_names;
mod phase_means;
mod probes;
mod region;
mod request;
mod results;
mod sampler;
mod schedule;
mod series;
mod series_means;
mod settings;
mod slice_pictures;
pub mod slices;
mod solution;
mod spectra;
pub mod statistics;
mod surface_points;
mod surfaces;
mod traverses;

pub use batch_means::BatchMeans;
pub use coefficients::Reference;
pub use completion::{Beside, Completion, Contents, FileList};
pub use error::OutputError;
pub use estimate::{AT_LEAST, Certainty, ERROR, Estimate, HALF_DIFFERENCE, StandardError};
pub use fields::{column, primitive_fields};
pub use integrals::{Integrals, filter_record};
pub use interface::{Columns, ExtraSamples, Output, SampleContext};
pub use keys::CaseFacts;
pub use matching::{MatchingRange, matching_ranges};
pub use nodes::Nodes;
pub use oscillation::{FREQUENCY, RMS, frequency_of, mean_of, rms_of};
pub use region::{DIVERGED, DIVERGED_EARLIER, RegionStates, write_region};
pub use request::{Phases, Request, Sampled, Setup};
pub use results::{NamedResult, write_results};
pub use schedule::Schedule;
pub use settings::{CheckpointPeriod, CheckpointSettings, DEFAULT_KEEP, Settings, create, describe};
pub use slice_pictures::{DrawSlice, Pictured, SlicePictures, View};
pub use surface_points::{SurfaceFace, SurfacePoint, Surfaces};

pub use crate::solver::{BoundaryFlux, BoundaryFluxes};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::input::{Problem, Scope, check_path, keys};
use coefficients::ReferenceKeys;
use keys::Entry;
use settings::CheckpointKeys;

/// Declares the mapping `output` of the case: an entry for each output, in the order in which they sample a state.
macro_rules! outputs {
    ($( $(#[$attribute:meta])* $name:ident: $keys:ty, )*) => {
        keys! {
        /// Output.
        OutputKeys as "a mapping with keys such as `directory` and `solution`" {
            /// Directory of all files that a run writes, relative to the case file.
            #[serde(default = "default_directory")]
            pub directory: String,
            $( $(#[$attribute])* #[serde(default)] pub $name: $keys, )*
            /// Reference state of coefficients. The files of `surfaces` then have coefficients of pressure and skin
            /// friction. Beside the series of `boundaries` a second one is written, coefficients.csv, with the
            /// coefficients of the forces, for which the reference pressure is subtracted, and with the heat and y+ of
            /// each no-slip wall.
            pub reference: Option<ReferenceKeys>,
            /// Checkpoints from which a run can be continued; one is also written at the end. Without it one is written
            /// every hour on the clock.
            #[serde(default)]
            pub checkpoint: CheckpointKeys,
        }}

        impl Default for OutputKeys {
            fn default() -> Self {
                OutputKeys {
                    directory: default_directory(),
                    $( $name: Default::default(), )*
                    reference: None,
                    checkpoint: CheckpointKeys::default(),
                }
            }
        }

        impl OutputKeys {
            fn requests(&self, scope: &Scope, facts: &CaseFacts) -> Result<Vec<Arc<dyn Request>>, Problem> {
                let entries: Vec<(&str, &dyn Entry)> = vec![$( (stringify!($name), &self.$name), )*];
                let mut all = Vec::new();
                for (name, entry) in entries {
                    all.extend(entry.requests(&name.replace('_', "-"), scope, facts)?);
                }
                Ok(all)
            }
        }
    };
}

outputs! {
    /// Solution files; without it none are written.
    solution: Option<solution::SolutionKeys>,
    /// Integrals over the domain; without it none are written.
    integrals: Option<integrals::IntegralsKeys>,
    /// Fluxes through each boundary: forces, mass, energy; without it none are written.
    boundaries: Option<boundaries::BoundariesKeys>,
    /// Force and bulk velocity of `forcing.mass-flow`; without it they are not written.
    forcing: Option<forcing::ForcingKeys>,
    /// What the bars do: force, power and heat of each; without it they are not written.
    bars: Option<bars::BarsKeys>,
    /// Statistics: means over time and over directions in which the flow is homogeneous. Without it none are taken.
    statistics: Option<statistics::StatisticsKeys>,
    /// Sets of points at which the state is sampled, by name (letters, digits, `_`, `-`); the initial state is sampled
    /// too. Up to 1000 points, single or on a line, are written to the series probes_NAME.csv. More points, and planes,
    /// are written to one file for each sample: probes_NAME_0000.vtkhdf and so on.
    probes: BTreeMap<String, probes::ProbesKeys>,
    /// Power spectra and two-point correlations along a direction in which the domain is periodic. They are means over
    /// time, in which all samples have the same weight, and over lines spread over a second periodic direction. The
    /// files spectra.csv and correlations.csv are written with every checkpoint and at the end. Without it there are
    /// none.
    spectra: Option<spectra::SpectraKeys>,
    /// Traverses behind cascades, by name (letters, digits, `_`, `-`): means over time and span on a line over a pitch
    /// in y, at which the domain repeats; the mixed-out state; loss coefficients; each with its statistical error. The
    /// files traverse_NAME.csv and, for the plane upstream, traverse_NAME.inlet.csv are written with every checkpoint
    /// and at the end; traverse_NAME.history.csv has the results over time.
    traverses: BTreeMap<String, traverses::TraverseKeys>,
    /// Traverses of annular rows, by name (letters, digits, `_`, `-`): means over time on a grid of angles and bands of
    /// radius, on a plane across the axis or a cone; radial distributions of pressures, temperatures, angles and
    /// losses, mass-weighted and mixed out, with statistical errors. The files annulus_NAME.csv (distributions) and
    /// annulus_NAME.map.csv (over angle and radius) are written with every checkpoint and at the end;
    /// annulus_NAME.history.csv has the results over time.
    annuli: BTreeMap<String, annuli::AnnulusKeys>,
    /// Files of boundary surfaces: pressure, traction, heat flux, y+; without it none are written.
    surfaces: Option<surfaces::SurfacesKeys>,
    /// Distributions along walls, as blades of cascades, by name: means over time of pressure, isentropic Mach number,
    /// skin friction and y+, and where the flow separates; also over the span of walls that are extruded along z, and
    /// at sections of others. The name becomes part of the file's, `blade_NAME.csv`, which is written with every
    /// checkpoint and at the end.
    blades: BTreeMap<String, blades::BladeKeys>,
    /// Boundary layers on walls that are extruded along z, by name: profiles of means over time and span along normals,
    /// with their edge, displacement and momentum thickness. The files boundary_layer_NAME.csv, a row for each station,
    /// and boundary_layer_NAME.profile.csv are written with every checkpoint and at the end.
    boundary_layers: BTreeMap<String, boundary_layers::BoundaryLayerKeys>,
    /// Files of plane cuts through the solution, by name; the name becomes part of the file's.
    slices: BTreeMap<String, slices::SliceKeys>,
}

fn default_directory() -> String {
    "results".to_owned()
}

/// Evaluates and checks the keys of `output`.
///
/// # Errors
/// A value cannot be evaluated or is not valid.
pub fn settings(keys: &OutputKeys, scope: &Scope, mut facts: CaseFacts) -> Result<Settings, Problem> {
    check_path("output.directory", &keys.directory)?;
    if keys.directory.is_empty() {
        return Err(Problem::new("the name of the directory is empty").key("output.directory"));
    }
    facts.reference = keys.reference.as_ref().map(|r| r.reference(scope)).transpose()?;
    let mut warnings = Vec::new();
    if keys.reference.is_some() && keys.boundaries.is_none() && keys.surfaces.is_none() {
        let text = "output.reference is for output.boundaries and output.surfaces: without them it has no effect";
        warnings.push(text.to_owned());
    }
    Ok(Settings {
        directory: scope.path_of(&keys.directory),
        requests: keys.requests(scope, &facts)?,
        checkpoints: keys.checkpoint.settings(scope)?,
        warnings,
        draw: None,
    })
}
