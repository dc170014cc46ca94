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
use std::rc::Rc;

use super::matrix::{Matrix, Unknowns};
use super::preconditioner::Method;
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::steady::arrays::{KrylovArrays, KrylovSizes, bytes_of_krylov};
use crate::steady::controller::FAIR;
use crate::steady::exchange::Halo;
use crate::steady::grid::Grid;
use crate::steady::machine::Machine;

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
    /// Norm of the right side.
    pub right_side: f64,
    /// Norm of the residual of the end, over that.
    pub residual: f64,
    /// Whether the right side, all products and the solution are finite; there is no solution if one is not.
    pub finite: bool,
}

/// Work of an iteration that may be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Pass {
    /// From the direction to the products with the basis.
    First,
    /// What makes a vector orthogonal again.
    Again,
}

/// The vectors of the method, which serve several systems.
pub struct Krylov<M: Machine> {
    // Before the machine, whose network ends only after the recordings that hold work of it.
    /// Recorded work of each iteration of both systems.
    recordings: HashMap<(Unknowns, usize, Pass), Option<M::Recording>>,
    grid: Rc<Grid<M>>,
    /// The vectors.
    pub arrays: KrylovArrays<M>,
}

/// Returns the bytes of the vectors of so many values for solutions of so many usual iterations.
pub fn bytes_of_vectors(values: usize, usual: usize) -> usize {
    let iterations = most_iterations(usual);
    bytes_of_krylov(&KrylovSizes { values, iterations }).total()
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
    pub fn new(grid: &Rc<Grid<M>>, unknowns: usize, iterations: usize) -> Result<Self, DeviceError> {
        let values = unknowns * grid.slices.slots;
        Ok(Krylov {
            arrays: KrylovArrays::zeros(&*grid.store, &KrylovSizes { values, iterations })?,
            recordings: HashMap::new(),
            grid: grid.clone(),
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        self.arrays.in_use().total()
    }

    /// Solves A x = right side to the goal, from x = 0. The right side becomes that of the last cycle.
    pub fn solve(&mut self, matrix: &Matrix<M>, method: Method<M>, goal: &Goal) -> Result<Solved, DeviceError> {
        let right_side = self.arrays.right_side.pointer::<f64>();
        let norm = self.norm(matrix, right_side)?;
        let mut solved = Solved {
            iterations: 0,
            right_side: norm,
            residual: 1.0,
            finite: norm.is_finite(),
        };
        self.grid.store.clear(&mut self.arrays.solution)?;
        if norm == 0.0 || !norm.is_finite() {
            return Ok(solved);
        }
        let mut start = norm;
        loop {
            let y = self.cycle(matrix, method, goal, start, &mut solved)?;
            if !solved.finite {
                return Ok(solved);
            }
            if goal.ends(solved.iterations, solved.residual) {
                self.add_directions(matrix, &y)?;
                return Ok(solved);
            }
            self.add_as_multiplied(matrix, &y)?;
            start = self.norm(matrix, right_side)?;
            solved.residual = start / norm;
            if start == 0.0 || !start.is_finite() || goal.ends(solved.iterations, solved.residual) {
                return Ok(solved);
            }
        }
    }

    /// Adds a sum of the directions to the solution.
    fn add_directions(&mut self, matrix: &Matrix<M>, coefficients: &[f64]) -> Result<(), DeviceError> {
        let mut params = matrix.params();
        params.vector = self.arrays.solution.pointer();
        params.result = self.arrays.solution.pointer();
        params.basis = self.arrays.directions.pointer();
        self.set_coefficients(coefficients)?;
        self.combine(params, coefficients.len(), 1.0)
    }

    /// Adds a sum of the directions to the solution, and takes what it is multiplied from the right side. What is added
    /// has to be what is multiplied, so that the sum is rounded first.
    fn add_as_multiplied(&mut self, matrix: &Matrix<M>, coefficients: &[f64]) -> Result<(), DeviceError> {
        let change = self.arrays.directions.pointer::<f32>();
        let mut params = matrix.params();
        params.basis = change;
        params.direction = change;
        self.set_coefficients(coefficients)?;
        self.combine(params, coefficients.len(), 1.0)?;
        matrix.share(Halo::All, change)?;
        self.add_directions(matrix, &[1.0])?;
        let right_side = self.arrays.right_side.pointer();
        matrix.multiply(change, right_side, right_side)
    }

    /// Takes iterations for the right side, whose norm is `start`, until the goal is reached or a hundredth is left.
    /// Returns the coefficients of the directions; `solved.finite` is false if a product or coefficient is not finite.
    fn cycle(
        &mut self,
        matrix: &Matrix<M>,
        method: Method<M>,
        goal: &Goal,
        start: f64,
        solved: &mut Solved,
    ) -> Result<Vec<f64>, DeviceError> {
        let length = matrix.unknowns.count() * self.grid.slices.slots;
        let product = self.arrays.product.pointer::<f64>();
        let mut params = matrix.params();
        params.vector = self.arrays.right_side.pointer();
        params.direction = self.arrays.basis.pointer();
        self.combine(params, 0, 1.0 / start)?;
        let mut least = LeastSquares::new(start);
        for n in 0.. {
            let from = vector(&self.arrays.basis, n, length);
            let direction = vector(&self.arrays.directions, n, length);
            let dots = self.repeated(matrix, n, Pass::First, |_| {
                method.apply(matrix, from, direction, product)?;
                matrix.multiply(direction, std::ptr::null(), product)
            })?;
            let mut column = dots[..=n].to_vec();
            let mut taken = less(&dots[..=n]);
            let mut left = left_of(&dots);
            if left.is_finite() && left <= REPEATED * dots[n + 1] {
                self.set_coefficients(&taken)?;
                let again = self.repeated(matrix, n, Pass::Again, |krylov| {
                    let mut params = matrix.params();
                    params.vector = product;
                    params.result = product;
                    krylov.add_basis(params, n + 1, 1.0)
                })?;
                column.iter_mut().zip(&again).for_each(|(sum, h)| *sum += h);
                taken = less(&again[..=n]);
                left = left_of(&again);
            }
            let size = left.max(0.0).sqrt();
            if !(left.is_finite() && column.iter().all(|h| h.is_finite())) {
                solved.finite = false;
                return Ok(Vec::new());
            }
            let residual = least.add(column, size);
            solved.iterations += 1;
            solved.residual = residual / solved.right_side;
            if residual <= CYCLE * start || goal.ends(solved.iterations, solved.residual) {
                break;
            }
            self.set_coefficients(&taken)?;
            let mut params = matrix.params();
            params.vector = product;
            params.direction = vector(&self.arrays.basis, n + 1, length);
            self.add_basis(params, n + 1, 1.0 / size)?;
        }
        let coefficients = least.solution();
        solved.finite = coefficients.iter().all(|y| y.is_finite());
        Ok(coefficients)
    }

    /// Returns the norm of a vector. Collective.
    fn norm(&mut self, matrix: &Matrix<M>, of: *const f64) -> Result<f64, DeviceError> {
        self.launch_dots(matrix, of, 0)?;
        Ok(self.dots(0)?[0].sqrt())
    }

    /// Runs work of an iteration of a matrix that computes the product, and returns the dot products of this with the
    /// basis. The work may be recorded where it needs no messages, and that of a rank that is alone with the dot
    /// products. Collective.
    fn repeated(
        &mut self,
        matrix: &Matrix<M>,
        n: usize,
        pass: Pass,
        mut work: impl FnMut(&mut Self) -> Result<(), DeviceError>,
    ) -> Result<Vec<f64>, DeviceError> {
        let product = self.arrays.product.pointer::<f64>();
        let alone = self.grid.is_alone();
        let mut all = |krylov: &mut Self| {
            work(krylov)?;
            if alone {
                krylov.launch_dots(matrix, product, n + 1)
            } else {
                Ok(())
            }
        };
        if self.grid.is_without_messages() {
            let key = (matrix.unknowns, n, pass);
            let mut recording = self.recordings.remove(&key).flatten();
            let store = self.grid.store.clone();
            store.repeat(&mut recording, &mut || all(self))?;
            self.recordings.insert(key, recording);
        } else {
            all(self)?;
        }
        if !alone {
            self.launch_dots(matrix, product, n + 1)?;
        }
        self.dots(n + 1)
    }

    /// Hands coefficients of the vectors of the basis to the machine.
    fn set_coefficients(&mut self, coefficients: &[f64]) -> Result<(), DeviceError> {
        self.grid.store.set(&mut self.arrays.coefficients, coefficients)
    }

    /// Computes scale (vector + sum of the coefficients times so many vectors of `basis`), as `result` or, without it,
    /// as `direction`.
    fn combine(&self, mut params: SteadyParams, count: usize, scale: f64) -> Result<(), DeviceError> {
        self.arrays.connect(&mut params);
        params.basis_count = count as i64;
        params.scale = scale;
        self.grid.over_vertices(SteadyKernel::Combine, params)
    }

    /// Does the same with the vectors of the basis.
    fn add_basis(&self, mut params: SteadyParams, count: usize, scale: f64) -> Result<(), DeviceError> {
        params.basis = self.arrays.basis.pointer();
        self.combine(params, count, scale)
    }

    /// Launches the dot products of a vector with the first so many of the basis, and with itself. Collective.
    fn launch_dots(&mut self, matrix: &Matrix<M>, of: *const f64, count: usize) -> Result<(), DeviceError> {
        let store = &*self.grid.store;
        let ranks = self.grid.ranks();
        let mut params = matrix.params();
        self.arrays.connect(&mut params);
        params.vector = of;
        params.basis = self.arrays.basis.pointer();
        params.basis_count = count as i64;
        params.sums = self.arrays.sums.pointer::<i64>().wrapping_add(1);
        store.clear(&mut self.arrays.sums)?;
        let chunks = 0..store.chunks();
        self.grid.launch(SteadyKernel::Largest, params, chunks.clone())?;
        if ranks.size() > 1 {
            let mut largest = [f64::from_bits(store.read::<i64>(&self.arrays.sums, 0..1)?[0] as u64)];
            if largest[0].is_nan() {
                largest[0] = f64::INFINITY;
            }
            ranks.allreduce_max(&mut largest);
            store.write(&mut self.arrays.sums, &[largest[0].to_bits() as i64])?;
        }
        self.grid.launch(SteadyKernel::Dots, params, chunks)
    }

    /// Returns the dot products that were launched last, so many and that of the vector with itself; NaN if a value is
    /// not finite. Collective.
    fn dots(&self, count: usize) -> Result<Vec<f64>, DeviceError> {
        let ranks = self.grid.ranks();
        let all = self.grid.store.read::<i64>(&self.arrays.sums, 0..2 * count + 3)?;
        let mut sums = all.into_owned();
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

/// Returns the coefficients that take the parts along the basis from a vector.
fn less(parts: &[f64]) -> Vec<f64> {
    parts.iter().map(|h| -h).collect()
}

/// Returns the square of what Gram-Schmidt leaves of a vector, from its products with the basis and with itself.
fn left_of(dots: &[f64]) -> f64 {
    let (own, parts) = dots.split_last().expect("the product with itself");
    own - parts.iter().map(|h| h * h).sum::<f64>()
}

/// The least-squares problem of a cycle: the smallest residual over all sums of the directions.
struct LeastSquares {
    /// The upper triangle of the rotated Hessenberg matrix by columns.
    columns: Vec<Vec<f64>>,
    rotations: Vec<[f64; 2]>,
    /// The rotated right side.
    rotated: Vec<f64>,
}

impl LeastSquares {
    fn new(start: f64) -> Self {
        LeastSquares {
            columns: Vec::new(),
            rotations: Vec::new(),
            rotated: vec![start],
        }
    }

    /// Adds a column of the Hessenberg matrix, of which `size` is the last element, and returns the residual.
    fn add(&mut self, mut column: Vec<f64>, size: f64) -> f64 {
        let n = self.columns.len();
        for (row, [c, s]) in self.rotations.iter().enumerate() {
            let [a, b] = [column[row], column[row + 1]];
            column[row] = c * a + s * b;
            column[row + 1] = c * b - s * a;
        }
        let [c, s] = rotation(column[n], size);
        column[n] = c * column[n] + s * size;
        self.rotations.push([c, s]);
        self.columns.push(column);
        let last = self.rotated[n];
        self.rotated[n] = c * last;
        self.rotated.push(-s * last);
        (s * last).abs()
    }

    /// Returns the coefficients of the directions.
    fn solution(&self) -> Vec<f64> {
        let columns = &self.columns;
        let mut y = self.rotated[..columns.len()].to_vec();
        for n in (0..y.len()).rev() {
            y[n] /= columns[n][n];
            for row in 0..n {
                y[row] -= columns[n][row] * y[n];
            }
        }
        y
    }
}
