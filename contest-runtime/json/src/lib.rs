//! What crosses the process wall as JSON, one object a line.
//!
//! A package of its own, because readers and writers are made for each type: a third of what the driver was compiled
//! from. A driver reads and writes little of this, so the tool has them compiled without optimisation. Tests for the
//! black box are written by the driver itself, one for every sequence of calls that it runs.

use contest_data::protocol::{Notice, Reply, Request};

/// A reply as a line, its end included.
///
/// # Errors
/// In words, if it cannot be written as JSON.
pub fn write_reply(reply: &Reply) -> Result<Vec<u8>, String> {
    let mut line = serde_json::to_vec(reply).map_err(|error| error.to_string())?;
    line.push(b'\n');
    Ok(line)
}

/// A request from a line.
///
/// # Errors
/// In words, if the line is not one.
pub fn read_request(line: &str) -> Result<Request, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

/// A notice from a line.
///
/// # Errors
/// In words, if the line is not one.
pub fn read_notice(line: &str) -> Result<Notice, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
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
