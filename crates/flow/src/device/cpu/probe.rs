//! Single pieces of the method, run through the kernels that the solver uses: for examining them one by one.

use super::kernels::{Kernels, vector_set};
use super::store::HostArray;
use crate::device::contract::{Kernel, Params};
use crate::device::memory::Real;
use crate::device::store::{Memory, Store};
use crate::device::{Cells, DeviceError, Physics};
use crate::element::{ElementKind, LineElement};

/// Runs `kernel` on columns of `inputs` numbers and returns columns of `outputs` numbers.
fn columns<R: Real>(
    line: &LineElement,
    physics: &Physics,
    kernel: Kernel,
    columns: &[Vec<f64>],
    outputs: usize,
) -> Result<Vec<Vec<f64>>, DeviceError> {
    let kernels = Kernels::of(ElementKind::Hex, line.len() - 1, R::DOUBLE, vector_set()?)?;
    let lanes = kernels.lanes();
    let inputs = columns.first().map_or(0, Vec::len);
    let groups = columns.len().div_ceil(lanes);
    let host = super::Host::new(Some(1))?;
    let array = |values: usize| HostArray::zeros(groups * lanes * values * size_of::<R>());
    let (mut u, out) = (array(inputs), array(outputs));
    host.fill::<R>(&mut u, groups * lanes * inputs, |u| {
        for at in 0..groups * lanes {
            // Lanes without a column of their own repeat the last one.
            let column = &columns[at.min(columns.len() - 1)];
            for (i, &x) in column.iter().enumerate() {
                u[(at / lanes * inputs + i) * lanes + at % lanes] = R::from_f64(x);
            }
        }
    })?;
    let mut params = Params::<R>::constants(line, physics);
    params.u = u.pointer();
    params.out = out.pointer();
    host.submit(Cells::All, "probe", |queue| {
        // SAFETY: both arrays hold a column for every lane of every group, which one item reads and writes.
        unsafe { host.launch(queue, &kernels.get(kernel), 0..groups, &params) }
    })?;
    let out = host.read::<R>(&out, 0..groups * lanes * outputs)?;
    let value = |at: usize, i: usize| out[(at / lanes * outputs + i) * lanes + at % lanes].to_f64();
    Ok((0..columns.len())
        .map(|at| (0..outputs).map(|i| value(at, i)).collect())
        .collect())
}

/// A line for kernels in which the order plays no part.
fn any_line<R: Real>(physics: &Physics) -> Result<LineElement, DeviceError> {
    let order = Kernels::lowest_order(ElementKind::Hex, R::DOUBLE, vector_set()?);
    Ok(LineElement::new(order, physics.scheme.correction))
}

/// Common convective flux for columns (rho, v, T of one side; of the other; outward area vector).
pub fn interface_flux<R: Real>(physics: &Physics, pairs: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, DeviceError> {
    let line = any_line::<R>(physics)?;
    columns::<R>(&line, physics, Kernel::ProbeInterfaceFlux, pairs, 5)
}

/// State across a boundary (rho, v, T), the values that the gradient averages with (v, T) and the common viscous flux
/// (4), for columns (rho, v, T of the cell; outward unit normal; boundary data; own viscous flux; kind; relaxed value).
pub fn boundary_condition<R: Real>(physics: &Physics, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, DeviceError> {
    let line = any_line::<R>(physics)?;
    columns::<R>(&line, physics, Kernel::ProbeBoundaryCondition, points, 13)
}

/// Derivative of rho u_xi phi along lines, from columns (rho, u_xi, phi at all points): two-point form, then seven-term
/// form.
pub fn split_derivative<R: Real>(
    order: usize,
    physics: &Physics,
    lines: &[Vec<f64>],
) -> Result<Vec<Vec<f64>>, DeviceError> {
    let line = LineElement::new(order, physics.scheme.correction);
    columns::<R>(&line, physics, Kernel::ProbeSplitDerivative, lines, 2 * line.len())
}
