//! Structures in arrays that kernels read, and how a structure is described to the build script.

/// A field of a structure that host and kernels share.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// Name on both sides.
    pub name: &'static str,
    /// Type as Rust writes it.
    pub rust_type: &'static str,
    /// Offset in bytes where a real has 8 bytes, and where it has 4.
    pub offsets: [usize; 2],
}

/// A structure that host and kernels share.
#[derive(Debug, Clone, Copy)]
pub struct RecordSpec {
    /// Name on both sides.
    pub name: &'static str,
    /// Size and alignment in bytes.
    pub size_and_align: [usize; 2],
    /// Fields in their order in memory.
    pub fields: &'static [FieldSpec],
}

/// Declares structures of numbers, and [`RECORDS`], which describes them.
macro_rules! records {
    ($($(#[doc = $doc:literal])+ #[repr($($repr:tt)+)] struct $name:ident {
        $($(#[doc = $field_doc:literal])+ $field:ident: $type:ty,)+
    })+) => {
        $(
            $(#[doc = $doc])+
            #[repr($($repr)+)]
            #[derive(Debug, Clone, Copy, Default)]
            pub struct $name {
                $($(#[doc = $field_doc])+ pub $field: $type,)+
            }
        )+
        /// The structures in arrays that the kernels read.
        pub const RECORDS: &[RecordSpec] = &[$(RecordSpec {
            name: stringify!($name),
            size_and_align: [size_of::<$name>(), align_of::<$name>()],
            fields: &[$(FieldSpec {
                name: stringify!($field),
                rust_type: stringify!($type),
                offsets: [std::mem::offset_of!($name, $field); 2],
            }),+],
        }),+];
    };
}

records! {
    /// Where the values of the other side of a face lie in one array; as long as one load.
    #[repr(C, align(16))]
    struct GatherIndex {
        /// Offset of the cell, or of the face.
        base: i64,
        /// Distance between variables.
        stride: i32,
        /// Where `tables` lists the face points.
        table: i32,
    }
    /// Where the other side of a face lies.
    #[repr(C)]
    struct Slot {
        /// In the state.
        state: GatherIndex,
        /// In the viscous traces.
        trace: GatherIndex,
    }
    /// A face point that another rank needs: where its values lie, and where they go in what is sent.
    #[repr(C)]
    struct Sent {
        /// Offset of its first value.
        from: i64,
        /// Offset of that value in what is sent.
        to: i64,
        /// Distance between variables where they lie.
        from_stride: i32,
        /// Distance between variables in what is sent.
        to_stride: i32,
    }
    /// A row of bars at one time (crates/base/src/physics/bars.rs), in the units of the case.
    #[repr(C)]
    struct BarNumbers {
        /// x of the axes.
        x: f64,
        /// y of the axis of the bar that is in the first pitch.
        y: f64,
        /// Radius at which the mask becomes zero.
        outer: f64,
        /// 1 over the length in which the mask falls from 1 to 0.
        inverse_width: f64,
        /// Distance of the bars; 0 for a single bar.
        pitch: f64,
        /// 1 over this distance; 0 for a single bar.
        inverse_pitch: f64,
        /// Velocity in y.
        speed: f64,
        /// 1/eta.
        rate: f64,
        /// Temperature of the bars; 0 if they exchange no heat.
        temperature: f64,
    }
    /// A matching point of a modelled wall: the cell in which it lies, and its weights.
    #[repr(C)]
    struct MatchingRow {
        /// Offset of the cell in `u`.
        from: i64,
        /// Offset of the state of the matching point in `u`; its variables lie side by side.
        to: i64,
        /// First of its entries in `matching_points` and `matching_weights`.
        first: i64,
        /// Number of these entries.
        count: i32,
        /// Distance between variables of the cell.
        stride: i32,
    }
    /// A face of an interface (ptx/method/interface.h). Its points are numbered as both sides see them: first along the
    /// direction in which the sides are divided independently of each other, then along the other one.
    #[repr(C)]
    struct InterfaceFace {
        /// Where its cell's values at these points lie in the state.
        state: GatherIndex,
        /// Where they lie in the viscous traces.
        trace: GatherIndex,
        /// Distance of its beginning from that of its row: a length, or an angle where the sides turn.
        first: f64,
        /// Its length, or angle.
        length: f64,
        /// Distance of the beginning of its row from that of the row on the other side, where the mesh has them.
        offset: f64,
        /// Length, or angle, of both rows.
        period: f64,
        /// Speed, or angular speed, of the other side along the rows, seen from this one.
        speed: f64,
        /// 1 if the outward normal points in the direction `plane`, -1 if it points against it.
        facing: f64,
        /// The direction (0, 1, 2) of the normals.
        plane: i64,
        /// First face of the row on the other side.
        row: i32,
        /// Faces of that row.
        count: i32,
        /// 1 if the displacement of the interface is that of the other side, -1 if it is that of this side.
        sign: i32,
        /// Where `tables` lists its points by the numbers of the face.
        points: i32,
        /// Number of the interface.
        interface: i32,
        /// The direction (0, 1, 2) of the rows, or of the axis about which they lie.
        along: i32,
        /// Where `interface_circles` has the directions and the radii of its points, if the sides turn.
        circle: i64,
        /// Where it has how far copies of the row on the other side are turned.
        copies: i64,
    }
    /// A part of a face that meets smaller ones (ptx/method/mortar.h). The points of both faces are numbered along the
    /// two directions of the larger one.
    #[repr(C)]
    struct MortarPart {
        /// Where the values of the cell of the larger face lie in the state.
        larger: GatherIndex,
        /// Where they lie in the viscous traces.
        larger_trace: GatherIndex,
        /// Where the values of the cell of the smaller face lie in the state.
        smaller: GatherIndex,
        /// Where they lie in the viscous traces.
        smaller_trace: GatherIndex,
        /// Offset of the smaller face in `boundary_area`.
        area: i64,
        /// Area of the part in reference coordinates, relative to that of the larger face.
        length: f64,
        /// Where `tables` lists the points of the smaller face by the numbers of the face itself.
        points: i32,
        /// Which share of the larger face it is along the first direction: 0 all, 1 the lower half, 2 the upper half.
        along: i32,
        /// Which share it is along the second direction.
        across: i32,
        /// 0, so that the next part begins where it may.
        unused: i32,
    }
    /// A face at a mortar.
    #[repr(C)]
    struct MortarFace {
        /// Its first part, or the part that it is.
        first: i32,
        /// Number of its parts, or 1.
        count: i32,
        /// 1 if it meets smaller faces, 0 if it is a part of a larger one.
        larger: i32,
        /// Where `tables` lists its points by the numbers of the face itself.
        points: i32,
    }
    /// A point within a cell at which the state is wanted.
    #[repr(C)]
    struct SampledPoint {
        /// Offset of the cell in `u`.
        from: i64,
        /// Offset of its weights in `sample_weights`.
        weights: i64,
        /// Number of the point in its set.
        to: i64,
    }
}
