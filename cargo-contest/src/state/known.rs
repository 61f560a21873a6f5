//! A finding of an earlier run, and whether it is still there.

use contest_data::finding::Finding;
use serde::{Deserialize, Serialize};

/// Whether a known finding is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It shows under its schedule.
    Open,
    /// Its schedule runs to its end and shows nothing.
    Mended,
    /// The code no longer does what its schedule recorded, or no longer has its calls.
    Unclear,
}

/// A finding of a campaign, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownFinding {
    /// Format of the file.
    pub(super) format: u64,
    /// The run that found it, counting from 1.
    pub first_run: u32,
    /// The last run in which it showed.
    pub last_run: u32,
    /// Whether it is still there.
    pub standing: Standing,
    /// What drivers recognise it by: its fingerprint with the paths of the machine that found it.
    pub of_driver: String,
    /// The finding, with its schedule.
    pub finding: Finding,
}
