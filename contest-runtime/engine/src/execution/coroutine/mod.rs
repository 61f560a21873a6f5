//! Coroutines on stacks of their own: a [`Fiber`] for each virtual thread, and one without a stack for whoever resumes
//! the first.
//!
//! Where a switch of our own exists ([`direct`]), a fiber hands over to the next one straight away. Elsewhere
//! ([`linked`]) it goes through the engine, by the coroutine library, which only this directory names.

#![allow(
    unexpected_cfgs,
    reason = "`--cfg contest_linked`: the coroutine library also where there is a switch of our own, to try it"
)]

#[cfg(windows)]
mod committed;
#[cfg(all(target_arch = "x86_64", unix, not(contest_linked)))]
mod direct;
#[cfg(not(all(target_arch = "x86_64", unix, not(contest_linked))))]
mod linked;

#[cfg(all(target_arch = "x86_64", unix, not(contest_linked)))]
pub(super) use direct::Fiber;
#[cfg(not(all(target_arch = "x86_64", unix, not(contest_linked))))]
pub(super) use linked::Fiber;

use std::ops::Range;
use std::ptr;

use corosensei::stack::{DefaultStack, Stack};

/// A stack of at least `bytes` bytes with a guard page below it. Making one costs system calls and page faults, so
/// fibers keep theirs.
///
/// # Panics
/// If the system has no memory for another stack.
#[cold]
fn new_stack(bytes: usize) -> DefaultStack {
    DefaultStack::new(bytes).expect("the system refused memory for another virtual thread's stack")
}

/// So much of a stack, from its top, is kept when it is cleared: pages that are used again and again.
const KEPT_BYTES: usize = 16 << 10;

/// Makes all of a stack zero, and gives what is not often used back to the system.
///
/// # Safety
/// The range is that of a fiber's stack, and the fiber is done.
pub(super) unsafe fn clear(stack: Range<usize>) {
    let Range { start, end } = accessible(stack);
    let kept = (end.saturating_sub(KEPT_BYTES) / page() * page()).max(start);
    let zero = |range: Range<usize>| {
        let start: *mut u8 = ptr::with_exposed_provenance_mut(range.start);
        // SAFETY: the caller guarantees that the range is mapped and unused; no guard page is in it.
        unsafe { start.write_bytes(0, range.len()) };
    };
    zero(kept..end);
    let rest = start..kept;
    // SAFETY: the rest of the same stack, whose ends are those of pages.
    if !unsafe { give_back(&rest) } {
        zero(rest);
    }
}

/// Bytes of a page: 4 KiB, 16 KiB on some machines, 64 KiB on others.
#[cfg(unix)]
fn page() -> usize {
    // SAFETY: a question to the C library.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

#[cfg(not(unix))]
const fn page() -> usize {
    4 << 10
}

/// All but the guard page.
#[cfg(not(windows))]
fn accessible(stack: Range<usize>) -> Range<usize> {
    stack.start + page()..stack.end
}

#[cfg(windows)]
use committed::accessible;

/// Gives pages back to the system, if they read as zero afterwards: on Linux they do.
///
/// # Safety
/// The range is that of whole pages of private anonymous memory, whose contents nothing needs.
unsafe fn give_back(pages: &Range<usize>) -> bool {
    #[cfg(target_os = "linux")]
    {
        let start: *mut std::ffi::c_void = ptr::with_exposed_provenance_mut(pages.start);
        // SAFETY: the caller knows the range.
        unsafe { libc::madvise(start, pages.len(), libc::MADV_DONTNEED) == 0 }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pages;
        false
    }
}

/// Lowest address and the end; the lowest page is the guard.
fn range(stack: &DefaultStack) -> (usize, usize) {
    (stack.limit().get(), stack.base().get())
}

#[cfg(test)]
mod tests {
    use super::{Fiber, clear};
    use std::cell::Cell;
    use std::ptr;
    use std::rc::Rc;

    const BYTES: usize = 64 << 10;

    /// Fibers do not move: they know where they are.
    fn fibers<const N: usize>() -> [*mut Fiber; N] {
        [(); N].map(|()| Box::into_raw(Box::new(Fiber::empty())))
    }

    fn drop_all<const N: usize>(fibers: [*mut Fiber; N]) {
        for fiber in fibers {
            // SAFETY: from `fibers`, and no longer in use.
            drop(unsafe { Box::from_raw(fiber) });
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "switches stacks in assembly")]
    fn a_fiber_runs_to_its_suspension_and_then_to_its_end() {
        let [root, fiber] = fibers();
        let log = Cell::new(0);
        // SAFETY: the log outlives the fiber; suspensions are on the fiber that they name.
        unsafe {
            Fiber::start(fiber, BYTES, || {
                log.set(log.get() * 10 + 1);
                Fiber::suspend(fiber, root);
                log.set(log.get() * 10 + 2);
                root
            });
            assert!(!(*fiber).started() && !(*fiber).done());
            Fiber::resume(fiber, root);
            assert!((*fiber).started() && !(*fiber).done() && log.get() == 1);
            Fiber::resume(fiber, root);
            assert!((*fiber).done() && log.get() == 12);
        }
        drop_all([root, fiber]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "switches stacks in assembly")]
    fn a_stack_is_used_again_by_the_next_body() {
        let [root, fiber] = fibers();
        let place = Cell::new(0);
        let mut places = Vec::new();
        for _ in 0..3 {
            // SAFETY: `place` outlives the fiber, whose body has returned before the next one is started.
            unsafe {
                Fiber::start(fiber, BYTES, || {
                    let here = [0_u64; 4];
                    place.set((&raw const here).addr());
                    root
                });
                Fiber::resume(fiber, root);
                let (limit, end) = (*fiber).stack_range();
                assert!((limit..end).contains(&place.get()));
                places.push((limit, end));
            }
        }
        assert_eq!(places[0], places[1]);
        assert_eq!(places[1], places[2]);
        drop_all([root, fiber]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "switches stacks in assembly")]
    fn nothing_is_left_on_a_stack_that_was_cleared() {
        let [root, fiber] = fibers();
        // Deeper than what is kept.
        const WORDS: usize = 4 << 10;
        let place = Cell::new(0);
        // SAFETY: `place` outlives the fiber, whose body has returned before its stack is looked at; nothing else
        // writes there.
        unsafe {
            Fiber::start(fiber, BYTES, || {
                let words = [0x5A5A_5A5A_5A5A_5A5A_u64; WORDS];
                // Something may read them, so they are there.
                place.set(ptr::from_ref(std::hint::black_box(&words)).addr());
                root
            });
            Fiber::resume(fiber, root);
            let (limit, end) = (*fiber).stack_range();
            let left = |index: usize| {
                let word: *const u64 = ptr::with_exposed_provenance(place.get());
                word.add(index).read_volatile()
            };
            assert!((limit..end).contains(&place.get()));
            assert_eq!(left(WORDS / 2), 0x5A5A_5A5A_5A5A_5A5A);
            clear(limit..end);
            assert!((0..WORDS).all(|index| left(index) == 0));
        }
        drop_all([root, fiber]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "switches stacks in assembly")]
    fn a_body_that_never_runs_is_dropped_once_and_one_that_is_given_up_never() {
        let [root, waiting, never] = fibers();
        let witness = Rc::new(());
        let theirs = Rc::clone(&witness);
        let kept = Rc::clone(&witness);
        // SAFETY: the bodies own what they use. `waiting` is suspended on itself and then given up, which leaks what it
        // owns; `never` is cancelled before it runs.
        unsafe {
            Fiber::start(never, BYTES, move || {
                drop(theirs);
                root
            });
            Fiber::start(waiting, BYTES, move || {
                Fiber::suspend(waiting, root);
                drop(kept);
                root
            });
            Fiber::resume(waiting, root);
            (*never).cancel();
            assert!((*never).done());
            assert_eq!(Rc::strong_count(&witness), 2);
            (*waiting).give_up();
            assert!((*waiting).done());
        }
        drop_all([root, waiting, never]);
        assert_eq!(Rc::strong_count(&witness), 2);
    }

    #[test]
    #[cfg_attr(miri, ignore = "switches stacks in assembly")]
    fn a_large_and_strictly_aligned_body_comes_whole() {
        #[repr(align(128))]
        struct Aligned([u64; 100]);
        let [root, fiber] = fibers();
        let value = Aligned(std::array::from_fn(|index| index as u64));
        let sum = Cell::new(0);
        // SAFETY: `sum` outlives the fiber, whose body returns in this block.
        unsafe {
            Fiber::start(fiber, BYTES, || {
                let value = value;
                assert_eq!((&raw const value).addr() % 128, 0);
                sum.set(value.0.iter().sum());
                root
            });
            Fiber::resume(fiber, root);
        }
        assert_eq!(sum.get(), 4950);
        drop_all([root, fiber]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "switches stacks in assembly")]
    fn a_panic_is_caught_on_the_stack_of_its_fiber_and_a_backtrace_ends_there() {
        let [root, fiber] = fibers();
        let lines = Cell::new(0);
        // SAFETY: `lines` outlives the fiber, whose body catches its panic and returns in this block.
        unsafe {
            Fiber::start(fiber, 1 << 20, || {
                let trace = std::backtrace::Backtrace::force_capture().to_string();
                lines.set(trace.lines().count());
                let caught = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(7)));
                assert_eq!(*caught.unwrap_err().downcast::<i32>().unwrap(), 7);
                root
            });
            Fiber::resume(fiber, root);
        }
        assert!(lines.get() > 0);
        drop_all([root, fiber]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "switches stacks in assembly")]
    fn whoever_hands_over_goes_on_where_it_was_with_its_registers_as_they_were() {
        // Sums that the compiler keeps in registers, in two fibers that take turns.
        let [root, one, two] = fibers();
        let results = [Cell::new((0, 0.0)), Cell::new((0, 0.0))];
        let turn = Cell::new(one);
        let body = |me: *mut Fiber, other: *mut Fiber, start: u64, result: &Cell<(u64, f64)>| {
            let (mut sum, mut product) = (start, 1.0);
            for number in 0..1000 {
                sum = sum.wrapping_mul(31).wrapping_add(number);
                product += number as f64 / start as f64;
                turn.set(other);
                // SAFETY: on the fiber `me`; the other one is not done before this one is.
                unsafe { Fiber::hand_over(me, other, root) };
            }
            result.set((sum, product));
        };
        let expected = |start: u64| {
            let (mut sum, mut product) = (start, 1.0);
            for number in 0..1000 {
                sum = sum.wrapping_mul(31).wrapping_add(number);
                product += number as f64 / start as f64;
            }
            (sum, product)
        };
        // SAFETY: what the bodies borrow outlives the fibers, which hand over only to each other, and neither is done
        // before the other hands over for the last time.
        unsafe {
            Fiber::start(one, BYTES, || {
                body(one, two, 3, &results[0]);
                turn.set(two);
                two
            });
            Fiber::start(two, BYTES, || {
                body(two, one, 5, &results[1]);
                root
            });
            // As the engine does it: where a switch goes through the root, the root resumes the next fiber.
            while !(*two).done() {
                Fiber::resume(turn.get(), root);
            }
        }
        assert_eq!(results[0].get(), expected(3));
        assert_eq!(results[1].get(), expected(5));
        drop_all([root, one, two]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "switches stacks in assembly")]
    fn a_fiber_may_hand_over_to_itself() {
        let [root, fiber] = fibers();
        let count = Cell::new(0);
        // SAFETY: `count` outlives the fiber, which hands over to itself while it runs.
        unsafe {
            Fiber::start(fiber, BYTES, || {
                for _ in 0..10 {
                    Fiber::hand_over(fiber, fiber, root);
                    count.set(count.get() + 1);
                }
                root
            });
            while !(*fiber).done() {
                Fiber::resume(fiber, root);
            }
        }
        assert_eq!(count.get(), 10);
        drop_all([root, fiber]);
    }
}
