//! Tests that meet in what outlives a test: `cargo test` runs those of one executable in one process, at the same time
//! and one after another.
//!
//! Each test is run once, and it is noted which statics and which environment variables it uses. Two that use the same
//! one, which one of them changes, are run as one test: beside each other, as two threads that are explored as ever,
//! and one after the other.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use super::OwnTest;
use super::outcome::{Outcome, is_definite};
use super::own_test::ExpectedPanic;
use super::shown::Running;
use contest_data::finding::{Finding, FindingKind};
use contest_data::trace::{Action, Event, ExecutionRecord, ObjectId, Schedule};
use contest_engine::execution::{MainName, active};

/// Most pairs of one executable.
const MOST: usize = 200;
/// What joins threads fails with because of them; the panic of the thread is what is reported.
const BECAUSE: &str = "a scoped thread panicked";

/// Directory of what stands in for libc.
const DRIVER: &str = "contest-runtime/driver/";

/// How the tests of a pair are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// At the same time.
    Beside,
    /// The first one is over when the second one begins.
    InOrder,
}

impl Arrangement {
    const ALL: [(Self, &'static str); 2] = [(Self::Beside, " + "), (Self::InOrder, " then ")];

    fn word(self) -> &'static str {
        match self {
            Self::Beside => Self::ALL[0].1,
            Self::InOrder => Self::ALL[1].1,
        }
    }
}

/// Two tests as one.
pub(super) fn pair(arrangement: Arrangement, first: &Rc<OwnTest>, second: &Rc<OwnTest>) -> OwnTest {
    let tests = [Rc::clone(first), Rc::clone(second)];
    let name = format!("{}{}{}", first.name, arrangement.word(), second.name);
    let run = move || {
        let active = active().expect("tests run in executions");
        let failed = Rc::new(Cell::new(false));
        let threads = tests.each_ref().map(|test| {
            let (name, test, failed) = (test.name.clone(), Rc::clone(test), Rc::clone(&failed));
            let thread = active.spawn_beside(Some(&name), move || {
                let body = AssertUnwindSafe(|| test.checked());
                failed.set(catch_unwind(body).is_err() || failed.get());
            });
            if arrangement == Arrangement::InOrder {
                active.join(thread);
            }
            thread
        });
        if arrangement == Arrangement::Beside {
            threads.iter().for_each(|thread| active.join(*thread));
        }
        if failed.get() {
            panic!("{BECAUSE}");
        }
        Ok(())
    };
    OwnTest {
        name,
        ignored: None,
        panics: ExpectedPanic::No,
        thread: MainName::Main,
        declared: first.declared.clone(),
        run: Box::new(run),
    }
}

/// The pair of this name, made of tests that `find` finds by theirs.
///
/// # Errors
/// As `find`.
pub fn pair_of<E>(
    name: &str,
    mut find: impl FnMut(&str) -> Result<OwnTest, E>,
) -> Option<Result<OwnTest, E>> {
    Arrangement::ALL.iter().find_map(|(arrangement, word)| {
        let (first, second) = name.split_once(word)?;
        Some(find(first).and_then(|first| {
            let second = find(second)?;
            Ok(pair(*arrangement, &Rc::new(first), &Rc::new(second)))
        }))
    })
}

/// What a test uses that outlives it, by address.
pub(super) type Contacts = BTreeMap<usize, Contact>;

/// How a test uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    changes: bool,
    /// It is an environment variable, else a static.
    is_variable: bool,
    name: Option<&'static str>,
}

/// Two tests that meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting<'t> {
    pub(super) tests: [&'t Rc<OwnTest>; 2],
    /// What they share; if it is more, what the fewest tests share.
    shares: Contact,
}

impl Meeting<'_> {
    /// They share an environment variable.
    pub(super) fn is_over_variables(&self) -> bool {
        self.shares.is_variable
    }

    /// A finding of these tests, in this order, is one about both.
    pub(super) fn describe(
        &self,
        finding: &mut Finding,
        arrangement: Arrangement,
        order: [&str; 2],
    ) {
        if is_definite(finding.kind) {
            return;
        }
        let [one, other] = order;
        let condition = match arrangement {
            Arrangement::Beside => format!("`{one}` and `{other}` do not pass beside each other"),
            Arrangement::InOrder => format!("`{other}` does not pass after `{one}`"),
        };
        let shares = match self.shares {
            Contact {
                is_variable: true, ..
            } => "an environment variable".to_owned(),
            Contact {
                name: Some(name), ..
            } => format!("`{name}`"),
            Contact { name: None, .. } => "a static".to_owned(),
        };
        finding.kind = FindingKind::Interference;
        finding.message = format!(
            "{condition}, because they share {shares}: {}",
            finding.message
        );
        finding.fingerprint = format!("{} {}", finding.kind, finding.fingerprint);
    }
}

/// Runs the test once, and says what it uses that outlives it; `None` if it does not pass.
pub(super) fn contacts(running: &mut Running<'_, '_>) -> Option<Contacts> {
    running.runner.name_objects(true);
    running.replay(&Schedule::default());
    let objects = running.runner.static_objects();
    running.runner.name_objects(false);
    if running.outcome() != Outcome::Passes {
        return None;
    }
    let record = running.runner.record();
    let mut contacts = Contacts::new();
    for (object, address) in objects {
        let mut uses = uses(record, object).peekable();
        if let Some(first) = uses.peek() {
            let contact = Contact {
                is_variable: is_of_environment(first),
                changes: uses.any(|event| changes(event.action)),
                name: record.object_name(object).map(|it| it.name),
            };
            contacts.insert(address, contact);
        }
    }
    Some(contacts)
}

/// Each use of the object by code under test. What stands in for libc counts what it does; only of the variables of the
/// environment code under test knows.
fn uses(record: &ExecutionRecord, object: ObjectId) -> impl Iterator<Item = &Event> {
    let events = record.events.iter();
    let own = events.filter(move |event| event.object == object || event.second == object);
    own.filter(|event| !event.location.file().contains(DRIVER) || is_of_environment(event))
}

fn is_of_environment(event: &Event) -> bool {
    let file = event.location.file();
    file.contains(DRIVER) && file.ends_with("symbols/environment.rs")
}

fn changes(action: Action) -> bool {
    !matches!(
        action,
        Action::Load(_) | Action::CasFail(_) | Action::OncePeek(_) | Action::Yield
    )
}

/// Pairs of tests that meet, those first that meet where few do; and how many more there were.
pub(super) fn pairs<'t>(
    tests: &'t [Rc<OwnTest>],
    mut look: impl FnMut(usize, &OwnTest) -> Option<Contacts>,
) -> (Vec<Meeting<'t>>, usize) {
    let is_thread = |test: &&Rc<OwnTest>| test.ignored.is_none() && test.thread != MainName::Main;
    let mut users: BTreeMap<usize, Vec<(usize, Contact)>> = BTreeMap::new();
    for (number, test) in tests.iter().enumerate().filter(|(_, test)| is_thread(test)) {
        for (address, contact) in look(number, test).unwrap_or_default() {
            users.entry(address).or_default().push((number, contact));
        }
    }
    // By how many tests use what they share: the fewer, the more it says.
    let mut shared: BTreeMap<(usize, usize), (usize, Contact)> = BTreeMap::new();
    for users in users.values() {
        for (place, (first, contact)) in users.iter().enumerate() {
            for (second, also) in &users[place + 1..] {
                if contact.changes || also.changes {
                    let fewest = shared.entry((*first, *second));
                    let fewest = fewest.or_insert((users.len(), *contact));
                    if users.len() < fewest.0 {
                        *fewest = (users.len(), *contact);
                    }
                }
            }
        }
    }
    let mut found: Vec<_> = shared.into_iter().collect();
    found.sort_by_key(|(pair, (users, _))| (*users, *pair));
    let left = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let meeting = |((first, second), (_, shares))| Meeting {
        tests: [&tests[first], &tests[second]],
        shares,
    };
    (found.into_iter().map(meeting).collect(), left)
}
