//! What an execution has left in memory: equal only where calls that come next find the same.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::Outcome;
use contest_engine::execution::{Engine, active};
use contest_engine::memory::{Isolation, set_user_code};
use contest_search::explore::Dfs;

use crate::scenarios::Process;

static SOMETHING: AtomicU32 = AtomicU32::new(0);

/// The state that `body` leaves behind with what it returns.
fn after<R>(process: &mut Process, body: impl FnOnce() -> R) -> Result<u64, &'static str> {
    process.isolation.begin();
    set_user_code(true);
    let left = body();
    set_user_code(false);
    let state = process.isolation.state(&[]);
    std::mem::forget(left);
    process.isolation.end();
    state
}

/// A number on the heap.
fn cell(number: usize) -> Box<AtomicUsize> {
    Box::new(AtomicUsize::new(number))
}

/// A number that is found through an address with a tag in its upper bits.
fn tagged(number: usize) -> Box<usize> {
    let hidden: &'static usize = Box::leak(Box::new(number));
    Box::new(std::ptr::from_ref(hidden).expose_provenance() | 7 << 48)
}

/// The state after so many calls on a new object, under the engine, each a visible operation with a text as its result.
fn after_calls(
    process: &mut Process,
    engine: &mut Engine,
    calls: u16,
) -> Result<u64, &'static str> {
    let mut dfs = Dfs::new(Some(0));
    dfs.begin();
    process.isolation.begin();
    engine.run(&mut dfs, || {
        let active = active().unwrap();
        let object = cell(7);
        for call in 0..calls {
            active.call_begin(call);
            active.fence(SeqCst);
            let text = format!("Ok({})", object.load(SeqCst));
            active.call_end(&Outcome::Returned(Some(text)));
        }
        std::mem::forget(object);
    });
    let state = process.isolation.state(&engine.stacks());
    process.isolation.end();
    state
}

/// The state after a pipe was made.
fn after_pipe(process: &mut Process, engine: &mut Engine) -> Result<u64, &'static str> {
    let mut dfs = Dfs::new(Some(0));
    dfs.begin();
    process.isolation.begin();
    engine.run(&mut dfs, || {
        let mut ends = [0; 2];
        // SAFETY: a place for two descriptors.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    });
    let state = process.isolation.state(&engine.stacks());
    process.isolation.end();
    state
}

pub(crate) fn states() -> ! {
    let mut process = Process::start();
    let mut engine = Engine::new(Limits {
        forget_unfinished: true,
        ..Limits::default()
    });
    let once = after_calls(&mut process, &mut engine, 1).unwrap();
    for calls in 2..40 {
        let more = after_calls(&mut process, &mut engine, calls);
        assert_eq!(more, Ok(once), "{calls} calls that change nothing");
    }
    let stale = |process: &mut Process, engine: &mut Engine| {
        let mut dfs = Dfs::new(Some(0));
        dfs.begin();
        process.isolation.begin();
        engine.run(&mut dfs, || {
            let local = 7_usize;
            let address = std::ptr::from_ref(std::hint::black_box(&local)).addr();
            std::mem::forget(Box::new(address));
        });
        let stacks = engine.stacks();
        let states = (
            process.isolation.state(&stacks),
            process.isolation.state(&[]),
        );
        process.isolation.end();
        states
    };
    let (on_a_stack, anywhere) = stale(&mut process, &mut engine);
    assert!(on_a_stack.is_ok(), "what points to a stack that is over");
    assert_eq!(stale(&mut process, &mut engine).0, on_a_stack);
    assert!(anywhere.unwrap_err().contains("not under control"));
    let piped = after_pipe(&mut process, &mut engine);
    assert!(piped.unwrap_err().contains("a descriptor was opened"));
    let mut of = |body: &dyn Fn() -> Box<dyn std::any::Any>| after(&mut process, body);
    let seven = of(&|| cell(7)).unwrap();
    assert_eq!(of(&|| cell(7)), Ok(seven), "the same calls");
    assert_ne!(of(&|| cell(8)), Ok(seven), "another value");
    let there_and_back = of(&|| {
        let cell = cell(3);
        cell.store(9, SeqCst);
        cell.store(7, SeqCst);
        // What is given back is not part of it.
        drop(vec![1_u8; 300]);
        cell
    });
    assert_eq!(there_and_back, Ok(seven), "other calls, the same state");
    let hidden = of(&|| tagged(1)).unwrap();
    assert_eq!(of(&|| tagged(1)), Ok(hidden));
    assert_ne!(of(&|| tagged(2)), Ok(hidden), "behind a tagged address");
    let elsewhere = of(&|| {
        // The compiler leaves out what is only written.
        std::hint::black_box(&SOMETHING).store(1, SeqCst);
        cell(7)
    });
    assert_ne!(elsewhere, Ok(seven), "a static");
    // SAFETY: a new block of the C library, which nothing else uses.
    let foreign = of(&|| Box::new(unsafe { libc::malloc(64) }.expose_provenance()));
    assert!(foreign.unwrap_err().contains("not under control"));
    let many = of(&|| Box::new((0..200_000).map(cell).collect::<Vec<_>>()));
    assert!(many.unwrap_err().contains("more blocks"));
    process.end()
}
