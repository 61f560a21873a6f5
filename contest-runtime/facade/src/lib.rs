//! Stands in for `std`, `core` and `alloc` when a crate under test is compiled: everything of `std`, with what synchronises replaced
//! by the types of the engine. The tool passes it to rustc as `--extern std=…`, `--extern core=…` and `--extern alloc=…`.

// Whatever is named explicitly shadows the glob. The macros that the compiler expects in `std`, the prelude and all unstable items
// come through the glob as they are.
pub use ::std::*;

pub use contest::{hint, process, sync, thread, thread_local, time};
