//! The flexible method of generalised minimal residuals (FGMRES; Y. Saad, SIAM J. Sci. Comput. 14 (1993) 461), with
//! the preconditioner on the right.
//!
//! Dot products are sums of whole numbers (ptx/steady/linear.cu), so that iterations have the same bits on any number
//! of threads and ranks, on CPUs and GPUs. Vectors are made orthogonal by classical Gram-Schmidt, and a second time
//! where the first has taken almost all of a vector.
//!
//! The vectors that are kept are in single precision, which halves the memory and what the method reads. The method is
//! exact for the directions as they are stored. The rounding of the basis is an error of about 1e-7 of the right side,
//! so that a cycle ends with a hundredth of it; the next one begins with the residual in double precision.

use std::collections::HashMap;

use super::lines::Lines;
use super::matrix::{Matrix, Unknowns};
use super::preconditioner::Method;
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::steady::controller::FAIR;
use crate::steady::machine::Machine;
use crate::steady::solver::Solver;

/// Residual of a cycle over that of its start at which it ends.
const CYCLE: f64 = 1e-2;
/// Square of what Gram-Schmidt leaves of a vector, over that of the vector, below which it is done again, since what is
/// left is then not orthogonal to the basis.
const REPEATED: f64 = 0.1;

/// What a linear solution is to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Number of iterations after which it is enough that a quarter is left.
    pub iterations: usize,
    /// Residual over that of the start at which it ends before.
    pub residual: f64,
    /// Largest number of iterations.
    pub most: usize,
}

impl Goal {
    /// Returns whether a solution ends after so many iterations with this residual over that of the start.
    fn ends(&self, iterations: usize, residual: f64) -> bool {
        let enough = if iterations < self.iterations {
            self.residual
        } else {
            self.residual.max(FAIR)
        };
        iterations >= self.most || residual <= enough
    }
}

/// Returns the largest number of iterations where so many are usual. A solution that leaves more than a quarter then
/// would keep the CFL number from growing.
pub fn most_iterations(usual: usize) -> usize {
    2 * usual
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
    /// What a direction becomes by the matrix.
    product: M::Array,
    basis: M::Array,
    directions: M::Array,
    coefficients: M::Array,
    /// Recorded work of each iteration, before and after the first coefficients are known; of both systems.
    recordings: HashMap<(Unknowns, usize, bool), Option<M::Recording>>,
    /// The bits of the largest modulus, and the parts of the dot products.
    sums: M::Array,
}

/// Number of vectors in single precision that fill the memory of solutions of so many usual iterations: a basis with
/// one more than the largest number, what the preconditioner made of it, and twice the right side, the solution and a
/// product.
pub fn vectors(usual: usize) -> usize {
    2 * most_iterations(usual) + 7
}

/// Angles of a rotation of two rows that makes the second one's value zero.
fn rotation(a: f64, b: f64) -> [f64; 2] {
    let r = (a * a + b * b).sqrt();
    if r == 0.0 { [1.0, 0.0] } else { [a / r, b / r] }
}

/// A vector in single precision of so many rows and slots that lie in an array.
fn vector<A: Memory>(array: &A, n: usize, length: usize) -> *mut f32 {
    array.pointer::<f32>().wrapping_add(n * length)
}

impl<M: Machine> Krylov<M> {
    /// Allocates the vectors of systems with blocks of up to so many rows, for up to so many iterations.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(solver: &Solver<M>, unknowns: usize, iterations: usize) -> Result<Self, DeviceError> {
        let store = &*solver.store;
        let vectors = |n: usize, size: usize| store.zeros(n * unknowns * solver.slices.slots * size);
        Ok(Krylov {
            right_side: vectors(1, size_of::<f64>())?,
            solution: vectors(1, size_of::<f64>())?,
            product: vectors(1, size_of::<f64>())?,
            basis: vectors(iterations + 1, size_of::<f32>())?,
            directions: vectors(iterations, size_of::<f32>())?,
            recordings: HashMap::new(),
            coefficients: store.zeros((iterations + 1) * size_of::<f64>())?,
            sums: store.zeros((2 * iterations + 5) * size_of::<i64>())?,
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        let vectors = [&self.right_side, &self.solution, &self.product];
        let kept = [&self.basis, &self.directions];
        let all = vectors.into_iter().chain(kept).chain([&self.coefficients, &self.sums]);
        all.map(Memory::bytes).sum()
    }

    /// Solves A x = right side to the goal, from x = 0. The right side becomes that of the last cycle.
    ///
    /// # Errors
    /// The machine fails.
    pub fn solve(
        &mut self,
        solver: &Solver<M>,
        (matrix, lines, method): (&Matrix<M>, &Lines, Method<M>),
        goal: &Goal,
    ) -> Result<Solved, DeviceError> {
        let (right_side, x) = (self.right_side.pointer::<f64>(), self.solution.pointer::<f64>());
        let norm = self.norm(solver, matrix, right_side)?;
        let mut solved = Solved {
            iterations: 0,
            right_side: norm,
            residual: 1.0,
        };
        solver.store.clear(&mut self.solution)?;
        if norm == 0.0 || !norm.is_finite() {
            return Ok(solved);
        }
        let mut start = norm;
        loop {
            let y = self.cycle(solver, (matrix, lines, method), (goal, start), &mut solved)?;
            if !solved.right_side.is_finite() {
                return Ok(solved);
            }
            let mut params = matrix.params(solver, x, x);
            params.basis = self.directions.pointer();
            self.set_coefficients(solver, &y)?;
            if goal.ends(solved.iterations, solved.residual) {
                self.combine(solver, params, y.len(), 1.0)?;
                return Ok(solved);
            }
            // What is added to x has to be what is multiplied.
            let change = self.directions.pointer::<f32>();
            let (nothing, nowhere) = (std::ptr::null(), std::ptr::null_mut());
            (params.vector, params.result, params.direction) = (nothing, nowhere, change);
            self.combine(solver, params, y.len(), 1.0)?;
            solver.update_halo_of_single(change, matrix.unknowns.count())?;
            (params.vector, params.result, params.basis) = (x, x, change);
            self.set_coefficients(solver, &[1.0])?;
            self.combine(solver, params, 1, 1.0)?;
            matrix.multiply(solver, change, (right_side, right_side))?;
            start = self.norm(solver, matrix, right_side)?;
            solved.residual = start / norm;
            if start == 0.0 || !start.is_finite() || goal.ends(solved.iterations, solved.residual) {
                return Ok(solved);
            }
        }
    }

    /// Takes iterations for the right side, whose norm is `start`, until the goal is reached or a hundredth is left.
    /// Returns the coefficients of the directions; `solved.right_side` is no number if a product is not.
    fn cycle(
        &mut self,
        solver: &Solver<M>,
        (matrix, lines, method): (&Matrix<M>, &Lines, Method<M>),
        (goal, start): (&Goal, f64),
        solved: &mut Solved,
    ) -> Result<Vec<f64>, DeviceError> {
        let length = matrix.unknowns.count() * solver.slices.slots;
        let product = self.product.pointer::<f64>();
        let mut params = matrix.params(solver, self.right_side.pointer(), std::ptr::null_mut());
        params.direction = self.basis.pointer();
        self.combine(solver, params, 0, 1.0 / start)?;
        // The upper triangle of the rotated Hessenberg matrix by columns, the rotations, and the rotated right side.
        let (mut columns, mut rotations): (Vec<Vec<f64>>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
        let mut rotated = vec![start];
        for n in 0.. {
            let (from, direction) = (vector(&self.basis, n, length), vector(&self.directions, n, length));
            let dots = self.repeated(solver, (matrix, n, false), |krylov| {
                method.apply(solver, (matrix, lines), (from, direction), product)?;
                matrix.multiply(solver, direction, (std::ptr::null(), product))?;
                krylov.launch_dots(solver, matrix, product, n + 1)
            })?;
            let less = |dots: &[f64]| dots[..=n].iter().map(|h| -h).collect::<Vec<f64>>();
            let left_of = |dots: &[f64]| dots[n + 1] - dots[..=n].iter().map(|h| h * h).sum::<f64>();
            let (mut column, mut taken, mut left) = (dots[..=n].to_vec(), less(&dots), left_of(&dots));
            if left.is_finite() && left <= REPEATED * dots[n + 1] {
                self.set_coefficients(solver, &taken)?;
                let again = self.repeated(solver, (matrix, n, true), |krylov| {
                    krylov.add_basis(solver, matrix, (product, std::ptr::null_mut()), n + 1, 1.0)?;
                    krylov.launch_dots(solver, matrix, product, n + 1)
                })?;
                column.iter_mut().zip(&again).for_each(|(sum, h)| *sum += h);
                (taken, left) = (less(&again), left_of(&again));
            }
            let size = left.max(0.0).sqrt();
            if !(left.is_finite() && column.iter().all(|h| h.is_finite())) {
                solved.right_side = f64::NAN;
                return Ok(Vec::new());
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
            solved.iterations += 1;
            let residual = (s * last).abs();
            solved.residual = residual / solved.right_side;
            if residual <= CYCLE * start || goal.ends(solved.iterations, solved.residual) {
                break;
            }
            self.set_coefficients(solver, &taken)?;
            let next = vector(&self.basis, n + 1, length);
            self.add_basis(solver, matrix, (product, next), n + 1, 1.0 / size)?;
        }
        let mut y = rotated[..columns.len()].to_vec();
        for n in (0..y.len()).rev() {
            y[n] /= columns[n][n];
            for row in 0..n {
                y[row] -= columns[n][row] * y[n];
            }
        }
        Ok(y)
    }

    /// Returns the norm of a vector. Collective.
    fn norm(&mut self, solver: &Solver<M>, matrix: &Matrix<M>, of: *const f64) -> Result<f64, DeviceError> {
        self.launch_dots(solver, matrix, of, 0)?;
        Ok(self.dots(solver, 0)?[0].sqrt())
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

    /// Computes scale (vector + sum of the coefficients times so many vectors of `basis`), as `result` or, without it,
    /// as `direction`.
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

    /// Adds the coefficients times so many vectors of the basis to a vector, and scales it: where it lies, or as the
    /// vector `next` of the basis.
    fn add_basis(
        &self,
        solver: &Solver<M>,
        matrix: &Matrix<M>,
        (vector, next): (*mut f64, *mut f32),
        count: usize,
        scale: f64,
    ) -> Result<(), DeviceError> {
        let result = if next.is_null() { vector } else { std::ptr::null_mut() };
        let mut params = matrix.params(solver, vector, result);
        (params.basis, params.direction) = (self.basis.pointer(), next);
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
