//! One case to measure: the flow of Taylor and Green in a box of so many cells.

use super::list::MOST_CELLS;
use crate::commands::word;
use crate::halo::Transport;
use crate::mesh::{BoxElements, BoxMesh, Mesh, WarpKind, build_box};

/// One case to measure.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) order: u64,
    pub(super) cells: u64,
    pub(super) precision: String,
    pub(super) arithmetic: String,
    pub(super) device: String,
    pub(super) threads: Option<usize>,
    pub(super) elements: BoxElements,
    pub(super) curved: bool,
    pub(super) scheme: String,
    pub(super) viscous: bool,
    pub(super) steps: u64,
    pub(super) seconds: f64,
    pub(super) graph: bool,
    pub(super) transport: Transport,
    pub(super) piece: u64,
}

impl Setup {
    /// Returns the bytes of a number of the state.
    pub(super) fn real_bytes(&self) -> usize {
        if self.precision == "single" { 4 } else { 8 }
    }

    /// Returns the case of a Taylor-Green flow in the box of the setup.
    pub(super) fn case_text(&self) -> String {
        let threads = self.threads.map_or(String::new(), |t| format!("threads: {t}\n"));
        let viscosity = if self.viscous {
            ", viscosity: {constant: 1/1600}"
        } else {
            ""
        };
        format!(
            "title: benchmark\nmesh:\n  box:\n    cells: [{c}, {c}, {c}]\n    lower: [-pi, -pi, -pi]\n    \
             upper: [pi, pi, pi]\n    periodic: [x, y, z]\n    elements: {}\n    warp: {}\n\
             scheme: {{{}}}\norder: {}\nprecision: {}\n\
             arithmetic: {}\ndevice: {}\n{threads}exchange: {{transport: {}, piece: {}}}\n\
             constants: {{p0: 1/(1.4*0.1^2)}}\ngas: {{gamma: 1.4, prandtl: 0.71, gas-constant: 1.0{viscosity}}}\n\
             initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
             p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\n\
             time: {{steps: 1, cfl: 0.5, scheme: rk4}}\n",
            word(self.elements),
            if self.curved { 0.1 } else { 0.0 },
            self.scheme,
            self.order,
            self.precision,
            self.arithmetic,
            self.device,
            word(self.transport),
            self.piece,
            c = self.cells
        )
    }
}

/// Returns the number of cubes per direction that gives about so many points.
pub(super) fn cells_for(points: f64, elements: BoxElements, order: usize) -> u64 {
    // The smallest box that all elements can divide.
    let block = BoxMesh {
        cells: [4, 2, 2],
        lower: [0.0; 3],
        upper: [1.0; 3],
        periodic: [true; 3],
        elements,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    let points_of = |mesh: Mesh| mesh.kinds.iter().map(|kind| kind.points(order)).sum::<usize>();
    let of_a_cube = build_box(&block, 1).map_or(1, points_of) as f64 / 16.0;
    let cells = ((points / of_a_cube).cbrt().round() as u64).clamp(1, MOST_CELLS);
    match elements {
        BoxElements::Mixed => cells.next_multiple_of(2).max(4),
        _ => cells,
    }
}
