//! Gas and scheme for tests of single functions of the method.

use fr_les::case::{Correction, Gas, Riemann, Scheme, Split};
use fr_les::device::Physics;
use fr_les::physics::{EntropyCorrection, Shock};

/// An inviscid gas of Prandtl number 0.71 with this scheme.
pub fn physics(gamma: f64, gas_constant: f64, split: Split, riemann: Riemann) -> Physics {
    let gas = Gas {
        gamma,
        prandtl: 0.71,
        gas_constant,
        viscosity: None,
    };
    let scheme = Scheme {
        split,
        riemann,
        correction: Correction::Radau,
        entropy_correction: EntropyCorrection::None,
        shock: Shock::None,
        ..Scheme::default()
    };
    Physics::new(gas, scheme)
}
