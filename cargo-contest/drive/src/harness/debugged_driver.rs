//! A driver that a debugger starts: it reads its request from a file, and writes its replies to another one.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use contest_data::protocol::black_box::BlackBox;
use contest_data::protocol::{BLACK_BOX_VARIABLE, Reply, Request};

use super::driver_process::{ProcessPlace, set_environment};
use contest_build::workspace::scratch_dir::WriteError;

/// What a debugger has to start, and with what. The executable lives as long as what it was built for.
#[derive(Clone, Debug)]
pub struct DebuggedDriver {
    /// The executable.
    pub executable: PathBuf,
    /// What it reads from its standard input.
    pub request: PathBuf,
    /// What it writes to its standard output.
    pub replies: PathBuf,
    black_box: PathBuf,
    directory: PathBuf,
    variables: Vec<(String, OsString)>,
}

impl DebuggedDriver {
    pub(super) fn prepare(
        executable: &Path,
        place: &ProcessPlace<'_>,
        token: &str,
    ) -> Result<Self, WriteError> {
        let request = place.scratch.join("debug-request");
        let text = contest_wire::write_request(&Request::Debug {
            token: token.to_owned(),
        });
        fs::write(&request, text + "\n").map_err(|error| WriteError::new(&request, error))?;
        // By its black box a test executable knows that it is a driver.
        let directory = match place.directory {
            Some(directory) => directory.to_owned(),
            None => {
                // Empty, as that of the process in which the finding was made.
                let own = place.scratch.join("files-debug");
                let _ = fs::remove_dir_all(&own);
                fs::create_dir(&own).map_err(|error| WriteError::new(&own, error))?;
                own
            }
        };
        let black_box = place.scratch.join("black-box-debug");
        BlackBox::create(&black_box).map_err(|error| WriteError::new(&black_box, error))?;
        Ok(Self {
            executable: executable.to_owned(),
            request,
            replies: place.scratch.join("debug-replies"),
            directory,
            variables: place.variables.to_vec(),
            black_box,
        })
    }

    /// Has the debugger start it where, and with the variables with which, the tool would.
    pub fn set_environment(&self, debugger: &mut Command) {
        let place = ProcessPlace {
            scratch: &self.directory,
            directory: Some(&self.directory),
            variables: &self.variables,
        };
        set_environment(debugger, &place);
        debugger.env(BLACK_BOX_VARIABLE, &self.black_box);
    }

    /// How its execution ended, in words, once the process has; `None` if it has not said so.
    #[must_use]
    pub fn ending(&self) -> Option<String> {
        let text = fs::read_to_string(&self.replies).ok()?;
        text.lines()
            .find_map(|line| match contest_wire::read_reply(line).ok()? {
                Reply::Probed { ending } | Reply::Refused(ending) => Some(ending),
                _ => None,
            })
    }
}
