//! Keeps the state of a campaign up to date while it runs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use contest_data::finding::Finding;
use contest_data::settings::Avoid;
use contest_data::totals::{NOT_FINISHED, PausedTests, SubjectTotals};

use super::directory::{self, State};
use super::kept::{FORMAT, Kept, KeptLane, KeptSubject, Part, Stream};
use super::known::{KnownFinding, Standing};
use super::lane_progress::{Lane, add, count_waiting};
use super::plan::{Plan, Selected};
use super::streams::{is_in, without};
use contest_catalog::state_summary::StateSummary;
use contest_drive::campaign::LaneEvent;

/// Time between two writings of the progress.
const EVERY: Duration = Duration::from_millis(300);
/// Runs after which what they did not touch is forgotten: types that are gone, streams of other settings, findings that
/// stay mended.
const FORGET_AFTER: u32 = 20;
/// Most findings that are kept; mended ones give way first.
const MOST_FINDINGS: usize = 5_000;

/// The state of a campaign that runs.
#[derive(Debug)]
pub struct Recorder {
    state: State,
    plan: Plan,
    /// Paused tests that the campaign is to go on with.
    go_on: Vec<PausedTests>,
    begun: Vec<Vec<u64>>,
    lanes: Vec<Lane>,
    avoided: Vec<Avoid>,
    written: Instant,
    summary: StateSummary,
}

impl State {
    /// Begins a run. Types whose code has changed begin anew.
    #[must_use]
    pub fn begin(mut self, plan: Plan) -> Recorder {
        let kept = &mut self.kept;
        kept.runs += 1;
        let run = kept.runs;
        let mut summary = StateSummary {
            run,
            after_kill: self.after_kill,
            problems: std::mem::take(&mut self.problems),
            ..StateSummary::default()
        };
        let mut go_on = Vec::new();
        let mut begun = vec![Vec::new(); plan.shards.len()];
        for (turn, selected) in (0_u16..).zip(&plan.selected) {
            let subject = begin_subject(kept, selected, &mut summary);
            subject.last_run = run;
            let stream = stream(subject, &plan.key);
            stream.last_run = run;
            for (lane, shard) in plan.shards.iter().enumerate() {
                begun[lane].push(stream.begun(*shard, turn));
            }
            let paused = stream.take_paused(&plan.shards, turn);
            summary.gone_on += paused.iter().map(|it| it.tests.len() as u64).sum::<u64>();
            summary.tests_before += subject.totals.tests;
            go_on.extend(paused);
        }
        summary.tests_before += summary.gone_on;
        kept.subjects
            .retain(|subject| subject.last_run + FORGET_AFTER > run);
        for subject in &mut kept.subjects {
            subject
                .streams
                .retain(|stream| stream.last_run + FORGET_AFTER > run);
        }
        let lanes = plan.shards.iter().zip(&begun).map(|(_, begun)| Lane {
            begun: begun.clone(),
            paused: vec![None; plan.selected.len()],
            ..Lane::default()
        });
        Recorder {
            lanes: lanes.collect(),
            state: self,
            plan,
            go_on,
            begun,
            avoided: Vec::new(),
            written: Instant::now(),
            summary,
        }
    }
}

/// The kept counts of a type, empty ones if it is new or has changed.
fn begin_subject<'a>(
    kept: &'a mut Kept,
    selected: &Selected,
    summary: &mut StateSummary,
) -> &'a mut KeptSubject {
    let known = kept.subjects.iter().position(|it| it.name == selected.name);
    let at = known.unwrap_or_else(|| {
        kept.subjects.push(KeptSubject::default());
        kept.subjects.len() - 1
    });
    let subject = &mut kept.subjects[at];
    let same_code = !selected.code.is_empty() && subject.code == selected.code;
    if same_code || subject.sources == selected.sources {
        summary.unchanged += 1;
    } else {
        match known {
            Some(_) => summary.changed.push(selected.name.clone()),
            None => summary.new_types += 1,
        }
        *subject = KeptSubject {
            name: selected.name.clone(),
            ..KeptSubject::default()
        };
    }
    if !selected.code.is_empty() {
        subject.code.clone_from(&selected.code);
    }
    subject.sources.clone_from(&selected.sources);
    subject
}

fn stream<'a>(subject: &'a mut KeptSubject, key: &str) -> &'a mut Stream {
    let known = subject.streams.iter().position(|stream| stream.key == key);
    let at = known.unwrap_or_else(|| {
        subject.streams.push(Stream {
            key: key.to_owned(),
            ..Stream::default()
        });
        subject.streams.len() - 1
    });
    &mut subject.streams[at]
}

impl Recorder {
    /// For each lane, how many tests of each type need not be begun.
    #[must_use]
    pub fn begun(&self) -> &[Vec<u64>] {
        &self.begun
    }

    /// What earlier runs have done of the types under test.
    #[must_use]
    pub fn before(&self) -> Vec<SubjectTotals> {
        let is_selected = |name: &str| self.plan.selected.iter().any(|it| it.name == name);
        let kept = self.state.kept.subjects.iter();
        let kept = kept.filter(|it| is_selected(&it.name));
        kept.map(|it| it.totals.clone()).collect()
    }

    /// Paused tests to go on with.
    #[must_use]
    pub fn go_on(&self) -> Vec<PausedTests> {
        self.go_on.clone()
    }

    /// Calls that end the process.
    #[must_use]
    pub fn avoid(&self) -> Vec<Avoid> {
        let kept = self.plan.selected.iter().filter_map(|selected| {
            let mut subjects = self.state.kept.subjects.iter();
            let subject = subjects.find(|subject| subject.name == selected.name)?;
            let avoid = subject.avoid.iter().map(|avoid| Avoid {
                subject: selected.number,
                ..avoid.clone()
            });
            Some(avoid.collect::<Vec<_>>())
        });
        kept.flatten().collect()
    }

    /// Numbers of the types that wait for those that are new or have changed; none if there are no such types.
    #[must_use]
    pub fn later(&self) -> Vec<u16> {
        let is_new = |selected: &&Selected| {
            let turn = self
                .plan
                .selected
                .iter()
                .position(|it| it.number == selected.number);
            let begun = self.begun.iter().filter_map(|lane| lane.get(turn?));
            begun.max().is_none_or(|most| *most == 0)
        };
        let (new, known): (Vec<_>, Vec<_>) = self.plan.selected.iter().partition(is_new);
        match new.len() {
            0 => Vec::new(),
            _ => known.iter().map(|selected| selected.number).collect(),
        }
    }

    /// Findings of earlier runs.
    #[must_use]
    pub fn known(&self) -> &[KnownFinding] {
        &self.state.findings
    }

    /// Notes whether a known finding, by its place, is still there; `why` is for the report if that is not clear.
    pub fn stands(&mut self, at: usize, standing: Standing, why: &str) {
        let Some(known) = self.state.findings.get_mut(at) else {
            return;
        };
        let shown = format!(
            "{} in {}",
            known.finding.kind.words(),
            known.finding.subject
        );
        match standing {
            Standing::Open => {
                self.summary.open += 1;
                known.last_run = self.summary.run;
            }
            Standing::Mended => self.summary.mended.push(shown),
            Standing::Unclear => self.summary.unclear.push(format!("{shown}: {why}")),
        }
        known.standing = standing;
        let (path, known) = (self.path_of(at), self.state.findings[at].clone());
        self.note(directory::write_finding(&path, &known), &path);
    }

    /// Notes a known finding for which there was no time.
    pub fn not_replayed(&mut self) {
        self.summary.not_replayed += 1;
    }

    fn path_of(&self, at: usize) -> PathBuf {
        let fingerprint = &self.state.findings[at].finding.fingerprint;
        directory::finding_path(&self.state.directory, fingerprint)
    }

    /// Keeps a finding, which drivers recognise by `of_driver`. False if earlier runs have found it and it is still
    /// there: drivers recognise those too, unless the directories of the sources are others now.
    pub fn found(&mut self, finding: &Finding, of_driver: &str) -> bool {
        let run = self.summary.run;
        let mut findings = self.state.findings.iter();
        let known = findings.position(|it| it.finding.fingerprint == finding.fingerprint);
        let before = known.map(|at| &self.state.findings[at]);
        let first_run = before.map_or(run, |known| known.first_run);
        let again = before.is_some_and(|it| it.standing == Standing::Open && first_run < run);
        let kept = KnownFinding {
            format: FORMAT,
            first_run,
            last_run: run,
            standing: Standing::Open,
            of_driver: of_driver.to_owned(),
            finding: finding.clone(),
        };
        let path = directory::finding_path(&self.state.directory, &finding.fingerprint);
        self.note(directory::write_finding(&path, &kept), &path);
        match known {
            Some(at) => self.state.findings[at] = kept,
            None => self.state.findings.push(kept),
        }
        !again
    }

    /// Takes what a lane did.
    pub fn event(&mut self, lane: u16, event: &LaneEvent) {
        let Some(own) = self.lanes.get_mut(usize::from(lane)) else {
            return;
        };
        match event {
            LaneEvent::Started(black_box) => {
                own.black_box.clone_from(black_box);
                own.received = 0;
                self.save();
            }
            LaneEvent::Found => {
                own.received += 1;
                self.save();
            }
            LaneEvent::Avoids(avoid) => {
                self.avoided.push(avoid.clone());
                self.save();
            }
            LaneEvent::Stands(progress) => {
                own.take(progress);
                if self.written.elapsed() >= EVERY {
                    self.save();
                }
            }
        }
    }

    /// Writes what is known now.
    fn save(&mut self) {
        self.written = Instant::now();
        let kept = self.merged();
        let result = directory::write_progress(&self.state.directory, &kept);
        let path = self.state.directory.clone();
        self.note(result, &path);
    }

    fn note(&mut self, result: std::io::Result<()>, path: &Path) {
        if let Err(error) = result {
            // Without the name of the temporary file, which is another one each time.
            let why = error.to_string();
            let why = why.split(" at path ").next().unwrap_or_default();
            let problem = format!("cannot write {}: {why}", path.display());
            if !self.summary.problems.contains(&problem) {
                self.summary.problems.push(problem);
            }
        }
    }

    /// The state with what this run has done so far.
    fn merged(&self) -> Kept {
        let mut kept = self.state.kept.clone();
        let names: Vec<String> = self
            .plan
            .selected
            .iter()
            .map(|it| it.name.clone())
            .collect();
        for (turn, selected) in (0_u16..).zip(&self.plan.selected) {
            let Some(subject) = kept.subject(&selected.name) else {
                continue;
            };
            let (totals, avoid) = (&mut subject.totals, &mut subject.avoid);
            for lane in &self.lanes {
                add(totals, &lane.totals, &selected.name);
            }
            let avoided = self
                .avoided
                .iter()
                .filter(|it| it.subject == selected.number);
            avoid.extend(avoided.cloned());
            let mut parts = Vec::new();
            for (lane, shard) in self.lanes.iter().zip(&self.plan.shards) {
                let mut paused = self.paused(lane, turn, *shard);
                if lane.has_reported(turn) {
                    without(totals, &paused, NOT_FINISHED);
                }
                paused.retain(|of_rung| !of_rung.tests.is_empty());
                parts.push(Part {
                    shard: *shard,
                    turn,
                    begun: lane.begun.get(usize::from(turn)).copied().unwrap_or(0),
                    paused,
                });
            }
            let stream = stream(subject, &self.plan.key);
            stream.replace(&self.plan.shards);
            stream.parts.extend(parts);
        }
        let lanes = self.lanes.iter().zip(&self.plan.shards);
        kept.lanes = lanes
            .map(|(lane, shard)| KeptLane {
                shard: *shard,
                key: self.plan.key.clone(),
                subjects: names.clone(),
                test: lane.test,
                black_box: lane.black_box.clone(),
                received: lane.received,
            })
            .collect();
        kept
    }

    /// Paused tests of a type in a lane: as it reported, else those it is to go on with.
    fn paused(&self, lane: &Lane, turn: u16, shard: (u32, u32)) -> Vec<PausedTests> {
        if let Some(Some(paused)) = lane.paused.get(usize::from(turn)) {
            return paused.clone();
        }
        let of_turn = self.go_on.iter().filter(|it| it.turn == turn).cloned();
        of_turn
            .map(|mut of_rung| {
                of_rung.tests.retain(|test| is_in(shard, turn, test.place));
                of_rung
            })
            .collect()
    }

    /// Ends the run. Returns what to report, and the counts of all runs.
    #[must_use]
    pub fn finish(
        mut self,
        run_totals: &[SubjectTotals],
        elapsed: Duration,
    ) -> (StateSummary, Vec<SubjectTotals>) {
        // The counts of lanes are in those of the run, which are complete.
        let mut kept = self.merged();
        kept.lanes.clear();
        kept.elapsed_ms += u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        self.summary.elapsed = Duration::from_millis(kept.elapsed_ms);
        let mut all = Vec::new();
        for (turn, selected) in (0_u16..).zip(&self.plan.selected) {
            let (Some(before), Some(subject)) = (
                self.state
                    .kept
                    .subject(&selected.name)
                    .map(|it| it.totals.clone()),
                kept.subject(&selected.name),
            ) else {
                continue;
            };
            let mut totals = before;
            add(&mut totals, run_totals, &selected.name);
            let mut shown = totals.clone();
            for (lane, shard) in self.lanes.iter().zip(&self.plan.shards) {
                let paused = self.paused(lane, turn, *shard);
                if lane.has_reported(turn) {
                    without(&mut totals, &paused, NOT_FINISHED);
                } else {
                    count_waiting(&mut shown, &paused);
                }
            }
            subject.totals = totals;
            all.push(shown);
        }
        let directory = self.state.directory.clone();
        let result = directory::write_progress(&directory, &kept);
        self.note(result, &directory);
        self.prune();
        (self.summary, all)
    }

    /// Forgets findings that stay mended, and the oldest ones if there are too many.
    fn prune(&mut self) {
        let run = self.summary.run;
        let mut kept: Vec<&KnownFinding> = self.state.findings.iter().collect();
        kept.sort_by_key(|it| {
            (
                it.standing == Standing::Mended,
                std::cmp::Reverse(it.last_run),
            )
        });
        for (place, known) in kept.into_iter().enumerate() {
            let is_old = known.standing == Standing::Mended && known.last_run + FORGET_AFTER < run;
            if is_old || place >= MOST_FINDINGS {
                let fingerprint = &known.finding.fingerprint;
                // What cannot be removed is only replayed once more.
                let _ = std::fs::remove_file(directory::finding_path(
                    &self.state.directory,
                    fingerprint,
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use contest_data::finding::FindingKind;

    use super::*;

    fn deadlock() -> Finding {
        Finding {
            fingerprint: "deadlock|src/lib.rs:1:1".to_owned(),
            ..Finding::new(FindingKind::Deadlock, "hangs")
        }
    }

    fn run(directory: &Path) -> Recorder {
        let plan = Plan {
            key: "key".to_owned(),
            shards: vec![(1, 1)],
            selected: Vec::new(),
        };
        let mut run = State::open(directory, "bank").unwrap().begin(plan);
        run.save();
        run
    }

    #[test]
    fn a_known_finding_is_recognised_when_the_sources_have_moved() {
        let scratch = tempfile::tempdir().unwrap();
        let mut first = run(scratch.path());
        assert!(first.found(&deadlock(), "deadlock|/builds/1/src/lib.rs:1:1"));
        assert!(first.found(&deadlock(), "deadlock|/builds/1/src/lib.rs:1:1"));
        drop(first);
        let moved = "deadlock|/builds/2/src/lib.rs:1:1";
        let mut second = run(scratch.path());
        assert!(!second.found(&deadlock(), moved), "it was found before");
        drop(second);
        let mut third = run(scratch.path());
        let known: Vec<&str> = third
            .known()
            .iter()
            .map(|it| it.of_driver.as_str())
            .collect();
        assert_eq!(
            known,
            [moved],
            "one file, which the next driver understands"
        );
        third.stands(0, Standing::Mended, "");
        assert!(third.found(&deadlock(), moved), "it came back");
    }
}
