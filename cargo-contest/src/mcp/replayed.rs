//! What came of a replay.

use serde_json::Value;

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
    pub(super) fn of(ran: &Ran) -> Self {
        let died = ran.one("replay-died");
        let line = ran.one("replayed").cloned().unwrap_or_default();
        Self {
            shows: died.is_some() || !line["kind"].is_null(),
            kind: line["kind"].clone(),
            message: died.map_or_else(|| line["message"].clone(), |it| it["message"].clone()),
            ending: line["ending"].clone(),
            diverged: line["diverged"].clone(),
            interleaving: line["interleaving"].clone(),
        }
    }
}
