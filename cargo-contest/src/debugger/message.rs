//! Messages of the Debug Adapter Protocol: a head with the length, then JSON.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// Most bytes of a message, and of a line of its head.
const LONGEST: u64 = 4 << 20;
const LONGEST_LINE: u64 = 4 << 10;

/// What was read.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// JSON.
    Message(Value),
    /// No JSON, or more than is read; the next message can be read.
    Refused(String),
}

/// The next message; `None` at the end, which may be in the middle of one.
///
/// # Errors
/// If the input cannot be read, or a head of a message is damaged, so that the next message cannot be found.
pub(super) fn next_message(source: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = length(source)? else {
        return Ok(None);
    };
    if length > LONGEST {
        let passed = io::copy(&mut source.take(length), &mut io::sink())?;
        return Ok((passed == length).then(|| {
            Incoming::Refused(format!(
                "a message of {length} bytes was passed over: {LONGEST} are allowed"
            ))
        }));
    }
    let mut body = Vec::new();
    source.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Refused(format!("a message is no JSON: {error}")),
    }))
}

/// The length that a head names.
fn length(source: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        source.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            if let Some(length) = length {
                return Ok(Some(length));
            }
            continue;
        }
        match text.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                let value = value.trim().parse();
                length = Some(value.map_err(|_| no_head(text))?);
            }
            Some(_) => {}
            None => return Err(no_head(text)),
        }
    }
}

fn no_head(line: &str) -> io::Error {
    let text = format!("`{}` is no head of a message", line.escape_debug());
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Writes a message.
pub(super) fn write_message(out: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(input: &[u8]) -> Vec<Incoming> {
        let mut source = input;
        std::iter::from_fn(|| next_message(&mut source).unwrap()).collect()
    }

    #[test]
    fn what_is_written_can_be_read() {
        let messages = [json!({"seq": 1, "text": "zwölf\n"}), json!(null)];
        let mut written = Vec::new();
        for message in &messages {
            write_message(&mut written, message).unwrap();
        }
        assert_eq!(all(&written), messages.map(Incoming::Message));
    }

    #[test]
    fn bad_messages_are_passed_over_and_cut_ones_are_the_end() {
        let long = format!(
            "Content-Length: {}\r\n\r\n{}",
            LONGEST + 1,
            " ".repeat(LONGEST as usize + 1)
        );
        let input = format!(
            "Content-Length: 1\r\n\r\n{{{long}content-length:2\r\nOther: x\r\n\r\n[]Content-Length: 9\r\n\r\n["
        );
        let read = all(input.as_bytes());
        assert!(matches!(
            &read[..2],
            [Incoming::Refused(_), Incoming::Refused(_)]
        ));
        assert_eq!(read[2..], [Incoming::Message(json!([]))]);
    }

    #[test]
    fn where_no_message_begins_is_an_error() {
        let mut source: &[u8] = b"hello\r\n\r\n";
        assert!(next_message(&mut source).is_err());
        let mut source: &[u8] = b"Content-Length: -1\r\n\r\n";
        assert!(next_message(&mut source).is_err());
    }
}
