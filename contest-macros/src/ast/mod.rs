//! What is written: the items, and the helper attributes in them. Nothing is refused here but what cannot be read.

mod arguments;
mod helper;
mod methods;

pub(crate) use arguments::{OperationsArguments, SharedArguments, TestArguments};
pub(crate) use helper::{FieldHelpers, strip, take_field_helpers};
pub(crate) use methods::{Argument, Method, Passed, Receiver, Returned, methods};
