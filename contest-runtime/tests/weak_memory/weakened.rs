//! Known algorithms with each of their orderings one step weaker: either that is found, or every execution graph of the
//! weaker version is clean.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use contest::sync::atomic::{AtomicBool, AtomicUsize, fence};
use contest_data::decision::Strategy;
use contest_data::limits::{Limits, MemoryModel};
use contest_data::trace::{Ending, ExecutionRecord};
use contest_engine::execution::Engine;
use contest_search::explore::{Budget, Explorer, RunOnce};

/// What an ordering is of.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Load,
    Store,
    Update,
    Fence,
}

/// The orderings of an algorithm: what each is of, for messages, and the ordering.
type Orders = Vec<(Of, &'static str, Ordering)>;

type Model = fn(&[Ordering]);

struct Runner {
    engine: Engine,
    model: Model,
    orders: Vec<Ordering>,
}

impl RunOnce for Runner {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        let (model, orders) = (self.model, self.orders.clone());
        self.engine.run(strategy, move || model(&orders))
    }
}

/// True if an execution fails; else all of them have been explored.
fn fails(model: Model, orders: Vec<Ordering>) -> bool {
    let mut explorer = Explorer::weak("dpor", 1, Budget::executions(400_000)).unwrap();
    let limits = Limits {
        memory_model: MemoryModel::Rc11,
        spin_iterations: 8,
        ..Limits::default()
    };
    let engine = Engine::new(limits);
    let mut runner = Runner {
        engine,
        model,
        orders: orders.clone(),
    };
    while let Some(record) = explorer.next(&mut runner) {
        match &record.ending {
            Ending::Panicked(_) => return true,
            Ending::Finished | Ending::Abandoned => {}
            other => panic!("{orders:?} ended with {other:?}"),
        }
    }
    let cut = explorer.gaps();
    assert!(explorer.exhausted(), "{orders:?}: {cut:?}");
    false
}

/// The orderings right below this one.
fn weaker(of: Of, order: Ordering) -> Vec<Ordering> {
    match (of, order) {
        (_, Relaxed) => Vec::new(),
        (Of::Load, SeqCst) => vec![Acquire],
        (Of::Store, SeqCst) => vec![Release],
        (_, SeqCst) => vec![AcqRel],
        (_, AcqRel) => vec![Acquire, Release],
        // A fence that is relaxed is none.
        _ => vec![Relaxed],
    }
}

/// Weakens each ordering by one step and compares which of these are missed. The algorithm itself must be clean.
#[track_caller]
fn check(model: Model, orders: Orders, needed: &[&str]) {
    let plain = |orders: &Orders| orders.iter().map(|(.., order)| *order).collect::<Vec<_>>();
    assert!(!fails(model, plain(&orders)), "fails as it is published");
    let mut found = Vec::new();
    for at in 0..orders.len() {
        let (of, name, order) = orders[at];
        for weaker in weaker(of, order) {
            let mut changed = orders.clone();
            changed[at].2 = weaker;
            if fails(model, plain(&changed)) {
                found.push(format!("{name}: {weaker:?}"));
            }
        }
    }
    assert_eq!(found, needed);
}

/// What the threads of a mutual exclusion share.
#[derive(Default)]
struct Section {
    flags: [AtomicBool; 2],
    turn: AtomicUsize,
    choosing: [AtomicBool; 2],
    numbers: [AtomicUsize; 2],
    /// Used in the critical section only.
    entries: AtomicUsize,
}

/// Two threads that enter once each: neither misses what the other one did.
fn exclusion(orders: &[Ordering], enter: fn(&Section, usize, &[Ordering])) {
    let section = Arc::new(Section::default());
    let threads = [0, 1].map(|own| {
        let (section, orders) = (section.clone(), orders.to_vec());
        contest::thread::spawn(move || enter(&section, own, &orders))
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(section.entries.load(Relaxed), 2, "both were inside");
}

fn inside(section: &Section) {
    let entries = section.entries.load(Relaxed);
    section.entries.store(entries + 1, Relaxed);
}

/// A fence that may be none.
#[track_caller]
fn fence_of(order: Ordering) {
    if order != Relaxed {
        fence(order);
    }
}

fn dekker(section: &Section, own: usize, orders: &[Ordering]) {
    let [want, look, give_way, turn, want_again, pass, leave] = orders else {
        unreachable!()
    };
    section.flags[own].store(true, *want);
    while section.flags[1 - own].load(*look) {
        if section.turn.load(Relaxed) != own {
            section.flags[own].store(false, *give_way);
            while section.turn.load(*turn) != own {}
            section.flags[own].store(true, *want_again);
        }
    }
    inside(section);
    section.turn.store(1 - own, *pass);
    section.flags[own].store(false, *leave);
}

#[test]
fn dekker_needs_what_is_sequentially_consistent() {
    check(
        |orders| exclusion(orders, dekker),
        vec![
            (Of::Store, "want", SeqCst),
            (Of::Load, "look", SeqCst),
            (Of::Store, "give way", Relaxed),
            (Of::Load, "turn", Relaxed),
            (Of::Store, "want again", SeqCst),
            (Of::Store, "pass", Relaxed),
            (Of::Store, "leave", Release),
        ],
        // Who gives way comes back when the other one is through.
        &["want: Release", "look: Acquire", "leave: Relaxed"],
    );
}

fn peterson(section: &Section, own: usize, orders: &[Ordering]) {
    let [want, turn, look, leave] = orders else {
        unreachable!()
    };
    section.flags[own].store(true, *want);
    section.turn.swap(1 - own, *turn);
    while section.flags[1 - own].load(*look) && section.turn.load(Relaxed) != own {}
    inside(section);
    section.flags[own].store(false, *leave);
}

#[test]
fn peterson_needs_an_exchange_that_acquires_and_releases() {
    check(
        |orders| exclusion(orders, peterson),
        vec![
            (Of::Store, "want", Relaxed),
            (Of::Update, "turn", AcqRel),
            (Of::Load, "look", Acquire),
            (Of::Store, "leave", Release),
        ],
        &[
            "turn: Acquire",
            "turn: Release",
            "look: Relaxed",
            "leave: Relaxed",
        ],
    );
}

fn bakery(section: &Section, own: usize, orders: &[Ordering]) {
    let [choose, number, take, chosen, choosing, waits, leave] = orders else {
        unreachable!()
    };
    let other = 1 - own;
    section.choosing[own].store(true, *choose);
    let mine = section.numbers[other].load(*number) + 1;
    section.numbers[own].store(mine, *take);
    section.choosing[own].store(false, *chosen);
    while section.choosing[other].load(*choosing) {}
    loop {
        let theirs = section.numbers[other].load(*waits);
        if theirs == 0 || (mine, own) < (theirs, other) {
            break;
        }
    }
    inside(section);
    section.numbers[own].store(0, *leave);
}

#[test]
fn bakery_needs_what_is_sequentially_consistent() {
    check(
        |orders| exclusion(orders, bakery),
        vec![
            (Of::Store, "choose", SeqCst),
            (Of::Load, "number", SeqCst),
            (Of::Store, "take", SeqCst),
            (Of::Store, "chosen", Release),
            (Of::Load, "choosing", SeqCst),
            (Of::Load, "waits", SeqCst),
            (Of::Store, "leave", Release),
        ],
        &[
            "choose: Release",
            "number: Acquire",
            "take: Release",
            "chosen: Relaxed",
            "choosing: Acquire",
            "leave: Relaxed",
        ],
    );
}

const SLOTS: usize = 2;

/// A deque of which the owner takes at one end and others steal at the other.
#[derive(Default)]
struct Deque {
    top: AtomicUsize,
    bottom: AtomicUsize,
    slots: [AtomicUsize; SLOTS],
}

impl Deque {
    fn push(&self, value: usize, o: &[Ordering]) {
        let bottom = self.bottom.load(Relaxed);
        if bottom.wrapping_sub(self.top.load(o[0])) == SLOTS {
            return;
        }
        self.slots[bottom % SLOTS].store(value, Relaxed);
        fence_of(o[1]);
        self.bottom.store(bottom + 1, Relaxed);
    }

    fn take(&self, o: &[Ordering]) -> Option<usize> {
        let bottom = self.bottom.load(Relaxed) - 1;
        self.bottom.store(bottom, Relaxed);
        fence_of(o[2]);
        let top = self.top.load(Relaxed);
        if top > bottom {
            self.bottom.store(bottom + 1, Relaxed);
            return None;
        }
        let value = self.slots[bottom % SLOTS].load(Relaxed);
        if top < bottom {
            return Some(value);
        }
        let won = self.top.compare_exchange(top, top + 1, o[3], Relaxed);
        self.bottom.store(bottom + 1, Relaxed);
        won.is_ok().then_some(value)
    }

    fn steal(&self, o: &[Ordering]) -> Option<usize> {
        let top = self.top.load(o[4]);
        fence_of(o[5]);
        let bottom = self.bottom.load(o[6]);
        if top >= bottom {
            return None;
        }
        let value = self.slots[top % SLOTS].load(Relaxed);
        let won = self.top.compare_exchange(top, top + 1, o[7], Relaxed);
        won.is_ok().then_some(value)
    }
}

/// What is pushed is taken or stolen once.
fn work_stealing(orders: &[Ordering]) {
    let deque = Arc::new(Deque {
        // So that the bottom never gets below 0.
        top: AtomicUsize::new(2),
        bottom: AtomicUsize::new(2),
        slots: Default::default(),
    });
    let (theirs, their_orders) = (deque.clone(), orders.to_vec());
    let thief = contest::thread::spawn(move || {
        let first = theirs.steal(&their_orders);
        [first, theirs.steal(&their_orders)]
    });
    deque.push(1, orders);
    deque.push(2, orders);
    let mut got = vec![deque.take(orders)];
    deque.push(3, orders);
    got.push(deque.take(orders));
    got.extend(thief.join().unwrap());
    let (top, bottom) = (deque.top.load(Relaxed), deque.bottom.load(Relaxed));
    got.extend((top..bottom).map(|at| Some(deque.slots[at % SLOTS].load(Relaxed))));
    let mut got: Vec<usize> = got.into_iter().flatten().collect();
    got.sort_unstable();
    assert!([&[1, 2, 3][..], &[1, 2]].contains(&&got[..]), "{got:?}");
}

/// Chase and Lev (SPAA 2005), with the orderings of Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013).
#[test]
fn work_stealing_needs_its_fences() {
    check(
        work_stealing,
        vec![
            (Of::Load, "push looks at the top", Acquire),
            (Of::Fence, "fence of push", Release),
            (Of::Fence, "fence of take", SeqCst),
            (Of::Update, "take", SeqCst),
            (Of::Load, "steal looks at the top", Acquire),
            (Of::Fence, "fence of steal", SeqCst),
            (Of::Load, "steal looks at the bottom", Acquire),
            (Of::Update, "steal", SeqCst),
        ],
        // The fence of steal acquires the top as well. What push acquires of the top keeps a slot from being written
        // before it was read, which RC11 does not show; and the exchanges need no order among other operations.
        &[
            "fence of push: Relaxed",
            "fence of take: AcqRel",
            "fence of steal: AcqRel",
            "steal looks at the bottom: Relaxed",
        ],
    );
}

/// Stores to one, and loads from the other one, with an exchange of something of its own in between.
fn store_buffering(orders: &[Ordering]) {
    let [order] = *orders else {
        unreachable!("it has one ordering")
    };
    let both = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let side = move |both: &[AtomicUsize; 2], own: usize| {
        both[own].store(1, Relaxed);
        let fence = AtomicUsize::new(0);
        let _ = fence.compare_exchange(0, 1, order, Relaxed);
        both[1 - own].load(Relaxed)
    };
    let shared = Arc::clone(&both);
    let other = contest::thread::spawn(move || side(&shared, 1));
    let seen = side(&both, 0);
    assert!(seen + other.join().unwrap() > 0);
}

#[test]
fn a_sequentially_consistent_update_of_the_own_stack_is_a_fence() {
    assert!(!fails(store_buffering, vec![SeqCst]));
    assert!(fails(store_buffering, vec![AcqRel]));
}

/// The same with a thread of a scope, which shares what the other one updates.
fn store_buffering_in_a_scope(_: &[Ordering]) {
    let both = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let shared = AtomicUsize::new(0);
    let seen = contest::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let own = AtomicUsize::new(0);
            both[1].store(1, Relaxed);
            own.swap(1, SeqCst);
            let seen = both[0].load(Relaxed);
            shared.load(Relaxed);
            seen
        });
        both[0].store(1, Relaxed);
        shared.swap(1, SeqCst);
        let seen = both[1].load(Relaxed);
        seen + other.join().unwrap()
    });
    assert!(seen > 0);
}

#[test]
fn an_update_of_what_a_thread_of_a_scope_shares_is_no_fence() {
    assert!(fails(store_buffering_in_a_scope, Vec::new()));
}
