//! Threads that share what only one thread of the operating system may use.

use contest_std::thread::JoinHandle;

/// As [`thread::spawn`](contest_std::thread::spawn), but what the thread uses and returns need not be `Send`: the
/// threads of a model all run on one thread of the operating system. The compiler then does not see what could not be
/// sent in the program that is modelled.
///
/// # Panics
/// Outside an execution.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    contest_std::thread::spawn_local(f)
}
