//! Subjects, each a few lines, with the table that the harness would generate.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use contest::sync::{Condvar, Mutex};
use contest_data::subject::{
    Argument, Call, Constructor, Contract, Object, Operation, Receiver, Response, StandInMode,
    Subject,
};

/// The object of a call.
pub(crate) fn object<T: 'static>(call: &Call<'_>) -> Arc<T> {
    nth(call, call.receiver)
}

fn nth<T: 'static>(call: &Call<'_>, index: usize) -> Arc<T> {
    Arc::clone(
        call.objects[index]
            .0
            .downcast_ref()
            .expect("an object of this type"),
    )
}

/// An object that calls share.
pub(crate) fn shared<T: 'static>(object: T) -> Object {
    Object(Box::new(Arc::new(object)))
}

fn make<T: Default + 'static>(_: &Call<'_>) -> Object {
    shared(T::default())
}

pub(crate) const fn new<T: Default + 'static>(text: &'static str) -> Constructor {
    Constructor {
        text,
        arguments: &[],
        mode: StandInMode::Usual,
        make: make::<T>,
    }
}

pub(crate) const fn operation(
    name: &'static str,
    text: &'static str,
    arguments: &'static [Argument],
    call: fn(&Call<'_>) -> Response,
) -> Operation {
    Operation {
        name,
        text,
        arguments,
        receiver: Receiver::Shared,
        weak: false,
        observer: false,
        contract: contest_data::subject::Contract::NONE,
        declared: "tests/campaign/subjects.rs",
        call,
    }
}

pub(crate) const fn observer(
    name: &'static str,
    text: &'static str,
    arguments: &'static [Argument],
    call: fn(&Call<'_>) -> Response,
) -> Operation {
    Operation {
        observer: true,
        ..operation(name, text, arguments, call)
    }
}

const KEY: &[Argument] = &[Argument {
    choices: &["1", "2"],
    object: false,
    of_future: false,
    of_texts: false,
}];
const VALUE: &[Argument] = &[Argument {
    choices: &["10", "20"],
    object: false,
    of_future: false,
    of_texts: false,
}];

fn number(call: &Call<'_>) -> u32 {
    u32::from(call.choice(0)) + 1
}

/// Reads, then writes.
#[derive(Default)]
pub(crate) struct Counter(AtomicU32);

impl Counter {
    fn inc(&self) -> u32 {
        let next = self.0.load(SeqCst) + 1;
        self.0.store(next, SeqCst);
        next
    }
    /// As it should be.
    fn add(&self) -> u32 {
        self.0.fetch_add(1, SeqCst) + 1
    }
    fn get(&self) -> u32 {
        self.0.load(SeqCst)
    }
}

pub(crate) static COUNTER: [Subject; 1] = [Subject {
    name: "Counter",
    path: "Counter",
    constructors: &[new::<Counter>("Counter::new()")],
    operations: &[
        operation("inc", "{s}.inc()", &[], |call| {
            contest::observe!(object::<Counter>(call).inc())
        }),
        observer("get", "{s}.get()", &[], |call| {
            contest::observe!(object::<Counter>(call).get())
        }),
    ],
    state: None,
}];

pub(crate) static CORRECT_COUNTER: [Subject; 1] = [Subject {
    name: "Counter",
    path: "Counter",
    constructors: &[new::<Counter>("Counter::new()")],
    operations: &[
        operation("add", "{s}.add()", &[], |call| {
            contest::observe!(object::<Counter>(call).add())
        }),
        observer("get", "{s}.get()", &[], |call| {
            contest::observe!(object::<Counter>(call).get())
        }),
    ],
    state: None,
}];

/// Checks, then acts: the computation may run twice for one key.
#[derive(Default)]
pub(crate) struct Cache(Mutex<HashMap<u32, u32>>);

impl Cache {
    fn get_with(&self, key: u32, make: impl FnOnce() -> u32) -> u32 {
        if let Some(value) = self.0.lock().unwrap().get(&key) {
            return *value;
        }
        let value = make();
        self.0.lock().unwrap().insert(key, value);
        value
    }
    fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

pub(crate) static CACHE: [Subject; 1] = [Subject {
    name: "Cache<u32, u32>",
    path: "Cache",
    constructors: &[new::<Cache>("Cache::new()")],
    operations: &[
        operation("get_with", "{s}.get_with({0}, || 5)", KEY, |call| {
            contest::observe!(object::<Cache>(call).get_with(number(call), || {
                contest_engine::observe::count_call();
                5
            }))
        }),
        observer("len", "{s}.len()", &[], |call| {
            contest::observe!(object::<Cache>(call).len())
        }),
    ],
    state: None,
}];

/// Locks in two orders.
#[derive(Default)]
pub(crate) struct Account(Mutex<i32>);

impl Account {
    fn transfer(&self, other: &Account) {
        if std::ptr::eq(self, other) {
            return;
        }
        let mut from = self.0.lock().unwrap();
        let mut to = other.0.lock().unwrap();
        *from -= 1;
        *to += 1;
    }
    fn balance(&self) -> i32 {
        *self.0.lock().unwrap()
    }
}

const OTHER: &[Argument] = &[Argument {
    choices: &["a", "b"],
    object: true,
    of_future: false,
    of_texts: false,
}];

pub(crate) static ACCOUNT: [Subject; 1] = [Subject {
    name: "Account",
    path: "Account",
    constructors: &[new::<Account>("Account::default()")],
    operations: &[
        operation("transfer", "{s}.transfer(&{0})", OTHER, |call| {
            let other = nth::<Account>(call, usize::from(call.choice(0)));
            contest::observe!(object::<Account>(call).transfer(&other))
        }),
        observer("balance", "{s}.balance()", &[], |call| {
            contest::observe!(object::<Account>(call).balance())
        }),
    ],
    state: None,
}];

/// A blocking queue. `LOSES` a wake-up: looks and waits in two steps.
#[derive(Default)]
pub(crate) struct Queue<const LOSES: bool> {
    items: Mutex<VecDeque<u32>>,
    filled: Condvar,
}

impl<const LOSES: bool> Queue<LOSES> {
    fn push(&self, value: u32) {
        self.items.lock().unwrap().push_back(value);
        self.filled.notify_one();
    }
    fn pop(&self) -> u32 {
        let mut items = self.items.lock().unwrap();
        if LOSES {
            if items.is_empty() {
                drop(items);
                items = self.filled.wait(self.items.lock().unwrap()).unwrap();
            }
            return items.pop_front().unwrap_or(0);
        }
        loop {
            if let Some(value) = items.pop_front() {
                return value;
            }
            items = self.filled.wait(items).unwrap();
        }
    }
    fn try_pop(&self) -> Option<u32> {
        self.items.lock().unwrap().pop_front()
    }
}

const fn queue<const LOSES: bool>(operations: &'static [Operation]) -> Subject {
    Subject {
        name: "Queue<u32>",
        path: "Queue",
        constructors: const { &[new::<Queue<LOSES>>("Queue::new()")] },
        operations,
        state: None,
    }
}

macro_rules! queue_operations {
    ($loses:literal) => {
        &[
            operation("push", "{s}.push({0})", VALUE, |call| {
                contest::observe!(object::<Queue<$loses>>(call).push(number(call) * 10))
            }),
            operation("pop", "{s}.pop()", &[], |call| {
                contest::observe!(object::<Queue<$loses>>(call).pop())
            }),
            operation("try_pop", "{s}.try_pop()", &[], |call| {
                contest::observe!(object::<Queue<$loses>>(call).try_pop())
            }),
        ]
    };
}

/// `drain` returns an iterator that takes one item at a time.
pub(crate) static DRAINED_QUEUE: [Subject; 1] = [queue::<false>(&[
    operation("push", "{s}.push({0})", VALUE, |call| {
        contest::observe!(object::<Queue<false>>(call).push(number(call) * 10))
    }),
    operation("try_pop", "{s}.try_pop()", &[], |call| {
        contest::observe!(object::<Queue<false>>(call).try_pop())
    }),
    operation("drain", "{s}.drain()", &[], |call| {
        let queue = object::<Queue<false>>(call);
        contest::observe!(std::iter::from_fn(|| queue.try_pop()))
    }),
])];

pub(crate) static LOSING_QUEUE: [Subject; 1] = [queue::<true>(queue_operations!(true))];
pub(crate) static CORRECT_QUEUE: [Subject; 1] = [queue::<false>(queue_operations!(false))];

/// Panics if two threads are inside.
#[derive(Default)]
pub(crate) struct Exclusive(AtomicBool);

impl Exclusive {
    fn enter(&self) {
        assert!(!self.0.swap(true, SeqCst), "another thread is inside");
        self.0.store(false, SeqCst);
    }
    fn always(&self) {
        panic!("not written yet");
    }
}

pub(crate) static EXCLUSIVE: [Subject; 1] = [Subject {
    name: "Exclusive",
    path: "Exclusive",
    constructors: &[new::<Exclusive>("Exclusive::default()")],
    operations: &[
        operation("enter", "{s}.enter()", &[], |call| {
            contest::observe!(object::<Exclusive>(call).enter())
        }),
        operation("always", "{s}.always()", &[], |call| {
            contest::observe!(object::<Exclusive>(call).always())
        }),
    ],
    state: None,
}];

/// The same, documented.
pub(crate) static ANNOUNCED: [Subject; 1] = [Subject {
    name: "Exclusive",
    path: "Exclusive",
    constructors: &[new::<Exclusive>("Exclusive::default()")],
    operations: &[Operation {
        contract: Contract {
            announced_panic: "Panics if it is borrowed.",
            ..Contract::NONE
        },
        ..operation("enter", "{s}.enter()", &[], |call| {
            contest::observe!(object::<Exclusive>(call).enter())
        })
    }],
    state: None,
}];

/// Two sides that are both too polite: each announces itself and then waits for the other to be gone.
#[derive(Default)]
pub(crate) struct Polite {
    left: AtomicBool,
    right: AtomicBool,
}

impl Polite {
    fn pass(mine: &AtomicBool, other: &AtomicBool) {
        mine.store(true, SeqCst);
        while other.load(SeqCst) {
            contest::hint::spin_loop();
        }
        mine.store(false, SeqCst);
    }
}

pub(crate) static POLITE: [Subject; 1] = [Subject {
    name: "Polite",
    path: "Polite",
    constructors: &[new::<Polite>("Polite::default()")],
    operations: &[
        operation("left", "{s}.left()", &[], |call| {
            let polite = object::<Polite>(call);
            contest::observe!(Polite::pass(&polite.left, &polite.right))
        }),
        operation("right", "{s}.right()", &[], |call| {
            let polite = object::<Polite>(call);
            contest::observe!(Polite::pass(&polite.right, &polite.left))
        }),
    ],
    state: None,
}];

/// Hands out one thing at a time. Looks for it and waits in two steps, so that its return may go unnoticed; the wait
/// has a timeout.
pub(crate) struct Pool {
    free: Mutex<bool>,
    returned: Condvar,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            free: Mutex::new(true),
            returned: Condvar::new(),
        }
    }
}

/// Gives the thing back.
pub(crate) struct Lent(Arc<Pool>);

impl std::fmt::Debug for Lent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lent")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap() = true;
        self.0.returned.notify_one();
    }
}

impl Pool {
    fn lend(self: &Arc<Self>) -> Lent {
        loop {
            if std::mem::take(&mut *self.free.lock().unwrap()) {
                return Lent(Arc::clone(self));
            }
            let free = self.free.lock().unwrap();
            let half_a_minute = std::time::Duration::from_secs(30);
            drop(self.returned.wait_timeout(free, half_a_minute).unwrap());
        }
    }
}

pub(crate) static POOL: [Subject; 1] = [Subject {
    name: "Pool",
    path: "Pool",
    constructors: &[new::<Pool>("Pool::default()")],
    operations: &[operation("lend", "{s}.lend()", &[], |call| {
        contest::observe!(object::<Pool>(call).lend())
    })],
    state: None,
}];

/// Returns a handle whose `Debug` looks at the shared state: what it shows later is not what the call returned.
#[derive(Default)]
pub(crate) struct Shared(Arc<AtomicU32>);

pub(crate) static SHARED: [Subject; 1] = [Subject {
    name: "Shared",
    path: "Shared",
    constructors: &[new::<Shared>("Shared::default()")],
    operations: &[
        operation("handle", "{s}.handle()", &[], |call| {
            contest::observe!(Some(Arc::clone(&object::<Shared>(call).0)))
        }),
        operation("bump", "{s}.bump()", &[], |call| {
            let shared = object::<Shared>(call);
            shared.0.fetch_add(1, SeqCst);
            shared.0.fetch_add(1, SeqCst);
            contest::observe!(())
        }),
    ],
    state: None,
}];

/// Takes numbers from a range, one attempt each: a failed attempt returns an error.
pub(crate) struct Range<const TWICE: bool>(AtomicU32);

impl<const TWICE: bool> Default for Range<TWICE> {
    fn default() -> Self {
        Self(AtomicU32::new(2))
    }
}

#[derive(Debug)]
pub(crate) enum Steal {
    Empty,
    #[allow(dead_code, reason = "shown")]
    Success(u32),
    Retry,
}

impl<const TWICE: bool> Range<TWICE> {
    fn steal(&self) -> Steal {
        let left = self.0.load(SeqCst);
        if left == 0 {
            return Steal::Empty;
        }
        match self.0.compare_exchange(left, left - 1, SeqCst, SeqCst) {
            Ok(_) => Steal::Success(left),
            Err(_) if TWICE => Steal::Success(left),
            Err(_) => Steal::Retry,
        }
    }
}

macro_rules! range {
    ($twice:literal) => {
        [Subject {
            name: "Range",
            path: "Range",
            constructors: &[new::<Range<$twice>>("Range::default()")],
            operations: &[operation("steal", "{s}.steal()", &[], |call| {
                contest::observe!(object::<Range<$twice>>(call).steal())
            })],
            state: None,
        }]
    };
}

pub(crate) static RANGE: [Subject; 1] = range!(false);
pub(crate) static RANGE_TWICE: [Subject; 1] = range!(true);

/// A lock without guards, made with a reader inside that never leaves: `write` waits for ever, and keeps readers out.
pub(crate) struct RawLock {
    /// Readers inside, and whether a writer is inside or waits.
    state: Mutex<(u32, bool)>,
    changed: Condvar,
}

impl Default for RawLock {
    fn default() -> Self {
        Self {
            state: Mutex::new((1, false)),
            changed: Condvar::new(),
        }
    }
}

impl RawLock {
    fn read(&self) {
        let state = self.state.lock().unwrap();
        let mut state = self.changed.wait_while(state, |it| it.1).unwrap();
        state.0 += 1;
    }
    fn try_write_for(&self, time: Duration) -> bool {
        let mut state = self.state.lock().unwrap();
        state.1 = true;
        let waited = self.changed.wait_timeout_while(state, time, |it| it.0 > 0);
        let (mut state, end) = waited.unwrap();
        if end.timed_out() {
            state.1 = false;
            self.changed.notify_all();
        }
        !end.timed_out()
    }
    fn write(&self) {
        let mut state = self.state.lock().unwrap();
        state.1 = true;
        drop(self.changed.wait_while(state, |it| it.0 > 0).unwrap());
    }
}

pub(crate) static RAW_LOCK: [Subject; 1] = [Subject {
    name: "RawLock",
    path: "RawLock",
    constructors: &[new::<RawLock>("RawLock::new()")],
    operations: &[
        operation("read", "{s}.read()", &[], |call| {
            contest::observe!(object::<RawLock>(call).read())
        }),
        operation("try_write_for", "{s}.try_write_for(SHORT)", &[], |call| {
            let lock = object::<RawLock>(call);
            contest::observe!(lock.try_write_for(Duration::from_millis(1)))
        }),
        operation("write", "{s}.write()", &[], |call| {
            contest::observe!(object::<RawLock>(call).write())
        }),
    ],
    state: None,
}];
