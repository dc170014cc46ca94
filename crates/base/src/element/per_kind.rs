//! A map from each kind of element to a value.

use std::ops::{Index, IndexMut};

use super::ElementKind;

/// A value for each kind of element, indexed by [`ElementKind`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PerKind<T>([T; 4]);

impl<T> PerKind<T> {
    /// Computes the value of each kind, in the order of [`ElementKind::ALL`].
    pub fn new(value: impl FnMut(ElementKind) -> T) -> Self {
        PerKind(ElementKind::ALL.map(value))
    }

    /// Iterates over the kinds and their values, in the order of [`ElementKind::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (ElementKind, &T)> {
        ElementKind::ALL.into_iter().zip(&self.0)
    }
}

impl<T> Index<ElementKind> for PerKind<T> {
    type Output = T;

    fn index(&self, kind: ElementKind) -> &T {
        &self.0[kind as usize]
    }
}

impl<T> IndexMut<ElementKind> for PerKind<T> {
    fn index_mut(&mut self, kind: ElementKind) -> &mut T {
        &mut self.0[kind as usize]
    }
}
