//! Values that must be dropped.

/// A value that must be dropped, or taken out, before the execution is over.
#[derive(Debug)]
pub struct Track<T> {
    value: T,
    _receipt: Receipt,
}

impl<T> Track<T> {
    /// Tracks the value from here on.
    #[track_caller]
    #[must_use]
    pub fn new(value: T) -> Self {
        Self {
            value,
            _receipt: Receipt::new(std::any::type_name::<T>()),
        }
    }

    /// The value.
    #[must_use]
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The value.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The value, no longer tracked.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value
    }
}

/// Something is tracked until this is dropped.
#[derive(Debug)]
pub(super) struct Receipt {
    /// Number of the execution and of the value in it.
    #[cfg(feature = "explore")]
    tracked: Option<(u64, usize)>,
}

impl Receipt {
    #[track_caller]
    pub(super) fn new(what: &'static str) -> Self {
        #[cfg(feature = "explore")]
        return Self {
            tracked: contest_engine::execution::active()
                .map(|active| (active.execution_number(), active.track_value(what))),
        };
        #[cfg(not(feature = "explore"))]
        {
            let _ = what;
            Self {}
        }
    }
}

#[cfg(feature = "explore")]
impl Drop for Receipt {
    fn drop(&mut self) {
        if let Some((execution, number)) = self.tracked
            && let Some(active) = contest_engine::execution::active()
            && active.execution_number() == execution
        {
            active.untrack_value(number);
        }
    }
}
