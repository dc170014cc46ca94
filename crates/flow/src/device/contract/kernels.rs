//! The kernels: where each is, what it goes over, who uses it, and its shared memory.

use super::numbers::{
    BAR_SUMS, BULKS, FACTORS, INTEGRALS, MODE_SLICES, RULE_SUMS, SCALAR_FACTORS, SCALARS, STRAIN_FACTORS,
    TIME_STEP_BOUNDS, TURBULENT_POINTS,
};
use crate::element::ElementKind;

/// What a launch of a kernel goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Blocks of cells.
    Cells,
    /// Face points of a set of boundary faces.
    BoundaryPoints,
    /// Faces of a set of boundary faces.
    BoundaryFaces,
    /// Matching points of modelled walls.
    MatchingPoints,
    /// Items that the caller counts, with arguments of its own.
    Items,
    /// Groups of items that the caller counts, each in the place of a cell, with arguments of its own.
    Groups,
}

/// Files of a kernel in ptx/kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    /// That of hexahedra.
    pub hex: &'static str,
    /// That of all other cells; `None` where they have no such kernel.
    pub dense: Option<&'static str>,
}

impl Files {
    const fn both(file: &'static str) -> Self {
        Files {
            hex: file,
            dense: Some(file),
        }
    }

    const fn hex_only(file: &'static str) -> Self {
        Files { hex: file, dense: None }
    }

    /// The file of a kind of cell.
    pub fn of(&self, kind: ElementKind) -> Option<&'static str> {
        match kind {
            ElementKind::Hex => Some(self.hex),
            _ => self.dense,
        }
    }
}

/// Programs that a kernel is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Every run; compiled once.
    Run,
    /// Every run; GPUs have it compiled once for every [`Stage`](super::Stage).
    RunByStage,
    /// Runs with passive scalars; compiled once.
    Scalars,
    /// Runs with passive scalars; GPUs have it compiled once for every [`Stage`](super::Stage).
    ScalarsByStage,
    /// Tests of single pieces of the method, on the CPU only.
    Probe,
}

/// A kernel.
#[derive(Debug, Clone, Copy)]
pub struct KernelSpec {
    /// Name of the function.
    pub name: &'static str,
    /// Where it is.
    pub files: Files,
    /// What a launch goes over.
    pub over: Over,
    /// Who uses it.
    pub used_by: Use,
    /// Values that it leaves of each cell in `per_cell`.
    pub values: usize,
    /// Shared memory of a cell of a block, in bytes.
    pub shared: fn(&CellSizes) -> usize,
}

/// Sizes of a cell as a kernel holds it in shared memory.
#[derive(Debug, Clone, Copy)]
pub struct CellSizes {
    /// Kind of the cell.
    pub kind: ElementKind,
    /// Points of a line.
    pub n: usize,
    /// Points.
    pub points: usize,
    /// Points with the padding that keeps lines of hexahedra in different banks.
    pub padded_points: usize,
    /// Face points.
    pub face_points: usize,
    /// Bytes of a real times the cells side by side.
    real: usize,
    /// Bytes of a double times the cells side by side.
    double: usize,
    /// Values between two cells of a block.
    gap: usize,
    /// Whether each array of a cell occupies an odd number of words of 16 bytes.
    odd_words: bool,
    /// Whether the divergence corrects the entropy of the cell.
    corrects_entropy: bool,
}

impl CellSizes {
    /// Sizes on a CPU with `lanes` cells side by side.
    pub fn on_cpu(kind: ElementKind, order: usize, real: usize, lanes: usize) -> Self {
        CellSizes {
            kind,
            n: order + 1,
            points: kind.points(order),
            padded_points: kind.points(order),
            face_points: kind.total_face_points(order),
            real: real * lanes,
            double: 8 * lanes,
            gap: 0,
            odd_words: false,
            corrects_entropy: true,
        }
    }

    /// Sizes on a GPU, whose kernels correct the entropy of cells only where they are compiled for it.
    pub fn on_gpu(kind: ElementKind, order: usize, real: usize, corrects_entropy: bool) -> Self {
        let n = order + 1;
        let hex = kind == ElementKind::Hex;
        let sizes = Self::on_cpu(kind, order, real, 1);
        CellSizes {
            padded_points: if hex && (n == 6 || n == 8) {
                n * n * (n + 1)
            } else {
                sizes.points
            },
            gap: if hex && n == 4 { 64 / real } else { 0 },
            odd_words: !hex,
            corrects_entropy,
            ..sizes
        }
    }

    /// Bytes of an array of reals.
    fn reals(&self, len: usize) -> usize {
        self.padded((len + self.gap) * self.real)
    }

    /// Bytes of an array of doubles.
    fn doubles(&self, len: usize) -> usize {
        self.padded((len + self.gap) * self.double)
    }

    /// Bytes with the padding of dense cells.
    fn padded(&self, bytes: usize) -> usize {
        if self.odd_words {
            (bytes.div_ceil(16) | 1) * 16
        } else {
            bytes
        }
    }

    /// Scalars, and their derivatives or fluxes along three directions; of dense cells also jumps at the faces.
    fn scalars(&self) -> usize {
        match self.kind {
            ElementKind::Hex => self.reals(SCALARS * self.padded_points) + self.reals(15 * self.padded_points),
            _ => {
                let [flux, values, jumps] = [12 * self.points, 4 * self.points, 4 * self.face_points];
                self.reals(flux) + self.reals(values) + self.reals(jumps)
            }
        }
    }

    /// What the divergence of the scalars needs: the flow as well.
    fn scalar_divergence(&self) -> usize {
        match self.kind {
            ElementKind::Hex => self.reals(5 * self.padded_points) + self.scalars(),
            _ => {
                let flow = self.reals(10 * self.points + 5);
                flow + self.reals(4 * self.points) + self.reals(5 * self.face_points)
            }
        }
    }

    /// Rows of N points, which diagnostics sum up first.
    fn rows(&self) -> usize {
        self.points.div_ceil(self.n)
    }

    /// Primitive variables (5 of hexahedra, 4 of others) and what gradients need.
    fn gradient(&self) -> usize {
        match self.kind {
            ElementKind::Hex => self.reals(5 * self.padded_points) + self.reals(12 * self.padded_points),
            _ => self.reals(12 * self.points) + self.reals(4 * self.points) + self.reals(4 * self.face_points),
        }
    }

    /// Values of a section that the output rule interpolates, where they are not those of the points, and sums at the
    /// points of the rule.
    fn rule(&self) -> usize {
        let sums = self.doubles(RULE_SUMS * self.kind.rule_points(self.n - 1));
        match self.kind {
            ElementKind::Tet | ElementKind::Pyramid => sums,
            ElementKind::Hex | ElementKind::Prism => self.reals(24 * self.points / self.n) + sums,
        }
    }

    /// Rows of `factors` of statistics at the points of the output rule for so many slots of planes.
    fn resampled(&self, factors: usize, planes: usize) -> usize {
        match self.kind {
            ElementKind::Tet | ElementKind::Pyramid => 0,
            ElementKind::Hex | ElementKind::Prism => self.doubles(factors * planes * self.kind.rule_points(self.n - 1)),
        }
    }

    /// Primitive variables and derivatives of hexahedra; values of the points and jumps at the faces of other cells;
    /// and what the correction of the entropy needs (ptx/method/entropy_correction.h).
    fn divergence(&self) -> usize {
        let entropy = match self.kind {
            ElementKind::Hex => self.reals(5 * self.padded_points + 5 * self.n * self.n + 2 * self.n),
            _ => self.reals(2 * (5 * self.points).next_multiple_of(4) + 2 * self.points + self.face_points + 14),
        };
        let without = match self.kind {
            ElementKind::Hex => self.reals(5 * self.padded_points) + self.reals(15 * self.padded_points),
            kind => {
                let lines = if kind == ElementKind::Prism {
                    self.reals(5 * self.points)
                } else {
                    0
                };
                self.reals(10 * self.points + 5) + self.reals(5 * self.face_points) + lines
            }
        };
        if self.corrects_entropy {
            without + entropy
        } else {
            without
        }
    }
}

/// No shared memory.
const fn none(_: &CellSizes) -> usize {
    0
}

/// Declares [`Kernel`] and [`KERNELS`].
macro_rules! kernels {
    ($($(#[doc = $doc:literal])+ $kernel:ident = $name:literal in $files:expr, $over:ident, $used_by:ident,
       $values:expr, $shared:expr;)+) => {
        /// Number of a kernel in [`KERNELS`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kernel {
            $($(#[doc = $doc])+ $kernel,)+
        }

        impl Kernel {
            /// All kernels.
            pub const ALL: &[Kernel] = &[$(Kernel::$kernel),+];
        }

        /// The kernels in the order of [`Kernel`].
        pub const KERNELS: &[KernelSpec] = &[$(KernelSpec {
            name: $name,
            files: $files,
            over: Over::$over,
            used_by: Use::$used_by,
            values: $values,
            shared: $shared,
        }),+];
    };
}

kernels! {
    /// Fluxes and states at the Gauss points of interfaces, which the ghost states there are made of.
    InterfaceStates = "interface_states" in Files::both("ghosts.cu"), Items, Run, 0, none;
    /// Viscous traces at the Gauss points of interfaces, which the ghost traces there are made of.
    InterfaceTraces = "interface_traces" in Files::both("ghosts.cu"), Items, Run, 0, none;
    /// Ghost states of the boundary faces.
    GhostStates = "ghost_states" in Files::both("ghosts.cu"), BoundaryPoints, Run, 0, none;
    /// States at the matching points of modelled walls.
    MatchingStates = "matching_states" in Files::both("matching.cu"), MatchingPoints, Run, 0, none;
    /// Ghost viscous traces of the boundary faces.
    GhostTraces = "ghost_traces" in Files::both("ghosts.cu"), BoundaryPoints, Run, 0, none;
    /// Fluxes through each boundary face.
    BoundaryFluxes = "boundary_fluxes" in Files::both("surface.cu"), BoundaryFaces, Run, 0, none;
    /// Fluxes and state at each point of the boundary faces.
    SurfaceValues = "surface_values" in Files::both("surface.cu"), BoundaryPoints, Run, 0, none;
    /// Phases of the modes of a turbulent inlet.
    TurbulencePhases = "turbulence_phases" in Files::both("turbulence.cu"), Items, Run, 0, none;
    /// Velocity fluctuations of a turbulent inlet.
    Turbulence = "turbulence" in Files::both("turbulence.cu"), Groups, Run, 0,
        |e| e.reals(3 * MODE_SLICES * TURBULENT_POINTS);
    /// Packs what other ranks need.
    Pack = "pack" in Files::both("halo.cu"), Items, Run, 0, none;
    /// State at points within cells.
    Sample = "sample" in Files::both("sample.cu"), Items, Run, 0, none;
    /// Sweep 1: the viscous traces.
    Sweep1 = "sweep1" in Files { hex: "sweep1.cu", dense: Some("sweep1_dense.cu") }, Cells, Run, 0, |e| e.gradient();
    /// Bounds on the time step and health of the state.
    TimeStepBounds = "time_step_bounds" in Files::both("bounds.cu"), Cells, Run, TIME_STEP_BOUNDS,
        |e| e.doubles(TIME_STEP_BOUNDS * e.rows());
    /// Mass and momentum of each cell.
    Bulk = "bulk" in Files::both("integrals.cu"), Cells, Run, BULKS, |e| e.doubles(BULKS * e.rows());
    /// Integrals over each cell.
    Integrals = "integrals" in Files::both("integrals.cu"), Cells, Run, INTEGRALS,
        |e| e.gradient() + e.rule() + e.doubles((INTEGRALS - RULE_SUMS) * e.rows()) + e.reals(2);
    /// Totals of what a kernel left of the cells of each chunk.
    ChunkTotals = "chunk_totals" in Files::both("totals.cu"), Items, Run, 0, none;
    /// Totals of the chunks.
    Totals = "totals" in Files::both("totals.cu"), Items, Run, 0, none;
    /// Eddy viscosity of the sub-grid model at each point.
    EddyViscosities = "eddy_viscosities" in Files::both("integrals.cu"), Cells, Run, 0, |e| e.gradient();
    /// Adds the state to the statistics.
    Statistics = "statistics" in Files::both("statistics.cu"), Cells, Run, 0,
        |e| e.doubles(FACTORS * e.points) + e.resampled(FACTORS, e.n);
    /// Adds viscosity and rates of strain to the statistics.
    StrainStatistics = "strain_statistics" in Files::both("statistics.cu"), Cells, Run, 0,
        |e| e.doubles(STRAIN_FACTORS * e.points) + e.resampled(STRAIN_FACTORS, 1) + e.gradient();
    /// Forces of a row of bars.
    Bars = "bars" in Files::both("bars.cu"), Cells, Run, 2 * BAR_SUMS, |e| e.doubles(2 * BAR_SUMS * e.rows());
    /// Running means towards which sponges drive the state.
    SpongeMeans = "sponge_means" in Files::both("sponges.cu"), Cells, Run, 0, none;
    /// Filter of the output of a stage.
    Filter = "filter" in Files::both("filter.cu"), Cells, Run, 0,
        |e| e.reals(7 * e.points) + e.reals(4 * e.rows()) + e.reals(8 + 5 * e.n);
    /// Sweep 2: divergence of the flux and update.
    Sweep2 = "sweep2" in Files { hex: "sweep2.cu", dense: Some("sweep2_dense.cu") }, Cells, RunByStage, 0,
        |e| e.divergence();
    /// States of cells that rest in a stage of the paired scheme.
    Rest = "rest" in Files::both("rest.cu"), Cells, Run, 0, none;
    /// Ghost values of passive scalars.
    ScalarGhosts = "scalar_ghosts" in Files::both("scalar_ghosts.cu"), BoundaryPoints, Scalars, 0, none;
    /// Ghost diffusive traces of passive scalars.
    ScalarGhostTraces = "scalar_ghost_traces" in Files::both("scalar_ghosts.cu"), BoundaryPoints, Scalars, 0, none;
    /// Sweep 1 of passive scalars: the diffusive traces.
    ScalarSweep1 = "scalar_sweep1" in Files { hex: "scalar_sweep1.cu", dense: Some("scalar_sweep1_dense.cu") }, Cells,
        Scalars, 0, |e| e.scalars();
    /// Sweep 2 of passive scalars: divergence of the flux and update.
    ScalarSweep2 = "scalar_sweep2" in Files { hex: "scalar_sweep2.cu", dense: Some("scalar_sweep2_dense.cu") }, Cells,
        ScalarsByStage, 0, |e| e.scalar_divergence();
    /// Gives passive scalars what the flow does to its density beside the fluxes.
    ScalarClosure = "scalar_closure" in Files::both("scalar_closure.cu"), Cells, Scalars, 0,
        |e| e.reals(5 * e.points) + e.reals(5);
    /// Adds the passive scalars to the statistics.
    ScalarStatistics = "scalar_statistics" in Files::both("scalar_statistics.cu"), Cells, Scalars, 0,
        |e| e.doubles(SCALAR_FACTORS * e.points) + e.resampled(SCALAR_FACTORS, e.n);
    /// Common convective flux of pairs of states.
    ProbeInterfaceFlux = "interface_flux" in Files::hex_only("probe.cu"), Items, Probe, 0, none;
    /// A boundary condition of single states.
    ProbeBoundaryCondition = "boundary_condition" in Files::hex_only("probe.cu"), Items, Probe, 0, none;
    /// The split derivative along single lines.
    ProbeSplitDerivative = "split_derivative" in Files::hex_only("probe.cu"), Items, Probe, 0, none;
}

/// Most values of a cell that a kernel leaves: the length of `per_cell` for a cell.
pub const VALUES_PER_CELL: usize = {
    let (mut most, mut i) = (0, 0);
    while i < KERNELS.len() {
        if KERNELS[i].values > most {
            most = KERNELS[i].values;
        }
        i += 1;
    }
    most
};

impl Kernel {
    /// Its entry in [`KERNELS`].
    pub const fn spec(self) -> &'static KernelSpec {
        &KERNELS[self as usize]
    }

    /// Its file for a kind of cell.
    pub fn file(self, kind: ElementKind) -> Option<&'static str> {
        self.spec().files.of(kind)
    }

    /// The kernel of this name.
    pub fn named(name: &str) -> Option<Kernel> {
        Kernel::ALL.iter().copied().find(|kernel| kernel.spec().name == name)
    }
}

/// Returns the files of ptx/kernels from which cells of one kind are compiled for these uses, each once, in the order
/// of [`KERNELS`].
pub fn files_of(kind: ElementKind, uses: &[Use]) -> Vec<&'static str> {
    let mut files = Vec::new();
    for kernel in KERNELS.iter().filter(|kernel| uses.contains(&kernel.used_by)) {
        if let Some(file) = kernel.files.of(kind).filter(|file| !files.contains(file)) {
            files.push(file);
        }
    }
    files
}
