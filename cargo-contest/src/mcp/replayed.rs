//! What came of a replay.

use serde_json::Value;

use super::answer::Answer;
use super::child::Ran;

/// What came of a replay, as the contract has it.
pub(super) struct Replayed {
    pub(super) shows: bool,
    pub(super) kind: Value,
    pub(super) message: Value,
    pub(super) ending: Value,
    pub(super) diverged: Value,
    pub(super) interleaving: Value,
}

impl Replayed {
    /// That of a run, which may have ended without any.
    pub(super) fn of(ran: &Ran) -> Result<Self, Answer> {
        let Some(line) = ran.one("replayed") else {
            let why = "the replay ended without a result";
            return Err(Answer::error(why, "call it again"));
        };
        Ok(Self {
            shows: !line["kind"].is_null(),
            kind: line["kind"].clone(),
            message: line["message"].clone(),
            ending: line["ending"].clone(),
            diverged: line["diverged"].clone(),
            interleaving: line["interleaving"].clone(),
        })
    }
}
