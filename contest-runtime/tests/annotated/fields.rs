//! Fields of a struct behind a lock: their reads and writes are seen, and the code means what it meant.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, RwLock};

use contest_campaign::generate::TraceTable;
use contest_data::decision::Strategy as _;
use contest_data::limits::Limits;
use contest_data::trace::ExecutionRecord;
use contest_engine::execution::Engine;
use contest_search::coverage::{Contents, MapCoverage};
use contest_search::explore::Dfs;

/// What a lock protects.
#[contest::shared]
#[derive(Debug, Default)]
struct Inner {
    head: usize,
    tail: usize,
    items: VecDeque<String>,
    label: String,
    next: Option<Box<Inner>>,
}

/// Two numbers behind one lock, and methods that look alike to the lock.
#[contest::shared]
#[derive(Debug, Default)]
struct Ring {
    inner: Mutex<Inner>,
}

#[contest::operations]
impl Ring {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// In two sections of the lock: a thread that runs in between gets the same number.
    pub(crate) fn ticket(&self) -> usize {
        let next = self.inner.lock().unwrap().head + 1;
        let mut inner = self.inner.lock().unwrap();
        inner.head = next;
        next
    }

    /// One place for the lock, two fields.
    #[contest(skip)]
    fn advance(&self, head: bool) {
        let mut inner = self.inner.lock().unwrap();
        if head {
            inner.head += 1;
        } else {
            inner.tail += 1;
        }
    }

    #[contest(skip)]
    fn push(&self, item: &str) {
        self.inner.lock().unwrap().items.push_back(item.to_owned());
    }

    #[contest(skip)]
    fn length(&self) -> usize {
        self.inner.lock().unwrap().items.len()
    }

    #[contest(skip)]
    fn room(&self) -> usize {
        let inner = self.inner.lock().unwrap();
        match inner.head {
            0 if inner.tail > 0 => inner.items.len(),
            head => head,
        }
    }
}

/// The record of two threads beside each other, the first after the other.
fn both(left: fn(&Ring), right: fn(&Ring)) -> ExecutionRecord {
    let mut engine = Engine::new(Limits::default());
    let mut strategy = Dfs::new(None);
    assert!(strategy.begin());
    let record = engine.run(&mut strategy, || {
        let ring = Arc::new(Ring::new());
        let theirs = Arc::clone(&ring);
        let handles = [
            contest::thread::spawn(move || left(&ring)),
            contest::thread::spawn(move || right(&theirs)),
        ];
        for handle in handles {
            handle.join().unwrap();
        }
    });
    record.clone()
}

/// Fields with `w` or `r`.
fn accesses(record: &ExecutionRecord) -> Vec<String> {
    let list = record.plain.list.iter();
    list.filter_map(|access| {
        let how = if access.writes { "w" } else { "r" };
        Some(format!("{} {how}", access.field?))
    })
    .collect()
}

#[test]
fn the_guard_of_an_arm_reads_its_fields() {
    let record = both(|ring| assert_eq!(ring.room(), 0), |_| ());
    assert_eq!(accesses(&record), ["Inner.head r", "Inner.tail r"]);
}

#[test]
fn a_finding_shows_the_fields_between_the_locks() {
    let report = contest::check::<Ring>().report();
    let finding = report.findings.first().expect("two threads get one ticket");
    let rows: Vec<(u16, &str)> = finding
        .interleaving
        .iter()
        .map(|row| (row.thread, row.event.as_str()))
        .collect();
    for thread in [1, 2] {
        let of_thread: Vec<&str> = rows
            .iter()
            .filter(|row| row.0 == thread)
            .map(|row| row.1)
            .collect();
        let read = of_thread.iter().position(|it| *it == "Inner.head read");
        let written = of_thread.iter().position(|it| *it == "Inner.head written");
        assert!(
            read.is_some() && read < written,
            "thread {thread} of {rows:#?}"
        );
    }
    let mut steps = finding.interleaving.iter();
    let read = steps.find(|row| row.event == "Inner.head read").unwrap();
    let mut lines = include_str!("fields.rs").lines();
    let line = 1 + lines.position(|it| it.contains("().head + 1;")).unwrap();
    assert!(
        read.location.contains(&format!("fields.rs:{line}:")),
        "{}",
        read.location
    );
}

#[test]
fn coverage_distinguishes_methods_by_the_fields_they_access() {
    let traces = |with_fields: bool| {
        let mut table = TraceTable::default();
        let mut numbers = BTreeSet::new();
        for head in [true, false] {
            let mut engine = Engine::new(Limits::default());
            let mut strategy = Dfs::new(None);
            assert!(strategy.begin());
            let mut record = engine
                .run(&mut strategy, || Ring::new().advance(head))
                .clone();
            if !with_fields {
                record.plain.list.clear();
            }
            let all = contest_data::trace::CallRecord {
                thread: contest_data::trace::ThreadIndex::MAIN,
                call: 0,
                began: 0,
                ended: record.events.len() as u32,
                outcome: contest_data::trace::Outcome::Returned(None),
                blocked: false,
                held: false,
                holds: 0,
                waited_out: std::time::Duration::ZERO,
                awaited: std::time::Duration::ZERO,
                slept: false,
            };
            numbers.insert(table.number(&record, &all));
        }
        numbers.len()
    };
    assert_eq!(traces(false), 1, "the lock alone says nothing");
    assert_eq!(traces(true), 2);
}

#[test]
fn patterns_speak_of_fields_and_only_of_those_that_both_use() {
    let names = |left: fn(&Ring), right: fn(&Ring)| {
        let mut coverage = MapCoverage::new(Contents::Counted);
        coverage.observe(&both(left, right));
        let sites: BTreeSet<String> = coverage
            .patterns()
            .flat_map(|key| key.sites())
            .map(|site| coverage.sites().get(site).to_string())
            .filter(|site| site.contains("Inner"))
            .map(|site| site.split(" at ").next().unwrap_or_default().to_owned())
            .collect();
        sites.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(
        names(|ring| ring.advance(true), |ring| ring.advance(false)),
        [""; 0]
    );
    assert_eq!(
        names(|ring| ring.advance(true), |ring| ring.advance(true)),
        ["Inner.head read", "Inner.head write"]
    );
}

#[test]
fn fields_of_what_a_call_returned_are_seen_and_names_of_methods_tell_what_they_do() {
    let record = both(|ring| ring.push("a"), |ring| assert!(ring.length() <= 1));
    let mut all = accesses(&record);
    all.sort();
    assert_eq!(all, ["Inner.items r", "Inner.items r", "Inner.items w"]);
}

#[test]
fn outside_of_an_execution_nothing_is_recorded_and_nothing_changes() {
    let ring = Ring::new();
    ring.push("a");
    ring.advance(true);
    assert_eq!((ring.length(), ring.ticket()), (1, 2));
}

/// Not annotated: nothing is known of its fields.
#[derive(Default)]
struct Outside {
    count: u32,
}

/// Code of all kinds that must mean what it means without the attribute.
#[contest::shared]
struct Kinds<'a, T> {
    inner: RwLock<Inner>,
    #[contest(plain)]
    outside: Mutex<Outside>,
    buffer: &'a mut [u8],
    values: Vec<T>,
    call: fn(u32) -> u32,
    pair: (u32, String),
    state: State,
}

#[contest::shared]
#[derive(Debug, PartialEq)]
enum State {
    Idle,
    Busy { since: u32, by: String },
}

fn fill(buffer: &mut [u8]) -> usize {
    buffer.fill(7);
    buffer.len()
}

#[contest::shared(plain(Outside))]
impl<T: Clone + PartialEq> Kinds<'_, T> {
    const LIMIT: (u32, u32) = (3, 4);

    fn all(&mut self, value: T) -> usize {
        // Two fields at once, one of them lent.
        let (values, pair) = (&mut self.values, &mut self.pair);
        values.push(value.clone());
        pair.0 += 1;
        // Moved out and put back.
        let text = std::mem::take(&mut self.pair.1);
        self.pair.1 = text + "!";
        // Two-phase borrows.
        self.values.push(self.values[self.values.len() - 1].clone());
        // A reference in a field is lent again, not moved.
        let filled = fill(self.buffer);
        let again = fill(self.buffer);
        self.buffer[0] = 9;
        self.buffer[1] += 1;
        // A function in a field.
        let called = (self.call)(Self::LIMIT.0);
        // Places that are looked at: nothing is moved.
        assert!(self.pair.1 == self.pair.1 && self.values[0] == value);
        assert_eq!(self.pair.1, format!("{}{}", "a", "!"), "{}", self.pair.1);
        let State::Busy { since, ref by } = self.state else {
            return 0;
        };
        let by = by.clone();
        match self.state {
            State::Idle => unreachable!(),
            State::Busy {
                ref mut since,
                by: ref name,
            } => {
                *since += 1;
                assert_eq!(*name, by);
            }
        }
        if let State::Busy { by, .. } = &mut self.state {
            by.push('?');
        }
        while let Some(last) = self.values.pop() {
            if last != value {
                break;
            }
        }
        (self.pair.0, _) = (self.pair.0 + 1, self.values.len());
        filled + again + (called + since) as usize
    }

    fn locked(&self) -> Result<usize, String> {
        let mut inner = self.inner.write().map_err(|it| it.to_string())?;
        inner.items.extend(["x", "y"].map(str::to_owned));
        inner.label = inner.items.iter().cloned().collect();
        let first = &inner.items[0];
        let length = first.len() + inner.label.len();
        inner.items.swap(0, 1);
        let taken: Vec<String> = inner.items.drain(..).collect();
        for item in &taken {
            inner.tail += item.len();
        }
        inner.next.get_or_insert_default().head = 5;
        if let Some(next) = &mut inner.next {
            next.tail = next.head;
        }
        let sum: usize = [1, 2].iter().map(|it| it + inner.tail).sum();
        let longest = taken.iter().max_by_key(|it| it.len()).map(|it| it.len());
        self.outside.lock().unwrap().count += 1;
        let counted = self.outside.lock().unwrap().count as usize;
        drop(inner);
        let head = self
            .inner
            .read()
            .unwrap()
            .next
            .as_ref()
            .map_or(0, |it| it.head);
        let label: &str = &self.inner.read().unwrap().label;
        assert_eq!(label, "xy");
        Ok(length + sum + longest.unwrap_or(0) + counted + head)
    }

    async fn later(&self) -> usize {
        let tail = self.inner.read().unwrap().tail;
        let next = async { self.inner.read().unwrap().head };
        tail + next.await
    }

    fn boxed(&self) -> Box<dyn Fn() -> usize + '_> {
        Box::new(|| self.pair.1.len())
    }

    fn consumed(self) -> (Vec<T>, String) {
        let values = self.values;
        (values, self.pair.1)
    }
}

macro_rules! made {
    ($name:ident { $field:ident: $type:ty = $start:expr }) => {
        #[contest::shared]
        struct $name {
            $field: $type,
        }

        #[contest::shared]
        impl $name {
            fn add(&mut self, by: $type) -> $type {
                self.$field += by;
                let before = self.$field;
                self.$field = before + $start;
                $start + self.$field
            }
        }
    };
}

made! { Made { count: u32 = 2 + 1 } }

#[test]
fn a_type_out_of_a_macro_has_fields_too() {
    assert_eq!(Made { count: 1 }.add(2), 3 + 3 + 3);
}

#[test]
fn code_of_all_kinds_means_what_it_means_without_the_attribute() {
    let mut buffer = [0; 4];
    let mut kinds = Kinds {
        inner: Default::default(),
        outside: Default::default(),
        buffer: &mut buffer,
        values: vec![],
        call: |it| it * 2,
        pair: (1, "a".to_owned()),
        state: State::Busy {
            since: 10,
            by: "me".to_owned(),
        },
    };
    assert_eq!(kinds.all('v'), 4 + 4 + 6 + 10);
    assert_eq!(kinds.pair.0, 3);
    assert_eq!(
        kinds.state,
        State::Busy {
            since: 11,
            by: "me?".to_owned()
        }
    );
    assert_eq!(kinds.locked(), Ok(1 + 2 + (1 + 2 + 2 * 2) + 1 + 1 + 5));
    assert_eq!(contest::future::block_on(kinds.later()), 2);
    assert_eq!(kinds.boxed()(), 2);
    kinds.state = State::Idle;
    assert_eq!(kinds.buffer, [9, 8, 7, 7]);
    assert_eq!(kinds.consumed(), (vec![], "a!".to_owned()));
}
