//! Lengths of arrays that host and kernels share, and enumerations that belong to no room but this one.

/// Largest number of points of a line.
pub const MAX_N: usize = 9;
/// Values that a point of a ghost holds: the state (5) and the primitive variables that the gradient sees (4).
pub const GHOST_VALUES: usize = 9;
/// Values of a cell left by `time_step_bounds`: acoustic rate, viscous rate, whether the state is unphysical.
pub const TIME_STEP_BOUNDS: usize = 3;
/// Integrals of a cell left by `bulk`: mass and momentum (3).
pub const BULKS: usize = 4;
/// Integrals of a cell left by `integrals`: [`SUMS`] sums, then extremes.
pub const INTEGRALS: usize = 17;
/// Number of the integrals that are sums.
pub const SUMS: usize = 10;
/// Number of the sums, the last ones, that are taken by the output rule.
pub const RULE_SUMS: usize = 5;
/// Values of a point of a boundary face that its condition takes, in the slots of its kind.
pub const BOUNDARY_VALUES: usize = 6;
/// Integrals over a boundary face: outflow of mass, momentum (3), the viscous part of the momentum (3) and energy;
/// pressure of the ghosts; area with flow against the sense of the boundary.
pub const FLUXES: usize = 10;
/// Values at a point of a boundary face: density, velocity (3), temperature, the convective (3) and the viscous part
/// (3) of the momentum that flows out, the heat that flows out.
pub const SURFACE_VALUES: usize = 12;
/// Rows of factors of statistics: weight, density, velocity (3), pressure, temperature.
pub const FACTORS: usize = 7;
/// Rows of factors of statistics of strain: weight, viscosity, velocity (3), pressure, rates of strain (6).
pub const STRAIN_FACTORS: usize = 12;
/// Rows of factors of statistics of passive scalars: weight, density, velocity (3), scalars.
pub const SCALAR_FACTORS: usize = 5 + SCALARS;
/// Points of a group that `turbulence` computes side by side.
pub const TURBULENT_POINTS: usize = 8;
/// Values of a point of a turbulent inlet: position (3), factor of the stresses (6), velocity per unit of the
/// correction (3).
pub const TURBULENT_VALUES: usize = 12;
/// Rows of amplitudes of the modes of a turbulent inlet along which the length varies.
pub const LENGTH_ROWS: usize = 64;
/// Parts in which the modes of a point are summed.
pub const MODE_SLICES: usize = 16;

/// Numbers of the displacement of an interface: itself, and its cosine and sine where sides turn.
pub const INTERFACE_SHIFTS: usize = 3;
/// Values at a Gauss point of a mortar: the common convective flux (5), the area vector (3), the states of both sides
/// (5 each).
pub const MORTAR_VALUES: usize = 18;

/// Most passive scalars: as many as a row of values of the gradient has.
pub const SCALARS: usize = 4;

/// Levels of the paired scheme.
pub const LEVELS: usize = 4;

/// Intervals of the law of the wall over the fourth root of the Reynolds number Re of the matching point.
pub const WALL_LAW_CELLS: usize = 512;
/// Largest fourth root of Re in that table.
pub const WALL_LAW_END: usize = 100;

/// Integrals of a cell left by `bars` for bars of even and of odd number: force (2), heat, momentum inside (2).
pub const BAR_SUMS: usize = 5;

/// Digits of a sum without rounding, of 32 bits each: 2^-1074 to 2^1024, and 64 bits for carries.
pub const SUM_DIGITS: usize = 68;
/// Words of the total of a value over many cells: the digits of the sum, the number of terms that are not finite, the
/// least and the greatest term.
pub const TOTAL_WORDS: usize = SUM_DIGITS + 3;

/// The note of an unphysical state where there is none.
pub const NO_FAULT: i64 = i64::MAX;
/// Bits of the number of a stage in the note of an unphysical state; those of the step are above them.
pub const FAULT_STAGE_BITS: usize = 8;
/// Bits of the number of a cell in that note, the lowest ones.
pub const FAULT_CELL_BITS: usize = 40;
/// Bits of the number of a cell in the note of the strongest change by a filter; those of its strength are above them.
pub const FILTERED_CELL_BITS: usize = 33;

/// The numbers above that the kernels use, by their names.
pub const NUMBERS: &[(&str, usize)] = &[
    ("MAX_N", MAX_N),
    ("LEVELS", LEVELS),
    ("SCALARS", SCALARS),
    ("GHOST_VALUES", GHOST_VALUES),
    ("BOUNDARY_VALUES", BOUNDARY_VALUES),
    ("FAULT_STAGE_BITS", FAULT_STAGE_BITS),
    ("FAULT_CELL_BITS", FAULT_CELL_BITS),
    ("FILTERED_CELL_BITS", FILTERED_CELL_BITS),
    ("FLUXES", FLUXES),
    ("SURFACE_VALUES", SURFACE_VALUES),
    ("TIME_STEP_BOUNDS", TIME_STEP_BOUNDS),
    ("BULKS", BULKS),
    ("INTEGRALS", INTEGRALS),
    ("SUMS", SUMS),
    ("RULE_SUMS", RULE_SUMS),
    ("FACTORS", FACTORS),
    ("STRAIN_FACTORS", STRAIN_FACTORS),
    ("SCALAR_FACTORS", SCALAR_FACTORS),
    ("TURBULENT_POINTS", TURBULENT_POINTS),
    ("TURBULENT_VALUES", TURBULENT_VALUES),
    ("LENGTH_ROWS", LENGTH_ROWS),
    ("MODE_SLICES", MODE_SLICES),
    ("INTERFACE_SHIFTS", INTERFACE_SHIFTS),
    ("MORTAR_VALUES", MORTAR_VALUES),
    ("BAR_SUMS", BAR_SUMS),
    ("SUM_DIGITS", SUM_DIGITS),
    ("TOTAL_WORDS", TOTAL_WORDS),
    ("WALL_LAW_CELLS", WALL_LAW_CELLS),
    ("WALL_LAW_END", WALL_LAW_END),
];

/// The frames of reference of the cells.
#[repr(i32)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Frames {
    /// None rotates.
    #[default]
    None,
    /// All cells have the same one.
    One,
    /// Cells have frames of their own, which rotate about a common axis.
    Several,
}

/// Stages of a time step, as sweep 2 knows them.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The right-hand side itself is kept.
    RhsOnly,
    /// The first stage starts the sum over the stages.
    First,
    /// A middle stage adds to it.
    Middle,
    /// The last stage advances the state.
    Last,
}

impl Stage {
    /// All stages, in the order of their numbers.
    pub const ALL: [Stage; 4] = [Stage::RhsOnly, Stage::First, Stage::Middle, Stage::Last];

    /// Name in labels of programs.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::RhsOnly => "rhs",
            Stage::First => "first",
            Stage::Middle => "middle",
            Stage::Last => "last",
        }
    }
}

/// What a launch of `ghost_states` does with the relaxed values of the boundary points.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelaxedUpdate {
    /// It leaves them alone, as an evaluation of the right-hand side alone does.
    Keep,
    /// It sets them to the values towards which they move.
    Begin,
    /// It leaves them alone and notes the mean pressure of each face and the terms along it.
    Note,
    /// It starts the sum over the stages.
    First,
    /// It adds to the sum.
    Middle,
    /// It advances the values at the start of the step.
    Last,
}

impl RelaxedUpdate {
    /// The update of a stage.
    pub const fn of_stage(stage: Stage) -> Self {
        match stage {
            Stage::RhsOnly => RelaxedUpdate::Keep,
            Stage::First => RelaxedUpdate::First,
            Stage::Middle => RelaxedUpdate::Middle,
            Stage::Last => RelaxedUpdate::Last,
        }
    }
}

/// What a launch of `filter` does.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterUpdate {
    /// It limits the initial state to positive density and pressure, and gives cells whose mean is not admissible a
    /// mean that is.
    Begin,
    /// It leaves the state as it is and notes the least entropies.
    Resume,
    /// It limits the result of the first stage of a step.
    First,
    /// It limits that of a stage in the middle.
    Middle,
    /// It limits the result of the step.
    Last,
}

impl FilterUpdate {
    /// The update of a stage.
    ///
    /// # Panics
    ///
    /// If the stage advances no state.
    pub const fn of_stage(stage: Stage) -> Self {
        match stage {
            Stage::RhsOnly => panic!("a right-hand side alone is not filtered"),
            Stage::First => FilterUpdate::First,
            Stage::Middle => FilterUpdate::Middle,
            Stage::Last => FilterUpdate::Last,
        }
    }
}

/// The words in which the filter notes what it did since the host looked (ptx/method/note.h).
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterWord {
    /// How many cells it changed, each stage counted.
    Changes,
    /// The strongest change and its cell.
    Strongest,
    /// The last moment at which a stage left a point near the bounds of the positivity limiter.
    NearBounds,
}

impl FilterWord {
    /// Number of words.
    pub const COUNT: usize = FilterWord::NearBounds as usize + 1;
}

/// How the lanes of a block find their neighbours on one side.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    /// The neighbours of all lanes lie side by side.
    SideBySide,
    /// Every lane has a slot of its own.
    Scattered,
    /// At least one lane has a boundary there.
    Boundary,
}
