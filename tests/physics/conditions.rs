//! Boundary conditions at single states, evaluated by the functions of ptx/physics/boundary.h that the solver uses.

use crate::common::physics;
use crate::common::random::Random;
use fr_les::case::{Riemann, Split};
use fr_les::device::{Physics, cpu::probe};
use fr_les::physics::BoundaryKind;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Gas constant; it makes pressures and temperatures different in size.
const R: f64 = 287.0;

fn physics(gamma: f64) -> Physics {
    physics::physics(gamma, R, Split::KennedyGruber, Riemann::Roe)
}

/// A state: density, velocity and temperature.
#[derive(Debug, Clone, Copy)]
struct State {
    rho: f64,
    v: [f64; 3],
    t: f64,
}

impl State {
    fn p(&self) -> f64 {
        self.rho * R * self.t
    }
    fn sound(&self, gamma: f64) -> f64 {
        (gamma * R * self.t).sqrt()
    }
    fn conserved(&self, gamma: f64) -> [f64; 5] {
        let [u, v, w] = self.v.map(|c| c * self.rho);
        let energy = self.p() / (gamma - 1.0) + 0.5 * self.rho * dot(self.v, self.v);
        [self.rho, u, v, w, energy]
    }
}

/// The result of a condition: ghost state, velocity and temperature for the gradient, common viscous flux.
struct Answer {
    state: State,
    v: [f64; 3],
    t: f64,
    flux: [f64; 4],
}

/// The input of a condition: own state, normal and boundary data.
#[derive(Debug, Clone, Copy)]
struct Question {
    own: State,
    n: [f64; 3],
    data: [f64; 5],
}

const FLUX: [f64; 4] = [0.3, -0.2, 0.5, 40.0];

fn ask(kind: BoundaryKind, gamma: f64, single: bool, questions: &[Question]) -> Vec<Answer> {
    let column = |q: &Question| -> Vec<f64> {
        let own = [q.own.rho, q.own.v[0], q.own.v[1], q.own.v[2], q.own.t];
        [&own[..], &q.n, &q.data, &[0.0], &FLUX, &[f64::from(kind as i32), 0.0]].concat()
    };
    let columns: Vec<_> = questions.iter().map(column).collect();
    let answers = if single {
        probe::boundary_condition::<f32>(&physics(gamma), &columns)
    } else {
        probe::boundary_condition::<f64>(&physics(gamma), &columns)
    };
    let answer = |a: Vec<f64>| Answer {
        state: State {
            rho: a[0],
            v: [a[1], a[2], a[3]],
            t: a[4],
        },
        v: [a[5], a[6], a[7]],
        t: a[8],
        flux: [a[9], a[10], a[11], a[12]],
    };
    answers.expect("CPU").into_iter().map(answer).collect()
}

/// Random state of air at up to `mach` in any direction.
fn air(random: &mut Random, mach: f64, gamma: f64) -> State {
    let mut state = State {
        rho: random.between(0.5, 2.0),
        v: [0.0; 3],
        t: random.between(250.0, 400.0),
    };
    let speed = random.next() * mach * state.sound(gamma);
    state.v = random.unit().map(|c| c * speed);
    state
}

/// The largest errors by name.
#[derive(Default)]
struct Worst(std::collections::BTreeMap<&'static str, f64>);

impl Worst {
    fn see(&mut self, what: &'static str, error: f64) {
        let e = self.0.entry(what).or_default();
        *e = e.max(error.abs());
    }
    fn check(&self, title: &str, bound: f64) {
        println!(
            "{title}: {:.1e} {:?}",
            self.0.values().fold(0.0f64, |a, b| a.max(*b)),
            self.0
        );
        assert!(self.0.values().all(|e| *e <= bound), "{title}");
    }
}

#[test]
fn walls_reflect_about_their_own_velocity_and_temperature() {
    let mut random = Random(1);
    let questions: Vec<Question> = (0..200)
        .map(|_| Question {
            own: air(&mut random, 0.8, 1.4),
            n: random.unit(),
            data: [10.0, -20.0, 5.0, 320.0, 0.0],
        })
        .collect();
    let mut worst = Worst::default();
    for kind in [BoundaryKind::NoSlipAdiabatic, BoundaryKind::NoSlipIsothermal] {
        for (q, a) in questions.iter().zip(ask(kind, 1.4, false, &questions)) {
            for d in 0..3 {
                worst.see("mean velocity", (0.5 * (q.own.v[d] + a.v[d]) - q.data[d]) / 300.0);
                worst.see("velocity met", (a.state.v[d] - a.v[d]) / 300.0);
                worst.see("traction", a.flux[d] - FLUX[d]);
            }
            worst.see("density", a.state.rho - q.own.rho);
            worst.see("pressure", a.state.p() / q.own.p() - 1.0);
            let traction = [FLUX[0], FLUX[1], FLUX[2]];
            let (work, heat) = (dot([10.0, -20.0, 5.0], traction), FLUX[3] - dot(q.own.v, traction));
            if kind == BoundaryKind::NoSlipIsothermal {
                worst.see("mean temperature", (0.5 * (q.own.t + a.t) - 320.0) / 320.0);
                worst.see("energy", (a.flux[3] - work - heat) / 300.0);
            } else {
                worst.see("temperature", a.t - q.own.t);
                worst.see("energy", (a.flux[3] - work) / 300.0);
            }
        }
    }
    for (q, a) in questions.iter().zip(ask(BoundaryKind::Slip, 1.4, false, &questions)) {
        worst.see(
            "slip: normal velocity",
            (dot(a.state.v, q.n) + dot(q.own.v, q.n)) / 300.0,
        );
        worst.see("slip: work", a.flux[3]);
        let n = q.n.map(|c| c * dot(q.n, [a.flux[0], a.flux[1], a.flux[2]]));
        (0..3).for_each(|d| worst.see("slip: shear", a.flux[d] - n[d]));
    }
    worst.check("walls", 1e-15);
}

/// Own states and reservoirs whose gas enters at Mach numbers from 0 to 0.95, at up to 75 degrees from the normal.
fn reservoirs(gamma: f64) -> Vec<Question> {
    let mut random = Random(7);
    let mut question = || {
        let n = random.unit();
        let mut direction = random.unit();
        while -dot(direction, n) < 0.26 {
            direction = random.unit();
        }
        // The entering flow that solves the problem, and an own state on the same outgoing wave.
        let mach = random.between(1e-3, 0.95);
        let (p0, t0) = (random.between(5e4, 3e5), random.between(250.0, 400.0));
        let heat = 1.0 + 0.5 * (gamma - 1.0) * mach * mach;
        let (t, p) = (t0 / heat, p0 * heat.powf(-gamma / (gamma - 1.0)));
        let speed = mach * (gamma * R * t).sqrt();
        let own_p = p * random.between(0.95, 1.05);
        let rho = own_p / (R * t) * random.between(0.9, 1.1);
        let z = rho * (gamma * own_p / rho).sqrt();
        let vn = speed * dot(direction, n) + (p - own_p) / z;
        let own = State {
            rho,
            v: n.map(|c| c * vn),
            t: own_p / (R * rho),
        };
        Question {
            own,
            n,
            data: [p0, t0, direction[0], direction[1], direction[2]],
        }
    };
    (0..2000).map(|_| question()).collect()
}

#[test]
fn total_inlet_solves_its_equations_to_round_off() {
    for gamma in [1.1, 1.4, 5.0 / 3.0] {
        let questions = reservoirs(gamma);
        for (single, bound) in [(false, 1e-14), (true, 3e-6)] {
            let mut worst = Worst::default();
            for (q, a) in questions
                .iter()
                .zip(ask(BoundaryKind::TotalInlet, gamma, single, &questions))
            {
                let (s, n) = (a.state, q.n);
                let cp = gamma / (gamma - 1.0) * R;
                worst.see("total temperature", (s.t + 0.5 * dot(s.v, s.v) / cp) / q.data[1] - 1.0);
                // The power is evaluated in double precision, for the temperature that the kernel found.
                let ratio = (s.t / q.data[1]).powf(gamma / (gamma - 1.0));
                worst.see("total pressure", s.p() / (ratio * q.data[0]) - 1.0);
                let z = q.own.rho * q.own.sound(gamma);
                let outgoing = |s: &State| s.p() + z * dot(s.v, n);
                worst.see("outgoing wave", (outgoing(&s) - outgoing(&q.own)) / q.data[0]);
                let speed = dot(s.v, s.v).sqrt();
                let off = (0..3).map(|d| (s.v[d] - speed * q.data[2 + d]) / s.sound(gamma));
                off.for_each(|e| worst.see("direction", e));
            }
            worst.check(&format!("total-inlet, gamma {gamma:.2}, single {single}"), bound);
        }
    }
}

#[test]
fn inflow_and_outflow_keep_the_wave_that_leaves() {
    let mut random = Random(3);
    let gamma = 1.4;
    let questions: Vec<Question> = (0..2000)
        .map(|_| {
            let own = air(&mut random, 0.7, gamma);
            let outer = State {
                rho: own.rho * random.between(0.9, 1.1),
                v: own.v.map(|c| c + random.between(-10.0, 10.0)),
                t: own.t * random.between(0.9, 1.1),
            };
            Question {
                own,
                n: random.unit(),
                data: outer.conserved(gamma),
            }
        })
        .collect();
    let mut worst = Worst::default();
    for (q, a) in questions
        .iter()
        .zip(ask(BoundaryKind::FarField, gamma, false, &questions))
    {
        let d = q.data;
        let v = [d[1], d[2], d[3]].map(|m| m / d[0]);
        let p = (gamma - 1.0) * (d[4] - 0.5 * d[0] * dot(v, v));
        // z = rho c at the mean pressure on the isentrope of the own state.
        let mean = 0.5 * (p + q.own.p());
        let z = (gamma * mean * (q.own.rho + (mean - q.own.p()) / q.own.sound(gamma).powi(2))).sqrt();
        let wave = |p: f64, v: [f64; 3], sign: f64| (p + sign * z * dot(v, q.n)) / p;
        let s = a.state;
        worst.see(
            "outgoing",
            wave(s.p(), s.v, 1.0) - wave(q.own.p(), q.own.v, 1.0) * q.own.p() / s.p(),
        );
        worst.see("incoming", wave(s.p(), s.v, -1.0) - wave(p, v, -1.0) * p / s.p());
        let enters = dot(s.v, q.n) < 0.0;
        let from = if enters { v } else { q.own.v };
        let tangential = |v: [f64; 3], d: usize| v[d] - dot(v, q.n) * q.n[d];
        (0..3).for_each(|d| worst.see("tangential", (tangential(s.v, d) - tangential(from, d)) / 300.0));
        let (p_from, rho_from) = if enters { (p, d[0]) } else { (q.own.p(), q.own.rho) };
        let rho = rho_from * (1.0 + (s.p() / p_from - 1.0) / gamma);
        worst.see("entropy", s.rho / rho - 1.0);
        let seen = if enters { 2.0 * s.t - q.own.t } else { q.own.t };
        worst.see("temperature that the gradient sees", a.t / seen - 1.0);
    }
    worst.check("far field", 2e-14);

    // Pressure outlet and velocity inlet: the outgoing wave with the own z, and the prescribed values.
    let questions: Vec<Question> = questions
        .iter()
        .map(|q| {
            let own = State {
                v: q.own.v.map(|c| 0.4 * c),
                ..q.own
            };
            Question { own, ..*q }
        })
        .collect();
    let outlets: Vec<Question> = questions
        .iter()
        .map(|q| Question {
            data: [q.own.p() * 1.02, 300.0, 0.0, 0.0, 0.0],
            ..*q
        })
        .collect();
    let inlets: Vec<Question> = questions
        .iter()
        .map(|q| Question {
            data: [30.0, -60.0, 90.0, 310.0, 0.0],
            ..*q
        })
        .collect();
    let mut worst = Worst::default();
    let mut counts = [0; 4];
    for (kind, questions) in [
        (BoundaryKind::PressureOutlet, &outlets),
        (BoundaryKind::VelocityInlet, &inlets),
    ] {
        for (q, a) in questions.iter().zip(ask(kind, gamma, false, questions)) {
            let z = q.own.rho * q.own.sound(gamma);
            let wave = |s: &State| s.p() + z * dot(s.v, q.n);
            worst.see("outgoing", (wave(&a.state) - wave(&q.own)) / q.own.p());
            let (s, vn) = (a.state, dot(a.state.v, q.n));
            let case = if kind == BoundaryKind::PressureOutlet { 0 } else { 2 } + usize::from(vn < 0.0);
            counts[case] += 1;
            match case {
                0 => worst.see("outlet pressure", s.p() / q.data[0] - 1.0),
                1 => {
                    let t0 = s.t + 0.5 * vn * vn / (3.5 * R);
                    worst.see("back-flow: total temperature", t0 / 300.0 - 1.0);
                    worst.see(
                        "back-flow: total pressure",
                        s.p() * (t0 / s.t).powf(3.5) / q.data[0] - 1.0,
                    );
                    let tangential = (0..3).map(|d| (s.v[d] - vn * q.n[d]) / 300.0);
                    tangential.for_each(|e| worst.see("back-flow: along the normal", e));
                }
                2 => worst.see("suction", (vn - dot([30.0, -60.0, 90.0], q.n)) / 300.0),
                _ => {
                    worst.see("temperature", s.t / 310.0 - 1.0);
                    (0..3).for_each(|d| worst.see("velocity", s.v[d] - q.data[d]));
                }
            }
        }
    }
    println!("outflow, back-flow, suction, inflow: {counts:?}");
    assert!(counts.iter().all(|n| *n > 300), "every case is met");
    worst.check("outlet and inlet", 1e-14);
}

#[test]
fn nothing_is_prescribed_where_gas_leaves_faster_than_sound() {
    let n = [1.0, 0.0, 0.0];
    let own = State {
        rho: 1.2,
        v: [500.0, 20.0, 0.0],
        t: 300.0,
    };
    let outer = State {
        rho: 0.5,
        v: [0.0; 3],
        t: 250.0,
    };
    for (kind, data) in [
        (BoundaryKind::FarField, outer.conserved(1.4)),
        (BoundaryKind::SupersonicOutlet, [0.0; 5]),
        (BoundaryKind::PressureOutlet, [2e5, 0.0, 0.0, 0.0, 0.0]),
        (BoundaryKind::TotalInlet, [2e5, 300.0, 0.0, 0.0, 0.0]),
    ] {
        let a = &ask(kind, 1.4, false, &[Question { own, n, data }])[0];
        assert!(
            a.state.rho == own.rho && a.state.v == own.v && a.state.t == own.t && a.v == own.v && a.t == own.t,
            "{kind:?}: {:?}",
            a.state
        );
        // Shear leaves; normal traction and heat do not.
        assert_eq!(a.flux[0], 0.0);
        assert_eq!([a.flux[1], a.flux[2]], [FLUX[1], FLUX[2]]);
        assert!((a.flux[3] - 20.0 * FLUX[1]).abs() < 1e-14);
    }
}

#[test]
fn a_bad_start_leaves_density_and_pressure_positive() {
    // The pressures and speeds of both sides are unrelated, but the ghost state must still be a gas.
    let mut random = Random(11);
    let mut lowest = f64::INFINITY;
    for kind in [
        BoundaryKind::FarField,
        BoundaryKind::TotalInlet,
        BoundaryKind::PressureOutlet,
        BoundaryKind::VelocityInlet,
    ] {
        let questions: Vec<Question> = (0..2000)
            .map(|_| {
                let mut own = air(&mut random, 3.0, 1.4);
                own.rho *= 10f64.powf(random.between(-1.5, 1.5));
                let data = match kind {
                    BoundaryKind::FarField => air(&mut random, 3.0, 1.4).conserved(1.4),
                    BoundaryKind::VelocityInlet => [
                        random.between(-900.0, 900.0),
                        0.0,
                        random.between(-900.0, 900.0),
                        300.0,
                        0.0,
                    ],
                    _ => [random.between(1e4, 1e6), random.between(200.0, 500.0), 0.0, 0.0, 0.0],
                };
                Question {
                    own,
                    n: random.unit(),
                    data,
                }
            })
            .collect();
        for (q, a) in questions.iter().zip(ask(kind, 1.4, false, &questions)) {
            let s = a.state;
            assert!(
                s.rho > 0.0 && s.t > 0.0 && s.v.iter().all(|c| c.is_finite()),
                "{kind:?}: {q:?} gives {s:?}"
            );
            lowest = lowest.min(s.p() / q.own.p());
        }
    }
    println!("lowest pressure across: {lowest:.1e} of the own");
}
