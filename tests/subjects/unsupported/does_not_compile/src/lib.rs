//! Has a type error.

/// Never built.
pub struct Broken {
    count: u32,
}

impl Broken {
    /// Not a number.
    pub fn count(&self) -> u32 {
        "one"
    }
}
