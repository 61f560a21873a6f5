//! Commands in the log (`--log debug`): what is run, with which arguments, where, and how it ended.

use std::fmt::Write as _;
use std::io;
use std::process::{Command, Output};
use std::time::Instant;

use tracing::{debug, trace};

use super::lock_file_watch::OwnCommand;

/// Logs that a command starts; its environment at level `trace`.
pub fn log_start(command: &Command) {
    let directory = command.get_current_dir().map(|it| it.display().to_string());
    debug!(directory, "running {}", command_line(command));
    for (name, value) in command.get_envs() {
        trace!(?name, ?value, "environment");
    }
}

/// [`Command::output`], logged.
///
/// # Errors
/// If the program cannot be started.
pub fn logged_output(command: &mut Command) -> io::Result<Output> {
    log_start(command);
    let _writes = OwnCommand::begin();
    let begun = Instant::now();
    let output = command.output();
    match &output {
        Ok(output) => debug!(elapsed = ?begun.elapsed(), "ended: {}", output.status),
        Err(error) => debug!("cannot be started: {error}"),
    }
    output
}

/// Program and arguments, quoted so that a shell would read them as they are.
fn command_line(command: &Command) -> String {
    let mut line = String::new();
    for word in std::iter::once(command.get_program()).chain(command.get_args()) {
        let word = word.to_string_lossy();
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-+=./:@,%#".contains(it);
        if !line.is_empty() {
            line.push(' ');
        }
        // Writing to a `String` cannot fail.
        let _ = if !word.is_empty() && word.chars().all(is_plain) {
            write!(line, "{word}")
        } else {
            write!(line, "'{}'", word.replace('\'', r"'\''"))
        };
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let mut command = Command::new("cargo");
        command.args(["test", "--", "a b", "it's", ""]);
        assert_eq!(command_line(&command), r"cargo test -- 'a b' 'it'\''s' ''");
    }
}
