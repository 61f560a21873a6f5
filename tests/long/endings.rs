//! Calls that take the object whole are its last ones: what has become of it shows there.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::support::Subject;

const SOURCE: &str = r#"//! Objects whose work is only seen when they are taken apart.
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

/// A log that is only read when it is consumed. Two concurrent calls of `append` can lose an entry.
#[derive(Default)]
pub struct Journal(Mutex<Vec<u32>>);

impl Journal {
    pub fn new() -> Self { Self::default() }
    pub fn append(&self, entry: u32) {
        let mut entries = self.0.lock().unwrap().clone();
        entries.push(entry);
        entries.sort();
        *self.0.lock().unwrap() = entries;
    }
    pub fn into_entries(self) -> Vec<u32> { self.0.into_inner().unwrap() }
}

/// As it should be.
#[derive(Default)]
pub struct Ledger(Mutex<Vec<u32>>);

impl Ledger {
    pub fn new() -> Self { Self::default() }
    pub fn append(&self, entry: u32) {
        let mut entries = self.0.lock().unwrap();
        entries.push(entry);
        entries.sort();
    }
    /// A step of a builder is no end.
    pub fn with(self, entry: u32) -> Self { self.append(entry); self }
    pub fn into_entries(self) -> Vec<u32> { self.0.into_inner().unwrap() }
}

#[derive(Default)]
struct Work { jobs: Mutex<(Vec<u32>, bool)>, changed: Condvar }

/// A worker thread that `stop` ends. It checks the list and waits in two critical sections, so it can miss the signal.
pub struct Crew { work: Arc<Work>, worker: JoinHandle<u32> }

impl Crew {
    pub fn new() -> Self {
        let work = Arc::new(Work::default());
        let of_worker = Arc::clone(&work);
        let worker = std::thread::spawn(move || {
            let mut sum = 0;
            loop {
                let (jobs, stopped) = {
                    let mut jobs = of_worker.jobs.lock().unwrap();
                    (std::mem::take(&mut jobs.0), jobs.1)
                };
                sum += jobs.iter().sum::<u32>();
                if stopped { return sum; }
                if jobs.is_empty() {
                    let guard = of_worker.jobs.lock().unwrap();
                    drop(of_worker.changed.wait(guard).unwrap());
                }
            }
        });
        Crew { work, worker }
    }
    pub fn submit(&self, job: u32) {
        self.work.jobs.lock().unwrap().0.push(job);
        self.work.changed.notify_one();
    }
    /// The sum of all jobs.
    pub fn stop(self) -> u32 {
        self.work.jobs.lock().unwrap().1 = true;
        self.work.changed.notify_one();
        self.worker.join().unwrap()
    }
}

/// As it should be.
pub struct Team { work: Arc<Work>, worker: JoinHandle<u32> }

impl Team {
    pub fn new() -> Self {
        let work = Arc::new(Work::default());
        let of_worker = Arc::clone(&work);
        let worker = std::thread::spawn(move || {
            let mut sum = 0;
            let mut jobs = of_worker.jobs.lock().unwrap();
            loop {
                sum += jobs.0.drain(..).sum::<u32>();
                if jobs.1 { return sum; }
                jobs = of_worker.changed.wait(jobs).unwrap();
            }
        });
        Team { work, worker }
    }
    pub fn submit(&self, job: u32) {
        self.work.jobs.lock().unwrap().0.push(job);
        self.work.changed.notify_one();
    }
    pub fn stop(self) -> u32 {
        self.work.jobs.lock().unwrap().1 = true;
        self.work.changed.notify_one();
        self.worker.join().unwrap()
    }
}

/// A crew that is stopped when it is dropped.
pub struct Gang(Option<Crew>);

impl Gang {
    pub fn new() -> Self { Gang(Some(Crew::new())) }
    pub fn submit(&self, job: u32) { self.0.as_ref().unwrap().submit(job); }
}

impl Drop for Gang {
    fn drop(&mut self) { self.0.take().unwrap().stop(); }
}

/// As it should be.
pub struct Squad(Option<Team>);

impl Squad {
    pub fn new() -> Self { Squad(Some(Team::new())) }
    pub fn submit(&self, job: u32) { self.0.as_ref().unwrap().submit(job); }
}

impl Drop for Squad {
    fn drop(&mut self) { self.0.take().unwrap().stop(); }
}
"#;

#[test]
#[ignore = "it explores four types for as long as it takes: run every week"]
fn what_only_the_last_call_shows_is_found() {
    let copy = Subject::empty();
    copy.write("src/lib.rs", SOURCE);
    copy.write(
        "Cargo.toml",
        "[package]\nname = \"whole\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let options = ["--message-format", "json", "--budget", "60s", "--emit"];
    let all = |findings: &[Value]| {
        let types = findings.iter().map(|it| it["type"].to_string());
        types.collect::<BTreeSet<_>>().len() == 3
    };
    let run = copy.contest_until(&options, Duration::from_secs(2), all);
    let run = run.status(1);
    let found: BTreeSet<(String, String)> = run.types_and_kinds().into_iter().collect();
    let expected = [
        ("whole::Crew", "deadlock"),
        ("whole::Gang", "deadlock"),
        ("whole::Journal", "non-linearizable"),
    ];
    let expected = expected.map(|(ty, kind)| (ty.to_owned(), kind.to_owned()));
    assert_eq!(found, BTreeSet::from(expected), "{}", run.stdout);
    assert!(run.with_reason("alone").is_empty(), "{}", run.stdout);

    // The tests that were written take the objects apart too.
    for finding in run.with_reason("finding") {
        let test = copy.read(finding["emitted"].as_str().unwrap());
        let call = match finding["type"].as_str() {
            Some("whole::Crew") => "a.stop()",
            Some("whole::Journal") => "a.into_entries()",
            _ => continue,
        };
        let taken = test.contains("if let Some(a) = std::sync::Arc::into_inner(a)");
        assert!(taken && test.contains(call), "{test}");
    }
    for finding in run.with_reason("finding") {
        let token = finding["schedule"].as_str().unwrap();
        copy.contest(&["replay", token]).status(1);
    }
    // With real threads they may pass although the bug is there; under their schedules they do not.
    copy.cargo(&["test", "--no-run"]).status(0);
    let tested = copy.contest(&["test"]).status(1);
    let shown = format!("{}{}", tested.stdout, tested.stderr);
    let failed = format!("{} failed", run.with_reason("finding").len());
    assert!(shown.contains(&failed), "{shown}");
}
