//! Has a type error.

/// Never built.
pub struct Broken {
    count: u32,
}

impl Broken {
    /// Starts at 0.
    pub fn new() -> Self {
        Self { count: 0 }
    }

    /// Not a number.
    pub fn count(&self) -> u32 {
        "one"
    }
}
