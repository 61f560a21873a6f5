//! What the environment says. Read once per run.

pub(crate) use contest_data::failure_text::REPLAY_VARIABLE as REPLAY;

/// The schedule to replay, if one is given.
pub(crate) fn replay() -> Option<String> {
    std::env::var(REPLAY)
        .ok()
        .filter(|token| !token.trim().is_empty())
}
