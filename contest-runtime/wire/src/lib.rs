//! JSON for the driver's end of the process wall.
//!
//! A crate of its own because crates under test are compiled with the runtime among their dependencies, and `serde_json` has impls
//! such as `PartialEq<Value> for usize`: where it is in sight, `n == x as _` no longer says what it means. Only the driver sees it.

mod symbols;
mod types;

pub use symbols::open_symbols;

use contest::assemble::ConcurrentTest;
use contest::protocol::codec::Codec;
use contest::protocol::{Reply, Request};

/// One JSON object a line.
pub const JSON: Codec = Codec {
    write_reply,
    read_request,
    write_test,
};

fn write_reply(reply: &Reply) -> Result<Vec<u8>, String> {
    let mut line = serde_json::to_vec(reply).map_err(|error| error.to_string())?;
    line.push(b'\n');
    Ok(line)
}

fn read_request(line: &str) -> Result<Request, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn write_test(test: &ConcurrentTest) -> Result<String, String> {
    serde_json::to_string(test).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_one_line_whatever_is_in_it() {
        let line = write_reply(&Reply::Refused("two\nlines".into())).unwrap();
        assert_eq!(line, b"{\"Refused\":\"two\\nlines\"}\n");
    }

    #[test]
    fn a_malformed_request_is_an_error_in_words() {
        let error = read_request("{\"Replay\":").unwrap_err();
        assert!(error.contains("line 1"), "{error}");
    }
}
