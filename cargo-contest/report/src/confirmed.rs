//! What `confirm` has seen.

use std::time::Duration;

use serde_json::json;

/// Rounds of a finding with real threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confirmed {
    /// Rounds that ended.
    pub rounds: u64,
    /// Of these, how many failed: a panic, or results that no order of the calls has.
    pub failed: u64,
    /// Rounds that did not end.
    pub hung: u64,
    /// Rounds that ended the process.
    pub died: u64,
    /// What the first failure said; empty if none said anything.
    pub first: String,
    /// How long all took.
    pub elapsed: Duration,
    /// The schedule is one of RC11: its loads may read older values, which this processor may not show.
    pub is_of_weak_memory: bool,
    /// Manifest of the program.
    pub manifest: String,
}

impl Confirmed {
    /// True if the finding was seen.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.failed + self.hung + self.died > 0
    }

    pub(super) fn line(&self) -> String {
        json!({"reason": "confirmed", "seen": self.is_seen(), "rounds": self.rounds, "failed": self.failed,
               "hung": self.hung, "died": self.died, "first": self.first,
               "elapsed_ms": u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX), "manifest": self.manifest})
        .to_string()
    }

    pub(super) fn text(&self, package: &str) -> String {
        let how = [
            (self.failed, "failed"),
            (self.hung, "did not end"),
            (self.died, "ended the process"),
        ];
        let how: Vec<String> = how
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let of = format!(
            "{} rounds of real threads in {:.1} s, with {package} as it is",
            self.rounds + self.hung + self.died,
            self.elapsed.as_secs_f64()
        );
        let why = match self.is_of_weak_memory {
            true => {
                "loads may read older values in its schedule, which may show only on a processor that reorders \
                 memory accesses, as those of ARM do"
            }
            false => "the moment that it needs may be too short for real threads",
        };
        let mut out = match self.is_seen() {
            true => format!("seen: {} of {of}\n", how.join(", ")),
            false => format!("not seen in {of}: {why}; its schedule replays all the same\n"),
        };
        for line in self.first.lines().take(4) {
            out += &format!("  | {line}\n");
        }
        out += &format!(
            "run it again: cargo run --release --manifest-path {}\n",
            self.manifest
        );
        out
    }
}
