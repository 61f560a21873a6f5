//! What `state.json` holds.

use std::path::PathBuf;

use contest_data::settings::Avoid;
use contest_data::totals::{PausedTests, SubjectTotals};
use serde::{Deserialize, Serialize};

/// Version of the format: of everything in the directory.
pub(super) const FORMAT: u64 = 4;

/// A campaign so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) format: u64,
    /// Name of the package.
    pub(super) package: String,
    /// Runs that have begun.
    pub(super) runs: u32,
    /// Milliseconds of exploration in all runs.
    pub(super) elapsed_ms: u64,
    pub(super) subjects: Vec<KeptSubject>,
    /// Lanes of the run that is under way; left over if it was killed.
    pub(super) lanes: Vec<KeptLane>,
}

impl Kept {
    pub(super) fn new(package: &str) -> Self {
        Self {
            format: FORMAT,
            package: package.to_owned(),
            runs: 0,
            elapsed_ms: 0,
            subjects: Vec::new(),
            lanes: Vec::new(),
        }
    }

    pub(super) fn subject(&mut self, name: &str) -> Option<&mut KeptSubject> {
        self.subjects
            .iter_mut()
            .find(|subject| subject.name == name)
    }
}

/// A type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptSubject {
    /// As reports call it.
    pub(super) name: String,
    /// Hash of its code when it was last explored; empty if it could not be analysed.
    pub(super) code: String,
    /// Hash of the sources of the package then.
    pub(super) sources: String,
    /// The last run in which it was selected.
    pub(super) last_run: u32,
    /// Counts of all runs since its code changed.
    pub(super) totals: SubjectTotals,
    /// Calls that end the process when they come together; the numbers are those of its operations.
    pub(super) avoid: Vec<Avoid>,
    pub(super) streams: Vec<Stream>,
}

/// The tests that a type has under certain settings, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Stream {
    /// The settings on which tests and their order depend.
    pub(super) key: String,
    /// The last run that used it.
    pub(super) last_run: u32,
    pub(super) parts: Vec<Part>,
}

/// A part of these tests, explored by one process at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    /// Which one of how many.
    pub(super) shard: (u32, u32),
    /// Place of the type in its campaign, on which the division into parts depends.
    pub(super) turn: u16,
    /// How many tests of the whole stream this part has gone past.
    pub(super) begun: u64,
    /// Tests of this part, among those, that were paused.
    pub(super) paused: Vec<PausedTests>,
}

/// A lane of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptLane {
    /// Which part of the tests it runs.
    pub(super) shard: (u32, u32),
    /// Settings of its stream.
    pub(super) key: String,
    /// Names of the types of its campaign, in their order.
    pub(super) subjects: Vec<String>,
    /// Number of the test that ran when it last reported.
    pub(super) test: u64,
    /// Black box of its process.
    pub(super) black_box: PathBuf,
    /// Findings of this process that are on the disk.
    pub(super) received: u32,
}
