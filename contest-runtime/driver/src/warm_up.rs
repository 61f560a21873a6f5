//! Before the snapshot: makes `std` create everything it creates at first use, so that no execution is the one that
//! creates it, and none of it is in the arena.

use std::collections::hash_map::RandomState;
use std::io::Write;
use std::panic;
use std::time::{Instant, SystemTime};

use contest_data::protocol::black_box::DeathKind;
use contest_engine::black_box;
use contest_engine::execution::active;
use contest_engine::memory::is_user_code;
use object::StringTable;

use super::{EXIT_BUG, process};

struct Dropped;

impl Drop for Dropped {
    fn drop(&mut self) {}
}

thread_local! {
    static WITH_DESTRUCTOR: Dropped = const { Dropped };
}

/// Calls each of them once. The panic hook must be installed.
pub(crate) fn warm_up() {
    let _ = std::thread::current().id();
    // Nothing of code under test is in the buffers yet; a stream that cannot be written to is /dev/null's business.
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().flush();
    // Not standard input: its buffer of 8 KiB would be put back after every execution.
    let _ = std::env::var_os("PATH");
    let _ = Instant::now();
    let _ = SystemTime::now();
    let _ = RandomState::new();
    find_out_about_the_processor();
    let _ = std::thread::available_parallelism();
    // Registers the destructors of this thread with the C library, once.
    WITH_DESTRUCTOR.with(|_| ());
    let _ = panic::catch_unwind(|| panic!("warm-up"));
}

/// `std` and `memchr`, by which debug information is read, keep in statics what the processor can do: the execution
/// in which that is found out would leave another state than those after it.
fn find_out_about_the_processor() {
    #[cfg(target_arch = "x86_64")]
    let _ = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(target_arch = "aarch64")]
    let _ = std::arch::is_aarch64_feature_detected!("neon");
    let text: &[u8] = b"name\0";
    let _ = StringTable::new(text, 0, text.len() as u64).get(0);
}

/// Core's own second panics, which end the process; the one before says why.
const CONSEQUENCES: [&str; 2] = [
    "panic in a destructor during cleanup",
    "panic in a function that cannot unwind",
];

/// Puts a hook in front of the present one that keeps each panic in the black box.
pub(crate) fn install_panic_hook() {
    let next = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let message = info.payload_as_str().unwrap_or("(a value that is no text)");
        if !CONSEQUENCES.contains(&message) {
            match info.location() {
                Some(location) => black_box::panic(format_args!("{message} at {location}")),
                None => black_box::panic(format_args!("{message}")),
            }
        }
        // Code of the engine that panics in an execution must not unwind through code under test, which would pass for
        // the one that panicked.
        if active().is_some() && !is_user_code() {
            end_with_own_panic();
        }
        next(info);
    }));
}

/// Ends the process: the last panic was one of the driver's own code.
pub(crate) fn end_with_own_panic() -> ! {
    if let Some(panic) = black_box::last_panic() {
        black_box::death_detail(format_args!("{panic}"));
    }
    black_box::death(DeathKind::OwnPanic, 0, false);
    process::end(EXIT_BUG)
}
