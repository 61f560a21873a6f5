//! loom `tests/unsafe_cell.rs`.

use std::sync::Arc;

use contest::FindingKind;
use contest::cell::{Cell, UnsafeCell};
use contest::sync::atomic::{AtomicBool, Ordering};
use contest::thread;

use crate::runs::{Shared, fails, increment, join_all, passes, read};

type Data = UnsafeCell<u32>;

fn write(data: &Data) {
    increment(data);
}

fn look(data: &Data) {
    read(data);
}

fn look_then_write(data: &Data) {
    read(data);
    increment(data);
}

/// One thread does `theirs`, main does `mine`; then main joins and writes.
fn beside_main(mine: fn(&Data), theirs: fn(&Data)) {
    let data = Shared::new(Data::new(0));
    let shared = Arc::clone(&data);
    let thread = thread::spawn(move || theirs(shared.get()));
    mine(data.get());
    thread.join().unwrap();
    increment(data.get());
}

/// Two threads do one thing each; main joins both and writes.
fn beside_each_other(one: fn(&Data), other: fn(&Data)) {
    let data = Shared::new(Data::new(0));
    let threads = [one, other].map(|access| {
        let data = Arc::clone(&data);
        thread::spawn(move || access(data.get()))
    });
    join_all(threads);
    increment(data.get());
}

#[test]
fn accesses_of_main_and_a_thread_race_if_one_writes() {
    for (mine, theirs) in
        [(write, write), (look, write), (write, look)] as [(fn(&Data), fn(&Data)); 3]
    {
        assert_eq!(fails(|| beside_main(mine, theirs)).0, FindingKind::DataRace);
    }
    passes(|| beside_main(look, look));
}

#[test]
fn accesses_of_two_threads_race_if_one_writes() {
    for (one, other) in [
        (write, write),
        (write, look),
        (look, write),
        (look, look_then_write),
    ] as [(fn(&Data), fn(&Data)); 4]
    {
        assert_eq!(
            fails(|| beside_each_other(one, other)).0,
            FindingKind::DataRace
        );
    }
    passes(|| beside_each_other(look, look));
}

#[test]
fn accesses_ordered_by_spawn_and_join_do_not_race() {
    passes(|| {
        let data = Shared::new(Data::new(0));
        assert_eq!(read(data.get()), 0);
        increment(data.get());
        let shared = Arc::clone(&data);
        thread::spawn(move || look_then_write(shared.get()))
            .join()
            .unwrap();
        assert_eq!(read(data.get()), 2);
        increment(data.get());
    });
}

#[test]
fn reads_in_nested_threads_do_not_race() {
    passes(|| {
        let data = Shared::new(Data::new(0));
        let outer = Arc::clone(&data);
        let thread = thread::spawn(move || {
            look(outer.get());
            let inner = Arc::clone(&outer);
            let thread = thread::spawn(move || look(inner.get()));
            look(outer.get());
            thread.join().unwrap();
        });
        look(data.get());
        thread.join().unwrap();
        increment(data.get());
    });
}

/// A flag is set around the write of a cell; whoever sees it accesses the cell.
fn flagged(before: bool) {
    let shared = Shared::new((Data::new(0), AtomicBool::new(false)));
    let theirs = Arc::clone(&shared);
    thread::spawn(move || {
        let (data, flag) = theirs.get();
        if before {
            flag.store(true, Ordering::Release);
        }
        increment(data);
        flag.store(true, Ordering::Release);
    });
    let (data, flag) = shared.get();
    if flag.load(Ordering::Acquire) {
        increment(data);
    }
}

#[test]
fn a_flag_set_after_the_write_orders_it() {
    passes(|| flagged(false));
}

#[test]
fn a_flag_set_before_the_write_does_not() {
    assert_eq!(fails(|| flagged(true)).0, FindingKind::DataRace);
}

#[test]
fn a_pointer_keeps_the_access_open() {
    let (kind, message) = fails(|| {
        let data = Shared::new(Data::new(0));
        let theirs = Arc::clone(&data);
        let pointer = data.get().get();
        // Ordered after the beginning of the access, and before its end.
        thread::spawn(move || increment(theirs.get()))
            .join()
            .unwrap();
        drop(pointer);
    });
    assert_eq!(kind, FindingKind::Panic, "{message}");
}

#[test]
fn a_cell_within_a_cell_is_accessed_on_its_own() {
    passes(|| {
        let data = Shared::new(UnsafeCell::new((Data::new(0), AtomicBool::new(false))));
        let both = |write: bool| {
            move |data: &UnsafeCell<(Data, AtomicBool)>| {
                data.with(|inner| {
                    // SAFETY: only shared references are made.
                    let (data, flag) = unsafe { &*inner };
                    if write {
                        increment(data);
                        flag.store(true, Ordering::Release);
                    } else if flag.load(Ordering::Acquire) {
                        increment(data);
                    }
                });
            }
        };
        let theirs = Arc::clone(&data);
        thread::spawn(move || both(true)(theirs.get()));
        both(false)(data.get());
    });
}

#[test]
fn cells_with_values_race_too() {
    let (kind, _) = fails(|| {
        let cell = Shared::new(Cell::new(0));
        let theirs = Arc::clone(&cell);
        let thread = thread::spawn(move || theirs.get().set(1));
        let _ = cell.get().get();
        thread.join().unwrap();
    });
    assert_eq!(kind, FindingKind::DataRace);
}
