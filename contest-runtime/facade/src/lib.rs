//! Stands in for `std`, `core` and `alloc` when a crate under test is compiled: everything of `std`, with what synchronises replaced
//! by the types of the engine. The tool passes it to rustc as `--extern std=…`, `--extern core=…` and `--extern alloc=…`.

// Whatever is named explicitly shadows the glob. The macros that the compiler expects in `std`, the prelude and all unstable items
// come through the glob as they are.
pub use ::std::*;

pub use contest::{hint, process, sync, thread, thread_local, time};

/// The preludes of `std`. They are where a bare `thread_local!` comes from.
pub mod prelude {
    pub use ::std::prelude::*;

    macro_rules! with_our_macros {
        ($($edition:ident)*) => {
            $(
                /// The prelude of this name.
                pub mod $edition {
                    pub use ::std::prelude::$edition::*;
                    pub use contest::thread_local;
                }
            )*
        };
    }

    with_our_macros!(v1 rust_2015 rust_2018 rust_2021 rust_2024);
}
