//! `cargo contest replay TOKEN|FILE`: one schedule again, and its interleaving.

use std::path::Path;

use contest_data::token::Token;

use super::failure::Failure;
use super::prepare::{self, Prepared};
use crate::campaign::{self, CampaignError, Interrupt, ReplayEnd};
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::emit::token_in_file;
use crate::report::Reporter;

pub(super) fn replay(
    common: &CommonArgs,
    what: &str,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let token = token(what)?;
    let prepared = prepare::all(&common_for(&token, common), reporter)?;
    prepared.locate(reporter);
    match one(&prepared, &token, interrupt)? {
        ReplayEnd::Interrupted => Err(Failure::interrupted()),
        ReplayEnd::Died(context) => {
            let text = prepared.short_locations().text(&context.to_string());
            reporter.replay_died(&text);
            Ok(ExitCode::Findings)
        }
        ReplayEnd::Replayed(replayed) => {
            reporter.replayed(&replayed);
            Ok(if replayed.finding.is_some() {
                ExitCode::Findings
            } else {
                ExitCode::Clean
            })
        }
    }
}

/// A finding about memory accesses shows again only if they are watched.
pub(super) fn common_for(token: &str, common: &CommonArgs) -> CommonArgs {
    CommonArgs {
        no_memory: common.no_memory && !needs_memory(token),
        ..common.clone()
    }
}

/// True for a bug that shows in memory accesses. A token that cannot be read needs nothing; the driver reports what is
/// wrong with it.
pub(super) fn needs_memory(token: &str) -> bool {
    Token::decode(token)
        .is_ok_and(|token| token.kind.needs_memory() || !token.schedule.visible.is_empty())
}

/// Runs one token; a token that does not fit this crate is a usage error.
pub(super) fn one(
    prepared: &Prepared,
    token: &str,
    interrupt: &Interrupt,
) -> Result<ReplayEnd, Failure> {
    match campaign::replay(&prepared.driver, token, interrupt) {
        Ok(ReplayEnd::Replayed(mut replayed)) => {
            prepared.short_locations().replayed(&mut replayed);
            Ok(ReplayEnd::Replayed(replayed))
        }
        Err(CampaignError::Refused(why)) => Err(Failure::new(
            ExitCode::Usage,
            format!("this token cannot be run with {}: {why}", prepared.name()),
        )),
        other => Ok(other?),
    }
}

/// The argument: a file that holds a token, or the token itself.
fn token(what: &str) -> Result<String, Failure> {
    let path = Path::new(what);
    if !path.is_file() {
        return Ok(what.to_string());
    }
    let source = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(ExitCode::Usage, format!("cannot read {what}: {error}")))?;
    token_in_file::token_of(&source).ok_or_else(|| {
        Failure::new(
            ExitCode::Usage,
            format!(
                "{what} holds no `const {}: &str = \"…\"`; name a test that cargo contest emitted",
                token_in_file::CONSTANT
            ),
        )
    })
}
