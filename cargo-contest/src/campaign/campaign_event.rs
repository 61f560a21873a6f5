//! What a campaign reports while it runs.

use contest_data::finding::Finding;
use contest_data::totals::{Alone, Progress};

/// What a campaign reports while it runs.
#[derive(Clone, Debug)]
pub enum CampaignEvent {
    /// Progress of the exploration.
    Progress(Progress),
    /// A bug; each is reported once.
    Finding(Box<Finding>),
    /// A failure that needs no concurrency; each is reported once.
    Alone(Alone),
    /// A process died and the next one continues: the cause.
    Died(String),
    /// A note of the driver for the user.
    Note(String),
}
