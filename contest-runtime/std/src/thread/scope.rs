//! `scope`: threads that may borrow, because they end before it does.

use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::builder::Builder;
use super::handle::{Thread, current};
use super::join_handle::{is_finished_virtual, join_virtual};
use super::packet::Packet;
use super::shared::Shared;
use contest_data::trace::ThreadIndex;
use contest_engine::execution::active;

/// Drop-in for `std::thread::Scope`.
pub struct Scope<'scope, 'env: 'scope> {
    state: Arc<ScopeState>,
    _scope: PhantomData<&'scope mut &'scope ()>,
    _env: PhantomData<&'env mut &'env ()>,
}

/// Which threads of a scope have not ended.
pub(super) struct ScopeState {
    running: AtomicUsize,
    panicked: AtomicBool,
    owner: Thread,
    /// Virtual threads not joined yet.
    unjoined: Mutex<Vec<ThreadIndex>>,
}

impl ScopeState {
    /// A thread begins.
    pub(super) fn one_begins(&self) {
        if self.running.fetch_add(1, Ordering::Relaxed) > usize::MAX / 2 {
            self.one_ended(false);
            panic!("too many running threads in thread scope");
        }
    }

    /// A thread has ended and has dropped all it borrowed.
    pub(super) fn one_ended(&self, panicked: bool) {
        if panicked {
            self.panicked.store(true, Ordering::Relaxed);
        }
        let last = self.running.fetch_sub(1, Ordering::Release) == 1;
        // The owner of virtual threads joins them.
        if last && self.owner.index().is_none() {
            self.owner.unpark();
        }
    }

    pub(super) fn add_virtual(&self, thread: &Thread) {
        self.unjoined().extend(thread.index());
        if let (Some(active), Some(thread)) = (active(), thread.index()) {
            active.note_scope(thread, self.owner.index());
        }
    }

    fn remove_virtual(&self, thread: &Thread) {
        self.unjoined()
            .retain(|other| Some(*other) != thread.index());
    }

    fn unjoined(&self) -> std::sync::MutexGuard<'_, Vec<ThreadIndex>> {
        self.unjoined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_unjoined(&self) -> Option<ThreadIndex> {
        let mut unjoined = self.unjoined();
        (!unjoined.is_empty()).then(|| unjoined.remove(0))
    }

    /// Waits until all have ended.
    #[track_caller]
    fn wait(&self) {
        if let Some(active) = active() {
            while let Some(thread) = self.next_unjoined() {
                active.join_in_scope(thread);
            }
            return;
        }
        while self.running.load(Ordering::Acquire) != 0 {
            std::thread::park();
        }
    }
}

/// As in `std`.
///
/// # Panics
/// If `f` panics, or a thread of the scope panicked and was not joined.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let scope = Scope {
        state: Arc::new(ScopeState {
            running: AtomicUsize::new(0),
            panicked: AtomicBool::new(false),
            owner: current(),
            unjoined: Mutex::new(Vec::new()),
        }),
        _scope: PhantomData,
        _env: PhantomData,
    };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    scope.state.wait();
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if scope.state.panicked.load(Ordering::Relaxed) => {
            panic!("a scoped thread panicked")
        }
        Ok(result) => result,
    }
}

impl<'scope> Scope<'scope, '_> {
    /// As in `std`.
    ///
    /// # Panics
    /// If the system cannot make a thread.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new()
            .spawn_scoped(self, f)
            .expect("failed to spawn thread")
    }

    pub(super) fn state(&self) -> &Arc<ScopeState> {
        &self.state
    }
}

/// Drop-in for `std::thread::ScopedJoinHandle`.
pub struct ScopedJoinHandle<'scope, T> {
    /// `None` for a virtual thread.
    real: Option<std::thread::JoinHandle<()>>,
    thread: Thread,
    packet: Shared<Packet<'scope, T>>,
}

impl<'scope, T> ScopedJoinHandle<'scope, T> {
    pub(super) fn real(
        handle: std::thread::JoinHandle<()>,
        packet: Shared<Packet<'scope, T>>,
    ) -> Self {
        Self {
            thread: Thread::real(handle.thread().clone()),
            real: Some(handle),
            packet,
        }
    }

    pub(super) fn of_virtual(thread: Thread, packet: Shared<Packet<'scope, T>>) -> Self {
        Self {
            real: None,
            thread,
            packet,
        }
    }

    /// As in `std`.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// As in `std`.
    ///
    /// # Errors
    /// The payload, if the thread panicked.
    ///
    /// # Panics
    /// If it is a virtual thread whose execution ended before the thread did.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        let Some(real) = self.real else {
            if let Some(scope) = Packet::scope(&self.packet) {
                scope.remove_virtual(&self.thread);
            }
            return join_virtual(&self.thread, self.packet);
        };
        // The body catches what the thread's closure throws.
        real.join()?;
        match Packet::take(self.packet) {
            Some(result) => result,
            None => unreachable!("a joined thread has left its result"),
        }
    }

    /// As in `std`.
    #[must_use]
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        if self.real.is_some() {
            Packet::is_finished(&self.packet)
        } else {
            is_finished_virtual(&self.thread, &self.packet)
        }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field(
                "num_running_threads",
                &self.state.running.load(Ordering::Relaxed),
            )
            .field(
                "a_thread_panicked",
                &self.state.panicked.load(Ordering::Relaxed),
            )
            .field("main_thread", &self.state.owner)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
