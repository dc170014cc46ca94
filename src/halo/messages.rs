//! Non-blocking messages. The `mpi` crate ties a request to the lifetime of its buffer, which is right where buffers are Rust's;
//! here they are the device's and outlive the call that posts them, so MPI's own functions are used.

use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;

use crate::ranks::Ranks;

/// All messages of an exchange: those of a pair of ranks arrive in the order in which they were sent.
const TAG: i32 = 1;

/// Bytes that MPI reads or writes behind the compiler's back.
#[derive(Clone, Copy)]
pub struct Slice {
    address: *mut u8,
    bytes: i32,
}

impl Slice {
    /// `bytes` from `address` on; at most 2 GiB.
    pub fn new(address: *mut u8, bytes: usize) -> Self {
        Slice {
            address,
            bytes: i32::try_from(bytes).expect("pieces are far below 2 GiB"),
        }
    }
}

/// The messages under way.
pub struct Messages {
    comm: Option<SimpleCommunicator>,
    receives: Vec<ffi::MPI_Request>,
    sends: Vec<ffi::MPI_Request>,
    open: usize,
    done: Vec<i32>,
}

impl Messages {
    /// Over a communicator of their own, so that they meet no others.
    pub fn new(ranks: &Ranks) -> Self {
        Messages {
            comm: ranks.duplicate(),
            receives: Vec::new(),
            sends: Vec::new(),
            open: 0,
            done: Vec::new(),
        }
    }

    fn raw(&self) -> ffi::MPI_Comm {
        self.comm.as_ref().expect("one rank has no neighbours").as_raw()
    }

    /// Posts the receive of the next message from `rank`; its number is that of the receives since the last were all done.
    ///
    /// # Safety
    ///
    /// The bytes must stay alive and untouched until [`Messages::received`] names this receive.
    // SAFETY: see above; nothing else is asked of the caller.
    pub unsafe fn receive(&mut self, rank: usize, to: Slice) {
        if self.open == 0 {
            self.receives.clear();
        }
        let comm = self.raw();
        self.receives.push(null_request());
        let request = self.receives.last_mut().expect("pushed just now");
        // SAFETY: the caller vouches for the bytes; the request lives until it is done.
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
    // SAFETY: see above; nothing else is asked of the caller.
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

    /// Whether receives are open.
    pub fn incoming(&self) -> bool {
        self.open > 0
    }

    /// Numbers of the receives that have been done since the last call; `wait` makes it wait for at least one.
    pub fn received(&mut self, wait: bool) -> impl Iterator<Item = usize> + '_ {
        let mut count = 0;
        self.done.resize(self.receives.len(), 0);
        if self.open > 0 {
            let requests = (self.receives.len() as i32, self.receives.as_mut_ptr());
            let done = (&raw mut count, self.done.as_mut_ptr());
            // SAFETY: both lists have as many entries as MPI is told; done requests become null and are passed over.
            unsafe {
                let ignore = ffi::RSMPI_STATUSES_IGNORE;
                if wait {
                    ffi::MPI_Waitsome(requests.0, requests.1, done.0, done.1, ignore);
                } else {
                    ffi::MPI_Testsome(requests.0, requests.1, done.0, done.1, ignore);
                }
            }
        }
        // MPI says 'undefined', a negative number, where there was nothing to wait for.
        let count = usize::try_from(count).unwrap_or(0);
        self.open -= count;
        self.done[..count].iter().map(|&number| number as usize)
    }

    /// Waits until the bytes of all messages sent may change.
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

/// A request that is none.
fn null_request() -> ffi::MPI_Request {
    // SAFETY: reads a constant of the library.
    unsafe { ffi::RSMPI_REQUEST_NULL }
}
