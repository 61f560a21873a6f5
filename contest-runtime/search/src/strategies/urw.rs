//! URW and SURW (Zhao, Wolff, Mathur, Roychoudhury: Selectively uniform concurrency testing, ASPLOS 2025).
//!
//! URW picks the thread of the next event with probability proportional to the number of events it is expected to
//! execute still, which makes every interleaving equally likely if the numbers are right and nothing blocks. SURW does
//! so for the events on one shared location only, drawn anew for each execution, and is otherwise uniform over threads.
//!
//! Deviations: the numbers are those of the execution before (the first is a random walk), whereas the paper uses a
//! profile run. A thread that does not exist yet can be drawn as well: then those that lead to its creation run first.
//! Creating and joining threads and their first and last steps do not count, and all but the last are executed at once,
//! so that threads have the same numbers in every execution.
//!
//! Objects have other numbers when they are used in another order: a location is identified by the first operation with
//! which each thread accesses it.
//!
//! Where code of dependencies takes most steps, as in tests with a runtime of tokio, most shared locations are theirs.
//! In such programs SURW mostly counts the events at lines of the package, on all locations: the paper leaves open
//! which events are of interest.

use std::panic::Location;

use super::dependence::{goes_first, is_quiet};
use contest_data::decision::any;
use contest_data::decision::{Choice, DecisionPoint, Strategy, ThreadSet};
use contest_data::fold_hash::FoldMap;
use contest_data::rng::Rng;
use contest_data::trace::{
    Action, Event, ExecutionRecord, ObjectId, Origin, ThreadIndex, is_published, origin,
};

/// Which events count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    All,
    /// Those on one object; `None` until a thread is about to access it.
    One(Option<ObjectId>),
    /// Those at lines of the package under test.
    OfPackage,
}

/// Of four executions of a program that is mostly one of dependencies, so many count events at lines of the package.
const OF_PACKAGE: u32 = 3;

/// True unless the source is that of a published dependency, of the standard library or of this tool.
fn is_of_package(location: &Location<'_>) -> bool {
    let file = location.file();
    !is_published(file) && origin("", file) == Origin::UnderTest
}

/// Events of each thread on one object in the last execution.
#[derive(Clone, Debug)]
struct Shared {
    object: ObjectId,
    events: Vec<u32>,
    /// Number of the first of them in its thread, counting from 0.
    first: Vec<u32>,
}

/// Uniform random walk, over all events or over those of one location.
#[derive(Clone, Debug)]
pub struct Urw {
    rng: Rng,
    left: u64,
    selective: bool,
    interest: Interest,
    /// Whether a line is one of the package under test, and what is known of lines by their addresses.
    is_of_package: fn(&Location<'_>) -> bool,
    lines: FoldMap<usize, bool>,
    /// Events of each thread at such lines in the last execution; none if all were, or only one thread had some.
    of_package: Vec<u32>,
    /// Objects that two threads accessed in the last execution; beyond `n_shared`, spare.
    shared: Vec<Shared>,
    n_shared: usize,
    /// All events of each thread in the last execution.
    totals: Vec<u32>,
    /// The creator of each thread.
    parents: Vec<u16>,
    /// Events that each thread is expected to execute still.
    remaining: Vec<u32>,
    /// Events that each thread has executed.
    executed: Vec<u32>,
    /// The operation, by its number, with which each thread first accesses the location of interest.
    first: Vec<u32>,
    /// The thread that is to execute the next event of interest; it may not exist yet.
    wanted: Option<ThreadIndex>,
    seen: usize,
}

impl Urw {
    /// Uniform over all interleavings.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            left: executions,
            selective: false,
            interest: Interest::All,
            is_of_package,
            lines: FoldMap::default(),
            of_package: Vec::new(),
            shared: Vec::new(),
            n_shared: 0,
            totals: Vec::new(),
            parents: Vec::new(),
            remaining: Vec::new(),
            executed: Vec::new(),
            first: Vec::new(),
            wanted: None,
            seen: 0,
        }
    }

    /// Uniform over the interleavings of one location's events.
    #[must_use]
    pub fn selective(seed: u64, executions: u64) -> Self {
        Self {
            selective: true,
            ..Self::new(seed, executions)
        }
    }

    /// What says whether a line is one of the package under test, in place of the file's path.
    #[must_use]
    pub fn with_package(self, is_of_package: fn(&Location<'_>) -> bool) -> Self {
        Self {
            is_of_package,
            ..self
        }
    }

    fn counts(
        &self,
        action: Action,
        object: ObjectId,
        place: impl Fn() -> Option<&'static Location<'static>>,
    ) -> bool {
        match self.interest {
            Interest::All => !is_quiet(action),
            Interest::One(one) => one == Some(object),
            Interest::OfPackage => {
                !is_quiet(action) && place().is_some_and(|place| self.knows_of_package(place))
            }
        }
    }

    /// True for a line of the package. Those that no execution has had before do not count.
    fn knows_of_package(&self, place: &'static Location<'static>) -> bool {
        let known = self.lines.get(&std::ptr::from_ref(place).addr());
        known.copied().unwrap_or(false)
    }

    /// True if the next event of the thread is of interest.
    fn is_interesting(&self, point: &DecisionPoint<'_>, thread: ThreadIndex) -> bool {
        let pending = point.pending.get(thread.index()).and_then(Option::as_ref);
        let place = || point.places.place(thread);
        pending.is_some_and(|pending| self.counts(pending.action, pending.object, place))
    }

    /// The thread itself, or before its creation the nearest that exists of those that lead to it.
    fn on_the_way(&self, point: &DecisionPoint<'_>, mut thread: ThreadIndex) -> ThreadIndex {
        while thread.index() >= point.pending.len() {
            match self.parents.get(thread.index()) {
                Some(&parent) if parent < thread.0 => thread = ThreadIndex(parent),
                _ => return ThreadIndex::MAIN,
            }
        }
        thread
    }

    /// Weight of the thread: its expected events, if it or a thread that leads to its creation is enabled.
    fn weight(&self, point: &DecisionPoint<'_>, set: ThreadSet, thread: ThreadIndex) -> u32 {
        let expected = self.remaining.get(thread.index()).copied().unwrap_or(0);
        if !set.contains(self.on_the_way(point, thread)) {
            return 0;
        }
        let exists = thread.index() < point.pending.len();
        expected.max(u32::from(exists && self.is_interesting(point, thread)))
    }

    /// Draws the thread of the next event of interest; `None` if none is expected.
    fn draw(&mut self, point: &DecisionPoint<'_>, set: ThreadSet) -> Option<ThreadIndex> {
        let threads = point.pending.len().max(self.remaining.len()) as u16;
        let all = (0..threads).map(ThreadIndex);
        let total: u32 = all
            .clone()
            .map(|thread| self.weight(point, set, thread))
            .sum();
        if total == 0 {
            return None;
        }
        let mut ticket = self.rng.below(total);
        all.into_iter().find(|&thread| {
            let weight = self.weight(point, set, thread);
            let hit = ticket < weight;
            ticket = ticket.wrapping_sub(weight);
            hit
        })
    }

    /// Subtracts the events executed since the last decision from the expectations.
    fn catch_up(&mut self, events: &[Event]) {
        for event in &events[self.seen..] {
            let thread = event.thread.index();
            if self.executed.len() <= thread {
                self.executed.resize(thread + 1, 0);
            }
            self.executed[thread] += 1;
            if self.counts(event.action, event.object, || Some(event.location)) {
                if let Some(left) = self.remaining.get_mut(event.thread.index()) {
                    *left = left.saturating_sub(1);
                }
                self.wanted = None;
            }
        }
        self.seen = events.len();
    }

    /// Finds the object of interest if a thread is about to access it for the first time.
    fn recognise(&mut self, point: &DecisionPoint<'_>) {
        if self.interest != Interest::One(None) {
            return;
        }
        for (thread, first) in self.first.iter().enumerate() {
            let executed = self.executed.get(thread).copied().unwrap_or(0);
            if let Some(Some(pending)) = point.pending.get(thread)
                && *first == executed
            {
                self.interest = Interest::One(Some(pending.object));
            }
        }
    }

    /// Counts the events of an execution by thread, and by object where that matters.
    fn learn(&mut self, record: &ExecutionRecord) {
        let threads = usize::from(record.threads);
        self.totals.clear();
        self.totals.resize(threads, 0);
        self.parents.clear();
        self.parents.resize(threads, u16::MAX);
        self.n_shared = 0;
        self.of_package.clear();
        self.of_package.resize(threads, 0);
        for event in &record.events {
            if let Action::Spawn(child) = event.action
                && let Some(parent) = self.parents.get_mut(child.index())
            {
                *parent = event.thread.0;
            }
            if is_quiet(event.action) {
                continue;
            }
            self.totals[event.thread.index()] += 1;
            if self.selective {
                let line = std::ptr::from_ref(event.location).addr();
                let is_of_package = self.is_of_package;
                let known = self.lines.entry(line);
                let known = *known.or_insert_with(|| is_of_package(event.location));
                self.of_package[event.thread.index()] += u32::from(known);
            }
            if self.selective && event.object != ObjectId::NONE {
                let place = self.place_of(event.object, threads);
                let thread = event.thread.index();
                let shared = &mut self.shared[place];
                if shared.events[thread] == 0 {
                    shared.first[thread] = event.index;
                }
                shared.events[thread] += 1;
            }
        }
        let is_shared =
            |shared: &Shared| shared.events.iter().filter(|count| **count > 0).count() > 1;
        let mut kept = 0;
        for index in 0..self.n_shared {
            if is_shared(&self.shared[index]) {
                self.shared.swap(kept, index);
                kept += 1;
            }
        }
        self.n_shared = kept;
        let having = self.of_package.iter().filter(|count| **count > 0).count();
        if having < 2 || self.of_package == self.totals {
            self.of_package.clear();
        }
    }

    fn place_of(&mut self, object: ObjectId, threads: usize) -> usize {
        let known = &self.shared[..self.n_shared];
        if let Some(place) = known.iter().position(|shared| shared.object == object) {
            return place;
        }
        let place = self.n_shared;
        if self.shared.len() == place {
            self.shared.push(Shared {
                object,
                events: Vec::new(),
                first: Vec::new(),
            });
        }
        self.n_shared += 1;
        let shared = &mut self.shared[place];
        shared.object = object;
        shared.events.clear();
        shared.events.resize(threads, 0);
        shared.first.clear();
        shared.first.resize(threads, u32::MAX);
        place
    }
}

impl Strategy for Urw {
    fn begin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.seen = 0;
        self.wanted = None;
        self.remaining.clear();
        self.executed.clear();
        if !self.of_package.is_empty() && self.rng.below(4) < OF_PACKAGE {
            self.interest = Interest::OfPackage;
            self.remaining.extend_from_slice(&self.of_package);
        } else if self.selective && self.n_shared > 0 {
            let index = self.rng.below(self.n_shared as u32) as usize;
            self.interest = Interest::One(None);
            self.first.clear();
            self.first.extend_from_slice(&self.shared[index].first);
            self.remaining.extend_from_slice(&self.shared[index].events);
        } else {
            self.interest = Interest::All;
            self.remaining.extend_from_slice(&self.totals);
        }
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.catch_up(point.events);
        let mut set = point.enabled;
        if point.yielded && !set.without(point.current).is_empty() {
            set.remove(point.current);
        }
        if !set.has_several() {
            return Choice::Run(set.lowest());
        }
        self.recognise(point);
        let first = set.iter().find(|thread| {
            let pending = point.pending[thread.index()].as_ref();
            pending.is_some_and(|pending| goes_first(pending.action))
        });
        if let Some(first) = first {
            return Choice::Run(first);
        }
        let viable =
            |wanted: ThreadIndex, this: &Self| set.contains(this.on_the_way(point, wanted));
        if self.wanted.is_none_or(|wanted| !viable(wanted, self)) {
            self.wanted = self.draw(point, set);
        }
        let goes = self.wanted.map(|wanted| self.on_the_way(point, wanted));
        let allowed = set
            .iter()
            .filter(|thread| {
                goes.is_none_or(|goes| goes == *thread) || !self.is_interesting(point, *thread)
            })
            .collect();
        Choice::Run(any(allowed, &mut self.rng))
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.learn(record);
    }
}
