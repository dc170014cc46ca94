//! Memory that two ranks of one machine share. It is an anonymous file (`memfd`), which the other process opens by the
//! number of the process and of the file. It has no name in any directory, so that nothing stays behind however the
//! ranks end, and the size of /dev/shm does not limit it.

use std::ffi::c_void;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::AsRawFd;

use rustix::fs::{FallocateFlags, MemfdFlags, fallocate, fstat, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use thiserror::Error;

/// What another process needs to open the memory: the number of the process, that of the file in it, and the token.
pub type Ticket = [u64; 3];

/// Bytes at the beginning of the memory that hold the token.
pub const TOKEN_BYTES: usize = size_of::<u64>();

/// Why two ranks cannot share memory.
#[derive(Debug, Error)]
pub enum SharedMemoryError {
    /// The system refuses the memory.
    #[error("{bytes} bytes of memory that another rank of this machine can open are not available: {reason}")]
    Create {
        /// Bytes asked for.
        bytes: usize,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// The memory of the other rank cannot be opened.
    #[error("the memory of process {process} of this machine cannot be opened: {reason}")]
    Open {
        /// Number of the process.
        process: u64,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// The file is another one, as in containers that number their processes each for itself.
    #[error("process {0} is not the rank that shares its memory: do the ranks run in different containers?")]
    Stranger(u64),
}

/// Memory that is mapped into this process and can be mapped into others; page-aligned and zero at first, except for
/// the token in its first [`TOKEN_BYTES`].
#[derive(Debug)]
pub struct SharedMemory {
    file: File,
    address: *mut c_void,
    bytes: usize,
    token: u64,
}

impl SharedMemory {
    /// Creates memory of this size in bytes.
    ///
    /// # Errors
    /// The system has no such memory.
    ///
    /// # Panics
    ///
    /// If the token does not fit.
    pub fn create(bytes: usize) -> Result<Self, SharedMemoryError> {
        assert!(bytes >= TOKEN_BYTES, "room for the token");
        let refused = |reason: rustix::io::Errno| SharedMemoryError::Create {
            bytes,
            reason: reason.into(),
        };
        let file = File::from(memfd_create("fr-les exchange", MemfdFlags::CLOEXEC).map_err(refused)?);
        // Pages that cannot be had would end the program at their first use.
        fallocate(&file, FallocateFlags::empty(), 0, bytes as u64).map_err(refused)?;
        let address = map(&file, bytes).map_err(refused)?;
        let token = RandomState::new().build_hasher().finish();
        // SAFETY: the mapping is as long as the token, and no other process knows it yet.
        unsafe { address.cast::<u64>().write(token) };
        Ok(SharedMemory {
            file,
            address,
            bytes,
            token,
        })
    }

    /// Returns what another process of this machine opens the memory by, as long as this object lives.
    pub fn ticket(&self) -> Ticket {
        let process = u64::from(std::process::id());
        [process, self.file.as_raw_fd() as u64, self.token]
    }

    /// Opens the memory of another process, which must have at least this size in bytes.
    ///
    /// # Errors
    /// This process has no access to the other one, or finds other memory there.
    pub fn open([process, file, token]: Ticket, bytes: usize) -> Result<Self, SharedMemoryError> {
        let refused = |reason| SharedMemoryError::Open { process, reason };
        let file = File::options()
            .read(true)
            .write(true)
            .open(format!("/proc/{process}/fd/{file}"))
            .map_err(refused)?;
        let len = fstat(&file).map_err(|errno| refused(errno.into()))?.st_size;
        if len < bytes as i64 {
            return Err(SharedMemoryError::Stranger(process));
        }
        let address = map(&file, bytes).map_err(|errno| refused(errno.into()))?;
        let memory = SharedMemory {
            file,
            address,
            bytes,
            token,
        };
        // SAFETY: the mapping is as long as the token, which nobody writes once the ticket is out.
        let found = unsafe { address.cast::<u64>().read() };
        if found == token {
            Ok(memory)
        } else {
            Err(SharedMemoryError::Stranger(process))
        }
    }

    /// Returns the address of the first byte.
    pub fn address(&self) -> *mut u8 {
        self.address.cast()
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: mapped once with this size, unmapped once.
        let _ = unsafe { munmap(self.address, self.bytes) };
    }
}

/// Maps a file for reading and writing.
fn map(file: &File, bytes: usize) -> Result<*mut c_void, rustix::io::Errno> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping at an address that the system chooses.
    unsafe { mmap(std::ptr::null_mut(), bytes, access, MapFlags::SHARED, file, 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_side_writes_the_other_reads() {
        let here = SharedMemory::create(100_000).unwrap();
        let there = SharedMemory::open(here.ticket(), here.bytes()).unwrap();
        assert_ne!(here.address(), there.address());
        // SAFETY: both mappings have this size, and no other thread knows them.
        unsafe {
            assert_eq!(there.address().add(99_999).read(), 0);
            here.address().add(99_999).write(7);
            assert_eq!(there.address().add(99_999).read(), 7);
        }
    }

    #[test]
    fn other_memory_is_refused() {
        let (one, other) = (SharedMemory::create(5000).unwrap(), SharedMemory::create(5000).unwrap());
        let [process, file, _] = one.ticket();
        let mixed = SharedMemory::open([process, file, other.ticket()[2]], 5000);
        assert!(matches!(mixed, Err(SharedMemoryError::Stranger(_))), "{mixed:?}");
        let longer = SharedMemory::open(one.ticket(), 5001);
        assert!(matches!(longer, Err(SharedMemoryError::Stranger(_))), "{longer:?}");
        // The number of the file may be that of another one by now, whose token differs.
        let ticket = one.ticket();
        drop(one);
        assert!(SharedMemory::open(ticket, 5000).is_err());
    }

    #[test]
    fn a_size_that_no_file_has_is_refused() {
        // More than files can have: what the machine merely lacks would be sought until other programs fail.
        let bytes = 1 << 63;
        let refused = SharedMemory::create(bytes).unwrap_err().to_string();
        assert!(
            refused.contains(&bytes.to_string()) && refused.contains("not available"),
            "{refused}"
        );
    }
}
