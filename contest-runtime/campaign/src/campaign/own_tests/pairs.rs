//! Tests that meet in what outlives a test: `cargo test` runs those of one executable in one process, at the same time
//! and one after another.
//!
//! Each test is run once, and it is noted what it uses (see [`contacts`](super::contacts)). Two that use the same,
//! which one of them changes, are run as one test: beside each other, as two threads that are explored as ever, and one
//! after the other.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use super::OwnTest;
use super::contacts::{Contact, Contacts, Place};
use super::outcome::is_definite;
use super::own_test::ExpectedPanic;
use contest_data::fast_hash::FastMap;
use contest_data::finding::{Finding, FindingKind};
use contest_data::sorted;
use contest_engine::execution::{MainName, active};

/// Most pairs of one executable.
const MOST: usize = 200;
/// What joins threads fails with because of them; the panic of the thread is what is reported.
pub(super) const BECAUSE: &str = "a scoped thread panicked";

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

/// Two tests that meet.
#[derive(Clone, Debug)]
pub(super) struct Meeting<'t> {
    pub(super) tests: [&'t Rc<OwnTest>; 2],
    /// What they share; if it is more, what the fewest tests share.
    shares: String,
    /// No strategy sees all of what they share.
    pub(super) is_outside: bool,
    /// Code of the package does nothing to it: they meet in what dependencies keep for themselves.
    pub(super) is_foreign: bool,
}

impl Meeting<'_> {
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
        finding.kind = FindingKind::Interference;
        finding.message = format!(
            "{condition}, because they share {}: {}",
            self.shares, finding.message
        );
        finding.fingerprint = format!("{} {}", finding.kind, finding.fingerprint);
    }
}

/// Of tests of which the first fails by itself, those that change what it looks at, with what that is called.
pub(super) fn may_help<'c>(
    failing: &Contacts,
    others: impl Iterator<Item = (usize, &'c Contacts)>,
) -> Vec<(usize, &'c Place)> {
    let common = |other: &'c Contacts| {
        let changed = (other.iter()).filter(|(_, it)| it.uses.changes || it.uses.adds);
        let looked_at = |place: &Place| failing.get(place).is_some_and(|it| it.uses.reads);
        let mut shared = changed.filter(|(place, _)| looked_at(place));
        shared.next().map(|(place, _)| place)
    };
    others
        .filter_map(|(number, other)| Some((number, common(other)?)))
        .collect()
}

/// What two tests share.
struct Common<'p> {
    /// So many tests use it: the fewer, the more it says.
    users: usize,
    place: &'p Place,
    contact: Contact,
    is_outside: bool,
    is_foreign: bool,
}

/// Pairs of tests that meet, those first that meet where few do, and last those that meet in dependencies only; and how
/// many more there were.
pub(super) fn pairs<'t>(
    tests: &'t [Rc<OwnTest>],
    mut look: impl FnMut(usize, &OwnTest) -> Option<Contacts>,
    mut name: impl FnMut(&Place, &Contact) -> String,
) -> (Vec<Meeting<'t>>, usize) {
    let is_thread = |test: &&Rc<OwnTest>| test.ignored.is_none() && test.thread != MainName::Main;
    let mut users: BTreeMap<Place, Vec<(usize, Contact)>> = BTreeMap::new();
    for (number, test) in tests.iter().enumerate().filter(|(_, test)| is_thread(test)) {
        for (place, contact) in look(number, test).unwrap_or_default() {
            users.entry(place).or_default().push((number, contact));
        }
    }
    let mut shared: FastMap<(usize, usize), Common<'_>> = FastMap::default();
    for (place, users) in &users {
        for (at, (first, one)) in users.iter().enumerate() {
            let others = users[at + 1..].iter();
            for (second, also) in others.filter(|(_, also)| one.uses.meet(also.uses)) {
                let common = shared.entry((*first, *second)).or_insert(Common {
                    users: usize::MAX,
                    place,
                    contact: *one,
                    is_outside: false,
                    is_foreign: true,
                });
                common.is_outside |= place.is_outside();
                common.is_foreign &= !one.by_package && !also.by_package;
                let has_name =
                    |place: &Place, contact: &Contact| place.is_outside() || contact.name.is_some();
                let known = (common.users, !has_name(common.place, &common.contact));
                if (users.len(), !has_name(place, one)) < known {
                    (common.users, common.place, common.contact) = (users.len(), place, *one);
                }
            }
        }
    }
    let mut found: Vec<_> = shared.into_iter().collect();
    sorted::sort_by_key(&mut found, |(pair, common)| {
        (common.is_foreign, common.users, *pair)
    });
    let left = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let meeting = |((first, second), common): (_, Common<'_>)| Meeting {
        tests: [&tests[first], &tests[second]],
        shares: name(common.place, &common.contact),
        is_outside: common.is_outside,
        is_foreign: common.is_foreign,
    };
    (found.into_iter().map(meeting).collect(), left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::contact::{Shared, Uses};

    fn own_test(name: &str) -> Rc<OwnTest> {
        Rc::new(OwnTest {
            name: name.to_owned(),
            ignored: None,
            panics: ExpectedPanic::No,
            thread: MainName::Given(name.to_owned()),
            declared: String::new(),
            run: Box::new(|| Ok(())),
        })
    }

    fn contact(uses: Uses, by_package: bool) -> Contact {
        Contact {
            uses,
            name: None,
            by_package,
        }
    }

    #[test]
    fn those_meet_of_which_one_changes_what_the_other_uses() {
        let tests: Vec<_> = ["a", "b", "c", "d"].map(own_test).into();
        let entries = || Place::Outside(Shared::Entries("/tmp".to_owned()));
        let port = || Place::Outside(Shared::Port(7));
        let of = |number: usize| -> Contacts {
            match number {
                0 => [
                    (entries(), contact(Uses::ADDS, true)),
                    (port(), contact(Uses::CHANGES, true)),
                ]
                .into(),
                1 => [
                    (entries(), contact(Uses::ADDS, true)),
                    (Place::Static(8), contact(Uses::CHANGES, false)),
                ]
                .into(),
                2 => [
                    (entries(), contact(Uses::READS, true)),
                    (Place::Static(8), contact(Uses::READS, false)),
                ]
                .into(),
                _ => [
                    (port(), contact(Uses::READS, true)),
                    (Place::Static(8), contact(Uses::READS, false)),
                ]
                .into(),
            }
        };
        let name = |place: &Place, _: &Contact| format!("{place:?}");
        let (found, left) = pairs(&tests, |number, _| Some(of(number)), name);
        let found: Vec<_> = (found.iter())
            .map(|it| {
                (
                    it.tests.map(|test| test.name.as_str()),
                    it.is_outside,
                    it.is_foreign,
                )
            })
            .collect();
        // Both add names, so `a` and `b` do not meet; what only dependencies share comes last.
        let expected = [
            (["a", "d"], true, false),
            (["a", "c"], true, false),
            (["b", "c"], true, false),
            (["b", "d"], false, true),
        ];
        assert_eq!(found, expected);
        assert_eq!(left, 0);
    }
}
