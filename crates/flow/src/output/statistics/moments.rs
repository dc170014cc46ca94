//! The moments about the mean that follow from the means of products.
//!
//! With `a = <a> + a'`:
//!
//! ```text
//! <a' b'> = <a b> - <a><b>
//! <a' b' c'> = <a b c> - <a><b c> - <b><a c> - <c><a b> + 2 <a><b><c>
//! ```
//!
//! The third moments are those of the velocity, which transport its turbulent kinetic energy. With the density-weighted
//! mean `{a} = <rho a>/<rho>` and `a = {a} + a"` (A. Favre, J. Mecanique 4, 1965, 361-390):
//!
//! ```text
//! {a" b"} = <rho a b>/<rho> - {a}{b}
//! ```

use super::products::{Contents, Products, scalar_row};
use crate::device::statistics::factor::{P, RHO, T, U, V, W};

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

/// The density-weighted moments in the order of the columns: name, unit and factors.
pub const FAVRE_MOMENTS: [(&str, &str, &[i32]); 13] = [
    ("u_favre", "m/s", &[U]),
    ("v_favre", "m/s", &[V]),
    ("w_favre", "m/s", &[W]),
    ("T_favre", "K", &[T]),
    ("uu_favre", "m^2/s^2", &[U, U]),
    ("vv_favre", "m^2/s^2", &[V, V]),
    ("ww_favre", "m^2/s^2", &[W, W]),
    ("uv_favre", "m^2/s^2", &[U, V]),
    ("uw_favre", "m^2/s^2", &[U, W]),
    ("vw_favre", "m^2/s^2", &[V, W]),
    ("uT_favre", "K m/s", &[U, T]),
    ("vT_favre", "K m/s", &[V, T]),
    ("wT_favre", "K m/s", &[W, T]),
];

/// The components of velocity that carry a scalar: name and row.
const VELOCITIES: [(&str, i32); 3] = [("u", U), ("v", V), ("w", W)];

/// The way in which a moment follows from the means of the products.
#[derive(Debug, Clone, Copy)]
enum Recipe {
    Mean(usize),
    Second {
        ab: usize,
        a: usize,
        b: usize,
    },
    Root {
        aa: usize,
        a: usize,
    },
    Third {
        abc: usize,
        of: [[usize; 2]; 3],
    },
    /// A density-weighted mean, of the product with the density.
    Weighted {
        a: usize,
        rho: usize,
    },
    /// A density-weighted second moment, of products with the density.
    WeightedSecond {
        ab: usize,
        a: usize,
        b: usize,
        rho: usize,
    },
}

/// A column of a file.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    recipe: Recipe,
}

impl Column {
    /// Returns the value of the column from the means of the products.
    pub fn value(&self, means: &[f64]) -> f64 {
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
            Recipe::Weighted { a, rho } => means[a] / means[rho],
            Recipe::WeightedSecond { ab, a, b, rho } => {
                means[ab] / means[rho] - means[a] / means[rho] * (means[b] / means[rho])
            }
        }
    }
}

/// Returns the columns of all moments of these contents, then those of the passive scalars of these names.
pub fn columns(products: &Products, contents: Contents, scalars: &[String]) -> Vec<Column> {
    let at = |rows: &[i32]| products.state(rows);
    let moments = MOMENTS.map(|(name, unit, rows, root)| {
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
        let name = name.to_owned();
        Column { name, unit, recipe }
    });
    let mut columns = moments.to_vec();
    if contents >= Contents::Favre {
        let rho = at(&[RHO]);
        columns.extend(FAVRE_MOMENTS.map(|(name, unit, rows)| {
            let recipe = match *rows {
                [a, b] => Recipe::WeightedSecond {
                    ab: at(&[RHO, a, b]),
                    a: at(&[RHO, a]),
                    b: at(&[RHO, b]),
                    rho,
                },
                _ => Recipe::Weighted {
                    a: at(&[RHO, rows[0]]),
                    rho,
                },
            };
            let name = name.to_owned();
            Column { name, unit, recipe }
        }));
    }
    for (number, name) in scalars.iter().enumerate() {
        columns.extend(of_scalar(products, contents, scalar_row(number), name));
    }
    columns
}

/// Returns the columns of a passive scalar c: its mean, its root-mean-square fluctuation, and its fluxes `<u' c'>`;
/// with density-weighted means `{c}` and `{u" c"}`, too.
fn of_scalar(products: &Products, contents: Contents, row: i32, scalar: &str) -> Vec<Column> {
    let of_flow = |rows: &[i32]| products.state(rows);
    let at = |rows: &[i32]| products.scalar(&[rows, &[row]].concat());
    let mean = at(&[]);
    let column = |name: String, unit, recipe| Column { name, unit, recipe };
    let flux = |name: &str, u: i32| {
        let recipe = Recipe::Second {
            ab: at(&[u]),
            a: of_flow(&[u]),
            b: mean,
        };
        column(format!("{name}_{scalar}"), "m/s", recipe)
    };
    let root = Recipe::Root {
        aa: at(&[row]),
        a: mean,
    };
    let mut columns = vec![
        column(scalar.to_owned(), "-", Recipe::Mean(mean)),
        column(format!("{scalar}_rms"), "-", root),
    ];
    columns.extend(VELOCITIES.map(|(name, u)| flux(name, u)));
    if contents >= Contents::Favre {
        let rho = of_flow(&[RHO]);
        let weighted = at(&[RHO]);
        let recipe = Recipe::Weighted { a: weighted, rho };
        columns.push(column(format!("{scalar}_favre"), "-", recipe));
        columns.extend(VELOCITIES.map(|(name, u)| {
            let recipe = Recipe::WeightedSecond {
                ab: at(&[RHO, u]),
                a: of_flow(&[RHO, u]),
                b: weighted,
                rho,
            };
            column(format!("{name}_{scalar}_favre"), "m/s", recipe)
        }));
    }
    columns
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
        let products = Products::of(Contents::Favre, 0);
        let means: Vec<f64> = products.of_state().iter().map(|rows| mean(rows, &[0.0; 7])).collect();
        let centre: [f64; 7] = std::array::from_fn(|r| mean(&[r as i32], &[0.0; 7]));
        let columns = columns(&products, Contents::Favre, &[]);
        let near = |column: &Column, expected: f64| {
            let value = column.value(&means);
            assert!((value - expected).abs() < 1e-9, "{}: {value} {expected}", column.name);
        };
        let (plain, weighted) = columns.split_at(MOMENTS.len());
        for (column, (_, _, rows, root)) in plain.iter().zip(MOMENTS) {
            let about = if rows.len() == 1 { [0.0; 7] } else { centre };
            let expected = mean(rows, &about);
            near(column, if root { expected.sqrt() } else { expected });
        }
        let rho = mean(&[RHO], &[0.0; 7]);
        let centre: [f64; 7] = std::array::from_fn(|r| mean(&[RHO, r as i32], &[0.0; 7]) / rho);
        for (column, (_, _, rows)) in weighted.iter().zip(FAVRE_MOMENTS) {
            let mut about = if rows.len() == 1 { [0.0; 7] } else { centre };
            about[RHO as usize] = 0.0;
            let all: Vec<i32> = [RHO].iter().chain(rows).copied().collect();
            near(column, mean(&all, &about) / rho);
        }
    }
}
