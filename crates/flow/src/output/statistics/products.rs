//! The products that are summed for the means, stresses and budgets that a case asks for.

use crate::device::statistics::factor::{P, RHO, T, U, V, W};
use crate::device::statistics::scalar;
use crate::device::statistics::strain::{MU, XX, XY, XZ, YY, YZ, ZZ};

/// Products of the state that all statistics have. The first has no factor, so that its sum is that of the weights.
pub const QUANTITIES: [&[i32]; 32] = [
    &[],
    &[RHO],
    &[U],
    &[V],
    &[W],
    &[P],
    &[T],
    &[RHO, RHO],
    &[U, U],
    &[V, V],
    &[W, W],
    &[U, V],
    &[U, W],
    &[V, W],
    &[P, P],
    &[T, T],
    &[U, T],
    &[V, T],
    &[W, T],
    &[U, P],
    &[V, P],
    &[W, P],
    &[U, U, U],
    &[U, U, V],
    &[U, U, W],
    &[U, V, V],
    &[U, V, W],
    &[U, W, W],
    &[V, V, V],
    &[V, V, W],
    &[V, W, W],
    &[W, W, W],
];

/// Further products of the state for density-weighted means and stresses.
const FAVRE: [&[i32]; 13] = [
    &[RHO, U],
    &[RHO, V],
    &[RHO, W],
    &[RHO, T],
    &[RHO, U, U],
    &[RHO, V, V],
    &[RHO, W, W],
    &[RHO, U, V],
    &[RHO, U, W],
    &[RHO, V, W],
    &[RHO, U, T],
    &[RHO, V, T],
    &[RHO, W, T],
];

/// Further products of the state for the turbulent transport of a budget.
const TRANSPORT: [&[i32]; 9] = [
    &[RHO, U, U, U],
    &[RHO, U, U, V],
    &[RHO, U, U, W],
    &[RHO, U, V, V],
    &[RHO, V, V, V],
    &[RHO, V, V, W],
    &[RHO, U, W, W],
    &[RHO, V, W, W],
    &[RHO, W, W, W],
];

/// Products of viscosity, rates of strain, velocity and pressure for the other terms of a budget.
const STRAIN: [&[i32]; 39] = [
    &[XX],
    &[YY],
    &[ZZ],
    &[XY],
    &[XZ],
    &[YZ],
    &[MU, XX],
    &[MU, YY],
    &[MU, ZZ],
    &[MU, XY],
    &[MU, XZ],
    &[MU, YZ],
    &[P, XX],
    &[P, YY],
    &[P, ZZ],
    // The work of the viscous stress.
    &[MU, XX, U],
    &[MU, XX, V],
    &[MU, XX, W],
    &[MU, YY, U],
    &[MU, YY, V],
    &[MU, YY, W],
    &[MU, ZZ, U],
    &[MU, ZZ, V],
    &[MU, ZZ, W],
    &[MU, XY, U],
    &[MU, XY, V],
    &[MU, XZ, U],
    &[MU, XZ, W],
    &[MU, YZ, V],
    &[MU, YZ, W],
    // The dissipation.
    &[MU, XX, XX],
    &[MU, YY, YY],
    &[MU, ZZ, ZZ],
    &[MU, XX, YY],
    &[MU, XX, ZZ],
    &[MU, YY, ZZ],
    &[MU, XY, XY],
    &[MU, XZ, XZ],
    &[MU, YZ, YZ],
];

/// Products of a passive scalar with the flow; the scalar itself is a factor of each.
const SCALAR: [&[i32]; 4] = [&[], &[U], &[V], &[W]];

/// Further products of a passive scalar for density-weighted means and fluxes.
const SCALAR_FAVRE: [&[i32]; 4] = [&[RHO], &[RHO, U], &[RHO, V], &[RHO, W]];

/// What statistics contain; each has what those before it have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contents {
    /// Means and moments without weight.
    Reynolds,
    /// Density-weighted means and stresses.
    Favre,
    /// The budget of turbulent kinetic energy.
    Budget,
}

/// The products that are summed: those of the state, then those of strain, then those of passive scalars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Products {
    of_state: Vec<&'static [i32]>,
    of_strain: &'static [&'static [i32]],
    of_scalars: Vec<Vec<i32>>,
}

impl Products {
    /// Returns the products for these contents and so many passive scalars.
    pub fn of(contents: Contents, scalars: usize) -> Self {
        let mut of_state = QUANTITIES.to_vec();
        if contents >= Contents::Favre {
            of_state.extend(FAVRE);
        }
        if contents == Contents::Budget {
            of_state.extend(TRANSPORT);
        }
        let of_strain: &[&[i32]] = if contents == Contents::Budget { &STRAIN } else { &[] };
        let of_scalar = |number: usize| {
            let row = scalar_row(number);
            let favre = if contents >= Contents::Favre {
                &SCALAR_FAVRE[..]
            } else {
                &[]
            };
            let with_flow = SCALAR
                .iter()
                .chain(favre)
                .map(move |of_flow| [of_flow, &[row][..]].concat());
            with_flow.chain([vec![row, row]])
        };
        Products {
            of_state,
            of_strain,
            of_scalars: (0..scalars).flat_map(of_scalar).collect(),
        }
    }

    /// Returns the products of the state.
    pub fn of_state(&self) -> &[&'static [i32]] {
        &self.of_state
    }

    /// Returns the products of strain.
    pub fn of_strain(&self) -> &'static [&'static [i32]] {
        self.of_strain
    }

    /// Returns the products of passive scalars.
    pub fn of_scalars(&self) -> &[Vec<i32>] {
        &self.of_scalars
    }

    /// Returns the number of products.
    pub fn len(&self) -> usize {
        self.of_state.len() + self.of_strain.len() + self.of_scalars.len()
    }

    /// Returns false: the sum of the weights is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Returns the factors as the device expects them: rows in four bits each.
    pub fn factors(&self) -> Vec<i32> {
        let packed = |rows: &[i32]| rows.iter().rev().fold(0, |word, row| word << 4 | row);
        let of_flow = self.of_state.iter().chain(self.of_strain).copied();
        let of_scalars = self.of_scalars.iter().map(Vec::as_slice);
        of_flow.chain(of_scalars).map(packed).collect()
    }

    /// Returns the index of a product of the state, whose rows may be in any order.
    pub fn state(&self, rows: &[i32]) -> usize {
        place(self.of_state.iter().copied(), rows)
    }

    /// Returns the index of a product of strain, whose rows may be in any order.
    pub fn strain(&self, rows: &[i32]) -> usize {
        self.of_state.len() + place(self.of_strain.iter().copied(), rows)
    }

    /// Returns the index of a product of passive scalars, whose rows may be in any order.
    pub fn scalar(&self, rows: &[i32]) -> usize {
        let before = self.of_state.len() + self.of_strain.len();
        before + place(self.of_scalars.iter().map(Vec::as_slice), rows)
    }
}

/// Returns the row of a passive scalar.
pub fn scalar_row(number: usize) -> i32 {
    scalar::FIRST + number as i32
}

/// Returns the place of a product in a list. A product does not depend on the order of its factors, and a list has each
/// product once.
fn place<'a>(mut list: impl Iterator<Item = &'a [i32]>, rows: &[i32]) -> usize {
    let sorted = |rows: &[i32]| {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        rows
    };
    let found = list.position(|product| sorted(product) == sorted(rows));
    found.expect("every product that a moment needs is in the list")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_product_is_there_once_and_fits_the_word_of_the_device() {
        for contents in [Contents::Reynolds, Contents::Favre, Contents::Budget] {
            let products = Products::of(contents, 4);
            let of_scalars: Vec<&[i32]> = products.of_scalars().iter().map(Vec::as_slice).collect();
            for list in [products.of_state(), products.of_strain(), &of_scalars] {
                for (i, rows) in list.iter().enumerate() {
                    assert_eq!(place(list.iter().copied(), rows), i, "{rows:?}");
                    assert!(
                        rows.len() <= 7 && rows.iter().all(|row| (1..16).contains(row)),
                        "{rows:?}"
                    );
                }
            }
            assert_eq!(products.factors().len(), products.len());
        }
    }
}
