//! Vectors of three components.

/// A vector of three components.
pub type Vector = [f64; 3];

/// Scalar product.
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product.
pub fn cross(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|d| a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3])
}

/// Difference a - b.
pub fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|d| a[d] - b[d])
}

/// Magnitude.
pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}
