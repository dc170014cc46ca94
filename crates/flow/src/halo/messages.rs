//! Non-blocking messages. The `mpi` crate ties a request to the lifetime of its buffer, which suits buffers of Rust.
//! Here the buffers are the device's and outlive the call that posts them, so that MPI's own functions are used.

use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
use mpi::traits::CommunicatorCollectives;

use crate::ranks::Ranks;

/// The tag of all messages of an exchange: messages between two ranks arrive in the order in which they were sent.
const TAG: i32 = 1;

/// A range of bytes that MPI reads or writes.
#[derive(Clone, Copy)]
pub struct Slice {
    address: *mut u8,
    bytes: i32,
}

impl Slice {
    /// Returns the range of `bytes` bytes from `address` on; at most 2 GiB.
    pub fn new(address: *mut u8, bytes: usize) -> Self {
        Slice {
            address,
            bytes: i32::try_from(bytes).expect("pieces have at most 1 GiB"),
        }
    }
}

/// The messages in flight.
pub struct Messages {
    comm: Option<SimpleCommunicator>,
    receives: Vec<ffi::MPI_Request>,
    sends: Vec<ffi::MPI_Request>,
    open: usize,
    done: Vec<i32>,
}

impl Messages {
    /// Returns an empty list of messages, on a duplicate of the communicator, so that they match no other messages.
    pub fn new(ranks: &Ranks) -> Self {
        Messages {
            comm: ranks.duplicate(),
            receives: Vec::new(),
            sends: Vec::new(),
            open: 0,
            done: Vec::new(),
        }
    }

    /// Waits until all ranks have come here.
    pub fn barrier(&self) {
        self.comm.iter().for_each(SimpleCommunicator::barrier);
    }

    fn raw(&self) -> ffi::MPI_Comm {
        self.comm.as_ref().expect("one rank has no neighbours").as_raw()
    }

    /// Posts the receive of the next message from `rank`. Receives are numbered from the first one after all earlier
    /// ones were completed.
    ///
    /// # Safety
    ///
    /// The bytes must stay alive and untouched until [`Messages::received`] names this receive.
    // SAFETY: see above; the caller has no other obligation.
    pub unsafe fn receive(&mut self, rank: usize, to: Slice) {
        if self.open == 0 {
            self.receives.clear();
        }
        let comm = self.raw();
        self.receives.push(null_request());
        let request = self.receives.last_mut().expect("pushed just now");
        // SAFETY: the caller guarantees the bytes; the request lives until it is completed.
        unsafe {
            ffi::MPI_Irecv(
                to.address.cast(),
                to.bytes,
                ffi::RSMPI_UINT8_T,
                rank as i32,
                TAG,
                comm,
                request,
            )
        };
        self.open += 1;
    }

    /// Sends bytes to `rank`.
    ///
    /// # Safety
    ///
    /// The bytes must stay alive and as they are until [`Messages::wait_until_sent`] returns.
    // SAFETY: see above; the caller has no other obligation.
    pub unsafe fn send(&mut self, rank: usize, from: Slice) {
        let comm = self.raw();
        self.sends.push(null_request());
        let request = self.sends.last_mut().expect("pushed just now");
        // SAFETY: as above.
        unsafe {
            ffi::MPI_Isend(
                from.address.cast(),
                from.bytes,
                ffi::RSMPI_UINT8_T,
                rank as i32,
                TAG,
                comm,
                request,
            )
        };
    }

    /// Returns whether receives are open.
    pub fn incoming(&self) -> bool {
        self.open > 0
    }

    /// Returns the numbers of the receives that were completed since the last call. With `wait` it waits for at least
    /// one.
    pub fn received(&mut self, wait: bool) -> impl Iterator<Item = usize> + '_ {
        let mut count = 0;
        self.done.resize(self.receives.len(), 0);
        if self.open > 0 {
            let requests = (self.receives.len() as i32, self.receives.as_mut_ptr());
            let done = (&raw mut count, self.done.as_mut_ptr());
            // SAFETY: both lists have as many entries as MPI is told; completed requests become null and are skipped.
            unsafe {
                let ignore = ffi::RSMPI_STATUSES_IGNORE;
                if wait {
                    ffi::MPI_Waitsome(requests.0, requests.1, done.0, done.1, ignore);
                } else {
                    ffi::MPI_Testsome(requests.0, requests.1, done.0, done.1, ignore);
                }
            }
        }
        // MPI returns 'undefined', a negative number, if there was nothing to wait for.
        let count = usize::try_from(count).unwrap_or(0);
        self.open -= count;
        self.done[..count].iter().map(|&number| number as usize)
    }

    /// Waits until the buffers of all messages sent may be changed.
    pub fn wait_until_sent(&mut self) {
        // SAFETY: the list has as many entries as MPI is told.
        unsafe {
            ffi::MPI_Waitall(
                self.sends.len() as i32,
                self.sends.as_mut_ptr(),
                ffi::RSMPI_STATUSES_IGNORE,
            )
        };
        self.sends.clear();
    }
}

/// Returns the null request.
fn null_request() -> ffi::MPI_Request {
    // SAFETY: reads a constant of the library.
    unsafe { ffi::RSMPI_REQUEST_NULL }
}
