//! The classic shapes of synchronisation, each as a trace: two threads, created by the main thread, and one plain
//! location.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::{Detector, Step};
use contest_data::trace::{AccessKind, Action, LockMode, ThreadIndex, Update};

const DATA: usize = 0x1000;
const FLAG: u32 = 1;
const OTHER: u32 = 2;

fn act(thread: u16, action: Action, object: u32) -> Step {
    Step::operation(thread, action, object)
}

fn write(thread: u16) -> Step {
    Step::access(thread, AccessKind::Write, DATA, 8)
}

fn read(thread: u16) -> Step {
    Step::access(thread, AccessKind::Read, DATA, 8)
}

fn store(thread: u16, order: Ordering) -> Step {
    act(thread, Action::Store(order), FLAG)
}

fn load(thread: u16, order: Ordering) -> Step {
    act(thread, Action::Load(order), FLAG)
}

fn rmw(thread: u16, order: Ordering) -> Step {
    act(thread, Action::Rmw(order, Update::Combine), FLAG)
}

fn fence(thread: u16, order: Ordering) -> Step {
    act(thread, Action::Fence(order), u32::MAX)
}

/// True if the steps, after three threads have been created, contain a race.
fn races(steps: &[Step]) -> bool {
    let mut trace: Vec<Step> = (1..4)
        .map(|new| act(0, Action::Spawn(ThreadIndex(new)), 0))
        .collect();
    trace.extend_from_slice(steps);
    !Detector::default().races(&trace).is_empty()
}

#[test]
fn publication_needs_release_and_acquire() {
    assert!(!races(&[
        write(1),
        store(1, Release),
        load(2, Acquire),
        read(2)
    ]));
    assert!(races(&[
        write(1),
        store(1, Relaxed),
        load(2, Acquire),
        read(2)
    ]));
    assert!(races(&[
        write(1),
        store(1, Release),
        load(2, Relaxed),
        read(2)
    ]));
    assert!(!races(&[
        write(1),
        store(1, SeqCst),
        load(2, SeqCst),
        read(2)
    ]));
}

#[test]
fn what_comes_after_the_release_is_not_published() {
    assert!(races(&[
        store(1, Release),
        write(1),
        load(2, Acquire),
        read(2)
    ]));
}

#[test]
fn a_release_sequence_goes_on_through_read_modify_writes_of_others() {
    assert!(!races(&[
        write(1),
        store(1, Release),
        rmw(3, Relaxed),
        rmw(2, Acquire),
        read(2)
    ]));
}

#[test]
fn a_relaxed_store_of_the_same_thread_breaks_a_release_sequence() {
    // C++17 had it otherwise; C++20 and Rust do not.
    assert!(races(&[
        write(1),
        store(1, Release),
        store(1, Relaxed),
        load(2, Acquire),
        read(2)
    ]));
}

#[test]
fn two_fences_order_what_relaxed_operations_carry() {
    assert!(!races(&[
        write(1),
        fence(1, Release),
        store(1, Relaxed),
        load(2, Relaxed),
        fence(2, Acquire),
        read(2)
    ]));
    assert!(races(&[
        write(1),
        store(1, Relaxed),
        fence(1, Release),
        load(2, Relaxed),
        fence(2, Acquire),
        read(2)
    ]));
    assert!(races(&[
        write(1),
        fence(1, Release),
        store(1, Relaxed),
        fence(2, Acquire),
        load(2, Relaxed),
        read(2)
    ]));
}

#[test]
fn sequentially_consistent_fences_alone_order_nothing() {
    assert!(races(&[
        write(1),
        fence(1, SeqCst),
        fence(2, SeqCst),
        read(2)
    ]));
}

#[test]
fn a_failed_compare_exchange_acquires_by_its_failure_ordering() {
    let fails = |order| act(2, Action::CasFail(order), FLAG);
    assert!(!races(&[
        write(1),
        store(1, Release),
        fails(Acquire),
        read(2)
    ]));
    assert!(races(&[
        write(1),
        store(1, Release),
        fails(Relaxed),
        read(2)
    ]));
}

#[test]
fn a_lock_orders_its_sections() {
    let lock = |thread| act(thread, Action::Acquire(LockMode::Exclusive), FLAG);
    let unlock = |thread| act(thread, Action::Release(LockMode::Exclusive, None), FLAG);
    assert!(!races(&[
        lock(1),
        write(1),
        unlock(1),
        lock(2),
        write(2),
        unlock(2)
    ]));
    assert!(races(&[lock(1), unlock(1), write(1), lock(2), write(2)]));
    let failed = act(2, Action::TryAcquire(LockMode::Exclusive, false), FLAG);
    assert!(races(&[lock(1), write(1), failed, write(2)]));
}

#[test]
fn a_reader_beside_an_upgradable_one_comes_before_the_next_writer() {
    let lock = |thread, mode| act(thread, Action::Acquire(mode), OTHER);
    let unlock = |thread, mode| act(thread, Action::Release(mode, None), OTHER);
    use LockMode::{Exclusive, Read, Upgradable};
    assert!(!races(&[
        lock(1, Upgradable),
        lock(2, Read),
        read(2),
        unlock(2, Read),
        unlock(1, Upgradable),
        lock(3, Exclusive),
        write(3),
    ]));
}

#[test]
fn readers_of_a_lock_are_not_ordered_among_each_other() {
    let lock = |thread| act(thread, Action::Acquire(LockMode::Read), FLAG);
    let unlock = |thread| act(thread, Action::Release(LockMode::Read, None), FLAG);
    let sections = [lock(1), write(1), unlock(1), lock(2), write(2), unlock(2)];
    assert!(races(&sections));
    // A writer comes after all of them.
    let take = act(3, Action::Acquire(LockMode::Exclusive), FLAG);
    assert!(!races(&[
        lock(1),
        lock(2),
        read(1),
        read(2),
        unlock(1),
        unlock(2),
        take,
        write(3)
    ]));
}

#[test]
fn a_notification_orders_nothing_but_the_mutex_around_the_wait_does() {
    let lock = |thread| act(thread, Action::Acquire(LockMode::Exclusive), FLAG);
    let unlock = |thread| act(thread, Action::Release(LockMode::Exclusive, None), FLAG);
    let with_mutex = |action| Step {
        second: Some(FLAG),
        ..act(2, action, OTHER)
    };
    let notify = act(1, Action::Notify(false), OTHER);
    let (wait, wake) = (with_mutex(Action::Wait), with_mutex(Action::Wake(false)));
    assert!(!races(&[
        lock(2),
        wait.clone(),
        lock(1),
        write(1),
        unlock(1),
        notify.clone(),
        wake.clone(),
        read(2)
    ]));
    // Written after the section, before the notification.
    assert!(races(&[
        lock(2),
        wait,
        lock(1),
        unlock(1),
        write(1),
        notify,
        wake,
        read(2)
    ]));
}

#[test]
fn unpark_orders_what_park_returns_to_unless_its_time_was_up() {
    let unpark = act(1, Action::Unpark, FLAG);
    assert!(!races(&[
        write(1),
        unpark.clone(),
        act(2, Action::Park(false), FLAG),
        read(2)
    ]));
    assert!(races(&[
        write(1),
        unpark.clone(),
        act(2, Action::Park(true), FLAG),
        read(2)
    ]));
    // The token of the first unpark is gone.
    assert!(races(&[
        unpark,
        act(2, Action::Park(false), FLAG),
        write(1),
        act(3, Action::Unpark, FLAG),
        act(2, Action::Park(false), FLAG),
        read(2)
    ]));
}

#[test]
fn a_thread_begins_after_its_creation_and_ends_before_its_join() {
    let spawn = act(1, Action::Spawn(ThreadIndex(4)), 0);
    assert!(!races(&[write(1), spawn.clone(), read(4)]));
    assert!(races(&[spawn.clone(), write(1), read(4)]));
    let join = act(1, Action::Join(ThreadIndex(4)), OTHER);
    assert!(!races(&[spawn.clone(), write(4), join, read(1)]));
    // `is_finished` is a relaxed read.
    let peek = act(1, Action::OncePeek(true), OTHER);
    assert!(races(&[
        spawn,
        write(4),
        act(4, Action::End, OTHER),
        peek,
        read(1)
    ]));
}

#[test]
fn whoever_sees_a_once_complete_sees_what_it_did() {
    let begin = |thread, runs| act(thread, Action::OnceBegin(runs), FLAG);
    let end = |done| act(1, Action::OnceEnd(done), FLAG);
    let peek = act(2, Action::OncePeek(true), FLAG);
    assert!(!races(&[
        begin(1, true),
        write(1),
        end(true),
        peek,
        read(2)
    ]));
    let enters = begin(2, false);
    assert!(!races(&[
        begin(1, true),
        write(1),
        end(true),
        enters,
        read(2)
    ]));
    // An initialiser that failed hands on what it did.
    let runs = begin(2, true);
    assert!(!races(&[
        begin(1, true),
        write(1),
        end(false),
        runs,
        read(2)
    ]));
}

#[test]
fn a_barrier_orders_all_that_came_before_all_that_goes_on() {
    let arrive = |thread, last| Step {
        round_is_complete: last,
        ..act(thread, Action::BarrierArrive, FLAG)
    };
    assert!(!races(&[
        write(1),
        arrive(1, false),
        arrive(2, true),
        read(2)
    ]));
    assert!(!races(&[
        arrive(1, false),
        write(2),
        arrive(2, true),
        read(1)
    ]));
    assert!(races(&[
        arrive(1, false),
        arrive(2, true),
        write(1),
        read(2)
    ]));
    // The next round is another one.
    assert!(races(&[
        arrive(1, false),
        arrive(2, true),
        write(3),
        arrive(3, false),
        read(1)
    ]));
}

#[test]
fn threads_beyond_the_first_four_are_distinguished() {
    let mut steps: Vec<Step> = (4..70)
        .map(|new| act(0, Action::Spawn(ThreadIndex(new)), 0))
        .collect();
    steps.push(write(1));
    steps.push(store(1, Release));
    steps.push(load(69, Acquire));
    steps.push(read(69));
    assert!(!races(&steps));
    steps.push(write(68));
    assert!(races(&steps));
}

#[test]
fn an_atomic_access_races_with_a_plain_one_but_not_with_another() {
    let atomic = |thread, action| Step {
        access: Some((AccessKind::AtomicWrite, DATA, 8)),
        ..act(thread, action, FLAG)
    };
    let store = |thread| atomic(thread, Action::Store(Relaxed));
    assert!(!races(&[store(1), store(2)]));
    assert!(races(&[store(1), read(2)]));
    assert!(races(&[write(1), store(2)]));
    // The exchange that reads a released value comes after what was before the release.
    assert!(!races(&[
        write(1),
        atomic(1, Action::Store(Release)),
        atomic(2, Action::Rmw(AcqRel, Update::Combine)),
        write(2)
    ]));
}

#[test]
fn bytes_that_do_not_overlap_do_not_race() {
    let at = |thread, offset, size| Step::access(thread, AccessKind::Write, DATA + offset, size);
    assert!(!races(&[at(1, 0, 4), at(2, 4, 4)]));
    assert!(races(&[at(1, 0, 5), at(2, 4, 4)]));
    assert!(races(&[at(1, 6, 16), at(2, 20, 1)]));
    assert!(!races(&[at(1, 6, 16), at(2, 22, 1)]));
}

#[test]
fn freed_memory_is_written_to_and_then_forgotten() {
    let free = |thread| Step::access(thread, AccessKind::Free, DATA, 64);
    assert!(races(&[read(1), free(2)]));
    assert!(!races(&[write(1), free(1), write(2)]));
}
