//! The search, over trials whose answer is a rule.

use std::convert::Infallible;

use super::*;
use contest_data::orderings::MemoryOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use contest_data::orderings::OrderingChange;
use contest_data::orderings::{AtomicPlace, AtomicRole, MemoryOrder};

fn place(line: u32, role: AtomicRole, order: MemoryOrder) -> AtomicPlace {
    AtomicPlace {
        file: "src/lib.rs".to_owned(),
        line,
        column: 1,
        name: "x".to_owned(),
        role,
        order,
        failure: (role == AtomicRole::Exchange).then_some(Relaxed),
    }
}

/// Each bug is removed by orderings of which this is true; the first ones are known.
type Rule = fn(&dyn Fn(u32) -> MemoryOrder, &[OrderingChange]) -> bool;

struct Rules {
    places: Vec<AtomicPlace>,
    rules: Vec<Rule>,
    known: usize,
    /// Trials until the time is over.
    left: usize,
}

impl Rules {
    fn new(places: &[AtomicPlace], rules: &[Rule], known: usize) -> Self {
        Self {
            places: places.to_vec(),
            rules: rules.to_vec(),
            known,
            left: 10_000,
        }
    }

    fn holds(&self, rule: Rule, changes: &[OrderingChange]) -> bool {
        let order = |line: u32| {
            let changed = changes.iter().find(|it| it.place.line == line);
            let own = self.places.iter().find(|it| it.line == line).unwrap().order;
            changed.map_or(own, |it| it.order)
        };
        rule(&order, changes)
    }
}

impl Trials for Rules {
    type Error = Infallible;

    fn known_bugs(&self) -> usize {
        self.known
    }

    fn known_bug(
        &mut self,
        number: usize,
        changes: &[OrderingChange],
    ) -> Result<Shown, Infallible> {
        if self.left == 0 {
            return Ok(Shown::NoTime);
        }
        self.left -= 1;
        Ok(match self.holds(self.rules[number], changes) {
            true => Shown::Clean,
            false => Shown::Bug,
        })
    }

    fn all_tests(&mut self, changes: &[OrderingChange]) -> Result<Shown, Infallible> {
        let broken = (0..self.rules.len()).find(|&at| !self.holds(self.rules[at], changes));
        if let Some(broken) = broken {
            assert!(broken >= self.known, "a known bug was not tried");
            self.rules.swap(broken, self.known);
            self.known += 1;
            return Ok(Shown::Bug);
        }
        Ok(Shown::Clean)
    }
}

const STORE: AtomicRole = AtomicRole::Store;
const LOAD: AtomicRole = AtomicRole::Load;

#[test]
fn one_store_that_must_release_is_all_that_is_named() {
    let places = [
        place(1, STORE, Relaxed),
        place(2, STORE, Relaxed),
        place(3, LOAD, Acquire),
    ];
    let released: Rule = |order, _| order(2).is_at_least(Release);
    let mut trials = Rules::new(&places, &[released], 1);
    let repairs = strengthen(&mut trials, &places).unwrap();
    assert!(repairs.smallest && !repairs.more && !repairs.other_cause);
    let [repair] = &repairs.sets[..] else {
        panic!("{repairs:?}");
    };
    assert_eq!(repair.unfinished, None);
    let [change] = &repair.changes[..] else {
        panic!("{repair:?}");
    };
    assert_eq!((change.place.line, change.order), (2, Release));
    assert!(is_stronger(change) && !is_weaker(change));
}

#[test]
fn a_set_that_leaves_a_bug_of_another_test_is_no_repair() {
    let places = [place(1, STORE, Release), place(2, LOAD, Acquire)];
    let known: Rule = |order, _| order(1) == SeqCst;
    let found_later: Rule = |order, _| order(2) == SeqCst || order(1) != SeqCst;
    let mut trials = Rules::new(&places, &[known, found_later], 1);
    let repairs = strengthen(&mut trials, &places).unwrap();
    let [repair] = &repairs.sets[..] else {
        panic!("{repairs:?}");
    };
    let orders: Vec<_> = repair.changes.iter().map(|it| it.order).collect();
    assert_eq!(orders, [SeqCst, SeqCst]);
    assert!(repairs.smallest);
}

#[test]
fn a_fence_is_named_beside_the_orderings_that_do_as_well() {
    let places = [place(1, LOAD, Relaxed), place(2, LOAD, Relaxed)];
    let fence: Rule = |order, changes| {
        let mut before = changes.iter().filter(|it| it.place.line == 2);
        before.any(|it| it.fence_before.is_some_and(|it| it.is_at_least(Acquire)))
            || order(1) == SeqCst && order(2) == SeqCst
    };
    let mut trials = Rules::new(&places, &[fence], 1);
    let repairs = strengthen(&mut trials, &places).unwrap();
    assert_eq!(repairs.sets[0].changes.len(), 2, "{repairs:?}");
    let [repair] = &repairs.with_fences[..] else {
        panic!("{repairs:?}");
    };
    assert_eq!(repair.changes[0].fence_before, Some(Acquire));
    assert_eq!(repair.changes[0].order, Relaxed);
}

#[test]
fn what_the_strongest_orderings_leave_has_another_cause() {
    let places = [place(1, LOAD, Relaxed)];
    let mut trials = Rules::new(&places, &[|_, _| false], 1);
    let repairs = strengthen(&mut trials, &places).unwrap();
    assert!(repairs.other_cause && repairs.sets.is_empty());
}

#[test]
fn a_set_larger_than_those_searched_for_is_not_called_the_smallest() {
    let places: Vec<_> = (1..=4).map(|line| place(line, STORE, Relaxed)).collect();
    let all: Rule = |order, _| (1..=4).all(|line| order(line).is_at_least(Release));
    let mut trials = Rules::new(&places, &[all], 1);
    let repairs = strengthen(&mut trials, &places).unwrap();
    assert!(!repairs.smallest);
    assert_eq!(repairs.sets[0].changes.len(), 4);
}

#[test]
fn time_that_is_over_is_said() {
    let places = [place(1, STORE, Relaxed), place(2, STORE, Relaxed)];
    let mut trials = Rules::new(&places, &[|order, _| order(2) == SeqCst], 1);
    trials.left = 2;
    let repairs = strengthen(&mut trials, &places).unwrap();
    assert!(repairs.out_of_time && repairs.more && repairs.sets.is_empty());
    let relaxations = relax(&mut trials, &[place(1, STORE, SeqCst)]).unwrap();
    assert_eq!(relaxations.untried.len(), 1);
}

#[test]
fn each_place_becomes_as_weak_as_the_others_allow() {
    let places = [
        place(1, STORE, SeqCst),
        place(2, STORE, SeqCst),
        place(3, LOAD, SeqCst),
        place(4, AtomicRole::Exchange, AcqRel),
        place(5, AtomicRole::Fence, SeqCst),
        place(6, LOAD, Relaxed),
    ];
    let rules: [Rule; 3] = [
        |order, _| order(2).is_at_least(Release),
        |order, _| order(3).is_at_least(Acquire),
        |order, _| order(5) == SeqCst,
    ];
    let mut trials = Rules::new(&places, &rules, 0);
    let relaxations = relax(&mut trials, &places).unwrap();
    let accepted = relaxations.accepted.iter();
    let accepted: Vec<_> = accepted.map(|it| (it.place.line, it.order)).collect();
    assert_eq!(
        accepted,
        [(1, Relaxed), (2, Release), (3, Acquire), (4, Relaxed)]
    );
    assert!(relaxations.accepted.iter().all(is_weaker));
    let needed: Vec<_> = relaxations.needed.iter().map(|it| it.line).collect();
    assert_eq!(needed, [5]);
}
