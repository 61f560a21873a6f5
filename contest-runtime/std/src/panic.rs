//! Drop-in for `std::panic`: a hook of code under test does not keep panics from the record.

pub use std::panic::*;

#[cfg(feature = "explore")]
pub use explore::set_hook;

#[cfg(feature = "explore")]
mod explore {
    use std::panic::PanicHookInfo;

    use contest_engine::execution::{active, panics};

    /// As in `std`; inside an execution panics are recorded before the hook is called.
    #[track_caller]
    pub fn set_hook(hook: Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>) {
        if active().is_none() {
            return std::panic::set_hook(hook);
        }
        std::panic::set_hook(Box::new(move |info| {
            panics::note(info);
            hook(info);
        }));
    }
}
