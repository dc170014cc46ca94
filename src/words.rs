//! Numbers as people read them in logs and errors: with fixed decimals where that tells something, and with an exponent where it
//! would not, as for the nanoseconds and micrometres of small blades in SI units.

use crate::vector::Vector;

/// Whether fixed decimals show a number of this size.
fn ordinary(size: f64) -> bool {
    size == 0.0 || (1e-3..1e7).contains(&size)
}

/// A time.
pub fn shown(time: f64) -> String {
    match ordinary(time.abs()) {
        _ if time == 0.0 => "0".to_owned(),
        true => format!("{time:.6}"),
        false => format!("{time:.6e}"),
    }
}

/// A place, with brackets; its largest coordinate decides how all are shown.
pub fn place(at: Vector) -> String {
    let [x, y, z] = at;
    match ordinary(at.iter().fold(0.0, |most, x| x.abs().max(most))) {
        true => format!("({x:.6}, {y:.6}, {z:.6})"),
        false => format!("({x:.6e}, {y:.6e}, {z:.6e})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_numbers_keep_their_digits() {
        assert_eq!(
            [0.0, 0.0025, 300.0, -1.5].map(shown),
            ["0", "0.002500", "300.000000", "-1.500000"]
        );
        assert_eq!([1.25e-8, 1.83646e14].map(shown), ["1.250000e-8", "1.836460e14"]);
        assert_eq!(place([0.5, -1e-17, 2.0]), "(0.500000, -0.000000, 2.000000)");
        assert_eq!(place([1e-6, -2.5e-7, 0.0]), "(1.000000e-6, -2.500000e-7, 0.000000e0)");
    }
}
