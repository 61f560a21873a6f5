//! Child processes: output read as it comes, bounded, and an end that includes everything the child started.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Last part of an output that may be huge.
#[derive(Clone, Debug)]
pub struct BoundedTail {
    shared: Arc<Mutex<Tail>>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    dropped: u64,
}

impl BoundedTail {
    /// Keeps at least the last `limit` bytes and at most twice as many.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            shared: Arc::default(),
            limit,
        }
    }

    /// Appends.
    pub fn push(&self, bytes: &[u8]) {
        let mut tail = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        tail.bytes.extend_from_slice(bytes);
        if tail.bytes.len() > 2 * self.limit {
            let excess = tail.bytes.len() - self.limit;
            tail.bytes.drain(..excess);
            tail.dropped += excess as u64;
        }
    }

    /// The kept part as text, with the number of dropped bytes.
    #[must_use]
    pub fn text(&self) -> String {
        let tail = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = String::from_utf8_lossy(&tail.bytes);
        if tail.dropped == 0 {
            kept.into_owned()
        } else {
            format!("[{} bytes left out]\n{kept}", tail.dropped)
        }
    }
}

/// Reads `source` to its end on a thread of its own, keeping the tail.
pub fn keep_tail(mut source: impl Read + Send + 'static, tail: BoundedTail) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        loop {
            match source.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => tail.push(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
    })
}

/// Reads `source` on a thread of its own, in pieces that end with one of `ends`, which is left out of them; empty
/// pieces too.
pub fn each_piece(
    source: impl Read + Send + 'static,
    ends: &'static [u8],
    mut take: impl FnMut(String) + Send + 'static,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut piece = Vec::new();
        loop {
            let available = match source.fill_buf() {
                Ok([]) => break,
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let (used, complete) = match available.iter().position(|byte| ends.contains(byte)) {
                Some(end) => (end, true),
                None => (available.len(), false),
            };
            piece.extend_from_slice(&available[..used]);
            source.consume(used + usize::from(complete));
            if complete {
                take(String::from_utf8_lossy(&piece).into_owned());
                piece.clear();
            }
        }
        if !piece.is_empty() {
            take(String::from_utf8_lossy(&piece).into_owned());
        }
    })
}

/// Sends SIGINT to this process, which a debugger then stops.
pub fn interrupt(process: i64) {
    #[cfg(unix)]
    if let Some(id) = i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // It may just have ended, which is not an error.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
    }
    #[cfg(not(unix))]
    let _ = process;
}

/// A child that is the head of a process group of its own; ends with all its descendants when dropped.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    ended: Option<ExitStatus>,
}

impl ProcessGroup {
    /// Starts it with all three streams piped.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        Ok(Self {
            child: command.spawn()?,
            ended: None,
        })
    }

    /// The child, for its streams.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// How it ended, if it has; then its descendants are killed too.
    ///
    /// # Errors
    /// If the exit status cannot be determined.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.ended.is_none() && self.has_ended()? {
            self.kill()?;
        }
        Ok(self.ended)
    }

    /// Sends SIGALRM to the child, not its descendants: a driver writes its stack, other processes end.
    pub fn alarm(&self) {
        #[cfg(unix)]
        if self.ended.is_none()
            && let Some(id) = self.group()
        {
            // The child may just have ended, which is not an error.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::ALARM);
        }
    }

    /// Asks the child and its descendants to end (SIGTERM); where there are no signals, nothing happens.
    pub fn ask_to_end(&self) {
        #[cfg(unix)]
        if self.ended.is_none()
            && let Some(id) = self.group()
        {
            // The child may just have ended, which is not an error.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::TERM);
        }
    }

    /// Kills the child and all its descendants, and waits for the child.
    ///
    /// # Errors
    /// If the exit status cannot be determined.
    pub fn kill(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        // Before the wait: until then the id of the group cannot be reused.
        #[cfg(unix)]
        if let Some(id) = self.group() {
            // The child may just have ended, which is not an error.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
        #[cfg(not(unix))]
        let _ = self.child.kill();
        let status = self.child.wait()?;
        self.ended = Some(status);
        Ok(status)
    }

    #[cfg(unix)]
    fn group(&self) -> Option<rustix::process::Pid> {
        let id = i32::try_from(self.child.id()).ok()?;
        rustix::process::Pid::from_raw(id)
    }

    /// Checks without reaping the child, so that its process id stays taken.
    #[cfg(unix)]
    fn has_ended(&self) -> io::Result<bool> {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let Some(id) = self.group() else {
            return Ok(false);
        };
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        Ok(waitid(WaitId::Pid(id), peek)?.is_some())
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }
}

/// Ends this process and its process group, of which it is the head.
pub fn end_process_group() {
    #[cfg(unix)]
    {
        let own = rustix::process::getpid();
        if rustix::process::getpgrp() == own {
            let _ = rustix::process::kill_process_group(own, rustix::process::Signal::KILL);
        }
    }
    std::process::exit(130);
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    #[test]
    fn the_tail_of_a_long_output_is_kept_and_the_rest_counted() {
        let tail = BoundedTail::new(10);
        for _ in 0..100 {
            tail.push(b"0123456789");
        }
        tail.push(b"the end");
        let text = tail.text();
        assert!(text.ends_with("the end"), "{text}");
        assert!(text.starts_with('['), "{text}");
        assert!(text.len() < 60, "{text}");
    }

    #[test]
    fn pieces_end_at_any_of_the_given_bytes() {
        let (sender, pieces) = mpsc::channel();
        each_piece(&b"a\rbb\n\nc"[..], b"\r\n", move |piece| {
            sender.send(piece).unwrap();
        })
        .join()
        .unwrap();
        assert_eq!(pieces.iter().collect::<Vec<_>>(), ["a", "bb", "", "c"]);
    }

    #[cfg(unix)]
    #[test]
    fn killing_a_group_ends_descendants_that_hold_the_output_open() {
        let mut group =
            ProcessGroup::spawn(Command::new("sh").args(["-c", "sleep 600 & echo up; wait"]))
                .unwrap();
        let mut output = BufReader::new(group.child().stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "up\n");
        let started = Instant::now();
        group.kill().unwrap();
        // Ends only when every holder of the pipe is gone.
        output.read_to_string(&mut line).unwrap();
        assert!(started.elapsed() < Duration::from_secs(60));
    }
}
