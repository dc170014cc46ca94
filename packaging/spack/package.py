"""Recipe for Spack 1.0 or newer. `spack install fr-les +cuda` adds CUDA, whose NVRTC compiles the kernels for GPUs."""

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class FrLes(Package):
    """High-order flux-reconstruction solver for large-eddy simulation of compressible flow."""

    homepage = "https://github.com/fr-les/fr-les"
    git = "https://github.com/fr-les/fr-les.git"

    license("Apache-2.0 OR MIT")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("cuda", default=False, description="Compile kernels for NVIDIA GPUs at run time (NVRTC)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("rust@1.95:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("llvm+clang", type="build")  # libclang, for bindings of MPI
    depends_on("python", type="build")  # for the notices of third-party software
    depends_on("mpi")
    depends_on("hdf5+mpi")
    depends_on("cuda@12:", when="+cuda", type="run")

    def setup_build_environment(self, env):
        env.set("MPICC", self.spec["mpi"].mpicc)
        env.set("HDF5_DIR", self.spec["hdf5"].prefix)
        env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)

    def install(self, spec, prefix):
        which("cargo", required=True)("install", "--locked", "--path", ".", "--root", prefix)
        program = Executable(prefix.bin.join("fr-les"))
        program("man", prefix.share.man.man1)
        documents = prefix.share.doc.join("fr-les")
        mkdirp(documents)
        notices = which("python3", required=True)("scripts/third-party", output=str)
        with open(documents.join("THIRD-PARTY.txt"), "w") as file:
            file.write(notices)
        for shell, folder, name in [
            ("bash", prefix.share.join("bash-completion").completions, "fr-les"),
            ("zsh", prefix.share.zsh.join("site-functions"), "_fr-les"),
            ("fish", prefix.share.fish.join("vendor_completions.d"), "fr-les.fish"),
        ]:
            mkdirp(folder)
            with open(folder.join(name), "w") as file:
                file.write(program("completions", shell, output=str))
