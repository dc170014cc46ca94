//! NCCL, NVIDIA's library of communication between GPUs: its library, and calls of its functions.
//!
//! It brings traces from a GPU of one machine to that of another one in a queue of the GPU, so that a recorded step can
//! hold the exchange. Of all that NCCL does only sends and receives are used, which copy values and change no bit.

use std::ffi::{CStr, OsString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::CudaError;
use super::library::{LoadError, Wanted, functions, open};

/// The oldest version that records sends and receives and has all functions, as NCCL numbers it: 2.18.
const OLDEST: c_int = 21800;
/// Bytes of an identification.
pub(super) const ID_BYTES: usize = 128;
/// NCCL's number of a byte among its types of data.
const BYTE: c_int = 1;
/// Success of a call.
const SUCCESS: c_int = 0;

/// The library.
const WANTED: Wanted = Wanted {
    what: "NCCL, which brings traces from machine to machine",
    cure: "`pip install nvidia-nccl-cu13` (a driver for CUDA 12: nvidia-nccl-cu12) in a Python environment, install \
           libnccl2, or set FR_LES_NCCL to the directory of libnccl.so.2",
    variable: "FR_LES_NCCL",
    stem: "libnccl.so",
    names: &["libnccl.so.2", "libnccl.so"],
};

/// The identification under which the ranks of a communicator meet, `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Id(pub [u8; ID_BYTES]);

/// A communicator, `ncclComm_t`.
pub(super) type Handle = *mut c_void;
/// A queue of a GPU, `cudaStream_t`.
pub(super) type Queue = *mut c_void;

functions! {
    /// NCCL's functions, as its header declares them.
    "ncclGetErrorString";
    version = "ncclGetVersion": fn(*mut c_int);
    id = "ncclGetUniqueId": fn(*mut Id);
    join = "ncclCommInitRank": fn(*mut Handle, c_int, Id, c_int);
    begin_group = "ncclGroupStart": fn();
    end_group = "ncclGroupEnd": fn();
    send = "ncclSend": fn(*const c_void, usize, c_int, c_int, Handle, Queue);
    receive = "ncclRecv": fn(*mut c_void, usize, c_int, c_int, Handle, Queue);
    state = "ncclCommGetAsyncError": fn(Handle, *mut c_int);
    abort = "ncclCommAbort": fn(Handle);
}

/// The library, loaded for the rest of the process.
pub struct Nccl {
    functions: Functions,
    // SAFETY: takes no communicator, and returns text that lives until the next error.
    last_error: unsafe extern "C" fn(Handle) -> *const c_char,
    /// Path of the library, or its bare name if the dynamic linker found it.
    pub path: PathBuf,
    /// Version as NCCL numbers it: 10000 major + 100 minor + patch.
    pub version: c_int,
}

/// What is exchanged with one rank in one exchange: addresses on the GPU, and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The other rank.
    pub rank: usize,
    /// What it is sent.
    pub sent: (u64, usize),
    /// Where to put what comes from it.
    pub received: (u64, usize),
}

/// Returns the NCCL of this machine, which is searched for once: in FR_LES_NCCL if that is set, else in the paths of
/// the dynamic linker, then in CUDA toolkits, then in Python environments.
///
/// # Errors
/// NCCL is not found, cannot be loaded, or is too old.
pub fn nccl() -> Result<&'static Nccl, LoadError> {
    static LOADED: OnceLock<Result<Nccl, LoadError>> = OnceLock::new();
    LOADED
        .get_or_init(|| WANTED.search(load))
        .as_ref()
        .map_err(LoadError::clone)
}

/// Returns the variables of the environment that NCCL is to find, with their values. The program sets them before it
/// has a second thread.
///
/// - NCCL prepares the multicast of the NVLink switches (NVLS) wherever it finds it, for sums over GPUs, which are not
///   used here. The preparation takes memory of each GPU and of the switches, and a fault in it can put the GPUs of a
///   whole machine, which other users may share, out of service. So it stays off, whatever the user has set.
/// - NCCL lets the network read and write the buffers of recorded exchanges themselves. Versions up to 2.31 can then
///   hang without a message where short and long messages alternate (<https://github.com/NVIDIA/nccl/issues/2389>), as
///   those of states and viscous traces may. The choice of a user stays.
pub fn environment(variable: impl Fn(&str) -> Option<OsString>) -> Vec<(&'static str, &'static str)> {
    const REGISTER: &str = "NCCL_GRAPH_REGISTER";
    let register = variable(REGISTER).is_none().then_some((REGISTER, "0"));
    [("NCCL_NVLS_ENABLE", "0")].into_iter().chain(register).collect()
}

/// Returns a version as text, e.g. "2.28.9".
pub fn version_name(version: c_int) -> String {
    format!("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)
}

/// Loads NCCL, and returns the name of its version.
///
/// # Errors
/// It is not there, or its version is too old.
pub(super) fn loaded_version() -> Result<String, CudaError> {
    Ok(version_name(nccl().map_err(CudaError::Library)?.version))
}

/// Returns the identification of a new meeting, for the ranks that meet there.
///
/// # Errors
/// There is no NCCL, or it fails.
pub(super) fn new_meeting() -> Result<Vec<u8>, CudaError> {
    Ok(nccl().map_err(CudaError::Library)?.id()?.0.to_vec())
}

/// Loads the library for the rest of the process.
fn load(path: &Path) -> Result<Nccl, LoadError> {
    let library = open(path)?;
    // SAFETY: a library of that name is NCCL, and has the types of nccl.h, unchanged since version 2.13.
    let functions =
        unsafe { Functions::of(library).and_then(|functions| Ok((functions, *library.get(b"ncclGetLastError\0")?))) };
    let (functions, last_error) = functions.map_err(|e| LoadError::refused(path, e))?;
    let mut version = 0;
    // SAFETY: the function writes one integer.
    let status = unsafe { (functions.version)(&mut version) };
    if status != SUCCESS {
        return Err(LoadError::refused(path, "the query of its version fails"));
    }
    if version < OLDEST {
        let (found, oldest) = (version_name(version), version_name(OLDEST));
        return Err(LoadError::refused(
            path,
            format!("it is version {found}, and {oldest} is needed"),
        ));
    }
    Ok(Nccl {
        functions,
        last_error,
        path: path.to_path_buf(),
        version,
    })
}

impl Nccl {
    /// Returns an error if a call of NCCL for this purpose failed.
    fn check(&self, purpose: &'static str, status: c_int) -> Result<(), CudaError> {
        if status == SUCCESS {
            return Ok(());
        }
        let text = self.words(status);
        Err(CudaError::Nccl { purpose, text })
    }

    /// Returns the words of NCCL for a failure, and those for its cause if it has any.
    fn words(&self, status: c_int) -> String {
        // SAFETY: without a communicator the function returns the last message of the library.
        let last = unsafe { (self.last_error)(std::ptr::null_mut()) };
        let last = if last.is_null() {
            String::new()
        } else {
            // SAFETY: a text of the library, which ends with a zero byte.
            unsafe { CStr::from_ptr(last) }.to_string_lossy().trim().to_owned()
        };
        let reason = self.functions.reason(status);
        if last.is_empty() {
            reason
        } else {
            format!("{reason}: {last}")
        }
    }

    /// Returns a new identification under which ranks can meet.
    ///
    /// # Errors
    /// NCCL finds no network.
    pub(super) fn id(&self) -> Result<Id, CudaError> {
        let mut id = Id([0; ID_BYTES]);
        // SAFETY: the function fills the identification.
        let status = unsafe { (self.functions.id)(&mut id) };
        self.check("preparing the ranks to meet", status)?;
        Ok(id)
    }

    /// Returns the communicator of this rank among so many, all of which call this with one identification. It belongs
    /// to the GPU whose context this thread uses. Collective.
    ///
    /// # Errors
    /// The ranks do not meet.
    pub(super) fn join(&self, id: Id, rank: usize, ranks: usize) -> Result<Handle, CudaError> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the function writes one handle.
        let status = unsafe { (self.functions.join)(&mut handle, ranks as c_int, id, rank as c_int) };
        self.check("meeting the other ranks", status)?;
        Ok(handle)
    }

    /// Adds to the queue one exchange with some ranks, each of which adds the same. Parts without values are left out.
    ///
    /// # Errors
    /// NCCL or the GPU fails.
    ///
    /// # Safety
    /// SAFETY: the communicator must be alive, the ranges must lie in live memory of its GPU, and nothing may write
    /// what is sent, or use what is received, before this work in the queue is done.
    pub(super) unsafe fn exchange(&self, handle: Handle, queue: Queue, parts: &[Part]) -> Result<(), CudaError> {
        let functions = &self.functions;
        let mut statuses = Vec::new();
        // SAFETY: the caller guarantees handle and ranges. A group that began is ended.
        unsafe {
            statuses.push((functions.begin_group)());
            for part in parts {
                let rank = part.rank as c_int;
                let (from, sent) = part.sent;
                let (to, received) = part.received;
                if sent > 0 {
                    statuses.push((functions.send)(from as *const c_void, sent, BYTE, rank, handle, queue));
                }
                if received > 0 {
                    statuses.push((functions.receive)(
                        to as *mut c_void,
                        received,
                        BYTE,
                        rank,
                        handle,
                        queue,
                    ));
                }
            }
            statuses.push((functions.end_group)());
        }
        let failed = statuses.into_iter().find(|&status| status != SUCCESS);
        self.check("exchanging traces", failed.unwrap_or(SUCCESS))
    }

    /// Returns the words of NCCL for what has gone wrong with a communicator since it was made, if anything has.
    ///
    /// # Safety
    /// SAFETY: the communicator must be alive.
    pub(super) unsafe fn failure(&self, handle: Handle) -> Option<String> {
        let mut state = SUCCESS;
        // SAFETY: the caller guarantees the handle, and the function writes one integer.
        let status = unsafe { (self.functions.state)(handle, &mut state) };
        let failed = if status == SUCCESS { state } else { status };
        (failed != SUCCESS).then(|| self.words(failed))
    }

    /// Ends a communicator, with whatever is under way in it. Returns when no recording holds work of it any more.
    ///
    /// # Safety
    /// SAFETY: the communicator must be alive, and is not used afterwards.
    pub(super) unsafe fn abort(&self, handle: Handle) {
        // SAFETY: the caller guarantees the handle. A failure changes nothing: the communicator is not used again.
        let _ = unsafe { (self.functions.abort)(handle) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::library::compiled;
    use super::*;

    /// Compiles a library with NCCL's functions, of this version, that writes down what it is asked. `status` is the
    /// result of sends.
    fn library(version: c_int, status: c_int) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("temporary directory");
        let text = format!(
            "#include <stdio.h>\n#include <string.h>\ntypedef struct {{ char bytes[128]; }} Id;\n\
             static char asked[1000]; static int state;\n\
             #define ASK(...) sprintf(asked + strlen(asked), __VA_ARGS__)\n\
             const char *asked_of(void) {{ return asked; }}\n\
             void fails(int how) {{ state = how; }}\n\
             int ncclGetVersion(int *version) {{ *version = {version}; return 0; }}\n\
             int ncclGetUniqueId(Id *id) {{ memset(id->bytes, 7, 128); return 0; }}\n\
             int ncclCommInitRank(void **comm, int ranks, Id id, int rank) {{\n\
             ASK(\"join %d of %d by %d;\", rank, ranks, id.bytes[127]); *comm = asked; return 0; }}\n\
             int ncclGroupStart(void) {{ ASK(\"begin;\"); return 0; }}\n\
             int ncclGroupEnd(void) {{ ASK(\"end;\"); return 0; }}\n\
             int ncclSend(const void *from, size_t n, int type, int rank, void *comm, void *queue) {{\n\
             ASK(\"send %zu at %zu of type %d to %d;\", n, (size_t)from, type, rank);\n\
             return comm == asked && queue == &state ? {status} : 4; }}\n\
             int ncclRecv(void *to, size_t n, int type, int rank, void *comm, void *queue) {{\n\
             ASK(\"receive %zu at %zu of type %d from %d;\", n, (size_t)to, type, rank);\n\
             return comm == asked && queue == &state ? 0 : 4; }}\n\
             int ncclCommGetAsyncError(void *comm, int *now) {{ *now = state; return comm == asked ? 0 : 4; }}\n\
             int ncclCommAbort(void *comm) {{ ASK(\"abort;\"); return 0; }}\n\
             void *queue(void) {{ return &state; }}\n\
             const char *ncclGetErrorString(int status) {{ \n\
             return status == 6 ? \"remote error\" : \"other error\"; }}\n\
             const char *ncclGetLastError(void *comm) {{ return \"the peer has gone\\n\"; }}\n"
        );
        let library = compiled(directory.path(), "libnccl.so.2", &text);
        (directory, library)
    }

    /// Returns a function of the library that is not one of NCCL.
    fn of_test<F: Copy>(path: &Path, name: &[u8]) -> F {
        let library = open(path).expect("the library");
        // SAFETY: the caller names a function of `library` with its type.
        unsafe { *library.get(name).expect("the function") }
    }

    #[test]
    fn multicast_is_off_and_the_choice_of_the_user_on_registered_buffers_stays() {
        let multicast = ("NCCL_NVLS_ENABLE", "0");
        assert_eq!(environment(|_| None), [multicast, ("NCCL_GRAPH_REGISTER", "0")]);
        assert_eq!(environment(|_| Some("1".into())), [multicast]);
    }

    #[test]
    fn an_exchange_is_one_group_of_sends_and_receives_with_values() {
        let (_directory, path) = library(22809, 0);
        let nccl = load(&path).unwrap();
        assert_eq!((nccl.version, &*version_name(nccl.version)), (22809, "2.28.9"));
        let id = nccl.id().unwrap();
        let handle = nccl.join(id, 2, 5).unwrap();
        // SAFETY: the types are those of the source above.
        let queue = unsafe { of_test::<unsafe extern "C" fn() -> Queue>(&path, b"queue\0")() };
        let part = |rank, sent, received| Part { rank, sent, received };
        let parts = [
            part(4, (100, 16), (200, 24)),
            part(1, (116, 0), (224, 8)),
            part(0, (116, 4), (232, 0)),
        ];
        // SAFETY: the library above touches no memory of these addresses.
        unsafe { nccl.exchange(handle, queue, &parts) }.unwrap();
        // SAFETY: the communicator is alive until the abort.
        unsafe {
            assert_eq!(nccl.failure(handle), None);
            of_test::<unsafe extern "C" fn(c_int)>(&path, b"fails\0")(6);
            let failure = nccl.failure(handle);
            assert_eq!(failure.as_deref(), Some("remote error: the peer has gone"));
            nccl.abort(handle);
        }
        // SAFETY: the function returns a text of the library.
        let asked =
            unsafe { CStr::from_ptr(of_test::<unsafe extern "C" fn() -> *const c_char>(&path, b"asked_of\0")()) };
        assert_eq!(
            asked.to_str().unwrap(),
            "join 2 of 5 by 7;begin;send 16 at 100 of type 1 to 4;receive 24 at 200 of type 1 from 4;\
             receive 8 at 224 of type 1 from 1;send 4 at 116 of type 1 to 0;end;abort;"
        );
    }

    #[test]
    fn a_group_that_fails_is_ended_and_reported() {
        let (_directory, path) = library(22809, 5);
        let nccl = load(&path).unwrap();
        let handle = nccl.join(nccl.id().unwrap(), 0, 2).unwrap();
        // SAFETY: the types are those of the source above.
        let queue = unsafe { of_test::<unsafe extern "C" fn() -> Queue>(&path, b"queue\0")() };
        let part = Part {
            rank: 1,
            sent: (100, 16),
            received: (200, 16),
        };
        // SAFETY: the library above touches no memory of these addresses.
        let error = unsafe { nccl.exchange(handle, queue, &[part]) }.unwrap_err();
        let expected = "NCCL fails in exchanging traces: other error: the peer has gone";
        assert_eq!(error.to_string(), expected);
        // SAFETY: the function returns a text of the library.
        let asked =
            unsafe { CStr::from_ptr(of_test::<unsafe extern "C" fn() -> *const c_char>(&path, b"asked_of\0")()) };
        assert!(asked.to_str().unwrap().ends_with("end;"));
    }

    #[test]
    fn what_is_no_nccl_or_too_old_is_refused_with_a_reason() {
        let (_directory, path) = library(21705, 0);
        let reason = load(&path).err().unwrap().to_string();
        let expected = format!(
            "cannot load {}: it is version 2.17.5, and 2.18.0 is needed",
            path.display()
        );
        assert_eq!(reason, expected);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("libnccl.so.2");
        std::fs::write(&path, "not a library").unwrap();
        let reason = load(&path).err().unwrap().to_string();
        assert!(
            reason.starts_with(&format!("cannot load {}: ", path.display())),
            "{reason}"
        );
    }
}
