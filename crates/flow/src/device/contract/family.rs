//! The parameters of a family of kernels: a structure that each launch hands to its kernel, and its description, from
//! which the build script makes the twin in C++.

/// The value of a constant.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstantValue {
    /// A whole number.
    Int(i32),
    /// A real; exact, whatever the precision of the run.
    Real(f64),
    /// Several reals.
    Reals(Vec<f64>),
}

/// The value of a field of one of the types that constants have.
macro_rules! constant_value {
    (i32, $value:expr) => {
        ConstantValue::Int($value)
    };
    ([$real:ident; $($len:tt)+], $value:expr) => {
        ConstantValue::Reals($value.iter().map(|&x| x.into()).collect())
    };
    ($real:ident, $value:expr) => {
        ConstantValue::Real($value.into())
    };
}

/// Declares the structure of the parameters of a family of kernels, and the descriptions of its arguments and of its
/// constants, whose names follow that of the structure; `reals` are its forms in double and in single precision.
macro_rules! parameters {
    ($(#[doc = $about:literal])+
     $name:ident $(<$real:ident>)?, reals [$double:ty, $single:ty], $arguments:ident, $constants:ident;
     arguments { $($(#[doc = $doc:literal])+ $argument:ident: $type:ty,)+ }
     constants { $($(#[doc = $constant_doc:literal])+ $constant:ident: $constant_type:tt,)+ }) => {
        $(#[doc = $about])+
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        pub struct $name $(<$real>)? {
            $($(#[doc = $doc])+ pub $argument: $type,)+
            $($(#[doc = $constant_doc])+ pub $constant: $constant_type,)+
        }

        /// Arguments that change from launch to launch, in their order in memory.
        pub const $arguments: &[FieldSpec] = &[$(FieldSpec {
            name: stringify!($argument),
            rust_type: stringify!($type),
            offsets: [std::mem::offset_of!($double, $argument), std::mem::offset_of!($single, $argument)],
        }),+];

        /// Constants of a run, which follow the arguments in memory. GPU programs have them as static members instead.
        pub const $constants: &[FieldSpec] = &[$(FieldSpec {
            name: stringify!($constant),
            rust_type: stringify!($constant_type),
            offsets: [std::mem::offset_of!($double, $constant), std::mem::offset_of!($single, $constant)],
        }),+];

        impl $(<$real: Into<f64> + Copy>)? $name $(<$real>)? {
            /// The values of the constants in their order.
            pub fn constant_values(&self) -> Vec<ConstantValue> {
                vec![$(constant_value!($constant_type, self.$constant)),+]
            }
        }
    };
}

pub(super) use {constant_value, parameters};
