//! Von Neumann analysis in space, of waves, of diffusion and of sound: the table of limits of elements that are no tensor products comes
//! from here, and the shares that sound takes of the limit of hexahedra.
//!
//! A unit cube is cut into equal parts of one kind such that copies of it fill space, its six sides are joined with a
//! phase each, and the largest step is sought at which powers of the RK4 amplification operator stay bounded, by
//! applying it many times.

use num_complex::Complex64;
use rayon::prelude::*;

use crate::case::Correction;
use crate::element::{ElementKind, LineElement, ReferenceElement};
use crate::vector::{Vector, cross, dot, length};

/// What lies behind a face point.
#[derive(Clone, Copy)]
struct Neighbour {
    cell: usize,
    /// Its number among the face points of that cell.
    face_point: usize,
    /// Its number among the points of that cell.
    point: usize,
    /// Cubes between that cell and the one in this cube.
    shift: Vector,
}

struct Cell {
    jacobian: f64,
    /// Ja^d.
    metrics: [Vector; 3],
    /// Area vector of each face point.
    areas: Vec<Vector>,
    neighbours: Vec<Neighbour>,
}

struct Tiling {
    element: ReferenceElement,
    /// Point of the cell at each face point.
    traces: Vec<usize>,
    cells: Vec<Cell>,
    /// Slope of the line's correction function at its end.
    strength: f64,
}

/// Vertices of the cells into which the unit cube is cut.
fn cut(kind: ElementKind) -> Vec<Vec<Vector>> {
    let corner = |i: usize| -> Vector { std::array::from_fn(|d| (i >> d & 1) as f64) };
    let pick = |list: &[usize]| list.iter().map(|&i| corner(i)).collect::<Vec<_>>();
    match kind {
        ElementKind::Hex => vec![pick(&[0, 1, 3, 2, 4, 5, 7, 6])],
        ElementKind::Prism => vec![pick(&[0, 1, 3, 4, 5, 7]), pick(&[0, 3, 2, 4, 7, 6])],
        // Kuhn: along the edges of the cube from one end of a diagonal to the other, in all orders.
        ElementKind::Tet => [[1, 2, 4], [2, 4, 1], [4, 1, 2], [1, 4, 2], [4, 2, 1], [2, 1, 4]]
            .iter()
            .enumerate()
            .map(|(number, [a, b, _])| {
                let mut path = [0, *a, a + b, 7];
                if number >= 3 {
                    path.swap(1, 2);
                }
                pick(&path)
            })
            .collect(),
        ElementKind::Pyramid => [
            [0, 1, 3, 2],
            [4, 6, 7, 5],
            [0, 4, 5, 1],
            [2, 3, 7, 6],
            [0, 2, 6, 4],
            [1, 5, 7, 3],
        ]
        .iter()
        .map(|base| {
            let mut vertices = pick(base);
            vertices.push([0.5; 3]);
            vertices
        })
        .collect(),
    }
}

impl Tiling {
    fn new(kind: ElementKind, order: usize, correction: Correction) -> Self {
        let element = ReferenceElement::new(kind, order, correction);
        let vertices = cut(kind);
        let traces: Vec<usize> = element.faces.iter().flat_map(|face| face.points.clone()).collect();
        let cells = (0..vertices.len())
            .map(|cell| {
                let x = &vertices[cell];
                let half = |v: usize| -> Vector { std::array::from_fn(|m| 0.5 * (x[v][m] - x[0][m])) };
                let axes = match kind {
                    ElementKind::Hex => [half(1), half(3), half(4)],
                    ElementKind::Prism | ElementKind::Tet => [half(1), half(2), half(3)],
                    ElementKind::Pyramid => [
                        half(1),
                        half(3),
                        std::array::from_fn(|m| x[4][m] - 0.5 * (x[0][m] + x[2][m])),
                    ],
                };
                let metrics: [Vector; 3] = std::array::from_fn(|d| cross(axes[(d + 1) % 3], axes[(d + 2) % 3]));
                let mut areas = Vec::new();
                let mut neighbours = Vec::new();
                for (number, face) in element.faces.iter().enumerate() {
                    let area = std::array::from_fn(|m| (0..3).map(|d| face.normal[d] * metrics[d][m]).sum());
                    areas.extend(vec![area; face.points.len()]);
                    neighbours.extend(behind(&element, &vertices, cell, number));
                }
                Cell {
                    jacobian: dot(axes[0], metrics[0]),
                    metrics,
                    areas,
                    neighbours,
                }
            })
            .collect();
        let strength = LineElement::new(order, correction).correction[0];
        Tiling {
            element,
            traces,
            cells,
            strength,
        }
    }

    /// Largest advection rate of the cells: half the sum over faces of |v . A|/J.
    fn advection_rate(&self, velocity: Vector) -> f64 {
        self.rate(|cell, area| 0.5 * dot(velocity, area).abs() / cell.jacobian)
    }

    /// Largest diffusion rate of the cells: half the sum over faces of |A|^2/J^2.
    fn diffusion_rate(&self) -> f64 {
        self.rate(|cell, area| 0.5 * dot(area, area) / cell.jacobian.powi(2))
    }

    fn rate(&self, of_face: impl Fn(&Cell, Vector) -> f64) -> f64 {
        let firsts: Vec<usize> = self.element.faces.iter().map(|face| face.first).collect();
        self.cells
            .iter()
            .map(|cell| firsts.iter().map(|&f| of_face(cell, cell.areas[f])).sum())
            .fold(0.0, f64::max)
    }

    /// Values of the other side at all face points of a cell.
    fn outside(&self, cell: &Cell, u: &[Complex64], phase: Vector) -> Vec<Complex64> {
        let np = self.element.len();
        cell.neighbours
            .iter()
            .map(|n| u[n.cell * np + n.point] * Complex64::from_polar(1.0, dot(phase, n.shift)))
            .collect()
    }

    /// (sum_d D_d f^d + lift jump)/J, the f^d being combinations of the physical components with the metric terms.
    fn divergence(&self, cell: &Cell, flux: &[[Complex64; 3]], jump: &[Complex64]) -> Vec<Complex64> {
        let (np, nfp) = (self.element.len(), self.element.face_len());
        let mut result = multiply(&self.element.lift, jump, nfp);
        for d in 0..3 {
            let contravariant: Vec<Complex64> = flux
                .iter()
                .map(|f| (0..3).map(|m| f[m] * cell.metrics[d][m]).sum())
                .collect();
            for (r, term) in result
                .iter_mut()
                .zip(multiply(&self.element.diff[d], &contravariant, np))
            {
                *r += term;
            }
        }
        result.iter_mut().for_each(|r| *r /= cell.jacobian);
        result
    }

    /// -v . grad u with upwind fluxes.
    fn advect(&self, u: &[Complex64], velocity: Vector, phase: Vector) -> Vec<Complex64> {
        let np = self.element.len();
        let mut result = Vec::with_capacity(u.len());
        for (number, cell) in self.cells.iter().enumerate() {
            let own = &u[number * np..][..np];
            let outside = self.outside(cell, u, phase);
            let flux: Vec<_> = own.iter().map(|&u| velocity.map(|v| u * v)).collect();
            let jump: Vec<_> = (0..outside.len())
                .map(|f| (outside[f] - own[self.traces[f]]) * dot(velocity, cell.areas[f]).min(0.0))
                .collect();
            result.extend(self.divergence(cell, &flux, &jump).into_iter().map(|r| -r));
        }
        result
    }

    /// Sound in gas at rest, scaled to a speed of 1: dp/dt = -div v, dv/dt = -grad p, u being p and the components of v one after the
    /// other, with the upwind flux, which damps jumps of pressure and normal velocity and leaves transverse velocities alone.
    fn sound(&self, u: &[Complex64], phase: Vector) -> Vec<Complex64> {
        let (np, points) = (self.element.len(), u.len() / 4);
        let zero = Complex64::from(0.0);
        let mut result = vec![zero; u.len()];
        for (number, cell) in self.cells.iter().enumerate() {
            let of = |variable: usize| &u[variable * points..][..points];
            let own: [&[Complex64]; 4] = std::array::from_fn(|variable| &of(variable)[number * np..][..np]);
            let jumps: [Vec<Complex64>; 4] = std::array::from_fn(|variable| {
                let outside = self.outside(cell, of(variable), phase);
                outside
                    .iter()
                    .zip(&self.traces)
                    .map(|(&o, &t)| o - own[variable][t])
                    .collect()
            });
            // Common less own flux: of pressure, and along the area vector of velocity.
            let at_faces: Vec<[Complex64; 2]> = (0..self.traces.len())
                .map(|f| {
                    let area = cell.areas[f];
                    let size = length(area);
                    let through: Complex64 = (0..3).map(|m| jumps[m + 1][f] * area[m]).sum();
                    [
                        0.5 * (through - jumps[0][f] * size),
                        0.5 * (jumps[0][f] - through / size),
                    ]
                })
                .collect();
            for variable in 0..4 {
                let flux: Vec<[Complex64; 3]> = (0..np)
                    .map(|p| match variable {
                        0 => std::array::from_fn(|m| own[m + 1][p]),
                        _ => std::array::from_fn(|m| if m + 1 == variable { own[0][p] } else { zero }),
                    })
                    .collect();
                let jump: Vec<Complex64> = at_faces
                    .iter()
                    .zip(&cell.areas)
                    .map(|([pressure, velocity], area)| match variable {
                        0 => *pressure,
                        _ => velocity * area[variable - 1],
                    })
                    .collect();
                let rates = self.divergence(cell, &flux, &jump).into_iter().map(|r| -r);
                let place = &mut result[variable * points + number * np..][..np];
                place.iter_mut().zip(rates).for_each(|(place, rate)| *place = rate);
            }
        }
        result
    }

    /// Laplacian of u: BR1, with each side's normal derivative at the face corrected by that of its own jump.
    fn diffuse(&self, u: &[Complex64], phase: Vector) -> Vec<Complex64> {
        let (np, nfp) = (self.element.len(), self.element.face_len());
        // The strength that the kernels give the penalty on every face (ptx/viscous.h).
        let strength = -self.strength;
        let zero = Complex64::from(0.0);
        let mut gradients = Vec::with_capacity(u.len());
        let mut fluxes = Vec::with_capacity(self.cells.len() * nfp);
        for (number, cell) in self.cells.iter().enumerate() {
            let own = &u[number * np..][..np];
            let half_jump: Vec<Complex64> = self
                .outside(cell, u, phase)
                .iter()
                .zip(&self.traces)
                .map(|(outside, &t)| (outside - own[t]) * 0.5)
                .collect();
            let mut gradient = vec![[zero; 3]; np];
            for m in 0..3 {
                let flux: Vec<_> = own
                    .iter()
                    .map(|&u| std::array::from_fn(|n| if n == m { u } else { zero }))
                    .collect();
                let jump: Vec<_> = half_jump
                    .iter()
                    .zip(&cell.areas)
                    .map(|(jump, area)| jump * area[m])
                    .collect();
                for (g, value) in gradient.iter_mut().zip(self.divergence(cell, &flux, &jump)) {
                    g[m] = value;
                }
            }
            for f in 0..nfp {
                let area = cell.areas[f];
                let plain: Complex64 = (0..3).map(|m| gradient[self.traces[f]][m] * area[m]).sum();
                let penalty = half_jump[f] * dot(area, area) * strength / cell.jacobian;
                fluxes.push((plain, plain + penalty));
            }
            gradients.extend(gradient);
        }
        let mut result = Vec::with_capacity(u.len());
        for (number, cell) in self.cells.iter().enumerate() {
            let jump: Vec<_> = cell
                .neighbours
                .iter()
                .enumerate()
                .map(|(f, n)| {
                    let (plain, own) = fluxes[number * nfp + f];
                    let turn = Complex64::from_polar(1.0, dot(phase, n.shift));
                    (own - fluxes[n.cell * nfp + n.face_point].1 * turn) * 0.5 - plain
                })
                .collect();
            result.extend(self.divergence(cell, &gradients[number * np..][..np], &jump));
        }
        result
    }

    /// The largest stable step over all cases of du/dt = `operator` u for so many `variables`, times the rate of each; none beyond
    /// `most` is tried.
    fn limit<T: Copy>(
        &self,
        variables: usize,
        most: f64,
        cases: &[(T, f64)],
        operator: impl Fn(&[Complex64], T) -> Vec<Complex64>,
    ) -> f64 {
        let size = variables * self.cells.len() * self.element.len();
        let mut limit = most;
        for &(case, rate) in cases {
            let stable = |step: f64| stable(|u| operator(u, case), size, step / rate);
            if stable(limit) {
                continue;
            }
            let mut low = 0.0;
            while limit - low > 0.001 * limit {
                let middle = 0.5 * (low + limit);
                if stable(middle) { low = middle } else { limit = middle }
            }
        }
        limit
    }

    fn advection_limit(&self) -> f64 {
        let directions = directions(self.element.kind);
        let cases: Vec<_> = phases()
            .into_iter()
            .flat_map(|phase| directions.iter().map(move |&v| ((v, phase), self.advection_rate(v))))
            .collect();
        self.limit(1, 4.0, &cases, |u, (velocity, phase)| self.advect(u, velocity, phase))
    }

    fn diffusion_limit(&self) -> f64 {
        let cases: Vec<_> = phases()
            .into_iter()
            .map(|phase| (phase, self.diffusion_rate()))
            .collect();
        self.limit(1, 4.0, &cases, |u, phase| self.diffuse(u, phase))
    }

    /// Limit of sound, none beyond `most` is tried.
    fn sound_limit(&self, most: f64) -> f64 {
        let rate = self.rate(|cell, area| 0.5 * length(area) / cell.jacobian);
        let cases: Vec<_> = phases().into_iter().map(|phase| (phase, rate)).collect();
        self.limit(4, most, &cases, |u, phase| self.sound(u, phase))
    }
}

/// Phases from cube to cube: as long as the mesh, two cubes, four.
fn phases() -> Vec<Vector> {
    const PI: f64 = std::f64::consts::PI;
    (0..8)
        .map(|i| std::array::from_fn(|d| PI * (i >> d & 1) as f64))
        .chain([
            [0.5 * PI, 0.5 * PI, 0.5 * PI],
            [0.5 * PI, -0.5 * PI, 0.5 * PI],
            [0.5 * PI, 0.0, PI],
        ])
        .collect()
}

/// Whether RK4 with step `dt` keeps solutions of du/dt = `operator` u bounded.
fn stable(operator: impl Fn(&[Complex64]) -> Vec<Complex64>, size: usize, dt: f64) -> bool {
    const STEPS: usize = 240;
    let mut u: Vec<Complex64> = (0..size)
        .map(|i| Complex64::new((1.7 * i as f64 + 0.3).sin(), (2.3 * i as f64 + 1.1).cos()))
        .collect();
    let mut growth = 0.0;
    for step in 0..STEPS {
        let mut stage = u.clone();
        for divisor in [4.0, 3.0, 2.0, 1.0] {
            let slope = operator(&stage);
            for ((s, k), u) in stage.iter_mut().zip(slope).zip(&u) {
                *s = u + k * (dt / divisor);
            }
        }
        let norm = stage.iter().map(|s| s.norm_sqr()).sum::<f64>().sqrt();
        u = stage.into_iter().map(|s| s / norm).collect();
        // The first steps only let the fastest growing solution come forward.
        if step >= STEPS / 3 {
            growth += norm.ln();
        }
    }
    // Within 0.3 % of the limit solutions grow faster than this, and no change of the norm of bounded ones looks like
    // it.
    growth / ((STEPS - STEPS / 3) as f64) < 5e-3
}

/// Directions of advection in which the least stable ones among many were found.
fn directions(kind: ElementKind) -> Vec<Vector> {
    match kind {
        ElementKind::Hex | ElementKind::Prism => vec![[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ElementKind::Tet => vec![[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]],
        ElementKind::Pyramid => vec![[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]],
    }
}

/// Real matrix times complex vector.
fn multiply(matrix: &[f64], x: &[Complex64], columns: usize) -> Vec<Complex64> {
    matrix
        .chunks(columns)
        .map(|row| row.iter().zip(x).map(|(m, x)| x * m).sum())
        .collect()
}

/// The face points behind those of a face, found by moving the cube to all places around it.
fn behind(element: &ReferenceElement, vertices: &[Vec<Vector>], cell: usize, face: usize) -> Vec<Neighbour> {
    let corners = |cell: usize, face: usize, shift: Vector| -> Vec<Vector> {
        let list = element.kind.faces()[face].vertices;
        list.iter()
            .map(|&v| std::array::from_fn(|m| vertices[cell][v][m] + shift[m]))
            .collect()
    };
    let ours = corners(cell, face, [0.0; 3]);
    let shape = element.faces[face].shape;
    for other in 0..vertices.len() {
        for number in 0..element.faces.len() {
            for place in 0..27 {
                let shift = [place % 3, place / 3 % 3, place / 9].map(|i| i as f64 - 1.0);
                if element.faces[number].shape != shape || (other, number, place) == (cell, face, 13) {
                    continue;
                }
                let theirs = corners(other, number, shift);
                if let Some(orientation) = shape.find_orientation(&ours, &theirs, 1e-9) {
                    return (0..element.faces[face].points.len())
                        .map(|f| {
                            let point = shape.oriented_point(orientation, f, element.order);
                            Neighbour {
                                cell: other,
                                face_point: element.faces[number].first + point,
                                point: element.faces[number].points[point],
                                shift,
                            }
                        })
                        .collect();
                }
            }
        }
    }
    panic!("nothing lies behind face {face} of cell {cell}");
}

mod tests {
    use super::*;
    use crate::element::stability::element_limits;

    /// The kinds of cells with their corrections, of these degrees.
    fn cases(orders: std::ops::RangeInclusive<usize>) -> Vec<(ElementKind, usize, Correction)> {
        let kinds = [
            (ElementKind::Hex, Correction::Radau),
            (ElementKind::Hex, Correction::Lobatto),
            (ElementKind::Prism, Correction::Radau),
            (ElementKind::Prism, Correction::Lobatto),
            (ElementKind::Tet, Correction::Radau),
            (ElementKind::Pyramid, Correction::Radau),
        ];
        let all = orders.flat_map(|order| kinds.map(|(kind, correction)| (kind, order, correction)));
        // Of degree 1 the worst waves have a phase that is not among those tried here; the analysis of one dimension has it.
        all.filter(|&case| case != (ElementKind::Hex, 1, Correction::Lobatto))
            .collect()
    }

    fn near(found: f64, stored: f64, case: (ElementKind, usize, Correction), what: &str) {
        let off = found / stored - 1.0;
        assert!(off.abs() < 0.02, "{what}, {case:?}: {found} against {stored}");
    }

    fn check_waves(orders: std::ops::RangeInclusive<usize>) {
        cases(orders).into_par_iter().for_each(|case| {
            let (kind, order, correction) = case;
            let tiling = Tiling::new(kind, order, correction);
            let stored = element_limits(kind, order, correction).advection;
            let sound = tiling.sound_limit(1.1 * stored);
            // On other elements than hexahedra sound is stable beyond what advection allows.
            assert!(sound > 0.99 * stored, "{case:?}: {sound}");
            near(tiling.advection_limit().min(sound), stored, case, "waves");
        });
    }

    #[test]
    fn the_table_of_waves_agrees_with_the_operators() {
        check_waves(1..=2);
    }

    #[test]
    #[ignore = "takes a quarter of an hour"]
    fn the_table_of_waves_agrees_with_the_operators_of_high_order() {
        check_waves(3..=6);
    }

    fn check_diffusion(orders: std::ops::RangeInclusive<usize>) {
        cases(orders).into_par_iter().for_each(|case| {
            let (kind, order, correction) = case;
            let stored = element_limits(kind, order, correction).diffusion;
            let found = Tiling::new(kind, order, correction).diffusion_limit();
            near(found, stored, case, "diffusion");
        });
    }

    #[test]
    fn the_table_of_diffusion_agrees_with_the_operators() {
        check_diffusion(1..=2);
    }

    #[test]
    #[ignore = "takes ten minutes"]
    fn the_table_of_diffusion_agrees_with_the_operators_of_high_order() {
        check_diffusion(3..=6);
    }

    /// What the long tests would find, seen in a moment: a wrong entry breaks the row.
    #[test]
    fn limits_of_diffusion_fall_ever_more_slowly_with_the_degree() {
        for (kind, _, correction) in cases(2..=2) {
            let limits: Vec<f64> = (1..=6).map(|p| element_limits(kind, p, correction).diffusion).collect();
            let falls: Vec<f64> = limits.windows(2).map(|pair| pair[0] / pair[1]).collect();
            assert!(falls.is_sorted_by(|a, b| a > b), "{kind} {correction:?}: {falls:?}");
        }
    }
}
