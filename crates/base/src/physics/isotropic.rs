//! Initial velocities of homogeneous isotropic turbulence in a periodic cube, of a given energy spectrum: decaying grid
//! turbulence, on which sub-grid models and the dissipation of the scheme are judged.
//!
//! The velocity is the sum of all Fourier modes of the cube up to a wave number, each normal to its wave vector and so
//! without divergence, with phases and directions that are drawn for each wave vector on its own (R. S. Rogallo, NASA
//! TM 81315, 1981):
//!
//! ```text
//! u(x) = sum_n Re((a_n e1 cos(phi) + b_n e2 sin(phi)) exp(2 pi i n.(x - lower)/L)),   |a_n| = |b_n| = A_s
//! ```
//!
//! The modes of shell s, s - 1/2 <= |n| < s + 1/2, share the energy E(k_s) dk with k_s = s dk and dk = 2 pi/L equally,
//! so that the spectrum of each realisation, and not only its mean, is the given one. A draw is a function of seed and
//! wave vector: another mesh, another cut-off and any number of ranks have the same large scales.

mod shells;

use std::f64::consts::TAU;
use std::sync::Arc;

use super::channel::Domain;
use super::turbulence::{Draw, cosine_of_turns, fraction};
use crate::format::number as written;
use crate::input::{AXES, Count, Expression, Field, Group, Number, Problem, check, keys, positive};
use crate::vector::{cross, length};

pub use shells::{Shells, ShortWaves};

/// Largest number of waves in a period.
const MOST_WAVES: usize = 64;
/// Values that are added side by side, so that a processor takes several at a time; the sums do not depend on it.
const LANES: usize = 8;

keys! {
/// Velocities of isotropic turbulence of a given spectrum, in a box that is a cube and periodic in x, y and z.
SpectrumKeys as "a mapping with the keys `wave-numbers` and `energies`" {
    /// Wave numbers k (radians per length), above 0 and increasing, at least two.
    pub wave_numbers: Vec<Number>,
    /// The energy spectrum E at these (velocity squared times length), above 0. The modes with about n waves in the
    /// period L have the energy E(k) 2 pi/L per mass at k = 2 pi n/L, for each whole n. Between the wave numbers E is a
    /// power of k, and there is no energy where k is beyond the first and the last.
    pub energies: Vec<Number>,
    /// Wave number above which there are no modes, above 0; default the last one. It is at most 64 waves in a period:
    /// a mesh with n points in a period represents about n/3.
    pub cut_off: Option<Number>,
    /// Number of the realisation, at least 1.
    #[serde(default = "one")]
    pub seed: Count,
}}

fn one() -> Count {
    Count(Expression::Value(1.0))
}

impl SpectrumKeys {
    /// Returns the velocity in x, y, z. `group` is that of the initial state, and `domain` the box.
    pub(super) fn velocity(&self, group: &Group, domain: Option<Domain>) -> Result<[Field; 3], Problem> {
        let (lower, period) = cube(&group.path("spectrum"), domain)?;
        let spectrum = self.spectrum(group)?;
        let waves = self.waves(group, &spectrum, period)?;
        let seed = group.scope.count(&group.path("spectrum.seed"), &self.seed)?;
        let modes = Arc::new(Modes::new(&spectrum, waves, lower, period, seed));
        Ok([0, 1, 2].map(|component| {
            let modes = modes.clone();
            let text = format!("{} of a spectrum", ["u", "v", "w"][component]);
            Field::of_function(Arc::new(move |x| modes.velocity(component, x)), &text)
        }))
    }

    /// Returns the energies of the shells. `group` is that of the initial state, and `domain` the box.
    ///
    /// # Errors
    /// The keys do not fit together or to the box, as for the velocity.
    pub fn shells(&self, group: &Group, domain: Option<Domain>) -> Result<Shells, Problem> {
        let (_, period) = cube(&group.path("spectrum"), domain)?;
        let spectrum = self.spectrum(group)?;
        let step = TAU / period;
        let waves = self.waves(group, &spectrum, period)?;
        let energies = (1..=waves).map(|shell| spectrum.at(shell as f64 * step) * step);
        Ok(Shells::new(energies.collect(), step))
    }

    /// Returns the largest number of waves in a period of the box.
    fn waves(&self, group: &Group, spectrum: &Spectrum, period: f64) -> Result<usize, Problem> {
        let key = group.path("spectrum");
        let step = TAU / period;
        let last = spectrum.last();
        let path = format!("{key}.cut-off");
        let cut_off = match &self.cut_off {
            Some(number) => group.scope.number_if(&path, number, positive, "above 0")?.min(last),
            None => last,
        };
        // Rounding must not drop the last shell.
        let waves = (cut_off / step * (1.0 + 1e-9)).floor();
        if waves > MOST_WAVES as f64 {
            let problem = format!(
                "wave numbers up to {} have {} waves in a period, at most {MOST_WAVES} are possible",
                written(cut_off),
                written(waves)
            );
            let help = format!("for example `cut-off: {}`", written(step * MOST_WAVES as f64));
            return Err(Problem::new(problem).key(path).help(help));
        }
        let waves = waves as usize;
        if (1..=waves).all(|shell| spectrum.at(shell as f64 * step) == 0.0) {
            let problem = format!(
                "no whole number of waves in a period has a wave number from {} to {}",
                written(spectrum.0[0].0),
                written(cut_off)
            );
            let help = format!("the wave numbers of the box are multiples of {}", written(step));
            return Err(Problem::new(problem).key(format!("{key}.wave-numbers")).help(help));
        }
        Ok(waves)
    }

    /// Evaluates the table and checks it.
    fn spectrum(&self, group: &Group) -> Result<Spectrum, Problem> {
        let numbers = |name: &str, numbers: &[Number]| -> Result<Vec<f64>, Problem> {
            let key = |n: usize| format!("{}[{n}]", group.path(&format!("spectrum.{name}")));
            let of = |(n, number)| group.scope.number_if(&key(n), number, positive, "above 0");
            numbers.iter().enumerate().map(of).collect()
        };
        let k = numbers("wave-numbers", &self.wave_numbers)?;
        let energies = numbers("energies", &self.energies)?;
        let path = group.path("spectrum.wave-numbers");
        if k.len() < 2 || k.len() != energies.len() {
            let problem = format!("there are {} wave numbers and {} energies", k.len(), energies.len());
            let help = "give each wave number its energy, and at least two";
            return Err(Problem::new(problem).key(path).help(help));
        }
        for pair in k.windows(2) {
            check(&path, pair[1], pair[1] > pair[0], "above the wave number before it")?;
        }
        Ok(Spectrum(k.into_iter().zip(energies).collect()))
    }
}

/// Returns lower corner and period of a box that is a periodic cube.
fn cube(key: &str, domain: Option<Domain>) -> Result<([f64; 3], f64), Problem> {
    let Some(domain) = domain else {
        let problem = Problem::new("`spectrum` needs the periods of `mesh.box`, and the mesh comes from a file");
        return Err(problem.key(key).help("give `u`, `v` and `w`"));
    };
    let sizes: [f64; 3] = std::array::from_fn(|axis| domain.upper[axis] - domain.lower[axis]);
    for axis in 0..3 {
        if !domain.periodic[axis] {
            let problem = format!(
                "the box is not periodic in {}, and `spectrum` is that of a periodic cube",
                AXES[axis]
            );
            return Err(Problem::new(problem).key(key).help("`mesh.box.periodic: [x, y, z]`"));
        }
        if (sizes[axis] / sizes[0] - 1.0).abs() > 1e-12 {
            let problem = format!(
                "the box has the sizes {}, {} and {}, and `spectrum` is that of a cube",
                written(sizes[0]),
                written(sizes[1]),
                written(sizes[2])
            );
            return Err(Problem::new(problem).key(key).help("give `mesh.box` equal sizes"));
        }
    }
    Ok((domain.lower, sizes[0]))
}

/// Wave numbers in ascending order with the energy spectrum there.
struct Spectrum(Vec<(f64, f64)>);

impl Spectrum {
    /// Returns the last wave number.
    fn last(&self) -> f64 {
        self.0.last().map_or(0.0, |&(k, _)| k)
    }

    /// Returns the energy spectrum at a wave number: a power of k between two rows, and 0 beyond them.
    fn at(&self, k: f64) -> f64 {
        let between = self.0.windows(2).find(|pair| pair[0].0 <= k && k <= pair[1].0);
        between.map_or(0.0, |pair| {
            let [(low, from), (high, to)] = [pair[0], pair[1]];
            from * ((to / from).ln() * (k / low).ln() / (high / low).ln()).exp()
        })
    }
}

/// Real and imaginary parts of numbers that follow each other.
#[derive(Debug, Default, Clone)]
struct Complex {
    re: Vec<f64>,
    im: Vec<f64>,
}

/// The modes whose wave vectors have the same first two numbers of waves.
#[derive(Debug)]
struct Row {
    /// Numbers of waves in x and y.
    waves: [i64; 2],
    /// Number of waves in z of the first mode; each of the others has one more.
    first: i64,
    /// Amplitudes of the velocity in x, y, z, filled up with zeros to whole lanes.
    amplitudes: [Complex; 3],
}

/// The Fourier modes of a realisation: one of each pair of opposite wave vectors.
#[derive(Debug)]
struct Modes {
    lower: [f64; 3],
    period: f64,
    /// Largest number of waves in a period.
    most: i64,
    rows: Vec<Row>,
}

impl Modes {
    /// Draws the modes of a spectrum with up to `waves` waves in a period.
    fn new(spectrum: &Spectrum, waves: usize, lower: [f64; 3], period: f64, seed: u64) -> Self {
        let draw = Draw::new(seed, "initial.spectrum");
        let step = TAU / period;
        let most = waves as i64;
        let shell = |n: [i64; 3]| (n.iter().map(|c| c * c).sum::<i64>() as f64).sqrt().round() as usize;
        let range = || -most..=most;
        let mut counts = vec![0usize; 2 * waves + 2];
        for x in range() {
            for y in range() {
                range().for_each(|z| counts[shell([x, y, z])] += 1);
            }
        }
        // The mean of Re(c exp(i theta))^2/2 is |c|^2/4, and one half of the wave vectors of a shell stands for all.
        let size = |n: [i64; 3]| match shell(n) {
            s if s == 0 || s > waves => 0.0,
            s => (8.0 * spectrum.at(s as f64 * step) * step / counts[s] as f64).sqrt(),
        };
        let mut rows = Vec::new();
        for x in 0..=most {
            for y in range().filter(|&y| x > 0 || y >= 0) {
                let Some(reach) = (0..=most).rev().find(|&z| shell([x, y, z]) <= waves) else {
                    continue;
                };
                let first = if x == 0 && y == 0 { 1 } else { -reach };
                let mut amplitudes = [const {
                    Complex {
                        re: Vec::new(),
                        im: Vec::new(),
                    }
                }; 3];
                for z in first..=reach {
                    let amplitude = amplitude(&draw, [x, y, z], size([x, y, z]));
                    for (list, [re, im]) in amplitudes.iter_mut().zip(amplitude) {
                        list.re.push(re);
                        list.im.push(im);
                    }
                }
                for list in &mut amplitudes {
                    let filled = list.re.len().next_multiple_of(LANES);
                    list.re.resize(filled, 0.0);
                    list.im.resize(filled, 0.0);
                }
                rows.push(Row {
                    waves: [x, y],
                    first,
                    amplitudes,
                });
            }
        }
        Modes {
            lower,
            period,
            most,
            rows,
        }
    }

    /// Returns a component of the velocity at a position.
    fn velocity(&self, component: usize, x: [f64; 3]) -> f64 {
        let turns: [f64; 3] = std::array::from_fn(|d| fraction((x[d] - self.lower[d]) / self.period));
        let [along_x, along_y, along_z] = turns.map(|turn| self.factors(turn));
        let at = |n: i64| (n + self.most) as usize;
        let mut sum = 0.0;
        for row in &self.rows {
            let amplitudes = &row.amplitudes[component];
            let z = at(row.first)..at(row.first) + amplitudes.re.len();
            let (re, im) = product_sum(amplitudes, &along_z.re[z.clone()], &along_z.im[z]);
            let [i, j] = row.waves.map(at);
            let [a, b] = [along_x.re[i], along_x.im[i]];
            let [c, d] = [along_y.re[j], along_y.im[j]];
            sum += re * (a * c - b * d) - im * (a * d + b * c);
        }
        sum
    }

    /// Returns exp(2 pi i n turn) for n from -most to most, with zeros behind that fill up lanes.
    fn factors(&self, turn: f64) -> Complex {
        let n = || (-self.most..=self.most).map(|n| n as f64 * turn);
        let mut factors = Complex {
            re: n().map(cosine_of_turns).collect(),
            im: n().map(|turns| cosine_of_turns(turns - 0.25)).collect(),
        };
        let filled = factors.re.len() + LANES;
        factors.re.resize(filled, 0.0);
        factors.im.resize(filled, 0.0);
        factors
    }
}

/// Returns the sum of products of complex numbers; the lengths are those of whole lanes.
fn product_sum(a: &Complex, re: &[f64], im: &[f64]) -> (f64, f64) {
    let mut sums = [[0.0; LANES]; 2];
    let parts = a.re.chunks_exact(LANES).zip(a.im.chunks_exact(LANES));
    let others = re.chunks_exact(LANES).zip(im.chunks_exact(LANES));
    for ((a, b), (c, d)) in parts.zip(others) {
        for lane in 0..LANES {
            sums[0][lane] += a[lane] * c[lane] - b[lane] * d[lane];
            sums[1][lane] += a[lane] * d[lane] + b[lane] * c[lane];
        }
    }
    let [re, im] = sums.map(|lanes| lanes.iter().sum());
    (re, im)
}

/// Returns the amplitude of a mode, a complex vector of length `size` normal to the wave vector.
fn amplitude(draw: &Draw, n: [i64; 3], size: f64) -> [[f64; 2]; 3] {
    if size == 0.0 {
        return [[0.0; 2]; 3];
    }
    let side = 2 * MOST_WAVES as i64 + 1;
    let item = n.iter().fold(0, |sum, c| sum * side + c + MOST_WAVES as i64) as usize;
    let [[first, second], [share, _]] = [draw.pair(item, 0), draw.pair(item, 1)];
    let wave = n.map(|c| c as f64);
    let mut axis = [0.0; 3];
    let least = (0..3).min_by(|&a, &b| wave[a].abs().total_cmp(&wave[b].abs()));
    axis[least.expect("three axes")] = 1.0;
    let unit = |v: [f64; 3]| {
        let size = length(v);
        v.map(|c| c / size)
    };
    let e1 = unit(cross(wave, axis));
    let e2 = unit(cross(wave, e1));
    let sine = |turns: f64| cosine_of_turns(turns - 0.25);
    let along = [size * cosine_of_turns(share), size * sine(share)];
    std::array::from_fn(|d| {
        let (a, b) = (along[0] * e1[d], along[1] * e2[d]);
        [
            a * cosine_of_turns(first) + b * cosine_of_turns(second),
            a * sine(first) + b * sine(second),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::dot;

    const LOWER: [f64; 3] = [-1.0, 0.5, 2.0];
    const PERIOD: f64 = 3.0;
    const WAVES: usize = 5;

    fn spectrum() -> Spectrum {
        let step = TAU / PERIOD;
        Spectrum(vec![(0.9 * step, 2.0), (2.5 * step, 7.0), (9.0 * step, 0.1)])
    }

    /// The Fourier coefficient of the velocity for a number of waves, from values on a lattice that resolves it.
    fn coefficient(values: &[[f64; 3]], n: [i64; 3]) -> [[f64; 2]; 3] {
        let side = 2 * WAVES as i64 + 2;
        let mut sum = [[0.0; 2]; 3];
        for (number, value) in values.iter().enumerate() {
            let at = [
                number as i64 / side / side,
                number as i64 / side % side,
                number as i64 % side,
            ];
            let turns = (0..3).map(|d| n[d] * at[d]).sum::<i64>() as f64 / side as f64;
            let (sine, cosine) = (TAU * turns).sin_cos();
            for (sum, value) in sum.iter_mut().zip(value) {
                sum[0] += value * cosine / values.len() as f64;
                sum[1] -= value * sine / values.len() as f64;
            }
        }
        sum
    }

    #[test]
    fn each_shell_has_the_given_energy_and_no_divergence() {
        let modes = Modes::new(&spectrum(), WAVES, LOWER, PERIOD, 3);
        let side = 2 * WAVES + 2;
        let position = |number: usize| {
            let at = [number / side / side, number / side % side, number % side];
            std::array::from_fn(|d| LOWER[d] + PERIOD * at[d] as f64 / side as f64)
        };
        let values: Vec<[f64; 3]> = (0..side.pow(3))
            .map(|number| std::array::from_fn(|c| modes.velocity(c, position(number))))
            .collect();
        let most = WAVES as i64;
        let mut energies = [0.0; 2 * WAVES + 2];
        let mut divergence = 0.0f64;
        for x in -most..=most {
            for y in -most..=most {
                for z in -most..=most {
                    let n = [x, y, z];
                    let c = coefficient(&values, n);
                    let square: f64 = c.iter().flatten().map(|part| part * part).sum();
                    let shell = (n.iter().map(|c| c * c).sum::<i64>() as f64).sqrt().round() as usize;
                    energies[shell] += 0.5 * square;
                    let wave = n.map(|c| c as f64);
                    for part in [0, 1] {
                        divergence = divergence.max(dot(wave, c.map(|c| c[part])).abs());
                    }
                }
            }
        }
        let step = TAU / PERIOD;
        for (shell, energy) in energies.iter().enumerate() {
            let inside = (1..=WAVES).contains(&shell);
            let given = if inside {
                spectrum().at(shell as f64 * step) * step
            } else {
                0.0
            };
            assert!((energy - given).abs() < 1e-9, "shell {shell}: {energy} for {given}");
        }
        assert!(divergence < 1e-10, "{divergence:e}");
        // Each component has about a third of the energy: the scatter of one draw of 514 modes.
        let square = |c: usize| values.iter().map(|v| v[c] * v[c]).sum::<f64>() / values.len() as f64;
        let all: f64 = [0, 1, 2].map(square).iter().sum();
        for c in 0..3 {
            assert!(
                (3.0 * square(c) / all - 1.0).abs() < 0.25,
                "component {c}: {} of {all}",
                square(c)
            );
        }
    }

    #[test]
    fn the_spectrum_is_a_power_between_its_rows_and_ends_with_them() {
        let spectrum = Spectrum(vec![(1.0, 8.0), (4.0, 1.0), (9.0, 5.0)]);
        assert!((spectrum.at(2.0) - 8.0 / 8f64.sqrt()).abs() < 1e-14);
        assert_eq!(
            (spectrum.at(1.0), spectrum.at(0.99), spectrum.at(9.01)),
            (8.0, 0.0, 0.0)
        );
        assert!((spectrum.at(9.0) - 5.0).abs() < 1e-13);
    }

    #[test]
    fn a_higher_cut_off_adds_small_scales_to_the_same_large_ones_and_a_seed_draws_others() {
        let find = |modes: &Modes, n: [i64; 3]| {
            let row = modes.rows.iter().find(|row| row.waves == [n[0], n[1]]).expect("a row");
            let at = (n[2] - row.first) as usize;
            row.amplitudes.each_ref().map(|list| [list.re[at], list.im[at]])
        };
        let [few, more, other] = [(3, 1), (6, 1), (3, 2)].map(|(waves, seed)| {
            let modes = Modes::new(&spectrum(), waves, LOWER, PERIOD, seed);
            find(&modes, [1, -2, 1])
        });
        assert_eq!(few, more);
        assert_ne!(few, other);
    }
}
