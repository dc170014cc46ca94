//! Quantiles of the chi-square distribution, for the confidence bands of spectra.

/// Returns the value below which a chi-square variable of `freedom` degrees of freedom, above 0, lies with this
/// probability, above 0 and below 1.
pub fn quantile(probability: f64, freedom: f64) -> f64 {
    let mut low = 0.0;
    let mut high = freedom + 1.0;
    while distribution(high, freedom) < probability {
        high *= 2.0;
    }
    // Each step halves the interval, so that 80 of them leave that of rounding.
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if distribution(middle, freedom) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Returns the probability that a chi-square variable of `freedom` degrees of freedom lies below `x`, the incomplete
/// gamma function P(a, t) with a = freedom/2 and t = x/2, by its series (NIST Digital Library of Mathematical
/// Functions, 8.7.1): t^a exp(-t)/Gamma(a + 1) (1 + t/(a + 1) + t^2/((a + 1)(a + 2)) + ...).
fn distribution(x: f64, freedom: f64) -> f64 {
    let (a, t) = (0.5 * freedom, 0.5 * x);
    if t <= 0.0 {
        return 0.0;
    }
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut n = a;
    while term > f64::EPSILON * sum {
        n += 1.0;
        term *= t / n;
        sum += term;
    }
    (sum.ln() + a * t.ln() - t - libm::lgamma(a + 1.0)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964, table 26.8.
        for (freedom, low, high) in [
            (1.0, 0.000_982_069, 5.023_89),
            (2.0, 0.050_635_6, 7.377_76),
            (10.0, 3.246_97, 20.483_1),
            (30.0, 16.7908, 46.9792),
            (100.0, 74.2219, 129.561),
        ] {
            for (probability, exact) in [(0.025, low), (0.975, high)] {
                let found = quantile(probability, freedom);
                assert!((found / exact - 1.0).abs() < 1e-5, "{freedom} {probability}: {found}");
            }
        }
        // That of two degrees is exponential.
        for probability in [0.001, 0.5, 0.999] {
            let exact = -2.0 * f64::ln(1.0 - probability);
            assert!((quantile(probability, 2.0) / exact - 1.0).abs() < 1e-12);
        }
        let median = quantile(0.5, 1000.0);
        assert!((median - 999.333).abs() < 1e-3, "{median}");
    }
}
