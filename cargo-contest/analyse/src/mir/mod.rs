//! The compiler's MIR, read from its text (`rustc --emit=mir`).
//!
//! MIR is what is left of a function once macros, names, types, method targets and drop scopes are resolved, so none
//! of that is done here. The text is meant for people and changes between compilers. A statement in a form that is
//! not known therefore becomes [`body::Statement::Unknown`], which makes a summary inexact; it is never ignored.

pub(crate) mod body;
pub(crate) mod file;
pub(crate) mod function;
pub(crate) mod ty;

mod code;
mod inside;
mod instruction;
mod position_free;
mod text;
mod values;

pub(crate) use instruction::callee_path;
pub(crate) use position_free::position_free;
