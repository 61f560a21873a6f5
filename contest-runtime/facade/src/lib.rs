//! Stands in for `std`, `core` and `alloc` when a crate under test is compiled: everything of `std`, with what
//! synchronises replaced by the types of the engine. The tool passes it to rustc as `--extern std=…`, `--extern core=…`
//! and `--extern alloc=…`.

// Whatever is named explicitly shadows the glob. Macros, lang items and all that is unstable come through the glob as
// they are.
pub use ::std::*;

pub use contest_std::{hint, process, sync, thread, thread_local};

/// The preludes of all editions: `thread_local!` without a path comes from there.
pub mod prelude {
    pub use ::std::prelude::*;

    macro_rules! preludes {
        ($($edition:ident)*) => {$(
            #[doc = concat!("`std::prelude::", stringify!($edition), "`.")]
            pub mod $edition {
                pub use ::std::prelude::$edition::*;

                pub use contest_std::thread_local;
            }
        )*};
    }

    preludes!(v1 rust_2015 rust_2018 rust_2021 rust_2024);
}
