//! What a campaign reports while it runs.

use contest::judge::Finding;
use contest::protocol::{Alone, Progress};

/// What a campaign reports while it runs.
#[derive(Clone, Debug)]
pub enum CampaignEvent {
    /// Where it stands.
    Progress(Progress),
    /// A bug, each only once.
    Finding(Box<Finding>),
    /// Something that fails alone, each only once.
    Alone(Alone),
    /// A process died and the next one goes on: what it died of.
    Died(String),
    /// Something the driver wants people to know.
    Note(String),
}
