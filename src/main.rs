use fr_les::case::*;
use fr_les::solver::*;
use std::collections::BTreeMap;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let g = |i: usize, d: &str| a.get(i).cloned().unwrap_or(d.into());
    let p: usize = g(1, "3").parse().unwrap();
    let n: usize = g(2, "16").parse().unwrap();
    let single = g(3, "f64") == "f32";
    let threads: usize = g(4, "1").parse().unwrap();
    let warp: f64 = g(5, "0").parse().unwrap();
    let uniform = g(6, "tgv") == "free";
    let pi = std::f64::consts::PI;
    let p0 = 1.0 / (1.4 * 0.01);
    let f = |k: i32| if uniform { Field::new(move |_, _| [0.7, -0.4, 0.3, p0][k as usize]) } else { Field::new(move |x, _| match k {
        0 => x[0].sin() * x[1].cos() * x[2].cos(), 1 => -x[0].cos() * x[1].sin() * x[2].cos(), 2 => 0.0,
        _ => p0 + ((2.0 * x[0]).cos() + (2.0 * x[1]).cos()) * ((2.0 * x[2]).cos() + 2.0) / 16.0 }) };
    let case = Case { title: "t".into(), path: "x".into(), text: "".into(),
        mesh: BoxMesh { cells: [n, n, n], lower: [-pi; 3], upper: [pi; 3], periodic: [true; 3], stretch: [None; 3], warp, warp_kind: WarpKind::Curved },
        order: p, scheme: Scheme { split: Split::KennedyGruber, riemann: Riemann::Roe, correction: Correction::Radau },
        precision: if single { Precision::Single } else { Precision::Double }, arithmetic: Arithmetic::Auto, device: DeviceKind::Cpu, threads: Some(threads),
        gas: Gas { gamma: 1.4, prandtl: 0.71, gas_constant: 1.0, viscosity: Some(Viscosity::Constant(1.0 / 1600.0)) },
        initial: Initial { velocity: [f(0), f(1), f(2)], pressure: f(3), thermal: Thermal::Temperature(Field::new(move |_, _| p0)) },
        boundaries: BTreeMap::new(), forcing: Forcing::default(),
        time: Time { end: None, steps: None, step: TimeStep::Cfl(0.9), kahan: true },
        output: Output { directory: "r".into(), solution: None, integrals: None } };
    let mut s = Solver::new(&case).unwrap();
    println!("{} points {} sbs {:.2} limits {:?}", s.device.describe(), s.points(), s.device.plan().side_by_side(), s.limits);
    println!("bytes/pt {}", s.device.memory().total() as f64 / s.points() as f64);
    let r = s.rhs(0.0);
    let np = (p + 1).pow(3);
    for v in 0..5 { let m = (0..n*n*n).flat_map(|c| r[(c*5+v)*np..(c*5+v+1)*np].iter()).fold(0.0f64, |m, x| m.max(x.abs())); print!("{m:.3e} "); }
    println!();
    let rates = s.device.rates();
    let dt = 0.9 * s.stable_step(&rates);
    let steps: usize = g(7, "10").parse().unwrap();
    println!("dt {dt} {rates:?}");
    let mut t = 0.0;
    for _ in 0..5 {
        let st = std::time::Instant::now();
        for _ in 0..steps { s.step(t, dt); t += dt; }
        let el = st.elapsed().as_secs_f64();
        println!("ns/dof/stage/core {:.1}", el * 1e9 / (steps * 4 * s.points()) as f64 * threads as f64);
    }
    s.evaluate_rhs(t);
    let i = s.device.integrals();
    let sums: Vec<f64> = (0..17).map(|q| i.chunks(17).map(|c| c[q]).sum::<f64>() / s.geometry.volume).collect();
    println!("t {t} {:?}", &sums[..10]);
    println!("hash {:x}", s.hash());
}
