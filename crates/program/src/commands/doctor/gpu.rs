//! The GPUs, their driver, and what compiles kernels for them.

use std::path::Path;

use super::finding::Finding;
use super::machine::install;
use crate::device::cuda::nccl::{nccl, version_name};
use crate::device::cuda::nvrtc_lookup::nvrtc;
use crate::device::cuda::{CudaError, Gpu, prebuilt};

/// What is found of the GPUs, and whether a run on one can be tried.
pub fn findings() -> (Vec<Finding>, bool) {
    let (mut findings, gpu) = gpus();
    findings.extend(gpu.as_ref().map(energy));
    findings.push(compiler(gpu.as_ref()));
    findings.push(network());
    let usable = gpu.is_some_and(|gpu| gpu.ready().is_ok());
    (findings, usable)
}

/// The GPUs, and the first that can be opened.
fn gpus() -> (Vec<Finding>, Option<Gpu>) {
    if !Gpu::has_driver() {
        return match pci_devices() {
            0 => (
                vec![Finding::absent("GPU", "there is no NVIDIA GPU and no driver of one")],
                None,
            ),
            count => (
                vec![Finding::lacks(
                    "GPU",
                    format!("{count} of NVIDIA, but its driver is missing (libcuda.so.1 cannot be loaded)"),
                    format!(
                        "{} (Debian: contrib and non-free; elsewhere https://www.nvidia.com/drivers), then restart;\n\
                         in a container: start it with access to the GPU (`--gpus all`, Apptainer `--nv`)",
                        install("nvidia-driver", "akmod-nvidia")
                    ),
                )],
                None,
            ),
        };
    }
    let count = match Gpu::count() {
        Ok(count) => count,
        Err(error) => return (vec![failed(&error)], None),
    };
    let mut findings = Vec::new();
    let mut first = None;
    for number in 0..count {
        match Gpu::open(number) {
            Ok(gpu) => {
                let memory = gpu.memory().map_or_else(
                    |error| error.to_string(),
                    |(free, total)| format!("{:.1} of {:.1} GB are free", free as f64 * 1e-9, total as f64 * 1e-9),
                );
                let (major, minor) = (gpu.driver_version / 1000, gpu.driver_version % 1000 / 10);
                findings.push(Finding::works(
                    "GPU",
                    format!(
                        "{} ({}), {memory}, driver for CUDA {major}.{minor}",
                        gpu.name, gpu.architecture
                    ),
                ));
                first.get_or_insert(gpu);
            }
            Err(error) => findings.push(failed(&error)),
        }
    }
    (findings, first)
}

fn failed(error: &CudaError) -> Finding {
    Finding::lacks(
        "GPU",
        error.to_string(),
        "`nvidia-smi` and `dmesg | grep -i nvrm` tell more; CUDA_VISIBLE_DEVICES may hide GPUs",
    )
}

/// What counts the energy of the GPU.
fn energy(gpu: &Gpu) -> Finding {
    match gpu.millijoules() {
        Some(_) => Finding::works("NVML", "counts the energy of runs"),
        None => Finding::lacks(
            "NVML",
            "libnvidia-ml.so.1 is missing or does not count the energy of this GPU, which runs then do not report",
            "the library is part of the driver; in a container: NVIDIA_DRIVER_CAPABILITIES=compute,utility",
        ),
    }
}

/// Number of NVIDIA's graphics cards and accelerators on the bus.
fn pci_devices() -> usize {
    let devices = std::fs::read_dir("/sys/bus/pci/devices")
        .into_iter()
        .flatten()
        .flatten();
    let read = |path: &Path, name| std::fs::read_to_string(path.join(name)).unwrap_or_default();
    devices
        .map(|device| device.path())
        .filter(|path| read(path, "vendor").trim() == "0x10de" && read(path, "class").starts_with("0x03"))
        .count()
}

/// What makes kernels for the GPU: NVRTC, or files that were made earlier.
fn compiler(gpu: Option<&Gpu>) -> Finding {
    match (nvrtc(), gpu.map(Gpu::ready)) {
        (Ok(_), Some(Err(error))) => Finding::lacks("NVRTC", error.to_string(), wheel(gpu)),
        (Ok(compiler), _) => Finding::works(
            "NVRTC",
            format!("CUDA {}, {}", compiler.version_name(), compiler.path.display()),
        ),
        (Err(_), Some(Ok(()))) => Finding::works(
            "NVRTC",
            format!("is not there; kernels come from {}", prebuilt::directory().display()),
        ),
        (Err(error), _) => {
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default().split(": `pip").next();
            let reason = reason.unwrap_or_default().to_owned();
            match gpu {
                Some(_) => Finding::lacks("NVRTC", reason, wheel(gpu)),
                None => Finding::absent("NVRTC", format!("{reason}; only runs on a GPU need it")),
            }
        }
    }
}

/// What connects GPUs of several machines.
fn network() -> Finding {
    match nccl() {
        Ok(nccl) => Finding::works(
            "NCCL",
            format!("{}, {}", version_name(nccl.version), nccl.path.display()),
        ),
        Err(error) => {
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default().split(": `pip").next();
            let reason = reason.unwrap_or_default();
            Finding::absent(
                "NCCL",
                format!("{reason}; only runs on GPUs of several machines use it"),
            )
        }
    }
}

/// The command that brings an NVRTC which the driver supports.
fn wheel(gpu: Option<&Gpu>) -> String {
    let pip = "python3 -m venv ~/.local/fr-les-nvrtc && ~/.local/fr-les-nvrtc/bin/pip install";
    let named = "then set FR_LES_NVRTC to ~/.local/fr-les-nvrtc/lib/python3*/site-packages";
    match gpu.map(|gpu| (gpu.driver_version / 1000, gpu.driver_version % 1000 / 10)) {
        Some((12, _)) => format!("{pip} nvidia-cuda-nvrtc-cu12\n{named}"),
        Some((major, minor)) => format!("{pip} 'nvidia-cuda-nvrtc=={major}.{minor}.*'\n{named}"),
        None => format!("{pip} nvidia-cuda-nvrtc\n{named}"),
    }
}
