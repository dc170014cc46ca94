//! Boundary layers in the profiles of a steady solution: their thicknesses, shape factor and Reynolds number.
//!
//! A layer of a profile begins at an end that lies on a wall. Its edge is where the speed relative to the wall is
//! largest, between the wall and the place where the profile comes nearer to a wall again: in a channel this is the
//! middle. The thicknesses are those of H. Schlichting & K. Gersten, Boundary-Layer Theory (2017), section 10.4, for a
//! compressible gas, by the trapezoidal rule over the distance from the wall:
//!
//! ```text
//! displacement  int (1 - rho u/(rho_e u_e)) dn,   momentum  int rho u/(rho_e u_e) (1 - u/u_e) dn
//! ```
//!
//! u is the component along the velocity of the edge. Where the flow outside is not uniform they depend on the edge.

use crate::format::number;
use crate::physics::Gas;
use crate::vector::{Vector, dot, length, minus};

/// Share of the edge's velocity that is reached at the thickness of a layer.
const THICKNESS: f64 = 0.99;
/// Fewest places of a profile from the wall to the edge, both included.
const FEWEST: usize = 5;
/// Distance from a wall over the length of the profile up to which a place is on the wall.
const ON_WALL: f64 = 1e-9;

/// A place of a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Coordinate along the profile.
    pub coordinate: f64,
    /// Distance from the nearest wall.
    pub distance: f64,
    /// Density.
    pub rho: f64,
    /// Velocity.
    pub velocity: Vector,
    /// Temperature.
    pub temperature: f64,
}

/// A boundary layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryLayer {
    /// Coordinate of the wall along the profile.
    pub wall: f64,
    /// Distance from the wall at which the velocity is 0.99 of that at the edge.
    pub thickness: f64,
    /// Displacement thickness.
    pub displacement: f64,
    /// Momentum thickness.
    pub momentum: f64,
    /// Velocity at the edge, relative to the wall.
    pub edge_velocity: f64,
    /// Reynolds number of the momentum thickness, with velocity, density and viscosity of the edge.
    pub reynolds: f64,
}

impl BoundaryLayer {
    /// Returns the shape factor, displacement over momentum thickness.
    pub fn shape_factor(&self) -> f64 {
        self.displacement / self.momentum
    }

    /// Returns the layer in words.
    pub fn describe(&self) -> String {
        format!(
            "boundary layer at {}: Re_theta = {}, H = {}, delta99 = {}, displacement thickness = {}, momentum \
             thickness = {}, edge velocity = {}",
            number(self.wall),
            number(self.reynolds),
            number(self.shape_factor()),
            number(self.thickness),
            number(self.displacement),
            number(self.momentum),
            number(self.edge_velocity)
        )
    }

    /// Returns the layers at both ends of a profile, whose places are in ascending order of the coordinate. An end that
    /// is on no wall has none, and neither has one with fewer than five places up to the edge.
    pub fn of_profile(places: &[Place], gas: &Gas) -> Vec<Self> {
        let backward: Vec<Place> = places.iter().rev().copied().collect();
        [places, &backward]
            .into_iter()
            .filter_map(|places| Self::from_wall(places, gas))
            .collect()
    }

    /// Returns the layer at the first place.
    fn from_wall(places: &[Place], gas: &Gas) -> Option<Self> {
        let wall = places.first()?;
        let last = places.last()?;
        if wall.distance > ON_WALL * (last.coordinate - wall.coordinate).abs() {
            return None;
        }
        let rising = places
            .windows(2)
            .take_while(|two| two[1].distance > two[0].distance)
            .count();
        let relative = |place: &Place| minus(place.velocity, wall.velocity);
        let speed = |at: &usize| length(relative(&places[*at]));
        let edge = (0..=rising).max_by(|a, b| speed(a).total_cmp(&speed(b)))?;
        (edge + 1 >= FEWEST)
            .then(|| Self::up_to_edge(&places[..=edge], gas))
            .flatten()
    }

    /// Returns the layer from the wall, which is the first place, to the edge, which is the last one.
    pub fn up_to_edge(places: &[Place], gas: &Gas) -> Option<Self> {
        let wall = places.first()?;
        let outer = places.last()?;
        let relative = |place: &Place| minus(place.velocity, wall.velocity);
        let edge_velocity = length(relative(outer));
        if edge_velocity <= 0.0 {
            return None;
        }
        let direction = relative(outer).map(|v| v / edge_velocity);
        let layer: Vec<[f64; 3]> = places
            .iter()
            .map(|place| {
                let u = dot(relative(place), direction) / edge_velocity;
                [place.distance, u, place.rho / outer.rho * u]
            })
            .collect();
        let integral = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
            let part = |two: &[[f64; 3]]| {
                0.5 * (two[1][0] - two[0][0]) * (value(two[0][1], two[0][2]) + value(two[1][1], two[1][2]))
            };
            layer.windows(2).map(part).sum()
        };
        let reaches = layer.iter().position(|[_, u, _]| *u >= THICKNESS)?;
        let [[below, slow, _], [above, fast, _]] = [layer[reaches - 1], layer[reaches]];
        let momentum = integral(&|u, flux| flux * (1.0 - u));
        Some(BoundaryLayer {
            wall: wall.coordinate,
            thickness: below + (THICKNESS - slow) / (fast - slow) * (above - below),
            displacement: integral(&|_, flux| 1.0 - flux),
            momentum,
            edge_velocity,
            reynolds: outer.rho * edge_velocity * momentum / gas.mu(outer.temperature),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::Viscosity;

    const GAS: Gas = Gas {
        gamma: 1.4,
        prandtl: 0.72,
        gas_constant: 1.0,
        viscosity: Some(Viscosity::Constant(1e-3)),
    };

    /// Places from a wall at 2, which moves along z, to a distance of 1, with these densities and speeds along x + z.
    fn places(state: impl Fn(f64) -> [f64; 2]) -> Vec<Place> {
        let place = |i: i32| {
            // Clustered at the wall.
            let distance = (f64::from(i) / 2000.0).powi(2);
            let [rho, speed] = state(distance);
            Place {
                coordinate: 2.0 + distance,
                distance,
                rho,
                velocity: [0.6 * speed, 0.0, 0.5 + 0.8 * speed],
                temperature: 1.0,
            }
        };
        (0..=2000).map(place).collect()
    }

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-4
    }

    #[test]
    fn the_thicknesses_of_an_exponential_and_of_a_power_are_exact() {
        // u = U (1 - exp(-n/a)): displacement a, momentum a/2, 0.99 at a ln 100.
        let a = 0.05;
        let layers = BoundaryLayer::of_profile(&places(|n| [1.5, 3.0 * (1.0 - (-n / a).exp())]), &GAS);
        let [layer] = layers[..] else { panic!("{layers:?}") };
        assert!(
            near(layer.displacement, a) && near(layer.momentum, a / 2.0),
            "{layer:?}"
        );
        assert!(
            near(layer.thickness, a * 100f64.ln()) && near(layer.edge_velocity, 3.0),
            "{layer:?}"
        );
        assert!(near(layer.shape_factor(), 2.0) && layer.wall == 2.0);
        assert!(near(layer.reynolds, 1.5 * 3.0 * a / 2.0 / 1e-3), "{layer:?}");
        let words = layer.describe();
        assert!(
            words.contains("boundary layer at 2: Re_theta = 112.5") && words.contains("H = 2"),
            "{words}"
        );
        // u = (n/d)^(1/7) with the density 2 - n/d: int flux = 2 x 7/8 - 7/15, int flux u = 2 x 7/9 - 7/16; the flux of
        // the edge is 1.
        let d = 0.25;
        let seventh = places(|n| [2.0 - (n / d).min(1.0), (n / d).min(1.0).powf(1.0 / 7.0)]);
        let layer = BoundaryLayer::of_profile(&seventh[..=1000], &GAS)[0];
        let flux = 2.0 * 7.0 / 8.0 - 7.0 / 15.0;
        assert!(
            (layer.displacement / (d * (1.0 - flux)) - 1.0).abs() < 1e-3,
            "{layer:?}"
        );
        assert!(
            (layer.momentum / (d * (flux - (2.0 * 7.0 / 9.0 - 7.0 / 16.0))) - 1.0).abs() < 1e-3,
            "{layer:?}"
        );
        assert!(near(layer.thickness, d * 0.99f64.powi(7)));
    }

    #[test]
    fn both_walls_of_a_channel_have_layers_up_to_the_middle_and_other_ends_have_none() {
        // A parabola between walls at 0 and 1: displacement h/3 and momentum 2h/15 of the half height.
        let place = |i: i32| {
            let y = f64::from(i) / 400.0;
            Place {
                coordinate: y,
                distance: y.min(1.0 - y),
                rho: 1.0,
                velocity: [4.0 * y * (1.0 - y), 0.0, 0.0],
                temperature: 1.0,
            }
        };
        let channel: Vec<Place> = (0..=400).map(place).collect();
        let layers = BoundaryLayer::of_profile(&channel, &GAS);
        assert_eq!(layers.len(), 2);
        for (layer, wall) in layers.iter().zip([0.0, 1.0]) {
            assert!(layer.wall == wall && near(layer.displacement, 0.5 / 3.0) && near(layer.momentum, 1.0 / 15.0));
            assert!(
                near(layer.shape_factor(), 2.5) && near(layer.thickness, 0.45),
                "{layer:?}"
            );
        }
        assert_eq!(BoundaryLayer::of_profile(&channel[10..300], &GAS), []);
        assert_eq!(BoundaryLayer::of_profile(&channel[..4], &GAS), []);
        assert_eq!(BoundaryLayer::of_profile(&[], &GAS), []);
        let still: Vec<Place> = channel
            .iter()
            .map(|p| Place {
                velocity: [0.0; 3],
                ..*p
            })
            .collect();
        assert_eq!(BoundaryLayer::of_profile(&still, &GAS), []);
    }
}
