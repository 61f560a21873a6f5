//! How the protocol is written. The runtime does not know: a JSON library in sight changes what code under test means to the
//! compiler (see the package `contest-wire`, which has the functions).

use crate::assemble::ConcurrentTest;
use crate::protocol::{Reply, Request};

/// Writes and reads what crosses the wall; errors are in words.
#[derive(Clone, Copy, Debug)]
pub struct Codec {
    /// A reply as a line, its end included.
    pub write_reply: fn(&Reply) -> Result<Vec<u8>, String>,
    /// A request from a line.
    pub read_request: fn(&str) -> Result<Request, String>,
    /// A test for the black box.
    pub write_test: fn(&ConcurrentTest) -> Result<String, String>,
}
