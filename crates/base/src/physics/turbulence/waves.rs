//! The cosine of an angle in turns, from + - * alone, so that all machines give the same bits.
//!
//! ptx/physics/turbulence.h has the same function for the kernels.

/// Added and subtracted, it rounds a number of size below 2^51 to the nearest whole one.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Coefficients (-1)^j (2 pi)^(2 j + 1)/(2 j + 1)! of the sine.
const SINE: [f64; 8] = [
    std::f64::consts::TAU,
    -41.341_702_240_399_76,
    81.605_249_276_075_05,
    -76.705_859_753_061_39,
    42.058_693_944_897_65,
    -15.094_642_576_822_99,
    3.819_952_584_848_282,
    -0.718_122_301_778_500_5,
];

/// Returns x less the nearest whole number.
pub fn fraction(x: f64) -> f64 {
    x - ((x + ROUND) - ROUND)
}

/// Returns cos(2 pi x); the error is below 1e-11 as long as x has digits behind the point.
///
/// ```text
/// cos(2 pi x) = sin(2 pi (1/4 - |x - round(x)|))
/// ```
///
/// The argument of the sine is at most a quarter of a turn, where eight terms of its series leave an error of 6e-12.
pub fn cosine_of_turns(x: f64) -> f64 {
    let a = 0.25 - fraction(x).abs();
    let square = a * a;
    let [.., last] = SINE;
    a * SINE[..7].iter().rev().fold(last, |sum, c| sum * square + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_has_ten_digits() {
        // cos(2 pi x) at twelve points by radicals.
        let third = 3f64.sqrt() / 2.0;
        let fifth = (5f64.sqrt() - 1.0) / 4.0;
        for (x, exact) in [
            (0.0, 1.0),
            (1.0 / 12.0, third),
            (0.125, 0.5f64.sqrt()),
            (1.0 / 6.0, 0.5),
            (0.2, fifth),
            (0.25, 0.0),
            (1.0 / 3.0, -0.5),
            (0.5, -1.0),
            (-0.375, -(0.5f64.sqrt())),
            (5.0 / 6.0, 0.5),
            (1000.75, 0.0),
            (-77.0, 1.0),
        ] {
            assert!((cosine_of_turns(x) - exact).abs() < 1e-10, "{x}");
        }
        let error = |i: i32| {
            let x = f64::from(i) * 1e-4 - 3.0;
            (cosine_of_turns(x) - (std::f64::consts::TAU * x).cos()).abs()
        };
        let worst = (0..60_000).map(error).fold(0.0, f64::max);
        println!("largest error of the cosine {worst:.1e}");
        assert!(worst < 1e-11, "{worst:e}");
    }
}
