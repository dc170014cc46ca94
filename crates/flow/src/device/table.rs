//! Tables of arrays: what each array of a solver holds, how long it is, and which parameters of the kernels lead to it,
//! stated once for every machine.
//!
//! From a table `arrays!` follow the allocation, the parameters, the memory in use and the estimate of it before
//! anything is built.

/// Bytes of a value of a table: reals have the size of the run.
#[macro_export]
macro_rules! value_bytes {
    (R, $sizes:expr) => {
        $sizes.real
    };
    ($type:ty, $sizes:expr) => {{
        let _ = $sizes;
        size_of::<$type>()
    }};
}

/// Declares a structure of arrays in a [`Store`](crate::device::store::Store) with their allocation and parameters, and
/// a function that returns the memory that they would take.
///
/// The head names the structure, the type with the sizes on which the lengths depend, the parameters of the kernels,
/// the function, and perhaps a further field. An entry has the type of the values, the part of
/// [`MemoryUse`](crate::device::MemoryUse) that it belongs to, its length, and the parameters that get its address.
#[macro_export]
macro_rules! arrays {
    ($(#[doc = $about:literal])+
     $arrays:ident, $sizes_type:ty, $params:ty $(where $real:ident: $bound:path)?, $needed:ident;
     $(with $(#[doc = $extra_doc:literal])+ $extra:ident: $extra_type:ty;)?
     $($(#[doc = $doc:literal])+
       $name:ident: $type:tt, $part:ident, |$sizes:ident| $len:expr $(=> $($param:ident),+)?;)+) => {
        $(#[doc = $about])+
        pub struct $arrays<S: $crate::device::store::Store> {
            $($(#[doc = $doc])+ pub $name: S::Array,)+
            $($(#[doc = $extra_doc])+ pub $extra: $extra_type,)?
        }

        /// Returns the memory that the arrays of the table take.
        pub fn $needed(sizes: &$sizes_type) -> $crate::device::MemoryUse {
            let mut memory = $crate::device::MemoryUse::default();
            $(memory.$part += {
                let $sizes = sizes;
                ($len) * $crate::value_bytes!($type, sizes)
            };)+
            memory
        }

        impl<S: $crate::device::store::Store> $arrays<S> {
            /// Allocates all arrays, without contents.
            ///
            /// # Errors
            /// There is not enough memory.
            pub fn zeros(store: &S, sizes: &$sizes_type) -> Result<Self, $crate::device::DeviceError> {
                Ok($arrays {
                    $($name: {
                        let $sizes = sizes;
                        store.zeros(($len) * $crate::value_bytes!($type, sizes))?
                    },)+
                    $($extra: Default::default(),)?
                })
            }

            /// Points the parameters at the arrays.
            pub fn connect$(<$real: $bound>)?(&self, params: &mut $params) {
                use $crate::device::store::Memory as _;
                $($($(params.$param = self.$name.pointer();)+)?)+
            }

            /// Memory in use.
            pub fn in_use(&self) -> $crate::device::MemoryUse {
                use $crate::device::store::Memory as _;
                let mut memory = $crate::device::MemoryUse::default();
                $(memory.$part += self.$name.bytes();)+
                memory
            }
        }
    };
}

pub use arrays;
