//! What the threads of a model did, in the order in which loom ran them: loom itself reports only how it ended.
//!
//! The types of this backend write here, while a search that failed is run once more. Not written: what
//! [`Notify`](loom::sync::Notify), handles of threads and loom's `Arc` do.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::Location;

use contest_data::finding::InterleavingStep;

/// Most rows that are kept of an execution.
const MOST: usize = 2_000;

thread_local! {
    /// The present execution of the model on this OS thread; `None` unless it is written down.
    static LOG: RefCell<Option<Log>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct Log {
    rows: Vec<InterleavingStep>,
    /// Numbers of loom's threads.
    threads: BTreeMap<String, u16>,
    /// Threads that were created, the main thread aside.
    created: u16,
    /// Objects by address: type, and number among those of its type.
    objects: BTreeMap<usize, (&'static str, usize)>,
    /// The last value written to an atomic, in this order.
    last: BTreeMap<usize, String>,
    /// The call that each thread is in.
    calls: BTreeMap<u16, u16>,
    dropped: u64,
}

/// Begins to write executions down.
pub(crate) fn start() {
    LOG.set(Some(Log::default()));
}

/// An execution begins, in its main thread.
pub(crate) fn begin() {
    LOG.with_borrow_mut(|log| {
        if let Some(log) = log {
            *log = Log::default();
            present(log);
        }
    });
}

/// The last execution, and how many rows were too many.
pub(crate) fn take() -> (Vec<InterleavingStep>, u64) {
    let log = LOG.take().unwrap_or_default();
    (log.rows, log.dropped)
}

/// Number of the present thread: 0 is the main thread, the others have theirs from [`spawned`], or the next if they
/// were created behind its back.
fn present(log: &mut Log) -> u16 {
    let id = format!("{:?}", loom::thread::current().id());
    let first = log.threads.is_empty();
    *log.threads.entry(id).or_insert_with(|| {
        log.created += u16::from(!first);
        log.created
    })
}

/// Writes a row.
fn write(log: &mut Log, event: String, location: String) {
    if log.rows.len() >= MOST {
        log.dropped += 1;
        return;
    }
    let thread = present(log);
    let call = log.calls.get(&thread).copied();
    log.rows.push(InterleavingStep {
        thread,
        call,
        event,
        location,
        ..InterleavingStep::default()
    });
}

/// True while executions are written down and loom is not unwinding one.
pub(crate) fn is_on() -> bool {
    !std::thread::panicking() && LOG.with_borrow(Option::is_some)
}

/// A thread is created: its number.
pub(crate) fn spawned() -> u16 {
    LOG.with_borrow_mut(|log| {
        log.as_mut().map_or(0, |log| {
            log.created += 1;
            log.created
        })
    })
}

/// The present thread is the one with this number.
pub(crate) fn thread(number: u16) {
    if is_on() {
        let id = format!("{:?}", loom::thread::current().id());
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                log.threads.insert(id, number);
            }
        });
    }
}

/// A call of a generated test begins.
pub(crate) fn call(number: u16, text: &str) {
    if is_on() {
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                let thread = present(log);
                log.calls.insert(thread, number);
                write(log, text.to_owned(), String::new());
            }
        });
    }
}

/// It ended, and returned this.
pub(crate) fn returned(text: Option<&str>) {
    if is_on() {
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                let thread = present(log);
                let call = log.calls.remove(&thread);
                let mut rows = log.rows.iter_mut().rev();
                if let Some(row) = rows.find(|it| it.thread == thread && it.call == call) {
                    row.result =
                        Some(text.map_or_else(
                            || "returned".to_owned(),
                            |text| format!("returned {text}"),
                        ));
                }
            }
        });
    }
}

/// `what` happened to the object at this address.
#[track_caller]
pub(crate) fn object(kind: &'static str, address: usize, what: &str) {
    object_at(kind, address, what, Location::caller());
}

/// As `object`, done there.
pub(crate) fn object_at(
    kind: &'static str,
    address: usize,
    what: &str,
    location: &'static Location<'static>,
) {
    if is_on() {
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                let name = name(log, kind, address);
                write(log, format!("{name}{what}"), location.to_string());
            }
        });
    }
}

/// Something happened to no object.
#[track_caller]
pub(crate) fn event(what: String) {
    let location = Location::caller();
    if is_on() {
        LOG.with_borrow_mut(|log| {
            if let Some(log) = log {
                write(log, what, location.to_string());
            }
        });
    }
}

/// An operation on an atomic: what it read and wrote. A value that is not the last one written, in this order, is said
/// to be old.
#[track_caller]
pub(crate) fn atomic(
    kind: &'static str,
    address: usize,
    what: &str,
    read: Option<String>,
    wrote: Option<String>,
) {
    let location = Location::caller();
    if is_on() {
        LOG.with_borrow_mut(|log| {
            let Some(log) = log else {
                return;
            };
            let mut text = format!("{}{what}", name(log, kind, address));
            if let Some(read) = read {
                text.push_str(&format!(" -> {read}"));
                if let Some(last) = log.last.get(&address).filter(|last| **last != read) {
                    text.push_str(&format!(", not yet {last}"));
                }
            }
            if let Some(wrote) = wrote {
                log.last.insert(address, wrote);
            }
            write(log, text, location.to_string());
        });
    }
}

fn name(log: &mut Log, kind: &'static str, address: usize) -> String {
    let next = 1 + log.objects.values().filter(|(it, _)| *it == kind).count();
    let (kind, number) = log.objects.entry(address).or_insert((kind, next));
    format!("{kind}#{number}")
}
