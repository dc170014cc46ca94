//! Single pieces of the method, run through the kernels that the solver uses: for examining them one by one.

use super::{Aligned, DeviceError, Kernel, Params, Real, table, vector_set};
use crate::device::Physics;
use crate::element::ElementKind;
use crate::element::LineElement;

/// Runs `kernel` on columns of `inputs` numbers and returns columns of `outputs` numbers.
fn columns<R: Real>(
    line: &LineElement,
    physics: &Physics,
    kernel: Kernel,
    columns: &[Vec<f64>],
    outputs: usize,
) -> Result<Vec<Vec<f64>>, DeviceError> {
    let (order, set) = (line.len() - 1, vector_set()?);
    let kernels = table::kernels(ElementKind::Hex, order, R::DOUBLE, set).expect("built for every order");
    // SAFETY: takes nothing and returns a constant.
    let lanes = unsafe { (kernels.lanes)() } as usize;
    let inputs = columns.first().map_or(0, Vec::len);
    let groups = columns.len().div_ceil(lanes);
    let (mut u, mut out) = (
        Aligned::<R>::zeros(groups * lanes * inputs),
        Aligned::<R>::zeros(groups * lanes * outputs),
    );
    for at in 0..groups * lanes {
        // Lanes without a column of their own repeat the last one.
        let column = &columns[at.min(columns.len() - 1)];
        for (i, &x) in column.iter().enumerate() {
            u.as_mut_slice()[(at / lanes * inputs + i) * lanes + at % lanes] = R::from_f64(x);
        }
    }
    let mut params = Params::<R>::constants(line, physics);
    params.u = u.as_ptr();
    params.out = out.as_mut_ptr();
    // SAFETY: both arrays hold a column for every lane of every group.
    unsafe { kernels.get(kernel)((&raw const params).cast(), 0, groups as i64) };
    let value = |at: usize, i: usize| out.as_slice()[(at / lanes * outputs + i) * lanes + at % lanes].to_f64();
    Ok((0..columns.len())
        .map(|at| (0..outputs).map(|i| value(at, i)).collect())
        .collect())
}

/// Common convective flux for columns (rho, v, T of one side; of the other; outward area vector).
pub fn interface_flux<R: Real>(physics: &Physics, pairs: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, DeviceError> {
    let line = LineElement::new(1, physics.scheme.correction);
    columns::<R>(&line, physics, Kernel::ProbeInterfaceFlux, pairs, 5)
}

/// State across a boundary (rho, v, T), what the gradient averages with (v, T) and the common viscous flux (4), for columns
/// (rho, v, T of the cell; outward unit normal; boundary data; own viscous flux; kind).
pub fn boundary_condition<R: Real>(physics: &Physics, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, DeviceError> {
    let line = LineElement::new(1, physics.scheme.correction);
    columns::<R>(&line, physics, Kernel::ProbeBoundaryCondition, points, 13)
}

/// Derivative of rho u_xi phi along lines, from columns (rho, u_xi, phi at all points): two-point form, then seven-term form.
pub fn split_derivative<R: Real>(
    order: usize,
    physics: &Physics,
    lines: &[Vec<f64>],
) -> Result<Vec<Vec<f64>>, DeviceError> {
    let line = LineElement::new(order, physics.scheme.correction);
    columns::<R>(&line, physics, Kernel::ProbeSplitDerivative, lines, 2 * line.len())
}
