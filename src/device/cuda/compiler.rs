//! From a kernel's text to machine code, by NVRTC.
//!
//! Compiling for a real architecture (sm_90) gives machine code and the report of the assembler, which says what a kernel
//! uses of registers and what it spills; compiling for a virtual one (compute_75) gives PTX for drivers to translate.
//! No option trades accuracy for speed: what `arithmetic: fast` permits is written in the kernels themselves.

use std::ffi::{CString, c_char};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::architecture::Architecture;
use super::nvrtc_lookup::{Handle, LoadError, Nvrtc, nvrtc};
use super::source::Program;

/// Options of every compilation. Contraction off and the rounding of division and root as IEEE has it: the same bits as on
/// the CPU. The rest of the language's defaults are named too where other programs are used to change them.
pub const OPTIONS: &[&str] = &[
    "--std=c++17",
    "--fmad=false",
    "--ftz=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--device-as-default-execution-space",
    "--ptxas-options=-v",
];

/// Why a program was not built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no compiler.
    #[error(transparent)]
    Nvrtc(#[from] LoadError),
    /// This NVRTC makes no code for the architecture.
    #[error("{}", unknown_architecture(.architecture, .version, .known))]
    Architecture {
        /// What was asked for.
        architecture: Architecture,
        /// The version of NVRTC.
        version: String,
        /// What it knows, compute capabilities times ten.
        known: Vec<u32>,
    },
    /// The text does not compile.
    #[error("{program} for {architecture} does not compile:\n{log}")]
    Compile {
        /// Label of the program.
        program: String,
        /// What for.
        architecture: Architecture,
        /// The compiler's messages, with file and line.
        log: String,
    },
    /// NVRTC failed for another reason.
    #[error("{program} for {architecture}: NVRTC cannot {action}: {reason}")]
    Call {
        /// Label of the program.
        program: String,
        /// What for.
        architecture: Architecture,
        /// What was tried.
        action: &'static str,
        /// NVRTC's reason.
        reason: String,
    },
}

fn unknown_architecture(architecture: &Architecture, version: &str, known: &[u32]) -> String {
    let kind = if architecture.ptx { "compute" } else { "sm" };
    let names: Vec<String> = known.iter().map(|number| format!("{kind}_{number}")).collect();
    let advice = if known.first().is_some_and(|&oldest| architecture.number < oldest) {
        // CUDA 13 ended support for everything before Turing, 12 for everything before Maxwell.
        match architecture.number {
            50.. => format!("{architecture} needs NVRTC 12 (pip install nvidia-cuda-nvrtc-cu12)"),
            _ => format!("{architecture} needs an older NVRTC"),
        }
    } else if known.last().is_some_and(|&newest| architecture.number > newest) {
        format!("{architecture} needs a newer NVRTC")
    } else {
        format!("there is no {architecture} for it")
    };
    format!("NVRTC {version} makes code for {}; {advice}", names.join(", "))
}

/// What one kernel uses, per thread except for shared memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Name of the kernel.
    pub kernel: String,
    /// Registers of 32 bits.
    pub registers: usize,
    /// Static shared memory of a block, in bytes; dynamic comes on top.
    pub shared: usize,
    /// Bytes of the stack.
    pub stack: usize,
    /// Bytes of registers that did not fit, stored to memory.
    pub spill_stores: usize,
    /// And loaded again.
    pub spill_loads: usize,
}

/// A program in the form that the driver loads.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// Machine code (a cubin), or PTX text without the closing zero byte.
    pub image: Vec<u8>,
    /// What its kernels use, in the order of the assembler; empty for PTX.
    pub resources: Vec<Resources>,
    /// Warnings of the compiler; mostly empty.
    pub warnings: String,
    /// How long the compilation took.
    pub seconds: f64,
}

/// Version of NVRTC and the compute capabilities, times ten, that it makes code for.
pub fn supported() -> Result<(String, &'static [u32]), BuildError> {
    let nvrtc = nvrtc()?;
    Ok((nvrtc.version_name(), &nvrtc.architectures))
}

/// Whether NVRTC makes code for this architecture, with advice if it does not.
pub fn check_architecture(architecture: &Architecture) -> Result<(), BuildError> {
    let (version, known) = supported()?;
    if known.contains(&architecture.number) {
        return Ok(());
    }
    Err(BuildError::Architecture {
        architecture: architecture.clone(),
        version,
        known: known.to_vec(),
    })
}

/// Compiles one program.
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

/// A program inside NVRTC, destroyed at the end.
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
        // SAFETY: both strings end with a zero byte and live through the call, which copies them; no headers are given.
        let status = unsafe {
            let none = std::ptr::null();
            (nvrtc.functions.create)(&mut session.handle, text.as_ptr(), name.as_ptr(), 0, none, none)
        };
        session.check("take the text", status)?;
        Ok(session)
    }

    fn check(&self, action: &'static str, status: i32) -> Result<(), BuildError> {
        if status == 0 {
            return Ok(());
        }
        Err(BuildError::Call {
            program: self.program.label.clone(),
            architecture: self.architecture.clone(),
            action,
            reason: self.nvrtc.reason(status),
        })
    }

    /// Compiles, and returns the log.
    fn compile(&self) -> Result<String, BuildError> {
        let functions = &self.nvrtc.functions;
        let target = format!("--gpu-architecture={}", self.architecture);
        let options: Vec<CString> = OPTIONS.iter().copied().chain([target.as_str()]).map(c_string).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        // SAFETY: the handle is a program, and as many options are there as are said, each ending with a zero byte.
        let status = unsafe { (functions.compile)(self.handle, pointers.len() as i32, pointers.as_ptr()) };
        let log = self.bytes("give its log", functions.log_size, functions.log)?;
        let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned();
        if status == 0 {
            return Ok(log);
        }
        let mut text = messages(&log);
        if !text.contains("error") {
            // The assembler can fail without a word, e.g. for want of registers or static shared memory.
            text = format!("{text}\nNVRTC fails without saying why: {}", self.nvrtc.reason(status));
        }
        Err(BuildError::Compile {
            program: self.program.label.clone(),
            architecture: self.architecture.clone(),
            log: text.trim().to_owned(),
        })
    }

    /// A result of NVRTC: asks how long it is, then for the bytes.
    fn bytes(
        &self,
        action: &'static str,
        // SAFETY: both are to be called with a live program; `size` writes one number, `fill` as many bytes as that says.
        size: unsafe extern "C" fn(Handle, *mut usize) -> i32,
        // SAFETY: see above.
        fill: unsafe extern "C" fn(Handle, *mut c_char) -> i32,
    ) -> Result<Vec<u8>, BuildError> {
        let mut length = 0;
        // SAFETY: the handle is a program; writes one number.
        self.check(action, unsafe { size(self.handle, &mut length) })?;
        let mut bytes = vec![0u8; length];
        // SAFETY: fills as many bytes as it has just asked for.
        self.check(action, unsafe { fill(self.handle, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the handle is a program, used by nobody else; it is not used again.
            unsafe { (self.nvrtc.functions.destroy)(&mut self.handle) };
        }
    }
}

/// Texts of this program never hold zero bytes; one from outside would be cut there.
fn c_string(text: impl Into<Vec<u8>>) -> CString {
    let mut bytes = text.into();
    bytes.truncate(bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len()));
    CString::new(bytes).unwrap_or_default()
}

/// The assembler's report: for each kernel a line with its name, one with stack and spills, and one with registers.
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

/// The log without the assembler's report.
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
        ptxas info    : Function properties for sweep2\n    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Used 128 registers, used 1 barriers, 16 bytes cumulative stack size, 4096 bytes smem\n\
        ptxas info    : Compile time = 0.000 ms\n\
        ptxas info    : Compiling entry function 'other' for 'sm_90'\n\
        ptxas info    : Function properties for other\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
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
        let text = |name: &str| unknown_architecture(&name.parse().unwrap(), "13.0", &[75, 90, 120]);
        assert!(text("sm_70").starts_with("NVRTC 13.0 makes code for sm_75, sm_90, sm_120; sm_70 needs NVRTC 12 "));
        assert!(text("compute_130").ends_with("compute_130 needs a newer NVRTC"));
        assert!(text("sm_91").ends_with("there is no sm_91 for it"));
    }
}
