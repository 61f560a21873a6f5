//! Edition 2021; the runtime is a renamed dependency; types have aliases, type parameters, lifetimes, and come out of
//! macros. The unit tests at the end are ordinary ones: with feature `explore` on they run as without.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize as Counter, Ordering};
use std::sync::{mpsc, Arc, Condvar, Mutex as Lock, MutexGuard, OnceLock, RwLock};
use std::thread;

/// A map behind a lock with another name.
#[checked::shared]
#[derive(Debug, Default)]
pub struct Registry<K, V>
where
    K: Eq + Hash,
{
    pub(crate) entries: Lock<HashMap<K, V>>,
    hits: Counter,
}

#[checked::operations(parts(Lookup))]
impl<K, V> Registry<K, V>
where
    K: Eq + Hash + Clone + Send + 'static,
    V: Clone + Send + Debug + 'static,
{
    /// Empty.
    pub fn new() -> Self {
        Self {
            entries: Lock::new(HashMap::new()),
            hits: Counter::new(0),
        }
    }

    /// Puts a value in.
    pub fn insert(&self, key: K, value: V) -> Option<V> {
        self.locked().insert(key, value)
    }

    /// Looks a value up.
    pub fn get(&self, key: &K) -> Option<V> {
        self.hits.fetch_add(1, Ordering::SeqCst);
        self.locked().get(key).cloned()
    }

    /// Takes a value out.
    #[contest(weak)]
    pub fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }

    /// The map itself.
    pub fn into_inner(self) -> HashMap<K, V> {
        self.entries.into_inner().unwrap()
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<K, V>> {
        self.entries.lock().unwrap()
    }
}

/// A trait with a type parameter.
pub trait Lookup<K> {
    /// True if the key is there.
    fn knows(&self, key: &K) -> bool;
}

#[checked::operations]
impl<K, V> Lookup<K> for Registry<K, V>
where
    K: Eq + Hash + Clone + Send + 'static,
    V: Clone + Send + Debug + 'static,
{
    fn knows(&self, key: &K) -> bool {
        self.locked().contains_key(key)
    }
}

/// A tuple with a nested lock.
#[checked::shared]
#[derive(Default)]
pub struct Nested(pub Lock<Vec<Arc<RwLock<u32>>>>, Condvar);

#[checked::operations]
impl Nested {
    /// One lock in it.
    pub fn new() -> Self {
        Nested(Lock::new(vec![Arc::new(RwLock::new(0))]), Condvar::new())
    }

    /// Adds to the first.
    pub fn add(&self, value: u32) {
        let first = Arc::clone(&self.0.lock().unwrap()[0]);
        *first.write().unwrap() += value;
        self.1.notify_all();
    }

    /// Of all of them.
    pub fn total(&self) -> u32 {
        let all = self.0.lock().unwrap();
        all.iter().map(|one| *one.read().unwrap()).sum()
    }
}

/// An enum, with a lifetime.
#[checked::shared]
pub enum Source<'a, T: ?Sized> {
    /// Of another crate.
    Borrowed(&'a T),
    /// With a lock in it.
    Counted {
        /// Number of calls.
        calls: Lock<u32>,
        /// What it says.
        text: String,
    },
    /// Nothing.
    Empty,
}

/// Two states behind a lock: an annotated type in another.
#[checked::shared]
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nothing yet.
    #[default]
    Idle,
    /// In use.
    Running(u8),
}

/// A type that comes out of a macro.
macro_rules! gauge {
    ($name:ident, $lock:ident, $value:ty) => {
        /// A value behind a lock.
        #[checked::shared]
        #[derive(Debug, Default)]
        pub struct $name {
            value: $lock<$value>,
            phase: $lock<Phase>,
        }

        #[checked::operations]
        impl $name {
            /// Zero.
            pub fn new() -> Self {
                Self::default()
            }

            /// Changes the value.
            pub fn set(&self, value: $value) -> $value {
                *self.phase.lock().unwrap() = Phase::Running(1);
                std::mem::replace(&mut *self.value.lock().unwrap(), value)
            }

            /// The value.
            pub fn value(&self) -> $value {
                *self.value.lock().unwrap()
            }
        }
    };
}

gauge!(Small, Lock, u8);
gauge!(Large, Lock, i64);

#[checked::shared]
static CREATED: Counter = <Counter>::new(0);

#[checked::shared]
static NAMES: OnceLock<Vec<String>> = OnceLock::new();

/// A helper outside of the impl.
#[checked::shared]
fn note() -> usize {
    NAMES.get_or_init(|| vec!["first".to_owned()]);
    CREATED.fetch_add(1, Ordering::SeqCst)
}

/// A worker thread with a channel.
#[checked::shared]
pub struct Worker {
    sender: Lock<Option<mpsc::Sender<u32>>>,
    thread: Lock<Option<thread::JoinHandle<u32>>>,
}

#[checked::operations]
impl Worker {
    /// Starts the thread.
    pub fn start() -> Self {
        note();
        let (sender, receiver) = mpsc::channel::<u32>();
        let thread = thread::spawn(move || receiver.iter().sum());
        Self {
            sender: Lock::new(Some(sender)),
            thread: Lock::new(Some(thread)),
        }
    }

    /// Sends it a number; false if it was stopped.
    pub fn send(&self, number: u32) -> bool {
        let sender = self.sender.lock().unwrap();
        sender
            .as_ref()
            .is_some_and(|sender| sender.send(number).is_ok())
    }

    /// The sum of all numbers, computed by the first caller.
    pub fn stop(&self) -> Option<u32> {
        drop(self.sender.lock().unwrap().take());
        let thread = self.thread.lock().unwrap().take()?;
        thread.join().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_remembers() {
        let registry = Registry::new();
        assert_eq!(registry.insert(1, "a"), None);
        assert_eq!(registry.get(&1), Some("a"));
        assert_eq!(registry.hits(), 1);
        assert_eq!(registry.entries.lock().unwrap().len(), 1);
        assert_eq!(registry.into_inner().len(), 1);
    }

    #[test]
    fn real_threads_work_outside_of_a_check() {
        let nested = Arc::new(Nested::new());
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let nested = Arc::clone(&nested);
                std::thread::spawn(move || (0..100).for_each(|_| nested.add(1)))
            })
            .collect();
        threads.into_iter().for_each(|it| it.join().unwrap());
        assert_eq!(nested.total(), 400);
    }

    #[test]
    fn a_worker_adds_up() {
        let worker = Worker::start();
        assert!(worker.send(1) && worker.send(2));
        assert_eq!(worker.stop(), Some(3));
        assert!(!worker.send(4));
        assert!(NAMES.get().is_some());
    }

    #[test]
    fn an_enum_is_made_as_ever() {
        let text = String::from("x");
        let source: Source<'_, str> = Source::Borrowed(&text);
        assert!(matches!(source, Source::Borrowed("x")));
        let source: Source<'_, str> = Source::Counted {
            calls: Default::default(),
            text,
        };
        let Source::Counted { calls, text } = &source else {
            panic!("made just now");
        };
        *calls.lock().unwrap() += 1;
        assert_eq!((*calls.lock().unwrap(), text.as_str()), (1, "x"));
        assert!(!matches!(source, Source::Empty));
    }

    #[test]
    fn generated_types_are_checked() {
        checked::check::<Small>()
            .budget(std::time::Duration::from_millis(200))
            .without_regressions()
            .run();
        let report = checked::check::<Large>()
            .budget(std::time::Duration::from_millis(200))
            .report();
        assert!(report.findings.is_empty() && report.totals.tests > 0);
    }

    #[test]
    fn types_with_parameters_and_their_threads_are_checked() {
        let brief = std::time::Duration::from_millis(300);
        let registry = checked::check::<Registry<u32, String>>()
            .budget(brief)
            .report();
        assert!(registry.findings.is_empty(), "{:#?}", registry.findings);
        assert_eq!(registry.left_out.len(), 1);
        assert_eq!(registry.totals.operations, 4);
        let nested = checked::check::<Nested>().budget(brief).report();
        assert!(nested.findings.is_empty(), "{:#?}", nested.findings);
        let worker = checked::check::<Worker>().budget(brief).report();
        assert!(worker.findings.is_empty(), "{:#?}", worker.findings);
        assert!(worker.totals.tests > 0 && nested.totals.tests > 0 && registry.totals.tests > 0);
    }
}
