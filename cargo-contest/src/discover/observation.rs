//! What names and types reveal about an operation: whether it is weakly consistent by convention, and whether it only
//! reads.

use contest_data::subject::custom;

use super::holds::Holds;
use super::rust_type::RustType;
use super::solver::Solver;
use super::subject_catalog::Returned;

/// What the driver does with a result.
pub(crate) fn returned(solver: &Solver<'_>, output: &RustType, is_async: bool) -> Returned {
    let implements = |path: &str| solver.implements(output, path) == Holds::Yes;
    if is_async || implements("core::future::future::Future") {
        Returned::Future
    } else if implements("core::iter::traits::iterator::Iterator") {
        Returned::Iterator
    } else {
        Returned::Observe
    }
}

/// `len`, `is_empty`, iterators and the like.
pub(crate) fn is_weak(name: &str, output: &RustType, returned: Returned) -> bool {
    !output.is_unit() && (returned == Returned::Iterator || custom::is_weak(name))
}

/// Looks pure: a getter by name, returning something by value or shared reference.
pub(crate) fn is_observer(name: &str, output: &RustType, returned: Returned) -> bool {
    !(output.is_unit() || returned == Returned::Future || mutates_through(output))
        && custom::is_observer(name)
}

/// The result gives a way to change the object.
fn mutates_through(output: &RustType) -> bool {
    let mut mutates = false;
    output.visit(&mut |it| mutates |= matches!(it, RustType::Reference { mutable: true, .. }));
    mutates
}
