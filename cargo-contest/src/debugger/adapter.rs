//! The debug adapter's loop: what the client and gdb say, one after the other.

use std::io::{self, BufReader};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::debugged::{Debugged, LaunchArguments};
use super::message::{Incoming, next_message, write_message};
use super::session::{Said, Session};
use contest_drive::campaign::Interrupt;

/// How often it looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);

/// Serves one client over standard input and output until it disconnects, its input ends, or an interrupt. `build`
/// makes what it asks to debug.
///
/// # Errors
/// If standard input cannot be read, or holds no messages of the protocol.
pub fn serve(
    gdb: &Path,
    build: &mut dyn FnMut(LaunchArguments) -> Result<Debugged, String>,
    interrupt: &Interrupt,
) -> io::Result<()> {
    let (sender, said) = mpsc::sync_channel(64);
    let client = sender.clone();
    thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let message = next_message(&mut input);
            let ended = !matches!(message, Ok(Some(_)));
            if client.send(Said::ByClient(message)).is_err() || ended {
                break;
            }
        }
    });
    let (answers, from_gdb) = mpsc::channel();
    forward(from_gdb, sender);
    let mut out = io::stdout().lock();
    let mut session = Session::new(
        gdb,
        build,
        interrupt,
        answers,
        Box::new(move |message| write_message(&mut out, message).is_ok()),
    );
    while !session.is_over() && !interrupt.is_set() {
        match said.recv_timeout(LOOK) {
            Ok(Said::ByClient(Ok(Some(Incoming::Message(message))))) => session.take(&message),
            Ok(Said::ByClient(Ok(Some(Incoming::Refused(why))))) => session.complain(&why),
            Ok(Said::ByClient(Ok(None))) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(Said::ByClient(Err(error))) => return Err(error),
            Ok(Said::ByGdb(line)) => session.answered(line.as_deref()),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    Ok(())
}

/// Lines of gdb among what the client says.
fn forward(from_gdb: mpsc::Receiver<Option<String>>, sender: mpsc::SyncSender<Said>) {
    thread::spawn(move || {
        for line in from_gdb {
            if sender.send(Said::ByGdb(line)).is_err() {
                break;
            }
        }
    });
}
