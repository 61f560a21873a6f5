//! What other libraries for models of concurrent programs call by a name, or do in a way, of their own, so that models
//! written for them run on this engine. Not needed for new models.

pub mod loom;
pub mod shuttle;

/// For expanded macros.
#[doc(hidden)]
pub use contest_std as std;
