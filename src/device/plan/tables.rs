//! Lists of the points of a face in its cell's numbering, or in its trace's, with the orientation folded in; each made when a
//! face first needs it.

use std::collections::HashMap;

use crate::element::{ElementKind, FaceShape};

/// The lists made so far.
pub struct Tables {
    order: usize,
    lanes: usize,
    /// All lists, one after the other: offsets in the state or in the traces.
    pub lists: Vec<i32>,
    /// Where the list begins that numbers points as they come, without lanes: that of packed ghosts.
    pub identity: i32,
    made: HashMap<(ElementKind, usize, usize), (i32, i32)>,
    packed: HashMap<(FaceShape, usize), i32>,
}

impl Tables {
    /// With the list of ghosts only.
    pub fn new(order: usize, lanes: usize) -> Self {
        Tables {
            order,
            lanes,
            lists: (0..((order + 1) * (order + 1)) as i32).collect(),
            identity: 0,
            made: HashMap::new(),
            packed: HashMap::new(),
        }
    }

    /// The list for a packed ghost whose points are in the order of the other side's face.
    pub fn packed(&mut self, shape: FaceShape, orientation: usize) -> i32 {
        let Tables { order, lists, .. } = self;
        *self.packed.entry((shape, orientation)).or_insert_with(|| {
            let first = lists.len() as i32;
            lists.extend((0..shape.points(*order)).map(|l| shape.oriented_point(orientation, l, *order) as i32));
            first
        })
    }

    /// Lists (in the state, in the traces) for the points of a face as a neighbour of this orientation counts them; orientation 0
    /// is the face's own order.
    pub fn of(&mut self, kind: ElementKind, face: usize, orientation: usize) -> (i32, i32) {
        let Tables {
            order, lanes, lists, ..
        } = self;
        *self.made.entry((kind, face, orientation)).or_insert_with(|| {
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
