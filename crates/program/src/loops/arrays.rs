//! The arrays of one loop in the memory of a machine.
//!
//! Each loop gets exactly the arrays that it reads and writes, so that the bytes that it must move at least are the sum
//! of their sizes: inputs once, results once or, where a loop adds to them, twice.

use std::ops::Range;

use rayon::prelude::*;

use super::colours::Colours;
use super::fields::Fields;
use super::lists::Lists;
use super::machine::LoopMachine;
use super::modes::Mode;
use super::tables::{Faces, Tables};
use crate::device::contract::{LoopKernel, LoopParams};
use crate::device::store::Memory;
use crate::device::{DeviceError, Plain, Real};
use crate::vector::Vector;

/// Variables of a cell that NV takes to nodes.
const CELL_VALUES: usize = 6;
/// Values that a thread computes at least.
const CHUNK: usize = 4096;

/// Tables in one numbering, and what is derived from them once for all loops.
pub struct Numbered {
    /// The tables.
    pub tables: Tables,
    cell_faces: Lists,
    node_cells: Lists,
    node_faces: Lists,
    node_edges: Lists,
    /// Colours of faces that share no cell.
    faces_by_cells: Colours,
    /// Colours of faces that share no node.
    faces_by_nodes: Colours,
    /// Colours of cells that share no node.
    cells_by_nodes: Colours,
    /// Colours of edges that share no node.
    edges_by_nodes: Colours,
}

impl Numbered {
    /// Derives the lists and colours of some tables.
    pub fn new(tables: Tables) -> Self {
        let (sizes, slots) = (tables.sizes(), tables.cells.centre.len());
        let (cells, faces, edges) = (&tables.cells, &tables.faces, &tables.edges);
        Numbered {
            cell_faces: tables.cell_faces(),
            node_cells: tables.node_cells(),
            node_faces: tables.node_faces(),
            node_edges: tables.node_edges(),
            faces_by_cells: Colours::new(sizes.faces, slots, |face| &faces.cells[face]),
            faces_by_nodes: Colours::new(sizes.faces, sizes.nodes, |face| faces.nodes.of(face)),
            cells_by_nodes: Colours::new(sizes.cells, sizes.nodes, |cell| cells.nodes.of(cell)),
            edges_by_nodes: Colours::new(sizes.edges, sizes.nodes, |edge| &edges.ends[edge]),
            tables,
        }
    }

    /// Colours of the items of a loop that scatters.
    fn colours(&self, kernel: LoopKernel) -> &Colours {
        match kernel {
            LoopKernel::NvF => &self.faces_by_nodes,
            LoopKernel::NvC => &self.cells_by_nodes,
            LoopKernel::GradientE | LoopKernel::FluxE => &self.edges_by_nodes,
            _ => &self.faces_by_cells,
        }
    }
}

/// A launch: a kernel, whether its adds are atomic, and the ranges that it takes one after the other.
pub struct LaunchOf {
    /// The kernel.
    pub kernel: LoopKernel,
    /// Whether its adds are atomic.
    pub atomic: bool,
    /// Ranges of items.
    pub ranges: Vec<Range<usize>>,
}

/// A loop with its arrays.
pub struct Loaded<M: LoopMachine, R> {
    /// Results.
    pub out: M::Array,
    /// What the results begin with, if it is not zero.
    pub initial: Option<M::Array>,
    /// Parameters of all launches but for their ranges.
    pub params: LoopParams<R>,
    /// Launches that make one pass of the loop.
    pub launches: Vec<LaunchOf>,
    /// Number of results of each variable, without those of ghosts.
    pub results: usize,
    /// Number of variables.
    pub variables: usize,
    /// Number of items.
    pub items: usize,
    /// Bytes that a pass must move at least.
    pub bytes: usize,
    /// Number of colours.
    pub colours: Option<usize>,
    /// Inputs, which live as long as the parameters lead to them.
    _kept: Vec<M::Array>,
}

/// Where the arrays of a loop are gathered.
struct Loader<'a, M: LoopMachine, R> {
    store: &'a M,
    params: LoopParams<R>,
    bytes: usize,
    kept: Vec<M::Array>,
}

impl<M: LoopMachine, R: Real> Loader<'_, M, R> {
    /// Copies an input to the machine.
    fn input<T: Plain>(&mut self, values: &[T]) -> Result<*const T, DeviceError> {
        let mut array = self.store.zeros(size_of_val(values))?;
        self.store.write(&mut array, values)?;
        self.bytes += size_of_val(values);
        self.kept.push(array);
        Ok(self.kept[self.kept.len() - 1].pointer())
    }

    /// Copies `variables` values of each of `count` items, `[variable][item]`.
    fn values(
        &mut self,
        variables: usize,
        count: usize,
        of: impl Fn(usize, usize) -> f64 + Sync,
    ) -> Result<*const R, DeviceError> {
        let mut values = vec![R::default(); variables * count];
        let of_variable = values.chunks_mut(count.max(1)).enumerate();
        of_variable.for_each(|(v, values)| {
            let of_items = values.par_iter_mut().enumerate().with_min_len(CHUNK);
            of_items.for_each(|(i, value)| *value = R::from_f64(of(v, i)));
        });
        self.input(&values)
    }

    /// Copies values at positions, which the loop reads as `source`.
    fn source(&mut self, variables: Range<usize>, at: &[Vector], fields: Fields) -> Result<(), DeviceError> {
        self.params.source = self.values(variables.len(), at.len(), |v, i| {
            fields.value(variables.start + v, at[i])
        })?;
        self.params.sources = at.len() as i64;
        Ok(())
    }

    fn vectors(&mut self, of: &[Vector]) -> Result<*const R, DeviceError> {
        self.values(3, of.len(), |d, i| of[i][d])
    }

    /// Copies the two sides of faces or edges.
    fn sides(&mut self, pairs: &[[i32; 2]]) -> Result<(), DeviceError> {
        let side = |side: usize| -> Vec<i32> { pairs.iter().map(|pair| pair[side]).collect() };
        self.params.owner = self.input(&side(0))?;
        self.params.neighbour = self.input(&side(1))?;
        self.params.faces = pairs.len() as i64;
        Ok(())
    }

    /// Copies the nodes of the faces.
    fn face_nodes(&mut self, faces: &Faces) -> Result<(), DeviceError> {
        let lists = faces.nodes.sliced(0);
        self.params.face_node_first = self.input(&lists.first)?;
        self.params.face_node_count = self.input(&lists.count)?;
        self.params.face_nodes = self.input(&lists.numbers)?;
        Ok(())
    }

    /// Copies the lists of the items.
    fn lists(&mut self, lists: &Lists, bits: u32) -> Result<(), DeviceError> {
        let lists = lists.sliced(bits);
        self.params.list_first = self.input(&lists.first)?;
        self.params.list_count = self.input(&lists.count)?;
        self.params.list = self.input(&lists.numbers)?;
        self.params.list_bits = i64::from(bits);
        Ok(())
    }

    /// Copies area vectors, and for the flux vectors between ends, of the edges of the nodes by place in their lists,
    /// whose numbers become those of the other ends.
    fn edges_of_nodes(&mut self, numbered: &Numbered, bits: u32, flux: bool) -> Result<(), DeviceError> {
        let (edges, lists) = (&numbered.tables.edges, &numbered.node_edges);
        let other = |number: &i32| match *number {
            edge if edge < 0 => edges.ends[!edge as usize][0],
            edge => edges.ends[edge as usize][1],
        };
        let ends = Lists {
            first: lists.first.clone(),
            numbers: lists.numbers.iter().map(other).collect(),
        };
        self.lists(&ends, bits)?;
        let sliced = lists.sliced(bits);
        let outwards = |of: &[Vector]| {
            let vector = |place: usize| match lists.numbers[place] {
                edge if edge < 0 => of[!edge as usize].map(|x| -x),
                edge => of[edge as usize],
            };
            sliced.values(vector, [0.0; 3])
        };
        let area = outwards(&edges.area);
        self.params.area = self.vectors(&area)?;
        if flux {
            self.params.displacement = self.vectors(&outwards(&edges.displacement))?;
        }
        self.params.faces = area.len() as i64;
        Ok(())
    }

    /// Copies gradients at the nodes.
    fn gradients(&mut self, nodes: &[Vector], fields: Fields) -> Result<(), DeviceError> {
        self.params.gradient = self.values(15, nodes.len(), |v, i| fields.gradient(v / 3, nodes[i])[v % 3])?;
        Ok(())
    }
}

/// Copies the arrays of a loop in one mode to a machine.
///
/// # Errors
/// There is not enough memory.
#[allow(clippy::single_range_in_vec_init)]
pub fn load<M: LoopMachine, R: Real>(
    store: &M,
    numbered: &Numbered,
    (kernel, mode): (LoopKernel, Mode),
    fields: Fields,
) -> Result<Loaded<M, R>, DeviceError> {
    use LoopKernel::*;
    let mut l = Loader {
        store,
        // SAFETY: LoopParams holds numbers and raw pointers only, for which all-zero bytes are valid (null).
        params: unsafe { std::mem::zeroed::<LoopParams<R>>() },
        bytes: 0,
        kept: Vec::new(),
    };
    let tables = &numbered.tables;
    let colours = (mode == Mode::Colours).then(|| numbered.colours(kernel));
    let (coloured_faces, coloured_edges, coloured_cells);
    let (mut faces, mut edges, mut cells) = (&tables.faces, &tables.edges, &tables.cells);
    if let Some(colours) = colours {
        match kernel {
            NvC => {
                coloured_cells = cells.permuted(&colours.order);
                cells = &coloured_cells;
            }
            GradientE | FluxE => {
                coloured_edges = edges.permuted(&colours.order);
                edges = &coloured_edges;
            }
            _ => {
                coloured_faces = faces.permuted(&colours.order);
                faces = &coloured_faces;
            }
        }
    }
    let (sizes, slots, nodes) = (tables.sizes(), tables.cells.centre.len(), &tables.nodes);
    let bits = if mode == Mode::SlicedGather { M::SLICE_BITS } else { 0 };
    let stores = mode == Mode::StoreAndGather;
    let at_faces = |v: usize, face: usize| fields.value(v, faces.centre[face]);
    let pressure = 4..5;
    // Number of items, variables of the results, results of a variable, and those of them that are no ghosts'.
    let (items, variables, outs, results) = match kernel {
        NvF => {
            l.sides(&faces.cells)?;
            l.face_nodes(faces)?;
            l.source(0..CELL_VALUES, &cells.centre, fields)?;
            (sizes.faces, CELL_VALUES + 1, sizes.nodes, sizes.nodes)
        }
        NvC => {
            l.lists(&cells.nodes, 0)?;
            l.source(0..CELL_VALUES, &cells.centre[..sizes.cells], fields)?;
            (sizes.cells, CELL_VALUES + 1, sizes.nodes, sizes.nodes)
        }
        NvN => {
            l.lists(&numbered.node_cells, bits)?;
            l.source(0..CELL_VALUES, &cells.centre[..sizes.cells], fields)?;
            (sizes.nodes, CELL_VALUES + 1, sizes.nodes, sizes.nodes)
        }
        GqF | GqC | GqN => {
            if kernel != GqC && !stores {
                l.sides(&faces.cells)?;
            }
            l.params.faces = sizes.faces as i64;
            match kernel {
                GqN => {
                    l.lists(&numbered.node_faces, 0)?;
                    l.params.face_node_count = l.input(&faces.nodes.sliced(0).count)?;
                }
                _ => l.face_nodes(faces)?,
            }
            if kernel == GqC || stores {
                l.lists(&numbered.cell_faces, bits)?;
            }
            l.params.area = l.vectors(&faces.area)?;
            l.source(pressure, nodes, fields)?;
            let outs = if kernel == GqC || stores { sizes.cells } else { slots };
            let items = match kernel {
                GqF => sizes.faces,
                GqN => sizes.nodes,
                _ => sizes.cells,
            };
            (items, 3, outs, sizes.cells)
        }
        SfF => {
            l.sides(&faces.cells)?;
            l.params.stored = l.values(5, sizes.faces, at_faces)?.cast_mut();
            (sizes.faces, 5, slots, sizes.cells)
        }
        SumOf5 => {
            l.lists(&numbered.cell_faces, bits)?;
            l.params.stored = l.values(5, sizes.faces, at_faces)?.cast_mut();
            l.params.faces = sizes.faces as i64;
            (sizes.cells, 5, sizes.cells, sizes.cells)
        }
        LmF => {
            l.sides(&faces.cells)?;
            l.source(pressure, &cells.centre, fields)?;
            (sizes.faces, 2, slots, sizes.cells)
        }
        LmC => {
            l.sides(&faces.cells)?;
            l.lists(&numbered.cell_faces, bits)?;
            l.source(pressure, &cells.centre, fields)?;
            (sizes.cells, 2, sizes.cells, sizes.cells)
        }
        GradientE | FluxE => {
            l.sides(&edges.ends)?;
            l.params.area = l.vectors(&edges.area)?;
            l.source(0..5, nodes, fields)?;
            if kernel == FluxE {
                l.params.displacement = l.vectors(&edges.displacement)?;
                l.gradients(nodes, fields)?;
            }
            if stores {
                l.lists(&numbered.node_edges, 0)?;
            }
            let variables = if kernel == FluxE { 5 } else { 15 };
            (sizes.edges, variables, sizes.nodes, sizes.nodes)
        }
        GradientN | FluxN => {
            l.edges_of_nodes(numbered, bits, kernel == FluxN)?;
            l.source(0..5, nodes, fields)?;
            if kernel == FluxN {
                l.gradients(nodes, fields)?;
            }
            let variables = if kernel == FluxN { 5 } else { 15 };
            (sizes.nodes, variables, sizes.nodes, sizes.nodes)
        }
        GqStore | SumOf3 | SumOf15 | GradientStore | FluxStore => unreachable!("parts of other loops"),
    };
    let out = store.zeros(variables * outs * size_of::<R>())?;
    l.params.out = out.pointer();
    l.params.outs = outs as i64;
    let adds = kernel.scatters() && !stores;
    l.bytes += out.bytes() * if adds { 2 } else { 1 };
    let initial = match kernel {
        LmF => {
            let at = |_, cell: usize| fields.value(4, cells.centre[cell]);
            let before = l.bytes;
            l.values(2, slots, at)?;
            l.bytes = before;
            l.kept.pop()
        }
        _ => None,
    };
    let whole = |kernel, count| LaunchOf {
        kernel,
        atomic: mode == Mode::Atomics,
        ranges: vec![0..count],
    };
    let launches = match (stores, colours) {
        (true, _) => {
            let count = l.params.faces as usize;
            let stored = store.zeros(variables * count * size_of::<R>())?;
            l.params.stored = stored.pointer();
            l.bytes += 2 * stored.bytes();
            l.kept.push(stored);
            let (first, second) = match kernel {
                GqF => (GqStore, SumOf3),
                GradientE => (GradientStore, SumOf15),
                _ => (FluxStore, SumOf5),
            };
            vec![whole(first, count), whole(second, outs)]
        }
        (false, Some(colours)) => vec![LaunchOf {
            kernel,
            atomic: false,
            ranges: colours.ranges.clone(),
        }],
        (false, None) => vec![whole(kernel, items)],
    };
    Ok(Loaded {
        out,
        initial,
        params: l.params,
        launches,
        results,
        variables,
        items,
        bytes: l.bytes,
        colours: colours.map(|colours| colours.ranges.len()),
        _kept: l.kept,
    })
}
