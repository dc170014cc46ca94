//! Faces of a hexahedron: how their points are numbered and how two faces that meet are oriented to each other.
//!
//! Face 2d lies at xi_d = -1, face 2d + 1 at xi_d = +1. Its points are numbered a + n b, where a and b run along the two
//! other reference directions in ascending order. The kernels (ptx/cell.h) use the same numbering.

/// Faces of a hexahedron.
pub const FACES: usize = 6;

/// Number of ways in which two quadrilaterals can meet.
pub const ORIENTATIONS: usize = 8;

/// Index in a cell of n^3 points of face point (a, b).
pub fn face_index(face: usize, a: usize, b: usize, n: usize) -> usize {
    let end = (face % 2) * (n - 1);
    match face / 2 {
        0 => end + n * (a + n * b),
        1 => a + n * (end + n * b),
        _ => a + n * (b + n * end),
    }
}

/// Corner points (0,0), (1,0), (0,1), (1,1) of a face of a cell of n^3 points.
pub fn face_corners(face: usize, n: usize) -> [usize; 4] {
    [(0, 0), (n - 1, 0), (0, n - 1), (n - 1, n - 1)].map(|(a, b)| face_index(face, a, b, n))
}

/// The neighbour's numbering (a, b) of our face point: bit 0 exchanges a and b, then bit 1 reverses a and bit 2 reverses b.
pub fn orient(orientation: usize, (mut a, mut b): (usize, usize), n: usize) -> (usize, usize) {
    if orientation & 1 != 0 {
        std::mem::swap(&mut a, &mut b);
    }
    if orientation & 2 != 0 {
        a = n - 1 - a;
    }
    if orientation & 4 != 0 {
        b = n - 1 - b;
    }
    (a, b)
}

/// The orientation that maps our corners to the neighbour's, both given in the order of [`face_corners`]; `None` if the faces
/// do not coincide within `tolerance`.
pub fn find_orientation(ours: [[f64; 3]; 4], theirs: [[f64; 3]; 4], tolerance: f64) -> Option<usize> {
    (0..ORIENTATIONS).find(|&o| {
        [(0, 0), (1, 0), (0, 1), (1, 1)].iter().all(|&(a, b)| {
            let (a2, b2) = orient(o, (a, b), 2);
            (0..3).all(|d| (ours[a + 2 * b][d] - theirs[a2 + 2 * b2][d]).abs() <= tolerance)
        })
    })
}
