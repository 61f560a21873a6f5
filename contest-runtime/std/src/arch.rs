//! What stands around a block of inline assembly: which memory its operands lead to, and the engine.

use contest_engine::execution::{AssemblyBlock, active};

/// An operand that is read.
#[derive(Debug)]
pub struct Operand<'a, T>(pub &'a T);

/// What is known of any operand: nothing. Pointers and references have a method of this name of their own.
pub trait Anything {
    /// First byte and number of bytes of what it leads to; of none, `(0, 0)`.
    fn pointee(&self) -> (usize, usize) {
        (0, 0)
    }
}

impl<T> Anything for &Operand<'_, T> {}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T> Operand<'_, $pointer> {
            /// First byte and number of bytes of what it leads to.
            #[must_use]
            pub fn pointee(&self) -> (usize, usize) {
                let pointer: *const T = &raw const **self.0;
                (pointer.expose_provenance(), size_of::<T>())
            }
        }
    )*};
}

pointers!(&T &mut T);

impl<T> Operand<'_, *const T> {
    /// First byte and number of bytes of what it leads to.
    #[must_use]
    pub fn pointee(&self) -> (usize, usize) {
        (self.0.expose_provenance(), size_of::<T>())
    }
}

impl<T> Operand<'_, *mut T> {
    /// First byte and number of bytes of what it leads to.
    #[must_use]
    pub fn pointee(&self) -> (usize, usize) {
        (self.0.expose_provenance(), size_of::<T>())
    }
}

/// Before a block; `options` are those of its macro, as text. One that uses no memory concerns no other thread.
#[track_caller]
#[must_use]
pub fn before(pointees: &[(usize, usize)], options: &str) -> Option<AssemblyBlock> {
    let active = active()?;
    if options.contains("nomem") {
        return None;
    }
    active.before_assembly(pointees)
}

/// After a block.
pub fn after(block: Option<AssemblyBlock>) {
    if let (Some(active), Some(block)) = (active(), block) {
        active.after_assembly(block);
    }
}
