//! The interface of loom 0.7 on the engine of `cargo contest`.

pub use contest_compat::loom::{explore, model, skip_branch, stop_exploring, MAX_THREADS};
pub use contest::{alloc, cell, hint, lazy_static, thread_local};

pub mod sync {
    pub use contest::alloc::Arc;
    pub use contest::notify::Notify;
    pub use contest::sync::*;

    pub use contest_compat::loom::atomic;
}

pub mod thread {
    pub use contest_compat::loom::spawn;
    pub use contest::thread::*;
}

pub mod future {
    pub use contest_compat::loom::block_on;
    pub use contest::notify::AtomicWaker;
}
