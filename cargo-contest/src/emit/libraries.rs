//! What an emitted test may name beside the package.

use contest_build::workspace::selection::Tokio;

/// Libraries that an emitted test may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Libraries<'a> {
    /// The package's name for contest-runtime, if the type is annotated: then the test is a controlled one.
    pub contest: Option<&'a str>,
    /// The tokio whose runtime the calls need, if they do.
    pub tokio: Option<&'a Tokio>,
}
