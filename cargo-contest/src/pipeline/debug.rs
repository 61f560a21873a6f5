//! `cargo contest debug TOKEN|FILE`: one schedule under gdb.

use std::path::{Path, PathBuf};

use contest_data::token::Token;

use super::failure::Failure;
use super::prepare::package_directory;
use super::replay;
use crate::cli::args::{CommonArgs, DebugArgs};
use crate::cli::exit_code::ExitCode;
use crate::debugger::{self, Debugged, LaunchArguments};
use contest_build::workspace::cargo_build::Toolchain;
use contest_build::workspace::lock_file::LockFileGuard;
use contest_drive::campaign::Interrupt;
use contest_report::Reporter;

pub(super) fn debug(
    common: &CommonArgs,
    arguments: &DebugArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    if arguments.dap {
        if common.message_format.is_some() {
            let text = "--dap speaks the Debug Adapter Protocol; leave out --message-format";
            return Err(Failure::new(ExitCode::Usage, text));
        }
        let mut build = |wanted: LaunchArguments| {
            let mut common = common.clone();
            common.manifest_path = wanted.manifest_path.or(common.manifest_path);
            common.package = wanted.package.or(common.package);
            let what = wanted.token.or_else(|| arguments.what.clone());
            let what =
                what.ok_or("`launch` has no `token`: that of a finding, or the emitted test file")?;
            let _lock_file = LockFileGuard::of(common.manifest_path.as_deref());
            prepare(&common, &what, reporter).map_err(|failure| failure.message)
        };
        return match debugger::serve(&arguments.gdb, &mut build, interrupt) {
            Ok(()) => Ok(ExitCode::Clean),
            Err(error) => Err(Failure::new(
                ExitCode::Usage,
                format!("standard input is not the Debug Adapter Protocol: {error}"),
            )),
        };
    }
    let Some(what) = &arguments.what else {
        return Err(Failure::new(
            ExitCode::Usage,
            "name the token of a finding, or the emitted test file that holds it".to_owned(),
        ));
    };
    let debugged = prepare(common, what, reporter)?;
    reporter.finish();
    // Ctrl-C is gdb's from here on.
    interrupt.leave_alone();
    debugger::at_the_terminal(&arguments.gdb, &debugged)
        .map_err(|why| Failure::new(ExitCode::ToolFailed, why))?;
    Ok(ExitCode::Clean)
}

/// Builds what has the schedule, without optimisation.
fn prepare(common: &CommonArgs, what: &str, reporter: &mut Reporter) -> Result<Debugged, Failure> {
    let token = replay::token(what)?;
    let common = CommonArgs {
        debuggable: true,
        ..common.clone()
    };
    let decoded = Token::decode(&token).map_err(|error| {
        let text = format!("this is no token of a finding: {error}");
        Failure::new(ExitCode::Usage, text)
    })?;
    if decoded.own_test().is_some() {
        let common = replay::common_for(&token, &common);
        let schedules = replay::own_schedules(&common, &decoded, reporter)?;
        return Ok(Debugged {
            driver: schedules.debugged(&token)?,
            sysroot: sysroot(&schedules.package_directory()),
            keeps: Box::new(schedules),
        });
    }
    let prepared = replay::prepared(&token, &common, reporter)?;
    Ok(Debugged {
        driver: prepared.driver.debugged(&token)?,
        sysroot: sysroot(&package_directory(prepared.package())),
        keeps: Box::new(prepared),
    })
}

/// Where the compiler's directory of itself is; without one, values are shown as gdb shows them.
fn sysroot(directory: &Path) -> Option<PathBuf> {
    let rustc = Toolchain::find(directory).ok()?.rustc;
    Some(rustc.parent()?.parent()?.to_owned())
}
