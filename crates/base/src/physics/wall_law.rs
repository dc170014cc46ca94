//! The law of the wall of wall models: mean velocity over the distance from a wall, in wall units, and its table for
//! the kernels.
//!
//! A wall model knows the speed u at a distance h and seeks the friction velocity. The Reynolds number Re = u h/nu is
//! u+ y+, which the law gives as a function of y+. Its inverse is smooth in the form y+/sqrt(Re) over Re^(1/4), so that
//! a table with roots alone replaces logarithms and Newton's method in the kernels, and CPU and GPU give the same bits.

/// Karman's constant.
const KAPPA: f64 = 0.41;
/// Intercept of the logarithmic law.
const INTERCEPT: f64 = 5.2;
/// Turbulent Prandtl number of wall models.
pub const WALL_PRANDTL: f64 = 0.9;
/// y+ up to which the layer is laminar, u+ = y+, and from which it is that of the law: Reichardt's formula is some
/// tenths of a per cent below u+ = y+ in the viscous sublayer.
const SUBLAYER: [f64; 2] = [3.0, 6.0];

/// Returns u+ at y+ (H. Reichardt, Z. angew. Math. Mech. 31 (1951) 208, p. 218).
pub fn reichardt(y: f64) -> f64 {
    let wake = 1.0 - (-y / 11.0).exp() - y / 11.0 * (-y / 3.0).exp();
    (KAPPA * y).ln_1p() / KAPPA + (INTERCEPT - KAPPA.ln() / KAPPA) * wake
}

/// Returns y+ at the Reynolds number Re = u+ y+ by bisection.
fn y_plus(re: f64) -> f64 {
    let laminar = re.sqrt();
    let share = ((laminar - SUBLAYER[0]) / (SUBLAYER[1] - SUBLAYER[0])).clamp(0.0, 1.0);
    if share == 0.0 {
        return laminar;
    }
    // u+ lies between 1 and y+ here.
    let (mut low, mut high) = (laminar, re);
    while high - low > 1e-15 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if reichardt(middle) * middle < re {
            low = middle
        } else {
            high = middle
        }
    }
    laminar + share * share * (3.0 - 2.0 * share) * (low - laminar)
}

/// Returns y+/sqrt(Re) and its slope per cell at `cells` + 1 values of Re^(1/4) from 0 to `end`, pair by pair.
pub fn law_of_the_wall(cells: usize, end: f64) -> Vec<f64> {
    let ratio = |cell: f64| {
        let re = (cell * end / cells as f64).powi(4);
        if re > 0.0 { y_plus(re) / re.sqrt() } else { 1.0 }
    };
    let pair = |cell: usize| {
        let at = cell as f64;
        let step = 1e-3;
        let slope = match cell {
            0 => 0.0,
            _ => (ratio(at + step) - ratio(at - step)) / (2.0 * step),
        };
        [ratio(at), slope]
    };
    (0..=cells).flat_map(pair).collect()
}

/// Returns u+ up to which the thermal layer conducts with the Prandtl number of the gas; above it mixes with that of
/// turbulence. The temperature far above is Pr_t (u+ + P) with the resistance P of the sublayer by C. L. V.
/// Jayatilleke, Prog. Heat Mass Transfer 1 (1969) 193:
///
/// ```text
/// P = 9.24 ((Pr/Pr_t)^(3/4) - 1) (1 + 0.28 exp(-0.007 Pr/Pr_t))
/// ```
pub fn conduction_layer(prandtl: f64) -> f64 {
    let ratio = prandtl / WALL_PRANDTL;
    if (ratio - 1.0).abs() < 1e-6 {
        // The limit of what follows.
        return 9.24 * 0.75 * (1.0 + 0.28 * (-0.007f64).exp());
    }
    9.24 * (ratio.powf(0.75) - 1.0) * (1.0 + 0.28 * (-0.007 * ratio).exp()) / (ratio - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the value of the table as the kernels interpolate it.
    fn interpolated(table: &[f64], end: f64, re: f64) -> f64 {
        let cells = table.len() / 2 - 1;
        let at = re.sqrt().sqrt() * cells as f64 / end;
        let cell = at as usize;
        let t = at.fract();
        let [f, s, g, r] = [0, 1, 2, 3].map(|k| table[2 * cell + k]);
        let (one, two) = (1.0 + 2.0 * t, 3.0 - 2.0 * t);
        let back = (1.0 - t) * (1.0 - t);
        f * one * back + s * t * back + g * t * t * two + r * t * t * (t - 1.0)
    }

    /// Returns y+ of Reichardt's law by Newton's method in the logarithm of y+, with the derivative written out.
    fn newton(re: f64) -> f64 {
        let mut y = re.sqrt();
        for _ in 0..100 {
            let (a, b) = ((-y / 11.0f64).exp(), (-y / 3.0f64).exp());
            let third = 5.2 - 0.41f64.ln() / 0.41;
            let u = (1.0 + 0.41 * y).ln() / 0.41 + third * (1.0 - a - y / 11.0 * b);
            let du = 1.0 / (1.0 + 0.41 * y) + third * (a / 11.0 - b / 11.0 + y / 33.0 * b);
            y *= ((re / (u * y)).ln() / (1.0 + y * du / u)).exp();
        }
        y
    }

    #[test]
    fn the_law_has_the_published_values() {
        let expected = [
            (1.0, 0.9985),
            (5.0, 4.7804),
            (11.0, 8.6355),
            (30.0, 13.2031),
            (100.0, 16.4901),
            (1000.0, 22.0541),
        ];
        for (y, u) in expected {
            assert!((reichardt(y) - u).abs() < 5.1e-5, "{y}: {}", reichardt(y));
        }
    }

    #[test]
    fn the_table_agrees_with_newtons_method() {
        let table = law_of_the_wall(512, 100.0);
        let mut worst = 0.0f64;
        // The first interval beyond the sublayer begins at Re = 41.6.
        for n in 0..4000 {
            let re = 42.0 * (1e8f64 / 42.0).powf(f64::from(n) / 4000.0);
            let y = interpolated(&table, 100.0, re) * re.sqrt();
            worst = worst.max((y / newton(re) - 1.0).abs());
        }
        println!("law of the wall: largest relative error of y+ {worst:.1e}");
        assert!(worst < 1e-6, "{worst:e}");
        for (re, y) in [(1e2, 11.3597), (1e3, 64.7582), (1e4, 491.890), (1e5, 3938.11)] {
            assert!((newton(re) / y - 1.0).abs() < 1e-5, "{re}: {}", newton(re));
        }
    }

    #[test]
    fn the_sublayer_is_laminar_and_the_law_rises() {
        let table = law_of_the_wall(512, 100.0);
        for n in 1..900 {
            let re = 0.01 * f64::from(n);
            if re.sqrt().sqrt() < 3f64.sqrt() - 0.2 {
                assert!((interpolated(&table, 100.0, re) - 1.0).abs() < 1e-15, "{re}");
            }
        }
        let y = |n: i32| {
            let re = 1.01f64.powi(n);
            interpolated(&table, 100.0, re) * re.sqrt()
        };
        (1..1800).for_each(|n| assert!(y(n) > y(n - 1), "{n}"));
    }

    #[test]
    fn the_temperature_above_the_sublayer_is_jayatillekes() {
        for prandtl in [0.3f64, 0.71, 0.9, 2.0, 7.0] {
            let layer = conduction_layer(prandtl);
            let ratio = prandtl / 0.9;
            let resistance = 9.24 * (ratio.powf(0.75) - 1.0) * (1.0 + 0.28 * (-0.007 * ratio).exp());
            for u in [20.0, 30.0] {
                let t = prandtl * layer + 0.9 * (u - layer);
                assert!((t / (0.9 * (u + resistance)) - 1.0).abs() < 1e-6, "{prandtl}");
            }
        }
    }
}
