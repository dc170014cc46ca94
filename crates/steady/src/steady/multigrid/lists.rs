//! The ties between the vertices of two levels, as the kernels read them.

use super::levels::Level;
use crate::device::DeviceError;
use crate::device::contract::SteadyParams;
use crate::device::store::Memory;
use crate::steady::machine::{Machine, upload};
use crate::steady::solver::Solver;

/// Lists of slots of another level, as the kernels read edges.
pub struct Lists<A> {
    degree: A,
    first: A,
    slot: A,
}

impl<A: Memory> Lists<A> {
    /// Lists the members of a level's agglomerates.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn of_members<M: Machine<Array = A>>(
        level: &Level,
        coarse: &Solver<M>,
        finer: &Solver<M>,
    ) -> Result<Self, DeviceError> {
        let members: Vec<&[u32]> = level.members.iter().map(Vec::as_slice).collect();
        Lists::new(coarse, &members, finer)
    }

    /// Lists the agglomerate of each vertex of the finer level.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn of_parents<M: Machine<Array = A>>(
        level: &Level,
        coarse: &Solver<M>,
        finer: &Solver<M>,
    ) -> Result<Self, DeviceError> {
        let parent: Vec<&[u32]> = level.parent.iter().map(std::slice::from_ref).collect();
        Lists::new(finer, &parent, coarse)
    }

    /// Uploads the lists of the owned vertices of a level.
    fn new<M: Machine<Array = A>>(of: &Solver<M>, lists: &[&[u32]], other: &Solver<M>) -> Result<Self, DeviceError> {
        let mut of_slot: Vec<&[u32]> = vec![&[]; of.slices.owned_slots];
        (0..)
            .zip(lists)
            .for_each(|(vertex, list)| of_slot[of.slices.slot(vertex)] = list);
        let mut degree = vec![0.0; of.slices.slots];
        degree
            .iter_mut()
            .zip(&of_slot)
            .for_each(|(degree, list)| *degree = list.len() as f64);
        let (mut first, mut slot) = (vec![0i64], Vec::new());
        for lists in of_slot.chunks(of.slice) {
            let rows = lists.iter().map(|list| list.len()).max().unwrap_or(0);
            for row in 0..rows {
                for list in lists {
                    slot.push(
                        list.get(row)
                            .map_or(0, |&vertex| other.slices.slot(vertex as usize) as i32),
                    );
                }
            }
            first.push(slot.len() as i64);
        }
        Ok(Lists {
            degree: upload(&*of.store, &degree)?,
            first: upload(&*of.store, &first)?,
            slot: upload(&*of.store, &slot)?,
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        [&self.degree, &self.first, &self.slot].map(Memory::bytes).iter().sum()
    }

    /// Returns the parameters of a launch of `of` that reads arrays of `other` through the lists.
    pub fn params<M: Machine<Array = A>>(&self, of: &Solver<M>, other: &Solver<M>) -> SteadyParams {
        let mut params = of.params;
        params.degree = self.degree.pointer();
        params.first_edge = self.first.pointer();
        params.neighbour = self.slot.pointer();
        params.other_slots = other.slices.slots as i64;
        params
    }
}
