//! The common convective flux of pairs of states, compared with independent evaluations. Roe's dissipation is |A| of
//! the flux Jacobian by Sylvester's formula. HLLC and Rusanov follow E. F. Toro, Riemann Solvers and Numerical Methods
//! for Fluid Dynamics (3rd edition, 2009), in the frame of the face. Nothing here follows the arithmetic of the
//! kernels.

use crate::common::physics::physics;
use crate::common::random::Random;
use fr_les::case::{Riemann, Split};
use fr_les::device::cpu::probe;
use nalgebra::{Matrix5, Vector3, Vector5};

const R: f64 = 2.0;
const PAIRS: usize = 1000;

type Vector = Vector3<f64>;
type State = Vector5<f64>;

/// One side of a face: density, velocity, pressure, ratio of specific heats.
#[derive(Debug, Clone, Copy)]
struct Gas {
    rho: f64,
    v: Vector,
    p: f64,
    gamma: f64,
}

impl Gas {
    fn energy(&self) -> f64 {
        self.p / (self.gamma - 1.0) + 0.5 * self.rho * self.v.norm_squared()
    }
    /// Total enthalpy per mass.
    fn enthalpy(&self) -> f64 {
        (self.energy() + self.p) / self.rho
    }
    fn sound(&self) -> f64 {
        (self.gamma * self.p / self.rho).sqrt()
    }
    fn conserved(&self) -> State {
        let m = self.rho * self.v;
        State::new(self.rho, m.x, m.y, m.z, self.energy())
    }
    /// Flux along the unit vector n.
    fn flux(&self, n: Vector) -> State {
        let vn = self.v.dot(&n);
        let m = self.rho * vn * self.v + self.p * n;
        State::new(self.rho * vn, m.x, m.y, m.z, (self.energy() + self.p) * vn)
    }
    /// Density, velocity and temperature, in the order of the kernels' arguments.
    fn column(&self) -> [f64; 5] {
        [self.rho, self.v.x, self.v.y, self.v.z, self.p / (self.rho * R)]
    }
}

/// Two sides of a face and its outward unit normal.
#[derive(Debug, Clone, Copy)]
struct Pair {
    i: Gas,
    o: Gas,
    n: Vector,
}

/// Roe's averages: velocity, total enthalpy, speed of sound.
fn roe_average(pair: &Pair) -> (Vector, f64, f64) {
    let (a, b) = (pair.i.rho.sqrt(), pair.o.rho.sqrt());
    let v = (a * pair.i.v + b * pair.o.v) / (a + b);
    let h = (a * pair.i.enthalpy() + b * pair.o.enthalpy()) / (a + b);
    let c = ((pair.i.gamma - 1.0) * (h - 0.5 * v.norm_squared())).sqrt();
    (v, h, c)
}

/// Jacobian of the flux along n with respect to the conserved variables, at a velocity and a total enthalpy.
fn jacobian(v: Vector, h: f64, gamma: f64, n: Vector) -> Matrix5<f64> {
    let (vn, g) = (v.dot(&n), gamma - 1.0);
    // dp/dU = (gamma - 1) (|v|^2/2, -v, 1).
    let dp = g * State::new(0.5 * v.norm_squared(), -v.x, -v.y, -v.z, 1.0);
    // d(vn)/dU times rho.
    let dvn = State::new(-vn, n.x, n.y, n.z, 0.0);
    let mut a = Matrix5::zeros();
    a.set_row(0, &State::new(0.0, n.x, n.y, n.z, 0.0).transpose());
    for d in 0..3 {
        let mut row = v[d] * dvn + n[d] * dp;
        row[1 + d] += vn;
        a.set_row(1 + d, &row.transpose());
    }
    let mut row = h * dvn + vn * dp;
    row[4] += vn;
    a.set_row(4, &row.transpose());
    a
}

/// Returns a function of a diagonalisable matrix with three distinct eigenvalues, by Sylvester's formula.
fn function_of(a: &Matrix5<f64>, eigenvalues: [f64; 3], values: [f64; 3]) -> Matrix5<f64> {
    let identity = Matrix5::identity();
    let mut sum = Matrix5::zeros();
    for k in 0..3 {
        let mut projector = identity;
        for j in (0..3).filter(|&j| j != k) {
            projector *= (a - identity * eigenvalues[j]) / (eigenvalues[k] - eigenvalues[j]);
        }
        sum += values[k] * projector;
    }
    sum
}

/// Returns |x| with Harten's parabola below `delta`.
fn harten(x: f64, delta: f64) -> f64 {
    if x.abs() < delta {
        (x * x + delta * delta) / (2.0 * delta)
    } else {
        x.abs()
    }
}

/// Roe's flux, with the entropy fix of the acoustic waves below a tenth of the speed of sound.
fn roe(pair: &Pair) -> State {
    let (v, h, c) = roe_average(pair);
    let a = jacobian(v, h, pair.i.gamma, pair.n);
    let vn = v.dot(&pair.n);
    let eigenvalues = [vn - c, vn, vn + c];
    let sizes = [harten(vn - c, 0.1 * c), vn.abs(), harten(vn + c, 0.1 * c)];
    let jump = pair.o.conserved() - pair.i.conserved();
    let mean = 0.5 * (pair.i.flux(pair.n) + pair.o.flux(pair.n));
    mean - 0.5 * function_of(&a, eigenvalues, sizes) * jump
}

/// Rusanov's flux: Toro (10.43) with the jump of the conserved variables and the largest wave speed of both sides.
fn rusanov(pair: &Pair) -> State {
    let speed = |g: &Gas| g.v.dot(&pair.n).abs() + g.sound();
    let largest = speed(&pair.i).max(speed(&pair.o));
    0.5 * (pair.i.flux(pair.n) + pair.o.flux(pair.n)) - 0.5 * largest * (pair.o.conserved() - pair.i.conserved())
}

/// HLLC flux: Toro section 10.4 in the frame of the face. (10.37) gives the contact, (10.38) and (10.39) the fluxes
/// beside it, and Einfeldt's (10.52) the speeds of the outer waves.
fn hllc(pair: &Pair) -> State {
    let n = pair.n;
    let any = if n.x.abs() < 0.9 { Vector::x() } else { Vector::y() };
    let t1 = n.cross(&any).normalize();
    let t2 = n.cross(&t1);
    let frame = |g: &Gas| (g.v.dot(&n), g.v.dot(&t1), g.v.dot(&t2));
    let (left, right) = (&pair.i, &pair.o);
    let ((ul, vl, wl), (ur, vr, wr)) = (frame(left), frame(right));
    let (average, _, c) = roe_average(pair);
    let u = average.dot(&n);
    let (sl, sr) = ((ul - left.sound()).min(u - c), (ur + right.sound()).max(u + c));
    let star = (right.p - left.p + left.rho * ul * (sl - ul) - right.rho * ur * (sr - ur))
        / (left.rho * (sl - ul) - right.rho * (sr - ur));
    let side = |g: &Gas, u: f64, v: f64, w: f64, s: f64| {
        let state = State::new(g.rho, g.rho * u, g.rho * v, g.rho * w, g.energy());
        let flux = State::new(
            g.rho * u,
            g.rho * u * u + g.p,
            g.rho * u * v,
            g.rho * u * w,
            u * (g.energy() + g.p),
        );
        let energy = g.energy() / g.rho + (star - u) * (star + g.p / (g.rho * (s - u)));
        let behind = g.rho * (s - u) / (s - star) * State::new(1.0, star, v, w, energy);
        (flux, flux + s * (behind - state))
    };
    let ((fl, fl_star), (fr, fr_star)) = (side(left, ul, vl, wl, sl), side(right, ur, vr, wr, sr));
    let f = match () {
        _ if sl >= 0.0 => fl,
        _ if sr <= 0.0 => fr,
        _ if star >= 0.0 => fl_star,
        _ => fr_star,
    };
    let m = f[1] * n + f[2] * t1 + f[3] * t2;
    State::new(f[0], m.x, m.y, m.z, f[4])
}

/// The mean of both fluxes.
fn mean(pair: &Pair) -> State {
    0.5 * (pair.i.flux(pair.n) + pair.o.flux(pair.n))
}

/// Kennedy and Gruber's flux {rho} {vn} {phi} + {p} n, with braces for means of both sides.
fn kennedy_gruber(pair: &Pair) -> State {
    let Pair { i, o, n } = pair;
    let mass = 0.25 * (i.rho + o.rho) * (i.v + o.v).dot(n);
    let m = 0.5 * mass * (i.v + o.v) + 0.5 * (i.p + o.p) * n;
    State::new(mass, m.x, m.y, m.z, 0.5 * mass * (i.enthalpy() + o.enthalpy()))
}

/// Random pairs of three kinds: strong jumps, weak jumps, and jumps about a state that moves at the speed of sound
/// along either normal, where the entropy fix acts.
fn pairs(gamma: f64) -> Vec<Pair> {
    let mut random = Random(5);
    (0..PAIRS)
        .map(|k| {
            let n = Vector::from(random.unit());
            let spread = [0.5, 0.02, 0.1][k % 3];
            let (rho, p) = (random.between(0.5, 2.0), random.between(0.5, 2.0));
            let c = (gamma * p / rho).sqrt();
            let mut v = Vector::from(random.unit()) * random.between(0.0, 1.5) * c;
            if k % 3 == 2 {
                let sonic = if k % 2 == 0 { c } else { -c };
                v += n * (sonic - v.dot(&n));
            }
            let mut side = || Gas {
                rho: rho * (1.0 + spread * random.between(-1.0, 1.0)),
                v: v + Vector::from(random.unit()) * spread * c,
                p: p * (1.0 + spread * random.between(-1.0, 1.0)),
                gamma,
            };
            Pair {
                i: side(),
                o: side(),
                n,
            }
        })
        .collect()
}

/// Compares the flux of the kernels with an independent one for all pairs, relative to the size of the fluxes.
fn compare(split: Split, riemann: Riemann, expected: fn(&Pair) -> State) {
    for gamma in [1.4, 5.0 / 3.0] {
        let mut random = Random(9);
        let pairs: Vec<(Pair, f64)> = pairs(gamma)
            .into_iter()
            .map(|p| (p, random.between(0.1, 3.0)))
            .collect();
        let columns: Vec<Vec<f64>> = pairs
            .iter()
            .map(|(pair, area)| {
                let area = *area * pair.n;
                [&pair.i.column()[..], &pair.o.column(), area.as_slice()].concat()
            })
            .collect();
        let physics = physics(gamma, R, split, riemann);
        let double = probe::interface_flux::<f64>(&physics, &columns).expect("CPU");
        let single = probe::interface_flux::<f32>(&physics, &columns).expect("CPU");
        for (found, bound) in [(double, 2e-15), (single, 1e-6)] {
            let mut worst = 0.0f64;
            for ((pair, area), found) in pairs.iter().zip(&found) {
                let expected = expected(pair) * *area;
                let found = State::from_column_slice(found);
                // Errors are in units of the product of density, speed and the scale of the variable.
                let c = pair.i.sound().max(pair.o.sound());
                let rho = pair.i.rho.max(pair.o.rho);
                let speed = c + pair.i.v.norm().max(pair.o.v.norm());
                let scale = area * rho * speed;
                let units = State::new(1.0, speed, speed, speed, speed * speed) * scale;
                worst = worst.max((found - expected).component_div(&units).amax());
            }
            println!("{split:?} {riemann:?} gamma {gamma:.2}: {worst:.1e} of {bound:e}");
            assert!(worst < bound, "{split:?} {riemann:?} gamma {gamma}: {worst:e}");
        }
    }
}

#[test]
fn the_jacobian_at_roes_averages_takes_the_jump_of_states_to_the_jump_of_fluxes() {
    // Roe's property holds for no other average. It checks the Jacobian and the averages on which the next test relies.
    for pair in pairs(1.4) {
        let (v, h, c) = roe_average(&pair);
        let a = jacobian(v, h, 1.4, pair.n);
        let jump = pair.o.conserved() - pair.i.conserved();
        let error = a * jump - (pair.o.flux(pair.n) - pair.i.flux(pair.n));
        assert!(error.amax() < 1e-13, "{pair:?}: {error}");
        let vn = v.dot(&pair.n);
        let again = function_of(&a, [vn - c, vn, vn + c], [vn - c, vn, vn + c]);
        assert!((again - a).amax() < 1e-12, "{pair:?}");
    }
}

#[test]
fn roe_flux_is_the_mean_less_half_of_the_absolute_jacobian_times_the_jump() {
    let in_the_fix = pairs(1.4)
        .iter()
        .filter(|pair| {
            let (v, _, c) = roe_average(pair);
            (v.dot(&pair.n).abs() - c).abs() < 0.1 * c
        })
        .count();
    println!("the entropy fix acts on {in_the_fix} of {PAIRS} pairs");
    assert!(in_the_fix > 200);
    for split in [Split::None, Split::KennedyGruber] {
        compare(split, Riemann::Roe, roe);
    }
}

/// The entropy variables times R, by their definition.
fn entropy_variables(g: &Gas) -> State {
    let s = g.p.ln() - g.gamma * g.rho.ln();
    let beta = g.rho / g.p;
    let v = beta * g.v;
    let rest = (g.gamma - s) / (g.gamma - 1.0);
    State::new(rest - 0.5 * beta * g.v.norm_squared(), v.x, v.y, v.z, -beta)
}

/// What a flux through the unit normal makes of the mathematical entropy: [v].f - [psi].
fn production(pair: &Pair, flux: &State) -> f64 {
    let change = entropy_variables(&pair.o) - entropy_variables(&pair.i);
    change.dot(flux) - (pair.o.rho * pair.o.v - pair.i.rho * pair.i.v).dot(&pair.n)
}

#[test]
fn entropy_stable_roe_flux_makes_no_entropy_and_is_roes_where_that_makes_none() {
    // Without normal velocity nothing dissipates contacts and shear, and what the mean of the fluxes makes remains.
    let along_the_face = |pair: Pair| {
        let normal = 0.5 * (pair.i.v + pair.o.v).dot(&pair.n) * pair.n;
        let moved = |side: Gas| Gas {
            v: side.v - normal,
            ..side
        };
        Pair {
            i: moved(pair.i),
            o: moved(pair.o),
            n: pair.n,
        }
    };
    let pairs: Vec<Pair> = pairs(1.4).into_iter().map(along_the_face).chain(pairs(1.4)).collect();
    let columns: Vec<Vec<f64>> = pairs
        .iter()
        .map(|pair| [&pair.i.column()[..], &pair.o.column(), pair.n.as_slice()].concat())
        .collect();
    let flux = |riemann| {
        let physics = physics(1.4, R, Split::KennedyGruber, riemann);
        probe::interface_flux::<f64>(&physics, &columns).expect("CPU")
    };
    let (plain, stable) = (flux(Riemann::Roe), flux(Riemann::RoeEntropyStable));
    let mut changed = 0;
    for ((pair, plain), stable) in pairs.iter().zip(&plain).zip(&stable) {
        let (plain, stable) = (State::from_column_slice(plain), State::from_column_slice(stable));
        assert!(
            production(pair, &stable) < 1e-14,
            "{pair:?}: {:e}",
            production(pair, &stable)
        );
        if production(pair, &plain) < -1e-14 {
            assert_eq!(plain, stable, "{pair:?}");
        } else {
            // What is added is a multiple of the jump, with which the flux makes no entropy.
            let jump = pair.o.conserved() - pair.i.conserved();
            let share = (plain - stable).dot(&jump) / jump.norm_squared();
            assert!((plain - stable - share * jump).amax() < 1e-13, "{pair:?}");
            assert!(production(pair, &stable).abs() < 1e-13, "{pair:?}");
            changed += 1;
        }
    }
    println!("Roe's flux makes entropy in {changed} of {} pairs", pairs.len());
    assert!(changed > PAIRS / 50);
}

#[test]
fn hllc_flux_is_toros() {
    compare(Split::KennedyGruber, Riemann::Hllc, hllc);
}

#[test]
fn rusanov_flux_dissipates_with_the_fastest_wave_of_both_sides() {
    compare(Split::KennedyGruber, Riemann::Rusanov, rusanov);
}

#[test]
fn central_flux_is_that_of_the_form_of_the_equations() {
    compare(Split::None, Riemann::Central, mean);
    compare(Split::KennedyGruber, Riemann::Central, kennedy_gruber);
}

#[test]
fn at_a_sonic_point_the_entropy_fix_leaves_a_twentieth_of_the_speed_of_sound() {
    // A weak wave that does not move. |vn - c| alone would give it no dissipation, but Harten's function gives delta/2
    // = c/20.
    let (gamma, n) = (1.4, Vector::new(0.48, -0.6, 0.64));
    for sign in [1.0, -1.0] {
        let (rho, p) = (1.3, 0.9);
        let c = f64::sqrt(gamma * p / rho);
        let base = Gas {
            rho,
            v: sign * c * n + 0.3 * n.cross(&Vector::new(0.3, 0.5, 0.7)),
            p,
            gamma,
        };
        // The jump is the eigenvector of the wave that moves at vn - sign c.
        let strength = 1e-7;
        let other = Gas {
            rho: rho * (1.0 + strength),
            v: base.v - sign * strength * c * n,
            p: p + strength * rho * c * c,
            gamma,
        };
        let pair = Pair { i: base, o: other, n };
        let columns = vec![[&base.column()[..], &other.column(), n.as_slice()].concat()];
        let physics = physics(gamma, R, Split::None, Riemann::Roe);
        let found = &probe::interface_flux::<f64>(&physics, &columns).expect("CPU")[0];
        let dissipation = mean(&pair) - State::from_column_slice(found);
        let jump = other.conserved() - base.conserved();
        for v in 0..5 {
            let share = dissipation[v] / (0.5 * c * jump[v]);
            println!("variable {v}: {share:.6} c");
            assert!((share - 0.05).abs() < 1e-4, "variable {v}: {share}");
        }
    }
}
