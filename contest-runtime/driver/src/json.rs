//! What crosses the process wall as JSON, one object a line.

use contest_data::protocol::{Notice, Reply, Request};
use contest_data::test::ConcurrentTest;

/// A reply as a line, its end included.
pub(crate) fn write_reply(reply: &Reply) -> Result<Vec<u8>, String> {
    let mut line = serde_json::to_vec(reply).map_err(|error| error.to_string())?;
    line.push(b'\n');
    Ok(line)
}

/// A request from a line.
pub(crate) fn read_request(line: &str) -> Result<Request, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

/// A notice from a line.
pub(crate) fn read_notice(line: &str) -> Result<Notice, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

/// A test for the black box.
pub(crate) fn write_test(test: &ConcurrentTest) -> Result<String, String> {
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
