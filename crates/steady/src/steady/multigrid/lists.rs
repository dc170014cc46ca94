//! The ties between the vertices of two levels, as the kernels read them.

use super::levels::Level;
use crate::device::DeviceError;
use crate::device::contract::SteadyParams;
use crate::steady::arrays::{EdgeSizes, Edges};
use crate::steady::grid::Grid;
use crate::steady::machine::Machine;

/// Lists of slots of another level, as the kernels read edges.
pub struct Lists<M: Machine>(Edges<M>);

impl<M: Machine> Lists<M> {
    /// Lists the members of a level's agglomerates.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn of_members(level: &Level, coarse: &Grid<M>, finer: &Grid<M>) -> Result<Self, DeviceError> {
        let members: Vec<&[u32]> = level.members.iter().map(Vec::as_slice).collect();
        Lists::new(coarse, &members, finer)
    }

    /// Lists the agglomerate of each vertex of the finer level.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn of_parents(level: &Level, coarse: &Grid<M>, finer: &Grid<M>) -> Result<Self, DeviceError> {
        let parent: Vec<&[u32]> = level.parent.iter().map(std::slice::from_ref).collect();
        Lists::new(finer, &parent, coarse)
    }

    /// Uploads the lists of the owned vertices of a level.
    fn new(of: &Grid<M>, lists: &[&[u32]], other: &Grid<M>) -> Result<Self, DeviceError> {
        let mut of_slot: Vec<&[u32]> = vec![&[]; of.slices.owned_slots];
        for (vertex, list) in lists.iter().enumerate() {
            of_slot[of.slices.slot(vertex)] = list;
        }
        let mut degree = vec![0.0; of.slices.slots];
        for (degree, list) in degree.iter_mut().zip(&of_slot) {
            *degree = list.len() as f64;
        }
        let mut first = vec![0i64];
        let mut slots = Vec::new();
        for lists in of_slot.chunks(of.slice) {
            let rows = lists.iter().map(|list| list.len()).max().unwrap_or(0);
            for row in 0..rows {
                let of_row = lists.iter().map(|list| list.get(row));
                slots
                    .extend(of_row.map(|vertex| vertex.map_or(0, |&vertex| other.slices.slot(vertex as usize) as i32)));
            }
            first.push(slots.len() as i64);
        }
        let sizes = EdgeSizes {
            slots: degree.len(),
            slices: first.len() - 1,
            edges: slots.len(),
        };
        let mut edges = Edges::zeros(&*of.store, &sizes)?;
        of.store.write(&mut edges.degree, &degree)?;
        of.store.write(&mut edges.first, &first)?;
        of.store.write(&mut edges.neighbour, &slots)?;
        Ok(Lists(edges))
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        self.0.in_use().total()
    }

    /// Returns the parameters of a launch over the vertices of a level that reads arrays of `other` through the lists.
    pub fn params(&self, of: &Grid<M>, other: &Grid<M>) -> SteadyParams {
        let mut params = of.params;
        self.0.connect(&mut params);
        params.other_slots = other.slices.slots as i64;
        params
    }
}
