//! What is said when the engine granted a lock and the real lock is not free.

/// Panics: the real lock is held by somebody that the engine does not know.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn held_elsewhere(what: &str) -> ! {
    panic!(
        "contest: the scheduler granted this {what} but the real one is held, by an OS thread outside the execution or by code that \
         was not instrumented; such a lock cannot be explored"
    )
}
