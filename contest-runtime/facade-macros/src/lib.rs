//! Attributes that stand in for those of `std` when a crate under test is compiled. The facade re-exports them; a macro
//! by example cannot be an attribute.

use std::path::PathBuf;

use proc_macro::TokenStream;

/// Names the file that is to say that the unit has a global allocator; set by the tool's rustc wrapper.
const NOTE: &str = "CONTEST_ALLOCATOR_NOTE";

/// `#[global_allocator]`: leaves the static as it is and does not make it the allocator of the process, which is the
/// driver's own. A note says so to the tool, which says it to the user.
///
/// # Panics
/// If the note cannot be written: what is replaced has to be reported.
#[proc_macro_attribute]
pub fn global_allocator(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    if let Some(path) = std::env::var_os(NOTE).map(PathBuf::from) {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let package = format!(
            "{} {}",
            variable("CARGO_PKG_NAME"),
            variable("CARGO_PKG_VERSION")
        );
        let directory = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = directory.and_then(|()| std::fs::write(&path, package));
        if let Err(error) = written {
            panic!("cannot write {}: {error}", path.display());
        }
    }
    item
}
