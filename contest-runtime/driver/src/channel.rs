//! The driver's end of the process boundary: a request and notices in, replies out, on descriptors that code under test
//! does not know.

use std::fs::File;
use std::io::{self, Read, Write};

use super::{EXIT_BUG, SHOW_OUTPUT_VARIABLE, process};
use contest_data::finding::KnownBug;
use contest_data::protocol::{Notice, Reply};

/// The streams the process was started with.
#[derive(Debug)]
pub struct Channel {
    requests: File,
    /// What was read and is no whole line yet, or not yet used.
    read: Vec<u8>,
    /// The tool will write no more.
    closed: bool,
    /// Bugs of other processes that the campaign does not know so far.
    found: Vec<KnownBug>,
    /// The campaign is to end.
    stopped: bool,
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
            read: Vec::new(),
            closed: false,
            found: Vec::new(),
            stopped: false,
            replies: streams.replies.into(),
        })
    }

    /// The first line of what the process was given to read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_request(&mut self) -> io::Result<String> {
        let line = loop {
            if let Some(line) = self.next_line() {
                break line;
            }
            if self.closed {
                break std::mem::take(&mut self.read);
            }
            self.read_more()?;
        };
        String::from_utf8(line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Bugs that other processes of the campaign have reported since the last call. Does not wait.
    pub fn found_elsewhere(&mut self) -> Vec<KnownBug> {
        self.read_notices();
        std::mem::take(&mut self.found)
    }

    /// True once the campaign is to end. Does not wait.
    pub fn is_stopped(&mut self) -> bool {
        self.read_notices();
        self.stopped
    }

    fn read_notices(&mut self) {
        // What cannot be read is as good as closed: the campaign goes on by itself.
        while !self.closed && process::is_readable(&self.requests) {
            if self.read_more().is_err() {
                self.closed = true;
            }
        }
        while let Some(line) = self.next_line() {
            let notice = String::from_utf8(line).ok();
            match notice.and_then(|line| contest_wire::read_notice(&line).ok()) {
                Some(Notice::Found(bug)) => self.found.push(bug),
                Some(Notice::Stop) => self.stopped = true,
                None => {}
            }
        }
    }

    /// A whole line of what was read, without its end.
    fn next_line(&mut self) -> Option<Vec<u8>> {
        let end = self.read.iter().position(|byte| *byte == b'\n')?;
        let rest = self.read.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.read, rest);
        line.truncate(end);
        Some(line)
    }

    fn read_more(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        match self.requests.read(&mut buffer) {
            Ok(0) => self.closed = true,
            Ok(count) => self.read.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Sends a reply, as one line in one write. If the tool has gone, the process ends.
    pub fn send(&mut self, reply: &Reply) {
        let mut line = contest_wire::write_reply(reply);
        line.push('\n');
        if self.replies.write_all(line.as_bytes()).is_err() {
            process::end(EXIT_BUG);
        }
    }
}
