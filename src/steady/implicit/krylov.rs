//! The flexible method of generalised minimal residuals (FGMRES; Y. Saad, SIAM J. Sci. Comput. 14 (1993) 461), with
//! the preconditioner on the right.
//!
//! Dot products are sums of whole numbers (ptx/steady/linear.cu), so that iterations have the same bits on any number
//! of threads and ranks, on CPUs and GPUs. Vectors are made orthogonal by classical Gram-Schmidt, twice.

use std::collections::HashMap;

use super::lines::Lines;
use super::matrix::{Matrix, Method, Unknowns};
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::steady::machine::Machine;
use crate::steady::solver::Solver;

/// What a linear solution is to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Largest number of iterations.
    pub iterations: usize,
    /// Residual over that of the start at which it ends.
    pub residual: f64,
}

/// The end of a linear solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    /// Number of iterations.
    pub iterations: usize,
    /// Norm of the right side; not finite if the right side or a product is not.
    pub right_side: f64,
    /// Norm of the residual of the end, over that.
    pub residual: f64,
}

/// The vectors of the method, which serve several systems.
pub struct Krylov<M: Machine> {
    /// The right side, `[row][slot]`.
    pub right_side: M::Array,
    /// The solution.
    pub solution: M::Array,
    basis: M::Array,
    directions: M::Array,
    coefficients: M::Array,
    /// Recorded work of each iteration, before and after the first coefficients are known; of both systems.
    recordings: HashMap<(Unknowns, usize, bool), Option<M::Recording>>,
    /// The bits of the largest modulus, and the parts of the dot products.
    sums: M::Array,
}

/// Number of vectors that so many iterations need: a basis with one more, what the preconditioner made of it, the right
/// side and the solution.
pub fn vectors(iterations: usize) -> usize {
    2 * iterations + 3
}

/// Angles of a rotation of two rows that makes the second one's value zero.
fn rotation(a: f64, b: f64) -> [f64; 2] {
    let r = (a * a + b * b).sqrt();
    if r == 0.0 { [1.0, 0.0] } else { [a / r, b / r] }
}

/// A vector of so many rows and slots that lie in an array.
fn vector<A: Memory>(array: &A, n: usize, length: usize) -> *mut f64 {
    array.pointer::<f64>().wrapping_add(n * length)
}

impl<M: Machine> Krylov<M> {
    /// Allocates the vectors of systems with blocks of up to so many rows, for up to so many iterations.
    ///
    /// # Errors
    ///
    /// Returns an error if there is not enough memory.
    pub fn new(solver: &Solver<M>, unknowns: usize, iterations: usize) -> Result<Self, DeviceError> {
        let store = &*solver.store;
        let vectors = |n: usize| store.zeros(n * unknowns * solver.slices.slots * size_of::<f64>());
        Ok(Krylov {
            right_side: vectors(1)?,
            solution: vectors(1)?,
            basis: vectors(iterations + 1)?,
            directions: vectors(iterations)?,
            recordings: HashMap::new(),
            coefficients: store.zeros((iterations + 1) * size_of::<f64>())?,
            sums: store.zeros((2 * iterations + 5) * size_of::<i64>())?,
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        let vectors = [&self.right_side, &self.solution, &self.basis, &self.directions];
        let all = vectors.into_iter().chain([&self.coefficients, &self.sums]);
        all.map(Memory::bytes).sum()
    }

    /// Solves A x = right side to the goal, from x = 0.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn solve(
        &mut self,
        solver: &Solver<M>,
        (matrix, lines, method): (&Matrix<M>, &Lines, Method<M>),
        goal: &Goal,
    ) -> Result<Solved, DeviceError> {
        let length = matrix.unknowns.count() * solver.slices.slots;
        let right_side = self.right_side.pointer::<f64>();
        self.launch_dots(solver, matrix, right_side, 0)?;
        let norm = self.dots(solver, 0)?[0].sqrt();
        let mut solved = Solved {
            iterations: 0,
            right_side: norm,
            residual: 1.0,
        };
        if norm == 0.0 || !norm.is_finite() {
            solver.store.clear(&mut self.solution)?;
            return Ok(solved);
        }
        let params = matrix.params(solver, right_side, vector(&self.basis, 0, length));
        self.combine(solver, params, 0, 1.0 / norm)?;
        // The upper triangle of the rotated Hessenberg matrix by columns, the rotations, and the rotated right side.
        let (mut columns, mut rotations): (Vec<Vec<f64>>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
        let mut rotated = vec![norm];
        for n in 0..goal.iterations {
            let (direction, next) = (vector(&self.directions, n, length), vector(&self.basis, n + 1, length));
            let from = vector(&self.basis, n, length);
            let first = self.repeated(solver, (matrix, n, false), |krylov| {
                matrix.precondition(solver, (lines, method), from, direction)?;
                matrix.multiply(solver, direction, next)?;
                krylov.launch_dots(solver, matrix, next, n + 1)
            })?;
            let less = |dots: &[f64]| dots[..=n].iter().map(|h| -h).collect::<Vec<f64>>();
            self.set_coefficients(solver, &less(&first))?;
            let second = self.repeated(solver, (matrix, n, true), |krylov| {
                krylov.add_basis(solver, matrix, next, n + 1, 1.0)?;
                krylov.launch_dots(solver, matrix, next, n + 1)
            })?;
            let left = second[n + 1] - second[..=n].iter().map(|h| h * h).sum::<f64>();
            let size = left.max(0.0).sqrt();
            let mut column: Vec<f64> = first.iter().zip(&second[..=n]).map(|(a, b)| a + b).collect();
            if !(size.is_finite() && column.iter().all(|h| h.is_finite())) {
                solved.right_side = f64::NAN;
                return Ok(solved);
            }
            for (row, [c, s]) in rotations.iter().enumerate() {
                let [a, b] = [column[row], column[row + 1]];
                (column[row], column[row + 1]) = (c * a + s * b, c * b - s * a);
            }
            let [c, s] = rotation(column[n], size);
            column[n] = c * column[n] + s * size;
            rotations.push([c, s]);
            columns.push(column);
            let last = rotated[n];
            rotated[n] = c * last;
            rotated.push(-s * last);
            solved.iterations = n + 1;
            solved.residual = (s * last).abs() / norm;
            if solved.residual <= goal.residual || n + 1 == goal.iterations {
                break;
            }
            self.set_coefficients(solver, &less(&second))?;
            self.add_basis(solver, matrix, next, n + 1, 1.0 / size)?;
        }
        let mut y = rotated[..solved.iterations].to_vec();
        for n in (0..y.len()).rev() {
            y[n] /= columns[n][n];
            for row in 0..n {
                y[row] -= columns[n][row] * y[n];
            }
        }
        let mut params = matrix.params(solver, std::ptr::null(), self.solution.pointer());
        params.basis = self.directions.pointer();
        self.set_coefficients(solver, &y)?;
        self.combine(solver, params, y.len(), 1.0)?;
        Ok(solved)
    }

    /// Runs work of an iteration of a matrix, which ends with the launches of dot products, and returns these. A rank
    /// that is alone may record it; the flag says whether it is the second work of the iteration.
    fn repeated(
        &mut self,
        solver: &Solver<M>,
        (matrix, n, second): (&Matrix<M>, usize, bool),
        mut work: impl FnMut(&mut Self) -> Result<(), DeviceError>,
    ) -> Result<Vec<f64>, DeviceError> {
        if solver.ranks().size() > 1 {
            work(self)?;
        } else {
            let key = (matrix.unknowns, n, second);
            let mut recording = self.recordings.remove(&key).flatten();
            solver.store.repeat(&mut recording, &mut || work(self))?;
            self.recordings.insert(key, recording);
        }
        self.dots(solver, n + 1)
    }

    /// Hands coefficients of the vectors of the basis to the machine.
    fn set_coefficients(&mut self, solver: &Solver<M>, coefficients: &[f64]) -> Result<(), DeviceError> {
        solver.store.set(&mut self.coefficients, coefficients)
    }

    /// Computes result = scale (vector + sum of the coefficients times so many vectors of `basis`).
    fn combine(
        &self,
        solver: &Solver<M>,
        mut params: SteadyParams,
        count: usize,
        scale: f64,
    ) -> Result<(), DeviceError> {
        params.coefficients = self.coefficients.pointer();
        params.basis_count = count as i64;
        params.scale = scale;
        solver.over_vertices(SteadyKernel::Combine, params)
    }

    /// Adds the coefficients times so many vectors of the basis to a vector, and scales it.
    fn add_basis(
        &self,
        solver: &Solver<M>,
        matrix: &Matrix<M>,
        vector: *mut f64,
        count: usize,
        scale: f64,
    ) -> Result<(), DeviceError> {
        let mut params = matrix.params(solver, vector, vector);
        params.basis = self.basis.pointer();
        self.combine(solver, params, count, scale)
    }

    /// Launches the dot products of a vector with the first so many of the basis, and with itself. Collective.
    fn launch_dots(
        &mut self,
        solver: &Solver<M>,
        matrix: &Matrix<M>,
        of: *const f64,
        count: usize,
    ) -> Result<(), DeviceError> {
        let (store, ranks) = (&*solver.store, solver.ranks());
        let mut params = matrix.params(solver, of, std::ptr::null_mut());
        params.basis = self.basis.pointer();
        params.basis_count = count as i64;
        params.largest = self.sums.pointer();
        params.sums = self.sums.pointer::<i64>().wrapping_add(1);
        store.clear(&mut self.sums)?;
        let chunks = 0..store.chunks();
        solver.launch(SteadyKernel::Largest, params, chunks.clone())?;
        if ranks.size() > 1 {
            let mut largest = [f64::from_bits(store.read::<i64>(&self.sums, 0..1)?[0] as u64)];
            if largest[0].is_nan() {
                largest[0] = f64::INFINITY;
            }
            ranks.allreduce_max(&mut largest);
            store.write(&mut self.sums, &[largest[0].to_bits() as i64])?;
        }
        solver.launch(SteadyKernel::Dots, params, chunks)
    }

    /// Returns the dot products that were launched last, so many and that of the vector with itself; NaN if a value is
    /// not finite. Collective.
    fn dots(&self, solver: &Solver<M>, count: usize) -> Result<Vec<f64>, DeviceError> {
        let ranks = solver.ranks();
        let mut sums = solver.store.read::<i64>(&self.sums, 0..2 * count + 3)?.into_owned();
        if ranks.size() > 1 {
            ranks.allreduce_sum(&mut sums[1..]);
        }
        let largest = f64::from_bits(sums[0] as u64);
        // The kernel's power of two, 2^(e + 1) of the exponent e of the largest modulus.
        let scale = f64::from_bits(((sums[0] >> 52) as u64 + 1) << 52);
        if !largest.is_finite() || !scale.is_finite() {
            return Ok(vec![f64::NAN; count + 1]);
        }
        let value = |parts: &[i64; 2]| parts[0] as f64 * 2f64.powi(-34) + parts[1] as f64 * 2f64.powi(-68);
        let parts = sums[1..].as_chunks::<2>().0;
        let mut values: Vec<f64> = parts.iter().map(|parts| value(parts) * scale).collect();
        values[count] *= scale;
        Ok(values)
    }
}
