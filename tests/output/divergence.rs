//! The place of an unphysical state.

use crate::common::cases;
use fr_les::run::divergence::{Extent, Finding, locate};

/// Returns the finding in a row of eight cubes, each 1 wide, of which the given ones hold NaN.
fn found(bad: &[usize], periodic: &str, sides: &str) -> (Finding, Extent) {
    let text = format!(
        "mesh: {{box: {{cells: [8, 1, 1], lower: [0, 0, 0], upper: [8, 1, 1], periodic: [{periodic}]}}}}\n\
         order: 2\ndevice: cpu\ninitial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\n\
         boundaries: {{{sides}}}\ntime: {{steps: 1}}\n"
    );
    let mut solver = cases::solver(&text);
    let mut state = solver.device.state().unwrap();
    for &cell in bad {
        state[5 * 27 * cell + 13] = f64::NAN;
    }
    solver.device.set_state(&state).unwrap();
    let (finding, extent) = locate(&solver, Some(bad[0])).unwrap();
    (finding.unwrap(), extent)
}

#[test]
fn the_cell_furthest_from_sound_ones_is_named() {
    for (bad, cell) in [(&[2, 3, 4, 5, 6][..], 4), (&[0, 1, 6, 7, 5], 7), (&[3], 3)] {
        let (finding, extent) = found(bad, "x, y, z", "");
        assert_eq!((finding.cell, finding.what), (cell, "density"), "{bad:?}");
        assert!(finding.value.is_nan() && finding.at[0] >= cell as f64 && finding.at[0] <= cell as f64 + 1.0);
        assert_eq!((extent.count, extent.cells), (bad.len(), 8));
    }
    // A state that arose at a wall spreads in one direction only.
    let (finding, extent) = found(&[0, 1, 2], "y, z", "x-: {type: slip}, x+: {type: slip}");
    assert_eq!((finding.cell, extent.corners), (0, [[0.0; 3], [3.0, 1.0, 1.0]]));
    let shown = extent.to_string();
    assert!(
        shown.starts_with("3 of 8 cells are unphysical by now, from (0, "),
        "{shown}"
    );
    let all = found(&[0, 1, 2, 3, 4, 5, 6, 7], "x, y, z", "").1.to_string();
    assert!(all.contains("all 8 cells") && all.contains("cannot be told"), "{all}");
}
