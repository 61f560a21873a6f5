//! What crosses the process wall, as text: one value a line.
//!
//! Written here and not by a library of serialisation: drivers and test executables are linked with this package, and
//! impls such as serde_json's `PartialEq<Value> for u32` would change which types the compiler infers in the tests of a
//! crate. It is also a fraction of the code. Tool and driver are built from the same sources, so a line names neither
//! fields nor versions: see `text` for its form, `values` for what each type consists of.

mod text;
mod values;

use contest_data::protocol::{Notice, Reply, Request};
use contest_data::test::ConcurrentTest;

pub use text::Malformed;

/// A request as a line, without its end.
#[must_use]
pub fn write_request(request: &Request) -> String {
    text::write(request)
}

/// A request from a line.
///
/// # Errors
/// If the line is not one.
pub fn read_request(line: &str) -> Result<Request, Malformed> {
    text::read(line)
}

/// A notice as a line, without its end.
#[must_use]
pub fn write_notice(notice: &Notice) -> String {
    text::write(notice)
}

/// A notice from a line.
///
/// # Errors
/// If the line is not one.
pub fn read_notice(line: &str) -> Result<Notice, Malformed> {
    text::read(line)
}

/// A reply as a line, without its end.
#[must_use]
pub fn write_reply(reply: &Reply) -> String {
    text::write(reply)
}

/// A reply from a line.
///
/// # Errors
/// If the line is not one.
pub fn read_reply(line: &str) -> Result<Reply, Malformed> {
    text::read(line)
}

/// A test for the black box.
#[must_use]
pub fn write_test(test: &ConcurrentTest) -> String {
    text::write(test)
}

/// A test from a black box.
///
/// # Errors
/// If the text is not one.
pub fn read_test(text: &str) -> Result<ConcurrentTest, Malformed> {
    text::read(text)
}
