//! Lists of the offsets of the points of a face, in the order in which the neighbour counts them.
//!
//! A list depends on the kind of cell, the face and its orientation. It is computed when a face first needs it.

use std::collections::HashMap;

use crate::element::{ElementKind, FaceShape};

/// The lists so far.
pub struct Tables {
    order: usize,
    lanes: usize,
    /// All lists, one after the other: offsets in the state or in the traces.
    pub lists: Vec<i32>,
    /// Offset in `lists` of the list 0, 1, 2, ... of packed ghosts, which have no lanes.
    pub identity: i32,
    /// Offsets in `lists` for a kind of cell, face and orientation: in the state, and in the traces.
    of_face: HashMap<(ElementKind, usize, usize), (i32, i32)>,
    /// Offsets in `lists` for packed faces of a shape and orientation.
    of_packed: HashMap<(FaceShape, usize), i32>,
}

impl Tables {
    /// Returns tables with the list of ghosts only.
    pub fn new(order: usize, lanes: usize) -> Self {
        Tables {
            order,
            lanes,
            lists: (0..((order + 1) * (order + 1)) as i32).collect(),
            identity: 0,
            of_face: HashMap::new(),
            of_packed: HashMap::new(),
        }
    }

    /// Adds another list 0, 1, 2, ... and returns its offset.
    pub fn another_identity(&mut self) -> i32 {
        let (first, points) = (self.lists.len() as i32, (self.order + 1) * (self.order + 1));
        self.lists.extend(0..points as i32);
        first
    }

    /// Returns the offset of the list for a packed face whose points are in the order of the other side.
    pub fn packed(&mut self, shape: FaceShape, orientation: usize) -> i32 {
        let Tables { order, lists, .. } = self;
        *self.of_packed.entry((shape, orientation)).or_insert_with(|| {
            let first = lists.len() as i32;
            lists.extend((0..shape.points(*order)).map(|l| shape.oriented_point(orientation, l, *order) as i32));
            first
        })
    }

    /// Returns the offsets of the lists (in the state, in the traces) for the points of a face, in the order of a
    /// neighbour with this orientation. Orientation 0 is the order of the face itself.
    pub fn of(&mut self, kind: ElementKind, face: usize, orientation: usize) -> (i32, i32) {
        let Tables {
            order, lanes, lists, ..
        } = self;
        *self.of_face.entry((kind, face, orientation)).or_insert_with(|| {
            let shape = kind.faces()[face].shape;
            let indices = kind.face_indices(face, *order);
            let theirs: Vec<usize> = (0..indices.len())
                .map(|l| shape.oriented_point(orientation, l, *order))
                .collect();
            let in_state = lists.len() as i32;
            lists.extend(theirs.iter().map(|&l| (indices[l] * *lanes) as i32));
            let in_traces = lists.len() as i32;
            lists.extend(theirs.iter().map(|&l| (l * *lanes) as i32));
            (in_state, in_traces)
        })
    }
}
