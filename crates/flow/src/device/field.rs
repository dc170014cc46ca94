//! The fields that the host reads from a device or writes to it, in double precision, with their layout.
use super::contract::Kernel;

/// A field that the host reads from a device, or writes to it, in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The state at the start of the step, `[cell][5][point]` in mesh order. Writing it clears the compensation, and
    /// notes the least entropies of the cells for an entropy filter.
    State,
    /// Kahan's compensation, arranged as the state; empty, and not written, where updates are not compensated.
    Compensation,
    /// The right-hand side left by [`StageUpdate::RhsOnly`](super::StageUpdate::RhsOnly), arranged as the state. Read
    /// only.
    RightHandSide,
    /// Passive scalars at the start of the step, `[cell][5][point]` in mesh order: rho c of up to four, then the
    /// density; empty without any. Writing it clears their compensation.
    Scalars,
    /// Kahan's compensation of the scalars, arranged as they are; empty, and not written, where there is none.
    ScalarCompensation,
    /// Values of the scalars at the boundaries, `[boundary face][2 SCALARS][face point]`: those that flow in or that
    /// walls hold, then 1 for each that a wall holds and 0 for others. Write only.
    ScalarData,
    /// Eddy viscosity of the sub-grid model, `[cell][point]` in mesh order; read only.
    EddyViscosity,
    /// How far the filter took each cell to its mean in the last step, from 0 to 1, `[cell]` in mesh order; empty
    /// without a filter. Read only.
    FilterStrength,
    /// The state at the last good look, arranged as [`Field::State`]; empty where steps are not taken back. Read only.
    KeptState,
    /// Step, stage and cell of the first unphysical state since it was written last (3); empty without any. Writing
    /// nothing forgets it.
    Fault,
    /// What the filter did since it was written last: changes, and strength and cell of the strongest one, -1 without
    /// any (3); empty without a filter. Writing nothing forgets it.
    FilterActs,
    /// The number (1) of the step since the last look, from 1. Write only.
    StepNumber,
    /// Numbers of the cells in the whole mesh, `[cell]` in mesh order. Write only.
    CellNumbers,
    /// Volume source `[cell][5][point]`: mass, force, heat; the force's work is added by the kernel. Writing nothing
    /// removes it. Write only.
    Source,
    /// A force per volume (3) that acts on all points, with its work on the energy, in addition to the source. It may
    /// change while recorded steps are replayed. Write only.
    Force,
    /// The time step (1) that the stages use. Write only.
    TimeStep,
    /// The rows of bars at the moments of the step, `[moment][row][number]` in the order of the fields of
    /// [`BarNumbers`](super::contract::BarNumbers). They are written before a step or a right-hand side. Write only.
    Bars,
    /// The displacements of the interfaces at the moments of the step, with their cosines and sines,
    /// `[moment][interface][INTERFACE_SHIFTS]`. They are written before a step or a right-hand side. Write only.
    InterfaceShifts,
    /// The cells that bars may meet: for each its number, then x of its points, then y. Write only.
    BarPoints,
    /// The cells in sponges in ascending order: for each its number, then the rates of its points, then 1 over the
    /// averaging times of their targets, 0 of targets that are given. Write only.
    SpongePoints,
    /// Targets of the cells in sponges, `[cell][5][point]` in the order of [`Field::SpongePoints`].
    SpongeTargets,
    /// Data of the boundary faces, `[boundary face][BOUNDARY_VALUES][face point]`, as the conditions of
    /// ptx/physics/boundary.h take them. Write only.
    BoundaryData,
    /// Velocity of the rotating frame, `[cell][3][point]` in mesh order. Write only, if the frame rotates.
    FrameVelocity,
    /// Angular speed of the frame of each cell, `[cell]` in mesh order. Write only, if cells have frames of their own.
    FrameSpeed,
    /// Velocity of the rotating frame at the boundary points whose condition is applied in the absolute frame,
    /// `[boundary point][3]` in the plan's order, and 0 at the others. Write only, if the frame rotates.
    BoundaryFrame,
    /// Relaxed values of the boundary points at the start of the step, `[boundary face][face point]` in the plan's
    /// order; empty, and not written, if no boundary relaxes.
    Relaxed,
    /// Mean pressure of the face of each boundary point when `note_pressures` noted it, arranged as
    /// [`Field::Relaxed`]; of relaxed outlets.
    NotedPressure,
    /// Impedance times the terms along the face at each boundary point when `note_pressures` noted them, arranged as
    /// [`Field::Relaxed`]; of relaxed outlets, until the next step. Read only.
    NotedAlong,
    /// What a relaxed outlet seeks over its area, `[name][2]`: a pressure, and the share of the pressures noted. It may
    /// change while recorded steps are replayed. Write only.
    HeldPressure,
    /// The viscous traces in the plan's order; write only, to try the exchange.
    Traces,
    /// The halos of the state at the start of the step; read only.
    HaloStates,
    /// The halos of the viscous traces; read only.
    HaloTraces,
    /// The largest values of the cells of each level and kind that [`Kernel::TimeStepBounds`] left last,
    /// `[level][kind][TIME_STEP_BOUNDS]`, NaN where one is NaN; levels are those of the paired scheme, one in other
    /// schemes. Read only.
    LargestBounds,
    /// The values of each cell left by this kernel, which must be the last that left any, `[cell][value]` in mesh
    /// order; read only.
    PerCell(Kernel),
    /// Velocity fluctuations of turbulent inlets, `[boundary point][3]` in the plan's order; empty without any. Read
    /// only.
    BoundaryFluctuation,
    /// Fluxes through each boundary face, `[boundary face][FLUXES]` in the plan's order; read only.
    BoundaryFluxes,
    /// Values at each point of the boundary faces, `[boundary face][SURFACE_VALUES][face point]`; read only.
    SurfaceValues,
    /// Sums of the statistics, `[cell][quantity][slot]` in mesh order; empty without statistics.
    Statistics,
}
