//! What a campaign reports while it runs.

use std::path::PathBuf;

use contest_data::finding::Finding;
use contest_data::settings::Avoid;
use contest_data::totals::{Alone, Progress};

use super::own_panic::LostTest;

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
    /// A test is lost to a bug of the tool.
    Lost(LostTest),
    /// A note of the driver for the user.
    Note(String),
    /// What one lane did, for the state of the campaign.
    Lane(LaneEvent),
}

/// What one lane did, beside what is shown.
#[derive(Clone, Debug)]
pub enum LaneEvent {
    /// It started a process with this black box.
    Started(PathBuf),
    /// Where the lane stands, all of its processes together.
    Stands(Box<Progress>),
    /// It has reported a finding, perhaps one that another lane had reported: it comes after that finding.
    Found,
    /// Tests with these calls end the process and are left out from here on.
    Avoids(Avoid),
}
