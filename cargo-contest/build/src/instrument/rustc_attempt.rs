//! One run of the compiler, whose messages may be held back.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// Becomes the command, or runs it.
pub(super) fn pass_through(mut command: Command) -> io::Result<i32> {
    #[cfg(unix)]
    return Err(std::os::unix::process::CommandExt::exec(&mut command));
    #[cfg(not(unix))]
    Ok(command.status()?.code().unwrap_or(1))
}

/// One run of the compiler. Its messages are held back until it has written the metadata, for only then cargo starts on
/// what depends on the unit, and then it is too late to compile it again.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) code: i32,
    held: Vec<Vec<u8>>,
    passed_on: bool,
}

impl Attempt {
    pub(super) fn run(mut command: Command) -> io::Result<Self> {
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let mut held = Vec::new();
        let mut passed_on = false;
        if let Some(stderr) = child.stderr.take() {
            let mut out = io::stderr();
            for line in BufReader::new(stderr).split(b'\n') {
                held.push(line?);
                passed_on = passed_on || held.last().is_some_and(|it| announces_metadata(it));
                if passed_on {
                    for line in held.drain(..) {
                        out.write_all(&line)?;
                        out.write_all(b"\n")?;
                    }
                }
            }
        }
        let status = child.wait()?;
        Ok(Self {
            code: status.code().unwrap_or(101),
            held,
            passed_on,
        })
    }

    /// True if the compiler found errors in the sources, or crashed, before cargo knew of the unit; false if it was
    /// killed from outside.
    pub(super) fn is_refusal(&self) -> bool {
        !self.passed_on && (self.code == 1 || self.code == 101)
    }

    pub(super) fn pass_on(&self) -> io::Result<()> {
        let mut out = io::stderr().lock();
        for line in &self.held {
            out.write_all(line)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Message of the first error.
    pub(super) fn first_error(&self) -> String {
        #[derive(Deserialize)]
        struct Diagnostic {
            level: String,
            message: String,
        }
        self.held
            .iter()
            .filter_map(|line| serde_json::from_slice::<Diagnostic>(line).ok())
            .find(|diagnostic| diagnostic.level.starts_with("error"))
            .map_or_else(
                || "the compiler stopped without a message".to_owned(),
                |diagnostic| diagnostic.message,
            )
    }
}

fn announces_metadata(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Announcement {
        emit: String,
    }
    line.starts_with(br#"{"$message_type":"artifact""#)
        && serde_json::from_slice::<Announcement>(line).is_ok_and(|it| it.emit == "metadata")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_the_reason() {
        let attempt = Attempt {
            code: 1,
            held: vec![
                br#"{"$message_type":"diagnostic","message":"unused","level":"warning"}"#.to_vec(),
                br#"{"$message_type":"diagnostic","message":"mismatched types","level":"error"}"#
                    .to_vec(),
                br#"{"$message_type":"diagnostic","message":"aborting","level":"error"}"#.to_vec(),
            ],
            passed_on: false,
        };
        assert_eq!(attempt.first_error(), "mismatched types");
    }
}
