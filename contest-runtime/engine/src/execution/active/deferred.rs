//! Closures of drop-in types, by reference: what calls them is compiled once, with the engine. A generic function would
//! be compiled with the code under test for each type, with every access of it watched.

/// A closure that is called once.
pub(super) struct Deferred<F, R> {
    closure: Option<F>,
    result: Option<R>,
}

impl<R, F: FnOnce() -> R> Deferred<F, R> {
    #[inline]
    pub(super) fn new(closure: F) -> Self {
        Self {
            closure: Some(closure),
            result: None,
        }
    }

    /// Calls it, unless it was called before; what it returned.
    #[inline]
    pub(super) fn call(&mut self) -> &R {
        let closure = &mut self.closure;
        self.result.get_or_insert_with(|| {
            let closure = closure.take();
            closure.expect("it is called once")()
        })
    }

    /// What it returned.
    ///
    /// # Panics
    /// If it was not called.
    #[inline]
    pub(super) fn result(self) -> R {
        self.result.expect("the operation was performed")
    }
}
