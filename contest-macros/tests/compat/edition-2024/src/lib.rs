//! Edition 2024; whatever the compiler or clippy finds is an error; everything an operation can be.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub, missing_debug_implementations)]
#![deny(clippy::all, clippy::pedantic)]

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};

mod rules;

pub use rules::Limits;

/// Something of this crate without locks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Config {
    /// Most of them.
    pub most: u64,
}

/// A counter with a limit.
#[contest::shared(plain(Config))]
#[derive(Debug)]
pub struct Bounded {
    count: Mutex<u64>,
    config: Config,
    closed: AtomicBool,
    changed: Condvar,
    #[contest(opaque)]
    visits: AtomicU64,
    #[contest(plain)]
    limits: Limits,
}

#[contest::operations(parts(Reads, Add))]
impl Bounded {
    /// With room for two.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            count: Mutex::new(0),
            config: Config { most: 2 },
            closed: AtomicBool::new(false),
            changed: Condvar::new(),
            visits: AtomicU64::new(0),
            limits: Limits { least: 0 },
        }
    }

    /// With room for so many, shared.
    #[must_use]
    #[contest(values(most = [1, 3]))]
    pub fn shared(most: u64) -> Arc<Self> {
        Arc::new(Self {
            config: Config { most },
            ..Self::new()
        })
    }

    /// Perhaps one.
    ///
    /// # Errors
    /// If there is no room at all.
    #[contest(values(most = [2]))]
    pub fn with_most(most: u64) -> Result<Self, String> {
        if most == 0 {
            return Err("no room".to_owned());
        }
        Ok(Self {
            config: Config { most },
            ..Self::new()
        })
    }

    /// Waits until there is room.
    #[contest(blocking)]
    pub fn increment(&self) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let most = self.config.most;
        let mut count = self
            .changed
            .wait_while(count, |count| *count >= most)
            .unwrap_or_else(PoisonError::into_inner);
        *count += 1;
    }

    /// One less.
    pub fn decrement(&self) -> bool {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = *count > self.limits.least;
        if taken {
            *count -= 1;
            self.changed.notify_one();
        }
        taken
    }

    /// Compares two.
    pub fn is(self: &Arc<Self>, other: &Self) -> bool {
        std::ptr::eq(&raw const **self, other)
    }

    /// Changes it by a function.
    #[contest(values(f = [|count| count / 2, |_| 0]))]
    pub fn update(&self, f: impl Fn(u64) -> u64) -> u64 {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count = f(*count);
        self.changed.notify_all();
        *count
    }

    /// Before it is shared.
    pub fn set(&mut self, count: u64) {
        let most = self.config.most;
        *self.count.get_mut().unwrap_or_else(PoisonError::into_inner) = count.min(most);
    }

    /// Closes it; the result is ignored.
    ///
    /// # Panics
    /// If it is closed already.
    #[contest(may_panic)]
    pub fn close(&self) {
        assert!(!self.closed.swap(true, Ordering::SeqCst), "closed twice");
    }

    /// Passes it to a callback.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a value that only a factory can make"
    )]
    #[contest(with(visitor = visitor))]
    pub fn visit(&self, visitor: Box<dyn Fn(u64) -> u64 + Send>) -> u64 {
        self.visits.fetch_add(1, Ordering::Relaxed);
        visitor(*self.count.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Later.
    pub async fn later(&self) -> u64 {
        std::future::ready(()).await;
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Not for tests.
    #[contest(skip)]
    pub fn debug<W: fmt::Write>(&self, out: &mut W) {
        let _ = write!(out, "{self:?}");
    }

    /// There are never more than there is room for.
    #[contest(invariant)]
    fn is_within_its_limit(&self) -> bool {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) <= self.config.most
    }

    fn try_increment(&self) -> bool {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let room = *count < self.config.most;
        *count += u64::from(room);
        room
    }
}

impl Default for Bounded {
    fn default() -> Self {
        Self::new()
    }
}

fn visitor(choice: usize) -> Box<dyn Fn(u64) -> u64 + Send> {
    Box::new(move |count| count + choice as u64)
}

/// A second inherent impl.
#[contest::operations(part = Reads)]
impl Bounded {
    /// How many.
    pub fn count(&self) -> u64 {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A trait of this crate.
pub trait Add {
    /// Adds one, if there is room.
    fn add(&self) -> bool;
}

#[contest::operations]
impl Add for Bounded {
    fn add(&self) -> bool {
        self.try_increment()
    }
}

/// With a type parameter that has a default and a constant.
#[contest::shared]
pub struct Table<T = u8, const N: usize = 2> {
    slots: [RwLock<Option<T>>; N],
    #[contest(plain)]
    made: fn() -> T,
}

impl<T, const N: usize> fmt::Debug for Table<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

#[contest::operations]
impl<T: Copy + Default + Send + Sync, const N: usize> Table<T, N> {
    /// Empty.
    #[must_use]
    pub fn new() -> Self {
        Self {
            slots: std::array::from_fn(|_| RwLock::new(None)),
            made: T::default,
        }
    }

    /// Fills a slot.
    ///
    /// # Panics
    /// If the lock is poisoned.
    #[contest(values(slot = [0, 1]))]
    pub fn put(&self, slot: usize, value: T) -> Option<T> {
        let slot = self.slots.get(slot)?;
        slot.write().unwrap().replace(value)
    }

    /// What is in a slot, or the default.
    ///
    /// # Panics
    /// If the lock is poisoned.
    #[contest(values(slot = [0, 1]), observe)]
    pub fn look(&self, slot: usize) -> T {
        let found = self.slots.get(slot).and_then(|slot| *slot.read().unwrap());
        found.unwrap_or_else(self.made)
    }
}

impl<T: Copy + Default + Send + Sync, const N: usize> Default for Table<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_counter_is_checked_with_all_its_parts() {
        let report = contest::check::<Bounded>()
            .budget(Duration::from_millis(500))
            .report();
        assert!(report.findings.is_empty(), "{:#?}", report.findings);
        assert!(report.totals.operations >= 9, "{:#?}", report.totals);
    }

    #[test]
    fn a_table_with_parameters_is_checked() {
        let report = contest::check::<Table<u32, 2>>()
            .budget(Duration::from_millis(300))
            .report();
        assert!(report.findings.is_empty(), "{:#?}", report.findings);
        assert!(report.totals.exhausted > 0);
    }

    #[test]
    fn it_counts_as_ever() {
        let bounded = Bounded::default();
        bounded.increment();
        assert!(bounded.add() && !bounded.add());
        assert_eq!(bounded.count(), 2);
        let mut text = String::new();
        bounded.debug(&mut text);
        assert!(
            text.contains("count: Mutex { data: 2, poisoned: false, .. }"),
            "{text}"
        );
    }

    #[contest::test(exhaustive, budget = "5s")]
    fn two_threads_increment() {
        let bounded = Arc::new(Bounded::new());
        let theirs = Arc::clone(&bounded);
        let thread = std::thread::spawn(move || theirs.increment());
        bounded.increment();
        thread.join().unwrap();
        assert_eq!(bounded.count(), 2);
    }

    #[contest::test(strategy = "random", seed = 3, max_executions = 20)]
    fn a_test_may_return_a_result() -> Result<(), String> {
        let bounded = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&bounded);
        let thread = std::thread::spawn(move || *theirs.lock().unwrap() += 1);
        *bounded.lock().map_err(|error| error.to_string())? += 1;
        thread.join().map_err(|_| "panicked".to_owned())
    }
}
