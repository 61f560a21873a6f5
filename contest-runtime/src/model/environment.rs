//! What the environment says. Read once per run.

/// Name of the variable that holds a schedule to replay.
pub(crate) const REPLAY: &str = "CONTEST_REPLAY";

/// The schedule to replay, if one is given.
pub(crate) fn replay() -> Option<String> {
    std::env::var(REPLAY)
        .ok()
        .filter(|token| !token.trim().is_empty())
}
