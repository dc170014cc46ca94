//! The products that are summed, and the moments about the mean that follow from them.
//!
//! With `a = <a> + a'`:
//!
//! ```text
//! <a' b'> = <a b> - <a><b>
//! <a' b' c'> = <a b c> - <a><b c> - <b><a c> - <c><a b> + 2 <a><b><c>
//! ```
//!
//! The third moments are those of the velocity, which transport its turbulent kinetic energy.

use crate::device::statistics::factor::{P, RHO, T, U, V, W};

/// The products. The first has no factor, so that its sum is that of the weights.
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

/// The moments in the order of the columns: name, unit, factors, and whether the root of the variance is taken.
pub const MOMENTS: [(&str, &str, &[i32], bool); 31] = [
    ("rho", "kg/m^3", &[RHO], false),
    ("u", "m/s", &[U], false),
    ("v", "m/s", &[V], false),
    ("w", "m/s", &[W], false),
    ("p", "Pa", &[P], false),
    ("T", "K", &[T], false),
    ("rho_rms", "kg/m^3", &[RHO, RHO], true),
    ("p_rms", "Pa", &[P, P], true),
    ("T_rms", "K", &[T, T], true),
    ("uu", "m^2/s^2", &[U, U], false),
    ("vv", "m^2/s^2", &[V, V], false),
    ("ww", "m^2/s^2", &[W, W], false),
    ("uv", "m^2/s^2", &[U, V], false),
    ("uw", "m^2/s^2", &[U, W], false),
    ("vw", "m^2/s^2", &[V, W], false),
    ("uT", "K m/s", &[U, T], false),
    ("vT", "K m/s", &[V, T], false),
    ("wT", "K m/s", &[W, T], false),
    ("up", "Pa m/s", &[U, P], false),
    ("vp", "Pa m/s", &[V, P], false),
    ("wp", "Pa m/s", &[W, P], false),
    ("uuu", "m^3/s^3", &[U, U, U], false),
    ("uuv", "m^3/s^3", &[U, U, V], false),
    ("uuw", "m^3/s^3", &[U, U, W], false),
    ("uvv", "m^3/s^3", &[U, V, V], false),
    ("uvw", "m^3/s^3", &[U, V, W], false),
    ("uww", "m^3/s^3", &[U, W, W], false),
    ("vvv", "m^3/s^3", &[V, V, V], false),
    ("vvw", "m^3/s^3", &[V, V, W], false),
    ("vww", "m^3/s^3", &[V, W, W], false),
    ("www", "m^3/s^3", &[W, W, W], false),
];

/// Returns the factors as the device expects them: rows in four bits each.
pub fn factors() -> Vec<i32> {
    let packed = |rows: &&[i32]| rows.iter().rev().fold(0, |word, row| word << 4 | row);
    QUANTITIES.iter().map(packed).collect()
}

/// The way in which a moment follows from the means of the products.
#[derive(Debug, Clone, Copy)]
enum Recipe {
    Mean(usize),
    Second { ab: usize, a: usize, b: usize },
    Root { aa: usize, a: usize },
    Third { abc: usize, of: [[usize; 2]; 3] },
}

/// A column of a file.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    recipe: Recipe,
}

impl Column {
    /// Returns the value of the column from the means of the products.
    pub fn value(&self, means: &[f64; QUANTITIES.len()]) -> f64 {
        match self.recipe {
            Recipe::Mean(a) => means[a],
            Recipe::Second { ab, a, b } => means[ab] - means[a] * means[b],
            // Rounding may leave a value below zero.
            Recipe::Root { aa, a } => (means[aa] - means[a] * means[a]).max(0.0).sqrt(),
            Recipe::Third { abc, of } => {
                let crossed: f64 = of.iter().map(|[one, others]| means[*one] * means[*others]).sum();
                let product: f64 = of.iter().map(|[one, _]| means[*one]).product();
                means[abc] - crossed + 2.0 * product
            }
        }
    }
}

/// Returns the columns of all moments.
pub fn columns() -> [Column; MOMENTS.len()] {
    // A product does not depend on the order of its factors, and the list has each product once.
    let at = |rows: &[i32]| {
        let sorted = |rows: &[i32]| {
            let mut rows = rows.to_vec();
            rows.sort_unstable();
            rows
        };
        let found = QUANTITIES.iter().position(|q| sorted(q) == sorted(rows));
        found.expect("every product that a moment needs is in the list")
    };
    MOMENTS.map(|(name, unit, rows, root)| {
        let recipe = match *rows {
            [a, _] if root => Recipe::Root {
                aa: at(rows),
                a: at(&[a]),
            },
            [a, b] => Recipe::Second {
                ab: at(rows),
                a: at(&[a]),
                b: at(&[b]),
            },
            [a, b, c] => Recipe::Third {
                abc: at(rows),
                of: [
                    [at(&[a]), at(&[b, c])],
                    [at(&[b]), at(&[a, c])],
                    [at(&[c]), at(&[a, b])],
                ],
            },
            _ => Recipe::Mean(at(rows)),
        };
        Column { name, unit, recipe }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_about_the_mean_are_those_of_the_samples() {
        let samples: Vec<[f64; 7]> = (0..50)
            .map(|k| {
                let k = f64::from(k);
                [
                    1.0,
                    1.0 + 0.1 * k.sin(),
                    3.0 + (1.3 * k).cos(),
                    (0.7 * k).sin(),
                    (2.0 * k).sin() + 0.5 * k.cos(),
                    100.0 + (0.3 * k).sin(),
                    2.0 + 0.2 * (k + 1.0).sin(),
                ]
            })
            .collect();
        let mean = |rows: &[i32], shift: &[f64; 7]| {
            let product = |s: &[f64; 7]| rows.iter().map(|&r| s[r as usize] - shift[r as usize]).product::<f64>();
            samples.iter().map(product).sum::<f64>() / samples.len() as f64
        };
        let means: [f64; QUANTITIES.len()] = QUANTITIES.map(|rows| mean(rows, &[0.0; 7]));
        let centre: [f64; 7] = std::array::from_fn(|r| mean(&[r as i32], &[0.0; 7]));
        for (column, (name, _, rows, root)) in columns().iter().zip(MOMENTS) {
            let about = if rows.len() == 1 { [0.0; 7] } else { centre };
            let expected = mean(rows, &about);
            let expected = if root { expected.sqrt() } else { expected };
            let value = column.value(&means);
            assert!((value - expected).abs() < 1e-9, "{name}: {value} {expected}");
        }
    }
}
