//! Compilation of kernels by NVRTC.
//!
//! Compilation for a real architecture (sm_90) gives machine code and the report of the assembler with registers and
//! spills of each kernel. Compilation for a virtual architecture (compute_75) gives PTX, which drivers translate.
//!
//! No option trades accuracy for speed. The approximations of `arithmetic: fast` are written in the kernels themselves.

use std::ffi::{CString, c_char};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::architecture::Architecture;
use super::library::LoadError;
use super::nvrtc_lookup::{Handle, Nvrtc, nvrtc};
use super::source::Program;

/// Options of every compilation. Contraction is off, and division and square root are rounded as IEEE 754 requires,
/// which gives the same bits as on the CPU. Some options repeat defaults of NVRTC to make them explicit.
pub const OPTIONS: &[&str] = &[
    "--std=c++17",
    "--fmad=false",
    "--ftz=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--device-as-default-execution-space",
    "--ptxas-options=-v",
];

/// The reason why a program was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no compiler.
    #[error(transparent)]
    Nvrtc(#[from] LoadError),
    /// This version of NVRTC does not support the architecture.
    #[error("{}", unsupported_architecture(.architecture, .version, .supported))]
    Architecture {
        /// The requested architecture.
        architecture: Architecture,
        /// The version of NVRTC.
        version: String,
        /// Compute capabilities that it supports, times ten.
        supported: Vec<u32>,
    },
    /// The text does not compile.
    #[error("{program} for {architecture} does not compile:\n{log}")]
    Compile {
        /// Label of the program.
        program: String,
        /// The requested architecture.
        architecture: Architecture,
        /// Messages of the compiler, with file and line.
        log: String,
    },
    /// NVRTC failed for another reason.
    #[error("{program} for {architecture}: NVRTC cannot {action}: {reason}")]
    Call {
        /// Label of the program.
        program: String,
        /// The requested architecture.
        architecture: Architecture,
        /// The action that failed.
        action: &'static str,
        /// The reason that NVRTC gives.
        reason: String,
    },
}

/// Returns the message for an architecture that NVRTC does not support, with advice.
fn unsupported_architecture(architecture: &Architecture, version: &str, supported: &[u32]) -> String {
    let kind = if architecture.ptx { "compute" } else { "sm" };
    let names: Vec<String> = supported.iter().map(|number| format!("{kind}_{number}")).collect();
    let advice = if supported.first().is_some_and(|&oldest| architecture.number < oldest) {
        // CUDA 13 ended support for everything before Turing, 12 for everything before Maxwell.
        match architecture.number {
            50.. => format!("{architecture} needs NVRTC 12 (pip install nvidia-cuda-nvrtc-cu12)"),
            _ => format!("{architecture} needs an older NVRTC"),
        }
    } else if supported.last().is_some_and(|&newest| architecture.number > newest) {
        format!("{architecture} needs a newer NVRTC")
    } else {
        format!("it does not support {architecture}")
    };
    format!("NVRTC {version} compiles for {}; {advice}", names.join(", "))
}

/// Resources of a kernel, per thread except for shared memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Name of the kernel.
    pub kernel: String,
    /// Number of 32-bit registers.
    pub registers: usize,
    /// Static shared memory of a block, in bytes. Dynamic shared memory is not included.
    pub shared: usize,
    /// Stack, in bytes.
    pub stack: usize,
    /// Registers stored to memory because they did not fit, in bytes.
    pub spill_stores: usize,
    /// Spilled registers loaded again, in bytes.
    pub spill_loads: usize,
}

/// A program in the form that the driver loads.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// Machine code (a cubin), or PTX text without the closing zero byte.
    pub image: Vec<u8>,
    /// Resources of its kernels, in the order of the assembler's report; empty for PTX.
    pub resources: Vec<Resources>,
    /// Warnings of the compiler; usually empty.
    pub warnings: String,
    /// Duration of the compilation, in seconds.
    pub seconds: f64,
}

/// Returns the version of NVRTC and the compute capabilities that it supports, times ten.
///
/// # Errors
/// There is no NVRTC.
pub fn supported() -> Result<(String, &'static [u32]), BuildError> {
    let nvrtc = nvrtc()?;
    Ok((nvrtc.version_name(), &nvrtc.architectures))
}

/// Checks that NVRTC supports this architecture.
///
/// # Errors
/// Returns an error with advice if there is no NVRTC, or it does not support the architecture.
pub fn check_architecture(architecture: &Architecture) -> Result<(), BuildError> {
    let (version, supported) = supported()?;
    if supported.contains(&architecture.number) {
        return Ok(());
    }
    Err(BuildError::Architecture {
        architecture: architecture.clone(),
        version,
        supported: supported.to_vec(),
    })
}

/// Compiles one program.
///
/// # Errors
/// There is no NVRTC, it does not support the architecture, or the program does not compile.
pub fn compile(program: &Program, architecture: &Architecture) -> Result<Compiled, BuildError> {
    let nvrtc = nvrtc()?;
    check_architecture(architecture)?;
    let begin = Instant::now();
    let session = Session::new(nvrtc, program, architecture)?;
    let log = session.compile()?;
    let functions = &nvrtc.functions;
    let mut image = if architecture.ptx {
        session.bytes("give the PTX", functions.ptx_size, functions.ptx)?
    } else {
        session.bytes("give the machine code", functions.cubin_size, functions.cubin)?
    };
    if architecture.ptx && image.last() == Some(&0) {
        image.pop();
    }
    Ok(Compiled {
        image,
        resources: resources(&log),
        warnings: messages(&log),
        seconds: begin.elapsed().as_secs_f64(),
    })
}

/// A program of NVRTC, which is destroyed on drop.
struct Session<'a> {
    nvrtc: &'static Nvrtc,
    handle: Handle,
    program: &'a Program,
    architecture: &'a Architecture,
}

impl<'a> Session<'a> {
    fn new(nvrtc: &'static Nvrtc, program: &'a Program, architecture: &'a Architecture) -> Result<Self, BuildError> {
        let mut session = Session {
            nvrtc,
            handle: std::ptr::null_mut(),
            program,
            architecture,
        };
        let (text, name) = (c_string(program.text()), c_string(format!("ptx/{}", program.path())));
        // SAFETY: both strings end with a zero byte and outlive the call, which copies them. No headers are passed.
        let status = unsafe {
            let none = std::ptr::null();
            (nvrtc.functions.create)(&mut session.handle, text.as_ptr(), name.as_ptr(), 0, none, none)
        };
        session.check("read the text", status)?;
        Ok(session)
    }

    /// Turns a status of NVRTC into a result.
    fn check(&self, action: &'static str, status: i32) -> Result<(), BuildError> {
        if status == 0 {
            return Ok(());
        }
        Err(BuildError::Call {
            program: self.program.label.clone(),
            architecture: self.architecture.clone(),
            action,
            reason: self.nvrtc.functions.reason(status),
        })
    }

    /// Compiles the program and returns the log.
    fn compile(&self) -> Result<String, BuildError> {
        let functions = &self.nvrtc.functions;
        let target = format!("--gpu-architecture={}", self.architecture);
        let options: Vec<CString> = OPTIONS.iter().copied().chain([target.as_str()]).map(c_string).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        // SAFETY: the handle is a program. The number of options is that of the list, and each ends with a zero byte.
        let status = unsafe { (functions.compile)(self.handle, pointers.len() as i32, pointers.as_ptr()) };
        let log = self.bytes("return its log", functions.log_size, functions.log)?;
        let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned();
        if status == 0 {
            return Ok(log);
        }
        let mut text = messages(&log);
        if !text.contains("error") {
            // The assembler can fail without a message, for instance if registers or static shared memory do not
            // suffice.
            text = format!(
                "{text}\nNVRTC fails without a message: {}",
                self.nvrtc.functions.reason(status)
            );
        }
        Err(BuildError::Compile {
            program: self.program.label.clone(),
            architecture: self.architecture.clone(),
            log: text.trim().to_owned(),
        })
    }

    /// Returns a result of NVRTC, which first gives its length and then its bytes.
    fn bytes(
        &self,
        action: &'static str,
        // SAFETY: both must be called with a live program. `size` writes one number, and `fill` that number of bytes.
        size: unsafe extern "C" fn(Handle, *mut usize) -> i32,
        // SAFETY: see above.
        fill: unsafe extern "C" fn(Handle, *mut c_char) -> i32,
    ) -> Result<Vec<u8>, BuildError> {
        let mut length = 0;
        // SAFETY: the handle is a live program, and the function writes one number.
        self.check(action, unsafe { size(self.handle, &mut length) })?;
        let mut bytes = vec![0u8; length];
        // SAFETY: the buffer has the length that NVRTC has given.
        self.check(action, unsafe { fill(self.handle, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the handle is a live program, which is not used again.
            unsafe { (self.nvrtc.functions.destroy)(&mut self.handle) };
        }
    }
}

/// Returns a string with a closing zero byte. The texts of this program contain no zero bytes; any other text ends at
/// its first one.
fn c_string(text: impl Into<Vec<u8>>) -> CString {
    let mut bytes = text.into();
    bytes.truncate(bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len()));
    CString::new(bytes).unwrap_or_default()
}

/// Reads the report of the assembler, which has for each kernel a line with its name, one with stack and spills, and
/// one with registers.
fn resources(log: &str) -> Vec<Resources> {
    let mut all: Vec<Resources> = Vec::new();
    let number_before = |line: &str, unit: &str| -> Option<usize> {
        let (before, _) = line.split_once(unit)?;
        before
            .split(|c: char| !c.is_ascii_digit())
            .rfind(|word| !word.is_empty())?
            .parse()
            .ok()
    };
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            all.push(Resources {
                kernel: rest.split('\'').next().unwrap_or_default().to_owned(),
                ..Resources::default()
            });
        } else if let Some(kernel) = all.last_mut() {
            if line.contains("bytes stack frame") {
                kernel.stack = number_before(line, " bytes stack frame").unwrap_or(0);
                kernel.spill_stores = number_before(line, " bytes spill stores").unwrap_or(0);
                kernel.spill_loads = number_before(line, " bytes spill loads").unwrap_or(0);
            } else if line.contains(" registers") {
                kernel.registers = number_before(line, " registers").unwrap_or(0);
                kernel.shared = number_before(line, " bytes smem").unwrap_or(0);
            }
        }
    }
    all
}

/// Returns the log without the report of the assembler.
fn messages(log: &str) -> String {
    let report = |line: &&str| line.starts_with("ptxas info") || line.contains("bytes stack frame");
    let lines: Vec<&str> = log.lines().filter(|line| !report(line)).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "ptx/gas.h(12): warning #177-D: variable \"x\" was declared but never referenced\n\n\
        ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'sweep2' for 'sm_90'\n\
        ptxas info    : Function properties for sweep2\n    \
        16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Used 128 registers, used 1 barriers, 16 bytes cumulative stack size, 4096 bytes smem\n\
        ptxas info    : Compile time = 0.000 ms\n\
        ptxas info    : Compiling entry function 'other' for 'sm_90'\n\
        ptxas info    : Function properties for other\n    \
        0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
        ptxas info    : Used 32 registers\n";

    #[test]
    fn the_assemblers_report_is_read() {
        let first = Resources {
            kernel: "sweep2".to_owned(),
            registers: 128,
            shared: 4096,
            stack: 16,
            spill_stores: 8,
            spill_loads: 12,
        };
        let second = Resources {
            kernel: "other".to_owned(),
            registers: 32,
            ..Resources::default()
        };
        assert_eq!(resources(LOG), [first, second]);
        assert_eq!(messages(LOG), LOG.lines().next().unwrap());
    }

    #[test]
    fn an_architecture_of_another_version_is_explained() {
        let text = |name: &str| unsupported_architecture(&name.parse().unwrap(), "13.0", &[75, 90, 120]);
        assert!(text("sm_70").starts_with("NVRTC 13.0 compiles for sm_75, sm_90, sm_120; sm_70 needs NVRTC 12 "));
        assert!(text("compute_130").ends_with("compute_130 needs a newer NVRTC"));
        assert!(text("sm_91").ends_with("it does not support sm_91"));
    }
}
