//! Tests that fail only where a thread is late and chance decides what it finds.

use crate::flaky::found;
use crate::support::Subject;

/// Of its tests each needs a late thread and one of two draws.
const INTAKE: &str = r#"
use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

#[derive(Default)]
struct Inbox { items: Vec<u32>, stops: bool }

/// Adds up items until it is stopped. If both are there, chance decides, as in a `select!`.
pub struct Intake { inbox: Arc<(Mutex<Inbox>, Condvar)>, adds: JoinHandle<u32> }

impl Intake {
    pub fn start(stops_at: u8) -> Self {
        let inbox: Arc<(Mutex<Inbox>, Condvar)> = Arc::default();
        let (own, mut sum) = (inbox.clone(), 0);
        let adds = thread::spawn(move || loop {
            let mut there = own.1.wait_while(own.0.lock().unwrap(), |it| it.items.is_empty() && !it.stops).unwrap();
            if there.stops && (there.items.is_empty() || first() == stops_at) { return sum; }
            sum += there.items.remove(0);
        });
        Self { inbox, adds }
    }
    pub fn add(&self, item: u32) {
        self.inbox.0.lock().unwrap().items.push(item);
        self.inbox.1.notify_one();
    }
    pub fn stop(self) -> u32 {
        self.inbox.0.lock().unwrap().stops = true;
        self.inbox.1.notify_one();
        self.adds.join().unwrap()
    }
}

fn first() -> u8 {
    let mut byte = [0];
    File::open("/dev/urandom").unwrap().read_exact(&mut byte).unwrap();
    byte[0] % 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(stops_at: u8) {
        let intake = Intake::start(stops_at);
        let _ = first();
        intake.add(1);
        thread::sleep(std::time::Duration::from_millis(30));
        assert_eq!(intake.stop(), 1);
    }

    #[test]
    fn at_0() { keeps(0); }

    #[test]
    fn at_1() { keeps(1); }
}
"#;

#[test]
fn what_chance_decides_only_where_a_thread_is_late_is_found() {
    let manifest = "[package]\nname = \"intake\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", INTAKE)];
    let run = Subject::with("intake", &files).contest(&["test", "--message-format", "json"]);
    let findings = run.status(1).with_reason("finding");
    let both = [("timing", "tests::at_0"), ("timing", "tests::at_1")];
    assert_eq!(found(&findings), both);
}

/// Two sign in at once, which is wrong however fast they are; the long way from there has so many orders that the
/// strategy comes to nothing else.
const SESSIONS: &str = r#"
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Default)]
pub struct Sessions { users: Mutex<Vec<u32>>, steps: AtomicU32 }

impl Sessions {
    pub fn sign_in(&self, user: u32) {
        let known = self.users.lock().unwrap().contains(&user);
        if !known { self.users.lock().unwrap().push(user); }
        for _ in 0..200 { self.steps.fetch_add(1, SeqCst); }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    pub fn count(&self) -> usize { self.users.lock().unwrap().len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_session_for_a_user() {
        let sessions = Sessions::default();
        std::thread::scope(|scope| {
            scope.spawn(|| sessions.sign_in(1));
            scope.spawn(|| sessions.sign_in(1));
        });
        assert_eq!(sessions.count(), 1);
    }
}
"#;

#[test]
fn what_fails_without_a_late_thread_too_is_no_matter_of_time() {
    let manifest = "[package]\nname = \"sessions\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", SESSIONS)];
    let arguments = ["test", "--message-format", "json", "--strategy", "dfs"];
    let run = Subject::with("sessions", &files).contest(&arguments);
    let kinds: Vec<String> = (run.with_reason("finding").iter())
        .map(|it| it["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["panic"], "{}", run.stderr);
}
