//! Launches over the cells of all groups. Those of the groups, and several that a stage of the paired scheme makes over
//! cells of some classes each, are independent of each other and run concurrently where the machine can.

use super::Engine;
use super::scalars::is_of_scalars;
use crate::device::contract::{Kernel, Params, Stage};
use crate::device::memory::Real;
use crate::device::store::Store;
use crate::device::{Buffer, Cells, Classes, DeviceError, Launch};

/// A launch over cells of some classes.
pub struct CellLaunch<'a, R: Real> {
    /// Kernel.
    pub kernel: Kernel,
    /// Stage for which the kernel is compiled.
    pub stage: Stage,
    /// The state that the kernel reads.
    pub input: Buffer,
    /// Classes of the cells.
    pub classes: Classes,
    /// Changes the parameters of a group.
    pub set: &'a dyn Fn(usize, &mut Params<R>),
}

impl<S: Store, R: Real> Engine<S, R> {
    /// Launches kernels over cells of every group. None of the launches writes what another one reads or writes.
    ///
    /// # Errors
    /// The device fails.
    pub fn over_cells(&self, label: &'static str, cells: Cells, launches: &[CellLaunch<R>]) -> Result<(), DeviceError> {
        let groups = 0..self.plan.groups.len();
        let parts: Vec<_> = launches
            .iter()
            .flat_map(|launch| groups.clone().map(move |g| (launch, g)))
            .map(|(launch, g)| (launch, g, self.plan.groups[g].blocks(cells, launch.classes)))
            .filter(|(.., blocks)| !blocks.is_empty())
            .collect();
        self.store.submit(cells, label, |queue| {
            self.store.concurrently(queue, parts.len(), |queue, number| {
                let (launch, g, blocks) = &parts[number];
                let mut params = self.params;
                params.u = self.buffer(launch.input);
                self.arrays.groups[*g].connect(&mut params);
                (launch.set)(*g, &mut params);
                let params = params.of_blocks(&self.plan, *g, blocks.clone());
                let kernel = self.kernels[*g].get(launch.kernel, launch.stage);
                // SAFETY: the parameters lead to the arrays of this run, which the plan has laid out for these blocks;
                // a kernel writes only the values of its own cells.
                unsafe { self.store.launch(queue, kernel, 0..blocks.len(), &params) }
            })
        })
    }

    /// Does launches over the same part of the cells, of which none writes what another one reads or writes.
    pub(super) fn launch_over_cells(&self, launches: &[Launch]) -> Result<(), DeviceError> {
        let Some(first) = launches.first() else {
            return Ok(());
        };
        let of = |launch: &Launch| {
            let update = launch
                .update
                .map(|(output, update)| (self.buffer(output), update.numbers()));
            let number = launch.stage as i64;
            let (arguments, moment) = (launch.arguments, launch.moment);
            let launch = *launch;
            move |_: usize, p: &mut Params<R>| {
                self.see_scalars(launch, p);
                arguments.set(p);
                moment.set(p);
                p.stage_number = number;
                if let Some((out, numbers)) = update {
                    p.out = if is_of_scalars(launch.kernel) {
                        self.scalars(launch.output())
                    } else {
                        out
                    };
                    p.stage = numbers.stage as i32;
                    p.fraction = R::from_f64(numbers.fraction);
                    p.weight = R::from_f64(numbers.weight);
                }
            }
        };
        let sets: Vec<_> = launches.iter().map(of).collect();
        let over = |(launch, set)| {
            let launch: &Launch = launch;
            CellLaunch {
                kernel: launch.kernel,
                stage: launch.update.map_or(Stage::RhsOnly, |(_, update)| update.stage()),
                input: launch.input,
                classes: launch.classes,
                set,
            }
        };
        let over: Vec<_> = launches
            .iter()
            .zip(sets.iter().map(|set| set as &dyn Fn(usize, &mut Params<R>)))
            .map(over)
            .collect();
        self.over_cells(label(first.kernel, first.cells), first.cells, &over)
    }
}

/// What a trace of the queues calls a launch.
fn label(kernel: Kernel, cells: Cells) -> &'static str {
    match (kernel, cells) {
        (Kernel::Sweep1, Cells::Frontier) => "sweep 1, frontier",
        (Kernel::Sweep1, _) => "sweep 1, interior",
        (Kernel::Sweep2, Cells::Frontier) => "sweep 2, frontier",
        (Kernel::Sweep2, _) => "sweep 2, interior",
        (Kernel::Rest, _) => "resting cells",
        (Kernel::ScalarSweep1 | Kernel::ScalarSweep2 | Kernel::ScalarClosure, _) => "scalars",
        _ => "diagnostics",
    }
}
