//! Numbers of either precision, and arrays of them aligned for vector loads.

/// A floating-point number of the kernels.
pub trait Real: Copy + Default + Into<f64> + Send + Sync + 'static {
    /// Whether it has 64 bits.
    const DOUBLE: bool;
    /// From double precision, rounded.
    fn from_f64(x: f64) -> Self;
    /// To double precision.
    fn to_f64(self) -> f64;
}

impl Real for f64 {
    const DOUBLE: bool = true;
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}

impl Real for f32 {
    const DOUBLE: bool = false;
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

/// One cache line, the unit of alignment.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// An array that starts on a cache line, zero at first.
pub struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    kind: std::marker::PhantomData<T>,
}

impl<T: Real> Aligned<T> {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let lines = (len * size_of::<T>()).div_ceil(64);
        Aligned {
            lines: vec![Line([0; 64]); lines],
            len,
            kind: std::marker::PhantomData,
        }
    }

    /// Rounds every value to this precision.
    pub fn from_f64(values: &[f64]) -> Self {
        let mut array = Self::zeros(values.len());
        for (to, &from) in array.as_mut_slice().iter_mut().zip(values) {
            *to = T::from_f64(from);
        }
        array
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.lines.len() * 64
    }

    /// First value.
    pub fn as_ptr(&self) -> *const T {
        self.lines.as_ptr().cast()
    }

    /// First value.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.lines.as_mut_ptr().cast()
    }

    /// All values.
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: the lines hold at least `len` values of T, f32 or f64, for which any bytes are valid.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len) }
    }

    /// All values.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as in `as_slice`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len) }
    }
}
