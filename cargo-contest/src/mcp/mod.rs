//! `cargo contest mcp`: a server of the Model Context Protocol over standard input and output, so that programs that
//! write code can find, explain and verify. Each tool runs this executable as a child with JSON output; here is only
//! what is said to whom.
//!
//! The few messages that tools need are written by hand. The official library, rmcp 3.11 with `server` and
//! `transport-io`, brings tokio and 66 more crates, which took 105 s of CPU time in a release build, where the whole
//! tool took 460 s on the same busy machine. Nothing here is asynchronous, for each call waits for one child.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2025-11-25>.

use std::io::{self, BufReader, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use contest_drive::campaign::Interrupt;
use message::Line;
use session::Session;

mod answer;
mod call;
mod calls;
mod child;
mod findings;
mod known;
mod message;
mod replayed;
mod schema;
mod session;
mod tools;
mod verify;

/// How often it looks whether it is to end.
const WATCH: Duration = Duration::from_millis(100);

/// Serves until standard input ends, standard output is closed, or an interrupt. Children end with it.
///
/// # Errors
/// If standard input cannot be read.
pub fn serve(interrupt: &Interrupt) -> io::Result<()> {
    // Reads that wait cannot be interrupted, so they have a thread of their own.
    let (sender, lines) = mpsc::sync_channel(16);
    thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let line = message::next_line(&mut input);
            let ended = !matches!(line, Ok(Some(_)));
            if sender.send(line).is_err() || ended {
                break;
            }
        }
    });
    let mut session = Session::new(|line: &str| {
        let mut out = io::stdout().lock();
        writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
    });
    loop {
        let line = match lines.recv_timeout(WATCH) {
            Ok(line) => line?,
            Err(RecvTimeoutError::Timeout) if interrupt.is_set() || session.is_closed() => None,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => None,
        };
        match line {
            Some(Line::Text(text)) => session.take(&text),
            Some(Line::TooLong) => session.too_long(),
            None => break,
        }
    }
    session.end();
    Ok(())
}
