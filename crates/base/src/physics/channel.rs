//! Initial velocities of turbulent channels: the mean profile of Reichardt's law between two walls, with waves in it
//! that grow into turbulence within about 15 half heights over bulk velocities.
//!
//! The keys become expressions of x, y, z like those that a case may give itself, so that the state is the same on any
//! number of ranks. With the coordinates of the channel (along the flow x, from its middle y, across z, half height h,
//! periods L), kx = 2 pi/Lx, kz = 2 pi/Lz and eta = y/h the velocities are, without divergence and 0 at the walls:
//!
//! ```text
//! mean  u_tau (2.5 ln(1 + 0.4 y+) + 7.8 (1 - exp(-y+/11) - y+/11 exp(-y+/3))),   y+ = re_tau (1 - |eta|)
//! vortices    from the stream function A h (1 - eta^2)^2 (c_2(z) g_1(x) + eta c_3(z) g_2(x) + c_4(z) g_3(x))
//! waves       u = -4 B eta (1 - eta^2) sum sin(a kx x + p) cos(b kz z + q)
//!             v = -B (1 - eta^2)^2 sum a kx h cos(a kx x + p) cos(b kz z + q),   (a, b) = (2, 2), (3, 3), (4, 5)
//! ```
//!
//! The mean is the law of the wall of H. Reichardt, Z. angew. Math. Mech. 31 (1951) 208, with kappa = 0.4. B is 0.02 of
//! the bulk velocity, and A kz h is 0.06 of it, whatever the periods are. c_n are cosines of n kz z with phases. g_1 is
//! 1 + cos(kx x)/2, g_2 is 1 + sin(kx x + 2)/2, and g_3 is 1 + cos(2 kx x + 1)/2. The vortices lift slow fluid into
//! streaks, on which the waves grow. No symmetry is left that rounding would have to break.

use super::wall_law::reichardt;
use crate::format::number as written;
use crate::input::{AXES, Axis, FieldText, Group, Number, Problem, keys, positive};

keys! {
/// Velocities of a turbulent channel between two walls of a box.
ChannelKeys as "a mapping with the keys `re-tau`, `friction-velocity` and `bulk-velocity`" {
    /// Friction Reynolds number of the mean profile, above 0.
    pub re_tau: Number,
    /// Friction velocity of the mean profile, above 0 (velocity).
    pub friction_velocity: Number,
    /// Bulk velocity, above 0 (velocity); it scales the waves.
    pub bulk_velocity: Number,
    /// Direction of the flow, in which the box is periodic.
    #[serde(default = "along_x")]
    pub flow: Axis,
    /// Direction from wall to wall.
    #[serde(default = "along_y")]
    pub normal: Axis,
}}

fn along_x() -> Axis {
    Axis::X
}

fn along_y() -> Axis {
    Axis::Y
}

/// A box of cells: its corners, and the directions in which it is periodic.
#[derive(Debug, Clone, Copy)]
pub struct Domain {
    /// Lower corner.
    pub lower: [f64; 3],
    /// Upper corner.
    pub upper: [f64; 3],
    /// Whether it is periodic in x, y, z.
    pub periodic: [bool; 3],
    /// Whether its lower and upper sides in x, y, z are walls with friction.
    pub friction: [[bool; 2]; 3],
}

impl Domain {
    fn size(&self, axis: usize) -> f64 {
        self.upper[axis] - self.lower[axis]
    }
}

/// The numbers of a channel.
struct Numbers {
    re: f64,
    friction: f64,
    bulk: f64,
}

impl ChannelKeys {
    fn numbers(&self, group: &Group) -> Result<Numbers, Problem> {
        let key = |name: &str| format!("{}.{name}", group.path("channel"));
        let number = |name: &str, number: &Number| group.scope.number_if(&key(name), number, positive, "above 0");
        Ok(Numbers {
            re: number("re-tau", &self.re_tau)?,
            friction: number("friction-velocity", &self.friction_velocity)?,
            bulk: number("bulk-velocity", &self.bulk_velocity)?,
        })
    }

    /// Refuses numbers that contradict each other, or the gas and the box: `gas` are its density and viscosity at the
    /// start, if these are constants.
    pub(super) fn check(&self, group: &Group, domain: Domain, gas: Option<[f64; 2]>) -> Result<(), Problem> {
        /// Largest relative difference of a number from what the others give.
        const RE_SLACK: f64 = 0.1;
        const BULK_SLACK: f64 = 0.2;
        /// Intervals over which the mean velocity is taken.
        const INTERVALS: usize = 1000;
        let Numbers { re, friction, bulk } = self.numbers(group)?;
        let half = 0.5 * domain.size(self.normal.index());
        if let Some([rho, mu]) = gas {
            let given = rho * friction * half / mu;
            if (given / re - 1.0).abs() > RE_SLACK {
                let problem = format!(
                    "`re-tau` is {}, but the friction velocity {}, half the height of the box, {}, the density {} and \
                     the viscosity {} give {}",
                    written(re),
                    written(friction),
                    written(half),
                    written(rho),
                    written(mu),
                    written(given)
                );
                let problem = Problem::new(problem).key(format!("{}.re-tau", group.path("channel")));
                return Err(problem.help(
                    "re-tau is the density times the friction velocity times half the height over \
                                         the viscosity",
                ));
            }
        }
        let at = |i: usize| reichardt(re * (i as f64 + 0.5) / INTERVALS as f64);
        let mean = friction * (0..INTERVALS).map(at).sum::<f64>() / INTERVALS as f64;
        if (mean / bulk - 1.0).abs() > BULK_SLACK {
            let problem = format!(
                "`bulk-velocity` is {}, but the mean profile of these numbers has {}",
                written(bulk),
                written(mean)
            );
            let problem = Problem::new(problem).key(format!("{}.bulk-velocity", group.path("channel")));
            return Err(problem.help("the profile is that of `re-tau` times `friction-velocity`"));
        }
        Ok(())
    }

    /// Returns the velocity in x, y, z as text. `group` is that of the initial state, and `domain` the box.
    pub(super) fn velocity(&self, group: &Group, domain: Option<Domain>) -> Result<[FieldText; 3], Problem> {
        let Numbers { re, friction, bulk } = self.numbers(group)?;
        let key = |name: &str| format!("{}.{name}", group.path("channel"));
        let Some(domain) = domain else {
            let problem = Problem::new("`channel` needs the walls of `mesh.box`, and the mesh comes from a file");
            return Err(problem.key(group.path("channel")).help("give `u`, `v` and `w`"));
        };
        let (flow, normal) = (self.flow.index(), self.normal.index());
        if flow == normal {
            let problem = Problem::new("`flow` and `normal` are the same direction").key(key("normal"));
            return Err(problem.help("for example `flow: x, normal: y`"));
        }
        let span = 3 - flow - normal;
        for (axis, periodic) in [(flow, true), (span, true), (normal, false)] {
            if domain.periodic[axis] != periodic {
                let what = if periodic { "not periodic" } else { "periodic" };
                let problem = format!("the box is {what} in {}, unlike a channel", AXES[axis]);
                return Err(Problem::new(problem)
                    .key(group.path("channel"))
                    .help("the box is periodic along the flow and across it, and has two walls"));
            }
        }
        for (side, friction) in ["-", "+"].into_iter().zip(domain.friction[normal]) {
            if !friction {
                let problem = format!("the side `{}{side}` of the box is no wall with friction", AXES[normal]);
                return Err(Problem::new(problem).key(group.path("channel")).help(
                    "a channel has two walls of type `no-slip-isothermal`, `no-slip-adiabatic` or `wall-model`",
                ));
            }
        }
        let size = |axis: usize| domain.size(axis);
        let half = 0.5 * size(normal);
        let middle = 0.5 * (domain.lower[normal] + domain.upper[normal]);
        let [kx, kz] = [flow, span].map(|axis| std::f64::consts::TAU / size(axis));
        let a = 0.03 * bulk * (2.0 / (kz * half));
        let b = 0.02 * bulk;
        // Phases of waves along the flow and across it, of these multiples of kx and kz.
        let x = |n: f64, phase: f64| format!("({}*{}+{phase})", n * kx, AXES[flow]);
        let z = |n: f64, phase: f64| format!("({}*{}+{phase})", n * kz, AXES[span]);
        let eta = format!("(({}-({middle}))/{half})", AXES[normal]);
        let (near, shape) = (format!("{re}*(1-abs{eta})"), format!("(1-{eta}^2)"));
        let g1 = format!("(1+0.5*cos{})", x(1.0, 0.0));
        let g2 = format!("(1+0.5*sin{})", x(1.0, 2.0));
        let g3 = format!("(1+0.5*cos{})", x(2.0, 1.0));
        let wave =
            |n: f64, phase: f64, m: f64, other: f64, along: &str| format!("{along}{}*cos{}", x(n, phase), z(m, other));
        let u = format!(
            "{friction}*(2.5*log(1+0.4*{near})+7.8*(1-exp(-{near}/11)-{near}/11*exp(-{near}/3)))\
             -4*{b}*{eta}*{shape}*({}+{}+{})",
            wave(2.0, 0.0, 2.0, 0.0, "sin"),
            wave(3.0, 1.0, 3.0, 2.0, "sin"),
            wave(4.0, 2.0, 5.0, 1.0, "sin"),
        );
        let [kz2, kz3, kz4] = [2.0, 3.0, 4.0].map(|n| n * kz * half);
        let [kx2, kx3, kx4] = [2.0, 3.0, 4.0].map(|n| n * kx * half);
        let [z2, z3, z4] = [z(2.0, 0.0), z(3.0, 1.0), z(4.0, 2.0)];
        let v = format!(
            "-{a}*{shape}^2*({kz2}*sin{z2}*{g1}+{kz3}*{eta}*sin{z3}*{g2}+{kz4}*sin{z4}*{g3})\
             -{b}*{shape}^2*({kx2}*{}+{kx3}*{}+{kx4}*{})",
            wave(2.0, 0.0, 2.0, 0.0, "cos"),
            wave(3.0, 1.0, 3.0, 2.0, "cos"),
            wave(4.0, 2.0, 5.0, 1.0, "cos"),
        );
        let w =
            format!("-{a}*(-4*{eta}*{shape}*(cos{z2}*{g1}+{eta}*cos{z3}*{g2}+cos{z4}*{g3})+{shape}^2*cos{z3}*{g2})",);
        let mut velocity = [const { String::new() }; 3];
        (velocity[flow], velocity[normal], velocity[span]) = (u, v, w);
        Ok(velocity.map(|text| FieldText::from(text.as_str())))
    }
}
