//! The preconditioner of multigrid cycles: what sweeps on the points leave is solved on coarser levels of agglomerates.
//!
//! The solution of a coarse level is constant in each agglomerate, and the equations of its members are added
//! ([`Galerkin`]), so that coarse matrices follow from that of the points with its local steps. A cycle sweeps on a
//! level, takes a cycle on the coarser one for the residual that is left, adds its solution, and sweeps again:
//!     x = sweeps(b),    x = x + P cycle(P^T (b - A x)),    x = sweeps(b, x)

use super::galerkin::Galerkin;
use super::lines::Lines;
use super::matrix::{Matrix, Unknowns};
use crate::device::DeviceError;
use crate::device::contract::SteadyKernel;
use crate::device::store::Memory;
use crate::physics::Gas;
use crate::steady::dual::DualMesh;
use crate::steady::machine::Machine;
use crate::steady::multigrid::{Level, Levels, Lists};
use crate::steady::scheme::Scheme;
use crate::steady::solver::Solver;

/// Sweeps before and after the correction on coarse levels, on which a GPU waits for launches more than for memory.
const COARSE: [usize; 2] = [1, 1];
/// Sweeps on the coarsest level.
const COARSEST: usize = 8;

/// The levels below the points.
pub struct Hierarchy<M: Machine> {
    coarse: Vec<Coarse<M>>,
    /// Sweeps before and after the correction on the points.
    sweeps: [usize; 2],
}

/// A coarse level.
struct Coarse<M: Machine> {
    /// It launches the kernels, and exchanges halos.
    solver: Solver<M>,
    lines: Lines,
    matrices: Vec<Matrix<M>>,
    members: Lists<M::Array>,
    parent: Lists<M::Array>,
    galerkin: Galerkin<M>,
    /// Vectors in single precision, and the residual that the next level solves for.
    right_side: M::Array,
    solution: M::Array,
    residual: M::Array,
}

impl<M: Machine> Coarse<M> {
    fn new(
        level: &Level,
        (finer, dual): (&Solver<M>, &DualMesh),
        unknowns: &[Unknowns],
        gas: &Gas,
        scheme: &Scheme,
    ) -> Result<Self, DeviceError> {
        let lines = Lines::of_points(&level.dual, finer.slice, finer.ranks());
        let solver = finer.beside((&level.dual, &lines.arrangement), &[], gas, scheme)?;
        let matrices = unknowns.iter().map(|&unknowns| Matrix::new(&solver, &lines, unknowns));
        let most = unknowns.iter().map(|unknowns| unknowns.count()).max().unwrap_or(0);
        let vector = |size: usize| solver.store.zeros(most * solver.slices.slots * size);
        Ok(Coarse {
            matrices: matrices.collect::<Result<_, _>>()?,
            members: Lists::of_members(level, &solver, finer)?,
            parent: Lists::of_parents(level, &solver, finer)?,
            galerkin: Galerkin::new(level, (finer, dual), &solver)?,
            right_side: vector(size_of::<f32>())?,
            solution: vector(size_of::<f32>())?,
            residual: vector(size_of::<f64>())?,
            lines,
            solver,
        })
    }

    /// The matrix of these unknowns.
    fn matrix(&self, unknowns: Unknowns) -> &Matrix<M> {
        let of = self.matrices.iter().find(|matrix| matrix.unknowns == unknowns);
        of.expect("each level has the matrices of the points")
    }
}

impl<M: Machine> Hierarchy<M> {
    /// Sets up the levels below the points, for systems of these unknowns and so many sweeps on the points.
    /// Collective.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(
        (finest, dual, levels): (&Solver<M>, &DualMesh, &Levels),
        (unknowns, sweeps): (&[Unknowns], usize),
        gas: &Gas,
        scheme: &Scheme,
    ) -> Result<Self, DeviceError> {
        let mut coarse: Vec<Coarse<M>> = Vec::new();
        for (n, level) in levels.coarse.iter().enumerate() {
            let finer = match n {
                0 => (finest, dual),
                _ => (&coarse[n - 1].solver, &levels.coarse[n - 1].dual),
            };
            let next = Coarse::new(level, finer, unknowns, gas, scheme)?;
            coarse.push(next);
        }
        Ok(Hierarchy {
            coarse,
            sweeps: [sweeps.div_ceil(2), sweeps / 2],
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        let of_level = |level: &Coarse<M>| {
            let vectors = [&level.right_side, &level.solution, &level.residual].map(Memory::bytes);
            let matrices: usize = level.matrices.iter().map(Matrix::bytes).sum();
            let lists = level.members.bytes() + level.parent.bytes() + level.galerkin.bytes();
            level.solver.bytes() + matrices + lists + vectors.iter().sum::<usize>()
        };
        self.coarse.iter().map(of_level).sum()
    }

    /// Computes the matrices of all levels from that of the points, and their factors.
    ///
    /// # Errors
    /// The machine fails.
    pub fn factor(&self, finest: &Solver<M>, matrix: &Matrix<M>) -> Result<(), DeviceError> {
        let mut finer = (finest, matrix);
        for coarse in &self.coarse {
            let matrix = coarse.matrix(matrix.unknowns);
            coarse.galerkin.sum(finer, (&coarse.solver, matrix))?;
            matrix.factor(&coarse.solver, &coarse.lines)?;
            finer = (&coarse.solver, matrix);
        }
        Ok(())
    }

    /// Computes an approximate solution x of A x = b on a level by a cycle; `residual` is a vector of this level.
    ///
    /// # Errors
    /// The machine fails.
    pub fn cycle(
        &self,
        level: usize,
        (solver, lines, matrix): (&Solver<M>, &Lines, &Matrix<M>),
        (b, x): (*const f32, *mut f32),
        residual: *mut f64,
    ) -> Result<(), DeviceError> {
        matrix.solve_blocks(solver, (b, x))?;
        let Some(coarse) = self.coarse.get(level) else {
            return matrix.sweep(solver, lines, (b, x), 0..COARSEST);
        };
        let [before, after] = if level == 0 { self.sweeps } else { COARSE };
        matrix.sweep(solver, lines, (b, x), 0..before)?;
        let unknowns = matrix.unknowns.count();
        matrix.residual(solver, (b, x), residual)?;
        solver.update_halo_at(residual, unknowns)?;
        let (right_side, solution) = (coarse.right_side.pointer(), coarse.solution.pointer());
        let mut params = coarse.members.params(&coarse.solver, solver);
        (params.unknowns, params.vector, params.direction) = (unknowns as i64, residual, right_side);
        coarse.solver.over_vertices(SteadyKernel::Restriction, params)?;
        let next = (&coarse.solver, &coarse.lines, coarse.matrix(matrix.unknowns));
        self.cycle(level + 1, next, (right_side, solution), coarse.residual.pointer())?;
        let mut params = coarse.parent.params(solver, &coarse.solver);
        (params.unknowns, params.basis, params.direction) = (unknowns as i64, solution, x);
        solver.over_vertices(SteadyKernel::CorrectDirection, params)?;
        solver.update_halo_of_single(x, unknowns)?;
        matrix.sweep(solver, lines, (b, x), before..before + after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::cpu::Host;
    use crate::element::{Correction, Elements};
    use crate::geometry::Geometry;
    use crate::mesh::test_meshes::a_box;
    use crate::mesh::{BoxElements, build_box};
    use crate::ranks::Ranks;
    use crate::steady::implicit::{Implicit, ImplicitSolver, Preconditioner};
    use crate::steady::multigrid::Coarsening;

    /// The matrix of each coarse level is P^T A P with that of the level above, where P repeats the value of an
    /// agglomerate at its members.
    #[test]
    fn coarse_matrices_are_sums_over_the_members_of_agglomerates() {
        let gas = Gas {
            gamma: 1.4,
            prandtl: 0.72,
            gas_constant: 1.0,
            viscosity: None,
        };
        for (kind, periodic) in [
            (BoxElements::Hex, [true, false, true]),
            (BoxElements::Tet, [false; 3]),
            (BoxElements::Prism, [false, false, true]),
        ] {
            let mesh = build_box(&a_box(kind, [6, 5, 4], periodic), 1).expect("a box");
            let elements = Elements::new(1, Correction::Radau, &mesh.kinds_present());
            let ranks = Ranks::alone();
            let geometry = Geometry::on_ranks(&mesh, &elements, &ranks).expect("good cells");
            let mut dual = DualMesh::new(&mesh, &geometry, 1, |_| false, &ranks).expect("a dual");
            let by = Coarsening {
                levels: 4,
                pairings: 2,
                fewest: 2,
            };
            let levels = Levels::new(&mut dual, &[], by, &ranks);
            assert!(levels.coarse.len() >= 2, "{kind:?}: {} levels", levels.coarse.len());
            let settings = Implicit {
                preconditioner: Preconditioner::Multigrid,
                sweeps: 2,
                krylov: 5,
                linear_stop: 0.5,
                refresh: None,
            };
            let (host, scheme) = (Host::new(Some(1)).expect("threads"), Scheme::default());
            let of = (&scheme, &settings);
            let mut solver = ImplicitSolver::new(host, (&dual, Some(&levels)), &[], &gas, of, ranks).expect("a solver");
            let wave = |x: &[f64; 3]| 0.1 * (3.0 * x[0] + 2.0 * x[1] + x[2]).sin();
            let state = |x: &[f64; 3]| [1.0 + wave(x), 0.3 + wave(x), wave(x), 0.1, 1.0 - wave(x), 0.1, 0.0];
            let state: Vec<_> = dual.position.iter().map(state).collect();
            solver.solver.set_state(&state).expect("a state");
            for (flow, unknowns) in [(true, Unknowns::Flow), (false, Unknowns::Eddy)] {
                let elements = unknowns.count().pow(2);
                let mut finer = solver.system(&dual, 10.0, flow).expect("a system").rows;
                let hierarchy = solver.systems.hierarchy.as_ref().expect("levels");
                for (coarse, level) in hierarchy.coarse.iter().zip(&levels.coarse) {
                    let rows = coarse.matrix(unknowns).rows(&coarse.solver, &level.dual).expect("rows");
                    let size = level.dual.owned;
                    let mut expected = vec![0.0; size * size * elements];
                    let mut found = expected.clone();
                    let place = |row: usize, column: usize, e: usize| (row * size + column) * elements + e;
                    for (vertex, blocks) in finer.iter().enumerate() {
                        for (to, block) in blocks {
                            let (row, column) = (level.parent[vertex], level.parent[*to as usize]);
                            let add = |(e, x): (usize, &f64)| expected[place(row as usize, column as usize, e)] += x;
                            block.iter().enumerate().for_each(add);
                        }
                    }
                    for (row, blocks) in rows.iter().enumerate() {
                        for (column, block) in blocks {
                            let add = |(e, x): (usize, &f64)| found[place(row, *column as usize, e)] += x;
                            block.iter().enumerate().for_each(add);
                        }
                    }
                    let most = expected.iter().fold(0.0f64, |most, x| most.max(x.abs()));
                    for (a, b) in expected.iter().zip(&found) {
                        assert!(
                            (a - b).abs() < 1e-6 * most,
                            "{kind:?} {unknowns:?}: {a} {b}, most {most}"
                        );
                    }
                    finer = rows;
                }
            }
        }
    }
}
