//! The division of an element into tetrahedra between its solution points, without gaps.
//!
//! After shearing, the lattice of every kind is a part of a cubic lattice that is bounded by planes of equal
//! coordinates. Freudenthal's division of each cube into six tetrahedra respects those planes (H. Freudenthal, Ann.
//! Math. 43 (1942) 580). One rule therefore divides all kinds, and neighbouring tetrahedra share whole faces.

use super::ElementKind;

/// Orders of the three directions on a path from one corner of a cube to the opposite one.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The lattice point of a kind that corresponds to a point of the cubic lattice, if there is one.
fn unsheared(kind: ElementKind, [x, y, z]: [usize; 3]) -> Option<[usize; 3]> {
    match kind {
        ElementKind::Hex => Some([x, y, z]),
        ElementKind::Prism => Some([x.checked_sub(y)?, y, z]),
        ElementKind::Tet => Some([x.checked_sub(y)?, y.checked_sub(z)?, z]),
        ElementKind::Pyramid => Some([x.checked_sub(z)?, y.checked_sub(z)?, z]),
    }
}

/// Solution points at the vertices of each tetrahedron.
pub fn tetrahedra(kind: ElementKind, order: usize) -> Vec<[usize; 4]> {
    let mut all = Vec::new();
    for cube in 0..order.pow(3) {
        let corner = [cube % order, cube / order % order, cube / (order * order)];
        for path in PATHS {
            let mut at = corner;
            let mut vertex = |step: usize| {
                if step > 0 {
                    at[path[step - 1]] += 1;
                }
                unsheared(kind, at).map(|at| kind.index(at, order))
            };
            if let [Some(a), Some(b), Some(c), Some(d)] = [0, 1, 2, 3].map(&mut vertex) {
                all.push([a, b, c, d]);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::nodes;

    #[test]
    fn they_fill_every_kind_of_element_and_none_is_turned_inside_out() {
        for kind in ElementKind::ALL {
            for order in 1..=kind.max_order() {
                let points = nodes(kind, order);
                let mut sum = 0.0;
                for tet in tetrahedra(kind, order) {
                    let [o, a, b, c] = tet.map(|i| points[i]);
                    let [a, b, c] = [a, b, c].map(|x| [0, 1, 2].map(|d| x[d] - o[d]));
                    let volume = (a[0] * (b[1] * c[2] - b[2] * c[1])
                        + a[1] * (b[2] * c[0] - b[0] * c[2])
                        + a[2] * (b[0] * c[1] - b[1] * c[0]))
                        .abs()
                        / 6.0;
                    assert!(volume > 1e-6, "{kind} {order} {tet:?}: {volume}");
                    sum += volume;
                }
                assert!((sum - kind.volume()).abs() < 1e-12, "{kind} {order}: {sum}");
            }
        }
    }
}
