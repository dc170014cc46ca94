//! Vortices that leave through an outlet: how far it distorts them, and the sound that returns. The long ones are the
//! tables of docs/reference/boundaries.md.

use super::advance_holding;
use crate::common::cases::solver;
use crate::common::gas::points;

/// A vortex that leaves: the flow that carries it, its strength, and the box that it leaves.
struct Leaving {
    outlet: &'static str,
    elements: &'static str,
    /// Angle of the flow to the normal of the outlet, in degrees.
    angle: f64,
    mach: f64,
    /// Largest velocity of the vortex over that of the flow.
    strength: f64,
    order: usize,
    /// Size of a cell over the radius of the vortex.
    h: f64,
}

/// What the outlet does to it.
struct Distortion {
    /// Largest error of the velocity over the largest velocity of the vortex, anywhere and at any time.
    velocity: f64,
    /// Largest pressure disturbance upstream over the pressure deficit of the vortex.
    sound: f64,
}

impl Leaving {
    /// Carries an isentropic vortex of radius 1 through the outlet of a box of 12 by 16, and compares with the exact
    /// solution, the vortex carried along unchanged.
    fn run(&self) -> Distortion {
        let [cos, sin] = [self.angle.to_radians().cos(), self.angle.to_radians().sin()];
        let u = self.mach * cos;
        let v = self.mach * sin;
        let top = self.mach * self.strength;
        let (start, end) = (6.0, 10.0 / u);
        let [nx, ny] = [12.0, 16.0].map(|size| (size / self.h) as usize);
        let order = self.order;
        let elements = self.elements;
        let h = self.h;
        let outlet = self.outlet;
        // T falls by (gamma - 1)/2 w^2 at a speed of sound of 1, and p is that of the isentrope.
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [{nx}, {ny}, 1], lower: [0, 0, 0], upper: [12, 16, {h}], periodic: [y, z], \
             elements: {elements}}}}}\norder: {order}\n\
             constants: {{w: {top}}}\n\
             initial: {{u: {u} - w*(y - 8)*exp((1 - (x - {start})^2 - (y - 8)^2)/2), \
             v: {v} + w*(x - {start})*exp((1 - (x - {start})^2 - (y - 8)^2)/2), w: 0, \
             p: (1 - 0.2*w^2*exp(1 - (x - {start})^2 - (y - 8)^2))^3.5/1.4, \
             temperature: (1 - 0.2*w^2*exp(1 - (x - {start})^2 - (y - 8)^2))/1.4}}\n\
             boundaries:\n  x-: {{type: far-field, u: {u}, v: {v}, w: 0, p: 1/1.4, temperature: 1/1.4}}\n  \
             x+: {{{outlet}}}\ntime: {{steps: 1}}\n"
        ));
        let rates = s.device.time_step_bounds().unwrap();
        let looks = 40;
        let steps = (end / f64::from(looks) / (0.7 * s.stable_step(&rates))).ceil() as usize;
        let mut found = Distortion {
            velocity: 0.0,
            sound: 0.0,
        };
        let mut now = 0.0;
        for look in 1..=looks {
            let (interval, time) = (end / f64::from(looks), end / f64::from(looks) * f64::from(look));
            advance_holding(&mut s, &mut now, steps, interval / steps as f64);
            for q in points(&s) {
                let x = q.x[0] - start - u * time;
                let y = (q.x[1] - 8.0 - v * time + 8.0).rem_euclid(16.0) - 8.0;
                let speed = top * (0.5 * (1.0 - x * x - y * y)).exp();
                let error = ((q.v[0] - u + speed * y).powi(2) + (q.v[1] - v - speed * x).powi(2)).sqrt();
                found.velocity = found.velocity.max(error / top);
                if q.x[0] < 3.0 && x * x + y * y > 9.0 {
                    let deficit = 0.5 * top * top * std::f64::consts::E;
                    found.sound = found.sound.max((q.p - 1.0 / 1.4).abs() / deficit);
                }
            }
        }
        found
    }
}

/// How far the velocity is off as a vortex leaves through an outlet at 45 degrees.
fn leaving_at_45_degrees(outlet: &'static str) -> f64 {
    let leaving = Leaving {
        outlet,
        elements: "hex",
        angle: 45.0,
        mach: 0.5,
        strength: 0.1,
        order: 4,
        h: 1.0,
    };
    let off = leaving.run().velocity;
    println!("{outlet}: velocity off by {off:.3}");
    off
}

/// Without terms along the face the default was off by 0.31 here. A fixed pressure is by 0.12, which `long` checks.
#[test]
fn a_vortex_leaves_the_default_outlet_at_45_degrees_as_well_as_a_fixed_pressure() {
    assert!(leaving_at_45_degrees("type: relaxed-outlet, p: 1/1.4, length: 12") < 0.1);
}

/// Other outlets, and the tables.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes half a minute"]
    fn a_vortex_leaves_a_fixed_pressure_at_45_degrees() {
        assert!(leaving_at_45_degrees("type: pressure-outlet, p: 1/1.4") < 0.13);
    }

    #[test]
    #[ignore = "takes half a minute"]
    fn a_vortex_leaves_obliquely_with_a_tenth_of_its_velocity_as_error() {
        let leaving = Leaving {
            outlet: "type: relaxed-outlet, p: 1/1.4, length: 12",
            elements: "hex",
            angle: 63.0,
            mach: 0.65,
            strength: 0.1,
            order: 4,
            h: 1.0,
        };
        let Distortion { velocity, sound } = leaving.run();
        println!("velocity off by {velocity:.3}, sound {sound:.2}");
        // Without terms along the face: 0.92.
        assert!((velocity / 0.104 - 1.0).abs() < 0.05 && sound < 0.2);
    }

    /// The outlets of the tables, by name.
    const OUTLETS: [(&str, &str); 5] = [
        ("pressure-outlet", "type: pressure-outlet, p: 1/1.4"),
        ("default", "type: relaxed-outlet, p: 1/1.4, length: 12"),
        (
            "mean-none",
            "type: relaxed-outlet, p: 1/1.4, length: 12, transverse: none",
        ),
        ("local", "type: relaxed-outlet, p: 1/1.4, length: 12, hold: local"),
        (
            "local-lodato",
            "type: relaxed-outlet, p: 1/1.4, length: 12, hold: local, transverse: lodato",
        ),
    ];

    /// The tables of docs/reference/boundaries.md. Environment variables choose other flows, as lists of words.
    #[test]
    #[ignore = "takes an hour on one core"]
    fn vortices_that_leave() {
        let words = |name: &str, all: &str| -> Vec<String> {
            let chosen = std::env::var(name).unwrap_or_else(|_| all.to_owned());
            chosen.split(' ').map(str::to_owned).collect()
        };
        let numbers = |name: &str, all: &str| -> Vec<f64> {
            let words = words(name, all).into_iter();
            words.map(|word| word.parse().expect("a number")).collect()
        };
        let names = OUTLETS.map(|(name, _)| name).join(" ");
        let chosen = words("VORTEX_OUTLETS", &names);
        let flows = |name: &str| OUTLETS.iter().find(|outlet| outlet.0 == name).expect("an outlet").1;
        for elements in words("VORTEX_ELEMENTS", "hex") {
            for h in numbers("VORTEX_H", "1") {
                for name in &chosen {
                    for mach in numbers("VORTEX_MACH", "0.3 0.5 0.65") {
                        for strength in numbers("VORTEX_STRENGTH", "0.1") {
                            print!("{elements}, h {h}, {name}, Mach {mach}, strength {strength}:");
                            for angle in numbers("VORTEX_ANGLES", "0 15 30 45 60 75") {
                                let leaving = Leaving {
                                    outlet: flows(name),
                                    elements: elements.clone().leak(),
                                    angle,
                                    mach,
                                    strength,
                                    order: 4,
                                    h,
                                };
                                let Distortion { velocity, sound } = leaving.run();
                                print!("  {velocity:.3} ({sound:.2})");
                            }
                            println!();
                        }
                    }
                }
            }
        }
    }
}
