//! Two threads preempted once each, so that one meets what the other makes and ends again: a lock that is held, a flag
//! that is set, a count that is up. One thread runs until it is about to access an object, another until it has written
//! that object and would write it again, then the first goes on. Preempting one thread only ([`SwitchOnce`]) shows such
//! a state to threads that begin there, not to one that is under way itself. The first execution, without preemptions,
//! shows the accesses and writes. Of the interleavings that break atomicity these are those in which a thread reads
//! between two writes of another (Vaziri, Tip, Dolby: Associating synchronization constraints with data in an
//! object-oriented language, POPL 2006, section 3).
//!
//! [`SwitchOnce`]: super::SwitchOnce

use std::collections::VecDeque;

use super::dependence::{Class, Operation, is_quiet};
use super::without_preemption;
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::sorted::{self, SortedMap, SortedSet};
use contest_data::trace::{
    Action, Blocking, Ending, Event, ExecutionRecord, ObjectId, ThreadIndex,
};

/// Most meetings at one object.
const MOST_MEETINGS: usize = 32;
/// Writes of a thread to one object that another thread meets.
const MOST_WRITES: usize = 3;

/// Which states are met where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Meeting {
    /// The thread that meets a state, and how many operations it executes before.
    meets: ThreadIndex,
    operations: u32,
    /// The thread that makes it, and with which of its writes to the object from then on.
    makes: ThreadIndex,
    writes: usize,
}

/// How far an execution is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The thread that meets the state comes to its access.
    #[default]
    Comes,
    /// The other one makes the state of the object, after so many writes.
    Makes(ObjectId, usize),
    /// They meet: the first one goes on.
    Meet { begins: bool },
}

/// The strategy.
#[derive(Clone, Debug, Default)]
pub struct SwitchTwice {
    started: bool,
    meetings: VecDeque<Meeting>,
    meeting: Option<Meeting>,
    phase: Phase,
    /// Operations executed by the thread that meets the state.
    executed: u32,
    seen: usize,
}

impl SwitchTwice {
    /// Its first execution has no preemption.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn catch_up(&mut self, events: &[Event], meeting: Meeting) {
        for event in &events[self.seen..] {
            if event.thread == meeting.meets {
                self.executed += 1;
            } else if let Phase::Makes(object, written) = &mut self.phase
                && event.thread == meeting.makes
                && writes(event, *object)
            {
                *written += 1;
            }
        }
        self.seen = events.len();
    }

    /// The phase at this point.
    fn advance(&mut self, point: &DecisionPoint<'_>, meeting: Meeting) {
        if self.phase == Phase::Comes && self.executed >= meeting.operations {
            let next = point.pending.get(meeting.meets.index());
            let object = next
                .copied()
                .flatten()
                .map_or(ObjectId::NONE, |it| it.object);
            self.phase = Phase::Makes(object, 0);
        }
        if let Phase::Makes(_, written) = self.phase
            && (written >= meeting.writes || point.enabled.without(meeting.meets).is_empty())
        {
            self.phase = Phase::Meet { begins: true };
        }
    }
}

impl Strategy for SwitchTwice {
    fn begin(&mut self) -> bool {
        self.phase = Phase::Comes;
        self.executed = 0;
        self.seen = 0;
        if !self.started {
            self.started = true;
            return true;
        }
        self.meeting = self.meetings.pop_front();
        self.meeting.is_some()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let enabled = point.enabled;
        let Some(meeting) = self.meeting else {
            return Choice::Run(without_preemption(point, enabled));
        };
        self.catch_up(point.events, meeting);
        self.advance(point, meeting);
        let (wanted, allowed) = match self.phase {
            Phase::Comes => (Some(meeting.meets), enabled),
            Phase::Makes(..) => (Some(meeting.makes), enabled.without(meeting.meets)),
            Phase::Meet { begins } => (begins.then_some(meeting.meets), enabled),
        };
        if let Phase::Meet { begins } = &mut self.phase {
            *begins = false;
        }
        let wanted = wanted.filter(|thread| allowed.contains(*thread));
        let goes_on = |thread: &ThreadIndex| *thread != point.current || !point.yielded;
        let wanted = wanted.filter(|it| goes_on(it) || allowed.without(*it).is_empty());
        Choice::Run(wanted.unwrap_or_else(|| without_preemption(point, allowed)))
    }

    fn needs_forced_points(&self) -> bool {
        false
    }

    fn value(&mut self, _alternatives: u16) -> u16 {
        0
    }

    fn seed(&mut self) -> u64 {
        0
    }

    fn end(&mut self, record: &ExecutionRecord) {
        if self.meeting.is_none() && record.ending != Ending::Abandoned {
            self.meetings = meetings(&record.events);
        }
    }
}

/// Whether an event writes an object.
fn writes(event: &Event, object: ObjectId) -> bool {
    Operation::executed(event, false).class_on(object) == Some(Class::Write)
}

fn is_atomic(action: Action) -> bool {
    matches!(
        action,
        Action::Load(_) | Action::Store(_) | Action::Rmw(..) | Action::CasFail(_)
    )
}

/// Whether an operation goes on in any state of its object, and may do something else in another state.
fn meets(action: Action) -> bool {
    is_atomic(action)
        || matches!(
            action,
            Action::TryAcquire(..)
                | Action::Send(Blocking::Tries, _)
                | Action::Receive(Blocking::Tries, _)
                | Action::OncePeek(_)
                | Action::PlainRead
                | Action::PlainWrite
        )
}

/// Accesses of one thread that could see another value than they did, between two writes of another thread. Objects
/// take turns, those with the fewest meetings first: what a test is about has fewer than what all of its calls use.
fn meetings(events: &[Event]) -> VecDeque<Meeting> {
    let counts = |event: &&Event| event.thread != ThreadIndex::MAIN && !is_quiet(event.action);
    let mut written: SortedMap<(ObjectId, ThreadIndex), Vec<u64>> = SortedMap::new();
    for event in events.iter().filter(counts) {
        let object = event.object;
        if object != ObjectId::NONE && writes(event, object) {
            let of = written.get_or_default((object, event.thread));
            if of.len() <= MOST_WRITES {
                of.push(event.wrote);
            }
        }
    }
    let mut by_object: SortedMap<ObjectId, Vec<Meeting>> = SortedMap::new();
    let mut begun = SortedSet::new();
    for event in events.iter().filter(counts) {
        let of_object =
            written.range((event.object, ThreadIndex(0))..=(event.object, ThreadIndex(u16::MAX)));
        let mut others = of_object
            .filter(|((_, thread), _)| *thread != event.thread)
            .peekable();
        // A thread has done nothing before its first access that others could see.
        let is_first = others.peek().is_some() && begun.insert(event.thread);
        if is_first || !meets(event.action) {
            continue;
        }
        for ((object, makes), values) in others {
            let of_object = by_object.get_or_default(*object);
            // After its last write it would go on as if it had not been preempted.
            for (at, value) in values[..values.len() - 1].iter().enumerate() {
                let differs = !is_atomic(event.action) || *value != event.read;
                if differs && of_object.len() < MOST_MEETINGS {
                    of_object.push(Meeting {
                        meets: event.thread,
                        operations: event.index,
                        makes: *makes,
                        writes: at + 1,
                    });
                }
            }
        }
    }
    let mut turns: Vec<(usize, usize, Meeting)> = Vec::new();
    for of_object in by_object.into_values() {
        let all = of_object.len();
        let numbered = of_object.into_iter().enumerate();
        turns.extend(numbered.map(|(turn, meeting)| (turn, all, meeting)));
    }
    sorted::sort_by_key(&mut turns, |&(turn, all, _)| (turn, all));
    turns.into_iter().map(|(_, _, meeting)| meeting).collect()
}

#[cfg(test)]
mod tests {
    use super::super::outcomes::outcomes;
    use super::*;
    use contest_std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use contest_std::sync::{Arc, Mutex};

    fn run<T>(body: impl Fn() -> T) -> Vec<T> {
        outcomes(&mut SwitchTwice::new(), body)
    }

    #[test]
    fn a_thread_under_way_meets_a_lock_that_is_held() {
        let lost = run(|| {
            let pool = Arc::new((Mutex::new(vec![1]), AtomicU32::new(0)));
            let threads = [(); 2].map(|()| {
                let pool = Arc::clone(&pool);
                contest_std::thread::spawn(move || {
                    pool.1.fetch_add(1, SeqCst);
                    let taken = pool.0.lock().unwrap().pop();
                    if let (Some(taken), Ok(mut all)) = (taken, pool.0.try_lock()) {
                        all.push(taken);
                    }
                })
            });
            for thread in threads {
                thread.join().unwrap();
            }
            let all = pool.0.lock().unwrap();
            all.is_empty()
        });
        assert!(!lost[0]);
        assert!(lost[1..].iter().any(|lost| *lost), "{lost:?}");
    }

    #[test]
    fn a_thread_under_way_meets_a_flag_that_is_set() {
        let met = run(|| {
            let flag = Arc::new(AtomicU32::new(0));
            let threads = [(); 2].map(|()| {
                let flag = Arc::clone(&flag);
                contest_std::thread::spawn(move || {
                    [(); 2].map(|()| {
                        let set = flag.compare_exchange(0, 1, SeqCst, SeqCst).is_ok();
                        if set {
                            flag.store(0, SeqCst);
                        }
                        set
                    })
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(met[1..].contains(&[[true, false], [true; 2]]), "{met:?}");
        assert!(met[1..].contains(&[[true; 2], [true, false]]), "{met:?}");
    }

    #[test]
    fn threads_that_meet_nothing_run_once() {
        let runs = run(|| {
            let count = Arc::new(AtomicU32::new(0));
            let threads = [(); 2].map(|()| {
                let count = Arc::clone(&count);
                contest_std::thread::spawn(move || count.fetch_add(1, SeqCst))
            });
            for thread in threads {
                thread.join().unwrap();
            }
        });
        assert_eq!(runs.len(), 1);
    }
}
