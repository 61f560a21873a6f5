//! Another OS thread to run executions on, while the caller waits.

use std::panic::resume_unwind;

/// Carries what is not `Send` to another thread and back.
struct Carried<T>(T);

// SAFETY: used in `on_another` only: the thread that made the value waits until the other has ended, so there is never
// more than one that uses it, and what one did comes before what the next does.
unsafe impl<T> Send for Carried<T> {}

/// Runs `f` on a new OS thread with the name of this one, waits for it, and returns what it returned; panics as it
/// panicked. On this thread, if the system has no other.
///
/// The panic count and the panic hook's state belong to an OS thread and cannot be put right once a virtual thread was
/// given up in the middle of unwinding; the thread that called the model is spared that.
pub fn on_another<R>(f: impl FnOnce() -> R) -> R {
    let mut f = Some(f);
    let mut result = None;
    let carried = Carried((&mut f, &mut result));
    let run = move || {
        let Carried((f, result)) = { carried };
        #[cfg(target_os = "linux")]
        let _handler_stack = super::signals::HandlerStack::install();
        if let Some(f) = f.take() {
            *result = Some(f());
        }
    };
    let name = std::thread::current().name().map(ToOwned::to_owned);
    let joined = std::thread::scope(|scope| {
        let mut builder = std::thread::Builder::new();
        if let Some(name) = name {
            builder = builder.name(name);
        }
        builder.spawn_scoped(scope, run).map(|thread| thread.join())
    });
    if let Ok(Err(payload)) = joined {
        resume_unwind(payload);
    }
    match (result, f) {
        (Some(result), _) => result,
        (None, Some(f)) => f(),
        (None, None) => unreachable!("the other thread has returned or panicked"),
    }
}
