//! The parameters and the kernels of the benchmark of mesh loops (ptx/loops), which run over cells, faces, edges or
//! nodes.
//!
//! In the translation units that define LOOPS the structure `Params` has the fields below, and the constants of
//! [`LOOP_GAS`].

use super::records::FieldSpec;

/// Declares [`LoopParams`], and [`LOOP_ARGUMENTS`], which describes its fields.
macro_rules! loop_params {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty,)+) => {
        /// What a launch of a mesh loop hands to its kernel. Pointers are addresses on the device. An edge and its ends
        /// take the places of a face and its cells.
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        pub struct LoopParams<R> {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        /// The fields in their order in memory; offsets are the same in both precisions.
        pub const LOOP_ARGUMENTS: &[FieldSpec] = &[$(FieldSpec {
            name: stringify!($name),
            rust_type: stringify!($type),
            offsets: [
                std::mem::offset_of!(LoopParams<f64>, $name),
                std::mem::offset_of!(LoopParams<f32>, $name),
            ],
        }),+];
    };
}

loop_params! {
    /// Values that are read: of cells, or of nodes; `[variable][cell or node]`.
    source: *const R,
    /// Number of these cells or nodes.
    sources: i64,
    /// Gradients at the nodes, `[variable][3][node]`.
    gradient: *const R,
    /// Values that the loop computes, `[variable][cell or node]`.
    out: *mut R,
    /// Number of these cells or nodes.
    outs: i64,
    /// Values of the faces that are stored, `[variable][face]`.
    stored: *mut R,
    /// Area vectors, `[3][face]`; in loops over nodes by place in their lists.
    area: *const R,
    /// Vectors from end to end of the edges, in the same way.
    displacement: *const R,
    /// Number of faces, or of places in the lists, between the values of two variables.
    faces: i64,
    /// Cell out of which the area vector of a face points.
    owner: *const i32,
    /// Cell into which it points.
    neighbour: *const i32,
    /// First place of each item, or of each slice of items, in `list`.
    list_first: *const i32,
    /// Number of entries of each item.
    list_count: *const i32,
    /// The entries: nodes or faces of cells, cells or faces of nodes, or other ends of the edges of nodes.
    list: *const i32,
    /// First place of each face in `face_nodes`.
    face_node_first: *const i32,
    /// Number of nodes of each face.
    face_node_count: *const i32,
    /// Nodes of the faces.
    face_nodes: *const i32,
    /// Logarithm to the base 2 of the number of items of a slice.
    list_bits: i64,
    /// First item of the launch (GPU).
    range_begin: i64,
    /// One past the last item (GPU).
    range_end: i64,
}

/// The members of `Params` that the functions of ptx/physics want: air in units in which its gas constant is 1.
pub const LOOP_GAS: &str = "static constexpr real gamma = R(1.4), gas_constant = R(1), cv = R(2.5), cp = R(3.5), \
                            mu = R(0), sutherland_factor = R(0), sutherland_s = R(0); \
                            static constexpr int split = SPLIT_NONE, viscosity = VISCOSITY_CONSTANT, \
                            riemann = RIEMANN_ROE;";

/// Declares [`LoopKernel`].
macro_rules! loop_kernels {
    ($($(#[doc = $doc:literal])+ $kernel:ident = $name:literal in $file:literal, $scatters:literal;)+) => {
        /// A mesh loop.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum LoopKernel {
            $($(#[doc = $doc])+ $kernel,)+
        }

        impl LoopKernel {
            /// All loops.
            pub const ALL: &[LoopKernel] = &[$(LoopKernel::$kernel),+];

            /// Name of the function.
            pub fn name(self) -> &'static str {
                match self {
                    $(LoopKernel::$kernel => $name,)+
                }
            }

            /// Name of the file in ptx/loops.
            pub fn file(self) -> &'static str {
                match self {
                    $(LoopKernel::$kernel => $file,)+
                }
            }

            /// Whether it adds to values of other items. Programs for GPUs then have a second function, whose adds are
            /// atomic; its name ends with `_atomics`.
            pub fn scatters(self) -> bool {
                match self {
                    $(LoopKernel::$kernel => $scatters,)+
                }
            }
        }
    };
}

loop_kernels! {
    /// Values of cells to nodes by faces.
    NvF = "nv_f" in "cell_loops.cu", true;
    /// Values of cells to nodes by cells.
    NvC = "nv_c" in "cell_loops.cu", true;
    /// Values of cells to nodes by nodes.
    NvN = "nv_n" in "cell_loops.cu", false;
    /// Gradient by faces.
    GqF = "gq_f" in "cell_loops.cu", true;
    /// Gradient by cells.
    GqC = "gq_c" in "cell_loops.cu", false;
    /// Gradient by nodes.
    GqN = "gq_n" in "cell_loops.cu", true;
    /// Parts of the gradient, stored by faces.
    GqStore = "gq_store" in "cell_loops.cu", false;
    /// Sum of fluxes by faces.
    SfF = "sf_f" in "cell_loops.cu", true;
    /// Sum of 3 stored values.
    SumOf3 = "sum_of_3" in "cell_loops.cu", false;
    /// Sum of 5 stored values.
    SumOf5 = "sum_of_5" in "cell_loops.cu", false;
    /// Sum of 15 stored values.
    SumOf15 = "sum_of_15" in "cell_loops.cu", false;
    /// Least and largest pressure by faces.
    LmF = "lm_f" in "cell_loops.cu", true;
    /// Least and largest pressure by cells.
    LmC = "lm_c" in "cell_loops.cu", false;
    /// Gradient on a median dual by edges.
    GradientE = "gradient_e" in "edge_loops.cu", true;
    /// The same by nodes.
    GradientN = "gradient_n" in "edge_loops.cu", false;
    /// Its parts, stored by edges.
    GradientStore = "gradient_store" in "edge_loops.cu", false;
    /// Flux on a median dual by edges.
    FluxE = "flux_e" in "edge_loops.cu", true;
    /// The same by nodes.
    FluxN = "flux_n" in "edge_loops.cu", false;
    /// Fluxes, stored by edges.
    FluxStore = "flux_store" in "edge_loops.cu", false;
}

/// Returns the files of ptx/loops, each once.
pub fn loop_files() -> Vec<&'static str> {
    let mut files: Vec<&str> = LoopKernel::ALL.iter().map(|kernel| kernel.file()).collect();
    files.dedup();
    files
}
