//! The preconditioner of multigrid cycles: what sweeps on the points leave is solved on coarser levels of agglomerates.
//!
//! The solution of a coarse level is constant in each agglomerate, and the equations of its members are added
//! ([`Galerkin`]), so that coarse matrices follow from that of the points with its local steps. A cycle sweeps on a
//! level, takes a cycle on the coarser one for the residual that is left, adds its solution, and sweeps again:
//!     x = sweeps(b),    x = x + P cycle(P^T (b - A x)),    x = sweeps(b, x)

use std::rc::Rc;

use super::galerkin::Galerkin;
use super::lines::Lines;
use super::matrix::{Matrix, Unknowns};
use crate::device::DeviceError;
use crate::device::contract::SteadyKernel;
use crate::device::store::Memory;
use crate::steady::arrays::CycleArrays;
use crate::steady::dual::DualMesh;
use crate::steady::exchange::Halo;
use crate::steady::grid::Grid;
use crate::steady::machine::Machine;
use crate::steady::multigrid::{Level, Levels, Lists};

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
    grid: Rc<Grid<M>>,
    matrices: Vec<Matrix<M>>,
    members: Lists<M>,
    parent: Lists<M>,
    galerkin: Galerkin<M>,
    vectors: CycleArrays<M>,
}

/// Most rows of a block of these systems.
fn most_rows(unknowns: &[Unknowns]) -> usize {
    unknowns.iter().map(|unknowns| unknowns.count()).max().unwrap_or(0)
}

impl<M: Machine> Coarse<M> {
    fn new(level: &Level, finer: &Grid<M>, dual: &DualMesh, unknowns: &[Unknowns]) -> Result<Self, DeviceError> {
        let lines = Rc::new(Lines::of_points(&level.dual, finer.slice, finer.ranks()));
        let grid = Rc::new(finer.beside(&level.dual, &lines.arrangement)?);
        let matrices = unknowns.iter().map(|&unknowns| Matrix::new(&grid, &lines, unknowns));
        let values = most_rows(unknowns) * grid.slices.slots;
        Ok(Coarse {
            matrices: matrices.collect::<Result<_, _>>()?,
            members: Lists::of_members(level, &grid, finer)?,
            parent: Lists::of_parents(level, &grid, finer)?,
            galerkin: Galerkin::new(level, finer, dual, &grid)?,
            vectors: CycleArrays::zeros(&*grid.store, &values)?,
            grid,
        })
    }

    /// The matrix of these unknowns.
    fn matrix(&self, unknowns: Unknowns) -> &Matrix<M> {
        let of = self.matrices.iter().find(|matrix| matrix.unknowns == unknowns);
        of.expect("each level has the matrices of the points")
    }

    /// Returns the bytes of its arrays.
    fn bytes(&self) -> usize {
        let matrices: usize = self.matrices.iter().map(Matrix::bytes).sum();
        let lists = self.members.bytes() + self.parent.bytes() + self.galerkin.bytes();
        self.grid.bytes() + matrices + lists + self.vectors.in_use().total()
    }
}

impl<M: Machine> Hierarchy<M> {
    /// Sets up the levels below the points, which have a dual, for systems of these unknowns and so many sweeps on the
    /// points. Collective.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(
        points: &Grid<M>,
        dual: &DualMesh,
        levels: &Levels,
        unknowns: &[Unknowns],
        sweeps: usize,
    ) -> Result<Self, DeviceError> {
        let mut coarse: Vec<Coarse<M>> = Vec::new();
        let mut of_finer = dual;
        for level in &levels.coarse {
            let finer = coarse.last().map_or(points, |finer| &*finer.grid);
            let next = Coarse::new(level, finer, of_finer, unknowns)?;
            coarse.push(next);
            of_finer = &level.dual;
        }
        Ok(Hierarchy {
            coarse,
            sweeps: [sweeps.div_ceil(2), sweeps / 2],
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        self.coarse.iter().map(Coarse::bytes).sum()
    }

    /// Computes the matrices of all levels from that of the points, and their factors.
    pub fn factor(&self, of_points: &Matrix<M>) -> Result<(), DeviceError> {
        let mut finer = of_points;
        for coarse in &self.coarse {
            let matrix = coarse.matrix(of_points.unknowns);
            coarse.galerkin.sum(finer, matrix)?;
            matrix.factor()?;
            finer = matrix;
        }
        Ok(())
    }

    /// Computes an approximate solution x of A x = b on a level by a cycle; `residual` is a vector of this level.
    pub fn cycle(
        &self,
        level: usize,
        matrix: &Matrix<M>,
        b: *const f32,
        x: *mut f32,
        residual: *mut f64,
    ) -> Result<(), DeviceError> {
        matrix.solve_blocks(b, x)?;
        let Some(coarse) = self.coarse.get(level) else {
            return matrix.sweep(b, x, 0..COARSEST);
        };
        let [before, after] = if level == 0 { self.sweeps } else { COARSE };
        matrix.sweep(b, x, 0..before)?;
        matrix.residual(b, x, residual)?;
        matrix.grid.update_halo(residual, matrix.unknowns.count())?;
        self.correct(level, coarse, matrix, x, residual)?;
        matrix.sweep(b, x, before..before + after)
    }

    /// Solves on the next coarser level for the residual that x leaves, and adds the solution to x.
    fn correct(
        &self,
        level: usize,
        coarse: &Coarse<M>,
        matrix: &Matrix<M>,
        x: *mut f32,
        residual: *const f64,
    ) -> Result<(), DeviceError> {
        let grid = &*matrix.grid;
        let unknowns = matrix.unknowns.count();
        let right_side = coarse.vectors.right_side.pointer();
        let solution = coarse.vectors.solution.pointer();
        let mut params = coarse.members.params(&coarse.grid, grid);
        params.unknowns = unknowns as i64;
        params.vector = residual;
        params.direction = right_side;
        coarse.grid.over_vertices(SteadyKernel::Restriction, params)?;
        let next = coarse.matrix(matrix.unknowns);
        self.cycle(level + 1, next, right_side, solution, coarse.vectors.residual.pointer())?;
        let mut params = coarse.parent.params(grid, &coarse.grid);
        params.unknowns = unknowns as i64;
        params.basis = solution;
        params.direction = x;
        grid.over_vertices(SteadyKernel::CorrectDirection, params)?;
        matrix.share(Halo::All, x)
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
    use crate::physics::Gas;
    use crate::ranks::Ranks;
    use crate::steady::implicit::{Implicit, ImplicitSolver, Preconditioner, System};
    use crate::steady::multigrid::{Coarsening, Meshes};
    use crate::steady::scheme::Scheme;

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
            let host = Host::new(Some(1)).expect("threads");
            let meshes = Meshes {
                dual: &dual,
                levels: Some(&levels),
            };
            let scheme = Scheme::default();
            let solver = ImplicitSolver::new(host, meshes, &[], &gas, &scheme, &settings, ranks);
            let mut solver = solver.expect("a solver");
            let wave = |x: &[f64; 3]| 0.1 * (3.0 * x[0] + 2.0 * x[1] + x[2]).sin();
            let state = |x: &[f64; 3]| [1.0 + wave(x), 0.3 + wave(x), wave(x), 0.1, 1.0 - wave(x), 0.1, 0.0];
            let state: Vec<_> = dual.position.iter().map(state).collect();
            solver.solver.set_state(&state).expect("a state");
            for (system, unknowns) in [(System::MeanFlow, Unknowns::Flow), (System::Turbulence, Unknowns::Eddy)] {
                let elements = unknowns.count().pow(2);
                let mut finer = solver.system(&dual, 10.0, system).expect("a system").rows;
                let hierarchy = solver.systems.hierarchy.as_ref().expect("levels");
                for (coarse, level) in hierarchy.coarse.iter().zip(&levels.coarse) {
                    let rows = coarse.matrix(unknowns).rows(&level.dual).expect("rows");
                    let size = level.dual.owned;
                    let mut expected = vec![0.0; size * size * elements];
                    let mut found = expected.clone();
                    let place = |row: usize, column: usize, e: usize| (row * size + column) * elements + e;
                    for (vertex, blocks) in finer.iter().enumerate() {
                        for (to, block) in blocks {
                            let row = level.parent[vertex];
                            let column = level.parent[*to as usize];
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
