//! Runs cargo and reads its messages.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;

use anstream::adapter::strip_str;
use cargo_metadata::{Artifact, BuildScript, CompilerMessage, Message};
use tracing::debug;

use crate::workspace::cargo_config::may_set;
use crate::workspace::child_process::{BoundedTail, each_piece};
use crate::workspace::lock_file_watch::OwnCommand;
use crate::workspace::logged_command::{log_start, logged_output};
use crate::workspace::stop_handle::StopHandle;

/// Bytes of cargo's own text that are kept for an error.
const STDERR_KEPT: usize = 64 * 1024;

/// The compiler that builds the crate under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// `cargo`.
    pub cargo: PathBuf,
    /// `rustc`.
    pub rustc: PathBuf,
    /// Host triple: `x86_64-unknown-linux-gnu`.
    pub host: String,
    /// `1.95.0`.
    pub release: String,
    /// Output of `rustc -vV`.
    pub version_text: String,
}

/// Why the compiler cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// `rustc` cannot be run.
    #[error("cannot run {path}: {1}; is a Rust toolchain installed?", path = .0.display())]
    Run(PathBuf, #[source] io::Error),
    /// The output of `rustc` is not understood.
    #[error("{} does not answer like a Rust compiler: {}", .0.display(), .1.trim())]
    Answer(PathBuf, String),
    /// It makes programs for a system on which no driver process runs.
    #[error(
        "the compiler is for {0}, and `cargo contest` runs the code under test on Linux (x86-64 or aarch64) only; on other systems, \
        `cargo test` runs annotated types (`#[contest::shared]`) and hand-written models (`contest::model`), which need `contest-runtime` alone"
    )]
    Host(String),
}

/// Systems on which driver processes run, by the host triple of the compiler.
fn runs_drivers(host: &str) -> bool {
    let mut parts = host.split('-');
    matches!(parts.next(), Some("x86_64" | "aarch64")) && parts.any(|part| part == "linux")
}

impl Toolchain {
    /// The compiler that cargo would use in `directory`; a `rust-toolchain.toml` there counts.
    ///
    /// # Errors
    /// If there is none that works.
    pub fn find(directory: &Path) -> Result<Self, ToolchainError> {
        let beside = programs_beside_cargo();
        let proxy = std::env::var_os("RUSTC")
            .map(PathBuf::from)
            .or_else(|| program_in(beside.as_deref()?, "rustc"))
            .unwrap_or_else(|| PathBuf::from("rustc"));
        let query = |arguments: &[&str]| -> Result<String, ToolchainError> {
            let mut command = Command::new(&proxy);
            command
                .args(arguments)
                .current_dir(directory)
                .stdin(Stdio::null());
            let output = logged_output(&mut command)
                .map_err(|error| ToolchainError::Run(proxy.clone(), error))?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            if output.status.success() {
                Ok(text)
            } else {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                Err(ToolchainError::Answer(proxy.clone(), said))
            }
        };
        let version_text = query(&["-vV"])?;
        let field = |name: &str| {
            version_text
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
                .map(str::to_owned)
                .ok_or_else(|| ToolchainError::Answer(proxy.clone(), version_text.clone()))
        };
        let host = field("host")?;
        if !runs_drivers(&host) {
            return Err(ToolchainError::Host(host));
        }
        // Builds run in more than one directory; the programs themselves, not proxies, keep to one toolchain.
        let programs = match beside {
            Some(programs) if std::env::var_os("RUSTC").is_none() => programs,
            _ => PathBuf::from(query(&["--print", "sysroot"])?.trim_end()).join("bin"),
        };
        Ok(Self {
            cargo: program_in(&programs, "cargo")
                .or_else(|| std::env::var_os("CARGO").map(PathBuf::from))
                .unwrap_or_else(|| PathBuf::from("cargo")),
            rustc: program_in(&programs, "rustc").unwrap_or_else(|| proxy.clone()),
            host,
            release: field("release")?,
            version_text: version_text.clone(),
        })
    }

    /// A cargo command in `directory` with this compiler and no wrapper.
    #[must_use]
    pub fn cargo(&self, directory: &Path) -> Command {
        let mut command = Command::new(&self.cargo);
        command
            .current_dir(directory)
            .env("RUSTC", &self.rustc)
            // Empty: none, whatever the configuration says.
            .env("RUSTC_WRAPPER", "")
            .env_remove("CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER")
            .stdin(Stdio::null());
        if may_set(directory, "rustc-workspace-wrapper") {
            command.env("RUSTC_WORKSPACE_WRAPPER", "");
        } else {
            // With an empty one cargo asks the compiler anew, five times, what it has in a file.
            command.env_remove("RUSTC_WORKSPACE_WRAPPER");
        }
        command
    }
}

/// The toolchain's programs, if rustup has chosen it for the cargo that runs this process: a proxy would find the same
/// ones in some more time.
fn programs_beside_cargo() -> Option<PathBuf> {
    let chosen = std::env::var_os("RUSTUP_TOOLCHAIN")?;
    let programs = PathBuf::from(std::env::var_os("CARGO")?);
    let programs = programs.parent()?.to_owned();
    let is_chosen = programs.parent()?.file_name() == Some(&chosen);
    (is_chosen && is_proxy("rustc") && program_in(&programs, "rustc").is_some()).then_some(programs)
}

/// True if the program of this name in `PATH` is one of rustup's.
fn is_proxy(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path);
    let place = places.find(|place| program_in(place, name).is_some());
    place.is_some_and(|place| program_in(&place, "rustup").is_some())
}

fn program_in(directory: &Path, name: &str) -> Option<PathBuf> {
    let path = directory.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    path.is_file().then_some(path)
}

/// Has cargo build into this directory, and keep there what is intermediate too: the user may keep that elsewhere, in a
/// place that plain builds have as well, and cargo does not know what a wrapper of the compiler does to a unit.
pub fn build_into(cargo: &mut Command, directory: &Path) {
    cargo
        .arg("--target-dir")
        .arg(directory)
        .env("CARGO_BUILD_BUILD_DIR", directory);
}

/// Messages of a running cargo.
#[derive(Debug)]
pub enum CargoMessage {
    /// A unit is built, or was built before.
    Artifact(Box<Artifact>),
    /// A build script has run: the libraries it links.
    BuildScript(Box<BuildScript>),
    /// A diagnostic of the compiler.
    Compiler(Box<CompilerMessage>),
    /// Cargo's own count of units, and what it works on.
    Progress {
        /// Units done.
        done: u32,
        /// Units in all.
        total: u32,
        /// Crates under way, as cargo lists them.
        building: String,
    },
}

/// How a run of cargo ended.
#[derive(Clone, Debug)]
pub struct CargoEnd {
    /// Whether cargo succeeded.
    pub success: bool,
    /// Cargo's own text, without progress; its end, if it is long.
    pub stderr: String,
}

/// Why cargo failed, judged by its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// Something has to be downloaded and cannot be.
    Offline,
    /// The target directory cannot be written.
    NotWritable,
    /// Something else, usually in the compiler's diagnostics.
    Other,
}

impl CargoEnd {
    /// Why it failed.
    #[must_use]
    pub fn cause(&self) -> FailureCause {
        const OFFLINE: [&str; 9] = [
            "failed to download",
            "download of config.json failed",
            "failed to query replaced source registry",
            "Unable to update registry",
            "Could not resolve host",
            "--offline was specified",
            "you're using offline mode",
            "note: offline mode (via",
            "failed to fetch `",
        ];
        const NOT_WRITABLE: [&str; 3] = [
            "Read-only file system",
            "Permission denied (os error 13)",
            "No space left on device",
        ];
        let says = |phrases: &[&str]| phrases.iter().any(|it| self.stderr.contains(it));
        if says(&OFFLINE) {
            FailureCause::Offline
        } else if says(&NOT_WRITABLE) {
            FailureCause::NotWritable
        } else {
            FailureCause::Other
        }
    }
}

/// Runs a cargo command that was given `--message-format json…` to its end.
///
/// # Errors
/// If cargo cannot be started or waited for, or is killed from outside.
pub fn run_cargo(
    command: &mut Command,
    on_message: &mut dyn FnMut(CargoMessage),
) -> io::Result<CargoEnd> {
    run(command, None, on_message)
}

/// The same for a command that the handle can end.
///
/// # Errors
/// As [`run_cargo`]; a command that is ended counts as killed.
pub fn run_cargo_until(
    command: &mut Command,
    stop: &StopHandle,
    on_message: &mut dyn FnMut(CargoMessage),
) -> io::Result<CargoEnd> {
    stop.prepare(command);
    run(command, Some(stop), on_message)
}

fn run(
    command: &mut Command,
    stop: Option<&StopHandle>,
    on_message: &mut dyn FnMut(CargoMessage),
) -> io::Result<CargoEnd> {
    // Cargo shows the number of units only in its progress bar.
    command
        .env("CARGO_TERM_PROGRESS_WHEN", "always")
        .env("CARGO_TERM_PROGRESS_WIDTH", "160")
        .env("CARGO_TERM_COLOR", "never")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    log_start(command);
    let _writes = OwnCommand::begin();
    let begun = Instant::now();
    let mut child = command.spawn()?;
    if let Some(stop) = stop {
        stop.begun(child.id());
    }
    let tail = BoundedTail::new(STDERR_KEPT);
    let (sender, messages) = mpsc::channel();
    let readers = [
        child.stdout.take().map(|stdout| {
            let sender = sender.clone();
            each_piece(stdout, b"\n", move |line| {
                if let Some(message) = parse_message(&line) {
                    let _ = sender.send(message);
                }
            })
        }),
        child.stderr.take().map(|stderr| {
            let tail = tail.clone();
            each_piece(stderr, b"\r\n", move |piece| {
                if let Some(progress) = parse_progress(&piece) {
                    let _ = sender.send(progress);
                } else if !is_progress(&piece) {
                    tail.push(piece.trim_end().as_bytes());
                    tail.push(b"\n");
                }
            })
        }),
    ];
    for message in messages {
        on_message(message);
    }
    for reader in readers.into_iter().flatten() {
        let _ = reader.join();
    }
    if let Some(stop) = stop {
        stop.ends();
    }
    let status = child.wait()?;
    debug!(elapsed = ?begun.elapsed(), "cargo ended: {status}");
    if status.code().is_none() {
        // Ctrl-C reaches cargo too; then the failed build needs no explanation.
        let ended = "it was killed from outside";
        return Err(io::Error::new(io::ErrorKind::Interrupted, ended));
    }
    Ok(CargoEnd {
        success: status.success(),
        stderr: tail.text(),
    })
}

fn parse_message(line: &str) -> Option<CargoMessage> {
    match serde_json::from_str(line).ok()? {
        Message::CompilerArtifact(artifact) => Some(CargoMessage::Artifact(Box::new(artifact))),
        Message::BuildScriptExecuted(script) => Some(CargoMessage::BuildScript(Box::new(script))),
        Message::CompilerMessage(message) => Some(CargoMessage::Compiler(Box::new(message))),
        _ => None,
    }
}

/// Blanks that erase the bar, the bar itself, and lines about progress rather than problems.
fn is_progress(piece: &str) -> bool {
    const ROUTINE: [&str; 12] = [
        "Adding",
        "Blocking",
        "Building",
        "Checking",
        "Compiling",
        "Dirty",
        "Downloaded",
        "Downloading",
        "Finished",
        "Fresh",
        "Locking",
        "Updating",
    ];
    let piece = strip_str(piece).to_string();
    // Cargo aligns the first word of such a line to the right.
    let first = piece.split_whitespace().next();
    first.is_none_or(|first| piece.starts_with(' ') && ROUTINE.contains(&first))
}

/// `Building [=====>      ] 12/45: serde, libc`.
fn parse_progress(piece: &str) -> Option<CargoMessage> {
    let piece = strip_str(piece).to_string();
    let (_bar, counts) = piece.trim().strip_prefix("Building [")?.split_once("] ")?;
    let (counts, building) = counts.split_once(": ").unwrap_or((counts, ""));
    let (done, total) = counts.trim().split_once('/')?;
    Some(CargoMessage::Progress {
        done: done.parse().ok()?,
        total: total.parse().ok()?,
        building: building.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_bar_is_read_and_kept_out_of_the_text() {
        let bar = "    Building [=======>                 ] 12/45: serde, libc(build)";
        let Some(CargoMessage::Progress {
            done,
            total,
            building,
        }) = parse_progress(bar)
        else {
            panic!("not read");
        };
        assert_eq!(
            (done, total, building.as_str()),
            (12, 45, "serde, libc(build)")
        );
        assert!(is_progress(bar));
        assert!(is_progress("\u{1b}[K"));
        assert!(is_progress("   Compiling serde v1.0.0"));
        assert!(!is_progress("error: could not compile `x`"));
    }

    #[test]
    fn a_run_that_needs_the_network_is_recognised() {
        let end = |stderr: &str| CargoEnd {
            success: false,
            stderr: stderr.to_owned(),
        };
        let offline = end("error: failed to download `serde v1.0.0`\n\nCaused by: Could not …");
        assert_eq!(offline.cause(), FailureCause::Offline);
        for reminder in [
            "As a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures",
            "note: offline mode (via `--offline`) can sometimes cause surprising resolution failures",
        ] {
            let text = format!("error: no matching package named `a` found\n{reminder}");
            assert_eq!(end(&text).cause(), FailureCause::Offline, "{reminder}");
        }
        let read_only =
            end("error: failed to open: /x/.cargo-lock\nCaused by: Read-only file system");
        assert_eq!(read_only.cause(), FailureCause::NotWritable);
        assert_eq!(end("error: could not compile").cause(), FailureCause::Other);
    }

    #[test]
    fn drivers_run_on_linux_on_two_processors() {
        for host in [
            "x86_64-unknown-linux-gnu",
            "aarch64-unknown-linux-gnu",
            "x86_64-alpine-linux-musl",
        ] {
            assert!(runs_drivers(host), "{host}");
        }
        for host in [
            "aarch64-apple-darwin",
            "x86_64-pc-windows-msvc",
            "i686-unknown-linux-gnu",
            "x86_64-unknown-freebsd",
        ] {
            assert!(!runs_drivers(host), "{host}");
        }
    }

    #[test]
    fn the_toolchain_reports_its_host_and_release() {
        let toolchain = Toolchain::find(Path::new(".")).unwrap();
        assert!(toolchain.host.contains('-'), "{toolchain:?}");
        assert!(toolchain.release.contains('.'), "{toolchain:?}");
        assert!(toolchain.version_text.contains(&toolchain.release));
    }

    /// What it has started ends with it: the pipes close.
    #[test]
    #[cfg(unix)]
    fn a_command_that_is_not_waited_for_any_more_ends_with_its_children() {
        let stop = StopHandle::default();
        let handle = stop.clone();
        let begun = Instant::now();
        let stopping = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            handle.stop();
        });
        let shell = |stop: &StopHandle| {
            let mut command = Command::new("sh");
            command.args(["-c", "sleep 300 & wait"]);
            run_cargo_until(&mut command, stop, &mut |_| ()).unwrap_err()
        };
        assert_eq!(shell(&stop).kind(), io::ErrorKind::Interrupted);
        stopping.join().unwrap();
        // One that begins too late as well.
        assert_eq!(shell(&stop).kind(), io::ErrorKind::Interrupted);
        assert!(begun.elapsed().as_secs() < 100);
    }
}
