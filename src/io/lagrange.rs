//! The order in which VTK numbers the nodes of a Lagrange hexahedron.
//!
//! VTK goes from the outside to the inside: the eight vertices, the inner nodes of the twelve edges, of the six faces,
//! and of the cell; the solver's tensor order runs through the cell x first, then y, then z. The vertical edges are
//! taken counter-clockwise as the vertices are: (0,0), (p,0), (p,p), (0,p). VTK before 9 had the last two swapped and
//! its XML readers still reorder old files; the HDF reader does not, it takes the new order for every file.

/// Tensor indices i + n (j + n k), n = p + 1, of the nodes of a hexahedron of order `p`, in VTK's order.
///
/// Length (p+1)^3, a permutation of 0..(p+1)^3; `p` is at least 1.
pub(super) fn hexahedron(p: usize) -> Vec<usize> {
    let n = p + 1;
    let node = |[i, j, k]: [usize; 3]| i + n * (j + n * k);
    let corners = [[0, 0], [p, 0], [p, p], [0, p]];
    let mut order = Vec::with_capacity(n * n * n);

    for z in [0, p] {
        order.extend(corners.map(|[x, y]| node([x, y, z])));
    }
    for z in [0, p] {
        // Edges of a horizontal face; all run in the positive direction, whatever the sense of the vertices.
        order.extend((1..p).map(|t| node([t, 0, z])));
        order.extend((1..p).map(|t| node([p, t, z])));
        order.extend((1..p).map(|t| node([t, p, z])));
        order.extend((1..p).map(|t| node([0, t, z])));
    }
    for [x, y] in corners {
        order.extend((1..p).map(|t| node([x, y, t])));
    }
    for normal in 0..3 {
        // In a face the lower of the two remaining directions runs first.
        let (first, second) = [(1, 2), (0, 2), (0, 1)][normal];
        for side in [0, p] {
            for b in 1..p {
                for a in 1..p {
                    let mut index = [side; 3];
                    (index[first], index[second]) = (a, b);
                    order.push(node(index));
                }
            }
        }
    }
    for k in 1..p {
        for j in 1..p {
            order.extend((1..p).map(|i| node([i, j, k])));
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::hexahedron;

    #[test]
    fn is_a_permutation() {
        for p in 1..=10 {
            let mut order = hexahedron(p);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..(p + 1).pow(3)), "p = {p}");
        }
    }

    /// The orders 1 and 2 written out: the linear hexahedron, and the 27 nodes that VTK documents.
    #[test]
    fn low_orders_as_documented() {
        assert_eq!(hexahedron(1), [0, 1, 3, 2, 4, 5, 7, 6]);
        let vertices = [0, 2, 8, 6, 18, 20, 26, 24];
        let edges = [1, 5, 7, 3, 19, 23, 25, 21, 9, 11, 17, 15];
        let faces_and_centre = [12, 14, 10, 16, 4, 22, 13];
        assert_eq!(hexahedron(2), [&vertices[..], &edges, &faces_and_centre].concat());
    }
}
