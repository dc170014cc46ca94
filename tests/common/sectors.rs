//! Sectors of an annulus with names of their own, to be put side by side for an interface whose sides turn.

use std::f64::consts::FRAC_PI_4;

use fr_les::mesh::{Annulus, Mesh};

use super::blocks::rename;

/// A sector of an eighth about the z axis, one long and periodic around it.
pub fn eighth(cells: [usize; 3]) -> Annulus {
    Annulus {
        inner: 1.0,
        outer: 2.0,
        length: 1.0,
        angle: FRAC_PI_4,
        cells,
        growth: 1.0,
        hex_layers: cells[0],
        geometry_order: 4,
        periodic_angle: true,
        periodic_z: false,
    }
}

/// A sector of an eighth about the z axis between two values of z, from the angle `begin` on, with boundaries
/// `NAMEinner` and so on.
pub fn sector(name: &str, cells: [usize; 3], z: [f64; 2], begin: f64) -> Mesh {
    let annulus = Annulus {
        length: z[1] - z[0],
        ..eighth(cells)
    };
    placed(name, &annulus, z[0], begin)
}

/// An annulus that begins at this z and this angle, with boundaries `NAMEinner` and so on.
pub fn placed(name: &str, annulus: &Annulus, z: f64, begin: f64) -> Mesh {
    let mut mesh = annulus.build().expect("a sector");
    rename(&mut mesh, name);
    let (sine, cosine) = begin.sin_cos();
    for [x, y, height] in &mut mesh.nodes {
        [*x, *y] = [cosine * *x - sine * *y, sine * *x + cosine * *y];
        *height += z;
    }
    mesh
}

/// Two sectors on either side of z = 0, with so many cells around. The second one begins at the angle `begin`.
pub fn two_sectors([radial, axial]: [usize; 2], around: [usize; 2], begin: f64) -> Mesh {
    let first = sector("a-", [radial, around[0], axial], [-1.0, 0.0], 0.0);
    let second = sector("b-", [radial, around[1], axial], [0.0, 1.0], begin);
    first.beside(second).expect("two sectors")
}

/// The lines of a case that join the sectors; the second one turns at `speed`.
pub fn joined(speed: f64) -> String {
    format!(
        "  a-z+: {{type: interface, with: b-z-, axis: z}}\n  \
         b-z-: {{type: interface, with: a-z+, axis: z, angular-speed: {speed}}}\n"
    )
}

/// Walls along which gas slips, of these blocks.
pub fn slip(blocks: &[&str]) -> String {
    let walls = |block: &&str| format!("  {block}inner: {{type: slip}}\n  {block}outer: {{type: slip}}\n");
    blocks.iter().map(walls).collect()
}
