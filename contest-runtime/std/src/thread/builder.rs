//! `Builder` and `spawn`.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::handle::Thread;
use super::join_handle::JoinHandle;
use super::packet::Packet;
use super::scope::{Scope, ScopedJoinHandle};
use contest_engine::execution::{Active, active};

/// Bytes for which a process usually has no addresses.
const NO_STACK: u64 = 1 << 48;

/// Drop-in for `std::thread::Builder`. The stack size is that of the engine's limits inside an execution; one of so
/// many bytes is refused.
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    real: std::thread::Builder,
    name: Option<String>,
    stack: usize,
}

/// As in `std`.
///
/// # Panics
/// If the system cannot make a thread.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T,
    F: Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}

/// A virtual thread whose body and result need not be `Send`.
///
/// # Panics
/// Outside an execution.
#[track_caller]
pub fn spawn_local<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    let Some(active) = active() else {
        panic!("contest: a thread that shares what is not `Send` works inside a model only")
    };
    let (packet, body) = Packet::pair(None, f);
    // SAFETY: everything is `'static`. All threads of the execution run on this thread of the operating system, and so
    // do the destructors of what they leave.
    let thread = unsafe { Builder::new().spawn_virtual(active, body) };
    JoinHandle::of_virtual(thread, packet)
}

impl Builder {
    /// As in `std`.
    #[expect(clippy::new_without_default, reason = "std has no `Default` either")]
    pub fn new() -> Self {
        Self {
            real: std::thread::Builder::new(),
            name: None,
            stack: 0,
        }
    }

    /// As in `std`.
    pub fn name(self, name: String) -> Self {
        Self {
            real: self.real.name(name.clone()),
            name: Some(name),
            ..self
        }
    }

    /// As in `std`.
    pub fn stack_size(self, size: usize) -> Self {
        Self {
            real: self.real.stack_size(size),
            stack: size,
            ..self
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the system cannot make a thread.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T,
        F: Send + 'static,
        T: Send + 'static,
    {
        // SAFETY: everything is `'static`.
        unsafe { self.spawn_unchecked(f) }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the system cannot make a thread.
    ///
    /// # Safety
    /// As in `std`: the thread is joined before what it borrows goes away.
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T,
        F: Send,
        T: Send,
    {
        let Some(active) = active() else {
            // SAFETY: promised by the caller.
            return Ok(JoinHandle::real(unsafe { self.real.spawn_unchecked(f)? }));
        };
        self.can_have_stack()?;
        let (packet, body) = Packet::pair(None, f);
        // SAFETY: promised by the caller.
        let thread = unsafe { self.spawn_virtual(active, body) };
        Ok(JoinHandle::of_virtual(thread, packet))
    }

    /// The error of a system that cannot give the stack.
    fn can_have_stack(&self) -> io::Result<()> {
        match self.stack as u64 >= NO_STACK {
            true => Err(io::ErrorKind::WouldBlock.into()),
            false => Ok(()),
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the system cannot make a thread.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        if active().is_some() {
            self.can_have_stack()?;
        }
        let state = scope.state();
        let (packet, body) = Packet::pair(Some(Arc::clone(state)), f);
        state.one_begins();
        match active() {
            None => {
                // SAFETY: the scope does not end before the thread has dropped what it borrows.
                let handle = unsafe { self.real.spawn_unchecked(body)? };
                Ok(ScopedJoinHandle::real(handle, packet))
            }
            Some(active) => {
                // SAFETY: the scope joins the thread before it ends, or the whole execution is given up.
                let thread = unsafe { self.spawn_virtual(active, body) };
                state.add_virtual(&thread);
                Ok(ScopedJoinHandle::of_virtual(thread, packet))
            }
        }
    }

    /// # Safety
    /// Everything `body` borrows must live until the thread has ended or the execution is over.
    #[track_caller]
    unsafe fn spawn_virtual(self, active: Active, body: impl FnOnce()) -> Thread {
        let name = self.name.as_deref();
        assert!(
            !name.is_some_and(|name| name.contains('\0')),
            "thread name may not contain interior null bytes"
        );
        // SAFETY: promised by the caller.
        let thread = unsafe { active.spawn(name, body) };
        Thread::named_virtual(thread, name)
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.real, f)
    }
}
