//! The driver's end of the process boundary: one request in, replies out, on descriptors that code under test does not
//! know.

use std::fs::File;
use std::io::{self, Read, Write};

use super::{EXIT_BUG, SHOW_OUTPUT_VARIABLE, process};
use contest_data::protocol::Reply;

/// The streams the process was started with.
#[derive(Debug)]
pub struct Channel {
    requests: File,
    replies: File,
}

impl Channel {
    /// Moves the standard streams out of reach of code under test, which finds an empty input and whose output goes
    /// nowhere (or to the original standard error, see [`SHOW_OUTPUT_VARIABLE`]). Called once, first of all.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn open() -> io::Result<Self> {
        let show_output = std::env::var_os(SHOW_OUTPUT_VARIABLE).is_some_and(|value| value == "1");
        let streams = process::take_streams(show_output)?;
        Ok(Self {
            requests: streams.requests.into(),
            replies: streams.replies.into(),
        })
    }

    /// The first line of what the process was given to read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_request(&mut self) -> io::Result<String> {
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        while !text.contains(&b'\n') {
            match self.requests.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => text.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            text.truncate(end);
        }
        String::from_utf8(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Sends a reply, as one line in one write. If the tool has gone, the process ends.
    pub fn send(&mut self, reply: &Reply) {
        let sent = crate::json::write_reply(reply)
            .map_err(io::Error::other)
            .and_then(|line| self.replies.write_all(&line));
        if sent.is_err() {
            process::end(EXIT_BUG);
        }
    }
}
