//! What a thread waits for at the end of an execution, and how reports say it.

use std::fmt;
use std::panic::Location;

use super::event::ThreadIndex;

/// An object as reports name it: by the field that it is, else `Mutex#1`, the first mutex of the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectName {
    /// Name of its type.
    pub what: &'static str,
    /// Its number among those of the type, by first use, counting from 1.
    pub number: usize,
    /// The name of its field, `Registry.last`, if it was looked up and is known.
    pub field: Option<&'static str>,
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => f.write_str(field),
            None => write!(f, "{}#{}", self.what, self.number),
        }
    }
}

/// A lock that is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HeldLock {
    /// Which lock.
    pub name: ObjectName,
    /// The threads that hold it.
    pub by: Vec<ThreadIndex>,
    /// Where it was acquired, if known.
    pub since: Option<&'static Location<'static>>,
}

/// What a wait is for whose object says nothing to the reader: a wake-up, a token, a futex.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Awaited {
    /// Fields of the package that the thread used last in the line that waits.
    pub fields: Vec<&'static str>,
    /// The other thread that changed an atomic in one of them last, and where.
    pub changed: Option<(ThreadIndex, &'static str)>,
}

impl Awaited {
    /// ` of Registry.last (last changed by thread 2 at src/lib.rs:9:61)`, after `word`.
    fn text(&self, word: &str, title: &dyn Fn(ThreadIndex) -> String, in_full: bool) -> String {
        let changed = match self.changed {
            Some((by, at)) if in_full => format!(" (last changed by {} at {at})", title(by)),
            _ => String::new(),
        };
        format!(" {word} {}{changed}", self.fields.join(" or "))
    }
}

/// What keeps a thread from running.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WaitsFor {
    /// It goes round a loop that reads these objects.
    Change(Vec<ObjectName>),
    /// Nothing: it can run.
    Nothing,
    /// A lock.
    Lock(HeldLock),
    /// A lock that readers hold, behind writers that wait for it.
    LockBehind {
        /// The lock.
        lock: HeldLock,
        /// The threads that wait to write.
        writers: Vec<ThreadIndex>,
    },
    /// The readers of the lock that it holds upgradably.
    Upgrade(HeldLock),
    /// The mutex of the condition variable on which it was notified.
    LockAgain(HeldLock),
    /// A notification of a condition variable.
    Notification(ObjectName),
    /// The initialiser of an object that another thread runs.
    Initialiser {
        /// The object.
        of: ObjectName,
        /// The thread that runs it.
        by: Option<ThreadIndex>,
    },
    /// Room in a channel.
    Room(ObjectName),
    /// A receiver that consumes its message from a rendezvous channel.
    Receiver(ObjectName),
    /// A message from a channel.
    Message(ObjectName),
    /// The other threads at a barrier.
    Barrier {
        /// The barrier.
        of: ObjectName,
        /// Number of threads that have arrived.
        arrived: usize,
    },
    /// Its own token: it is parked.
    Unpark,
    /// A wake-up of the future that it runs; `ready` if a poll of it showed that it is ready.
    Wake {
        /// A poll without a wake-up would have made it go on.
        ready: bool,
        /// Some thread waits for its time: what it does then may wake the future.
        timers: bool,
    },
    /// Nothing: it keeps the future that it runs, and does not poll it.
    Kept,
    /// A signal of the engine's own, such as a `Notify`.
    Signal(ObjectName),
    /// The end of a thread.
    End(ThreadIndex),
    /// A wake-up by the kernel, of a futex.
    Futex(ObjectName),
    /// The other threads of the test: it has returned from its calls.
    Lanes,
    /// Its time.
    Time,
}

impl WaitsFor {
    /// The threads that keep it waiting, by what they hold or run.
    #[must_use]
    pub fn held_by(&self) -> &[ThreadIndex] {
        match self {
            Self::LockBehind { writers, .. } => writers,
            Self::Lock(lock) | Self::Upgrade(lock) | Self::LockAgain(lock) => &lock.by,
            Self::Initialiser { by, .. } => by.as_slice(),
            Self::End(thread) => std::slice::from_ref(thread),
            _ => &[],
        }
    }

    /// The lock that it waits for, if it waits for one.
    #[must_use]
    pub fn lock(&self) -> Option<&HeldLock> {
        match self {
            Self::Lock(lock)
            | Self::LockBehind { lock, .. }
            | Self::Upgrade(lock)
            | Self::LockAgain(lock) => Some(lock),
            _ => None,
        }
    }

    /// The names of the objects that it waits for.
    #[cfg(feature = "explore")]
    pub fn names_mut(&mut self) -> Vec<&mut ObjectName> {
        match self {
            Self::Change(names) => names.iter_mut().collect(),
            Self::Lock(lock)
            | Self::LockBehind { lock, .. }
            | Self::Upgrade(lock)
            | Self::LockAgain(lock) => vec![&mut lock.name],
            Self::Notification(name)
            | Self::Initialiser { of: name, .. }
            | Self::Room(name)
            | Self::Receiver(name)
            | Self::Message(name)
            | Self::Barrier { of: name, .. }
            | Self::Signal(name)
            | Self::Futex(name) => vec![name],
            Self::Nothing
            | Self::Unpark
            | Self::Wake { .. }
            | Self::Kept
            | Self::End(_)
            | Self::Lanes
            | Self::Time => Vec::new(),
        }
    }

    /// True if only another thread could end the wait, and not by releasing something: by a notification, a wake-up, or
    /// as the other end of a channel.
    #[must_use]
    pub fn needs_other_thread(&self) -> bool {
        matches!(
            self,
            Self::Notification(_)
                | Self::Unpark
                | Self::Wake { .. }
                | Self::Signal(_)
                | Self::Message(_)
                | Self::Receiver(_)
        )
    }

    /// As in reports, after the name of the thread: `waits for Mutex#1, held by thread 2 since src/lib.rs:10:5`.
    /// `title` names threads.
    #[must_use]
    pub fn text(&self, title: &dyn Fn(ThreadIndex) -> String) -> String {
        self.written(title, None, true)
    }

    /// As [`text`](Self::text), without where a lock was acquired and what follows from that.
    #[must_use]
    pub fn brief_text(&self, title: &dyn Fn(ThreadIndex) -> String) -> String {
        self.written(title, None, false)
    }

    pub(super) fn written(
        &self,
        title: &dyn Fn(ThreadIndex) -> String,
        awaited: Option<&Awaited>,
        in_full: bool,
    ) -> String {
        let of = |word| awaited.map_or_else(String::new, |it| it.text(word, title, in_full));
        let titles = |threads: &[ThreadIndex]| {
            let titles: Vec<String> = threads.iter().copied().map(title).collect();
            titles.join(", ")
        };
        let held = |lock: &HeldLock| {
            let since = match lock.since {
                Some(at) if in_full => format!(" since {at}"),
                _ => String::new(),
            };
            format!("{}, held by {}{since}", lock.name, titles(&lock.by))
        };
        match self {
            Self::Change(objects) => {
                let names: Vec<String> = objects.iter().map(ObjectName::to_string).collect();
                format!("spins until {} changes", names.join(" or "))
            }
            Self::Nothing => "can run".to_owned(),
            Self::Lock(lock) => format!("waits for {}", held(lock)),
            Self::LockBehind { lock, .. } if !in_full => format!("waits to read {}", held(lock)),
            Self::LockBehind { lock, writers } => format!(
                "waits to read {}, behind {}, which waits to write (a writer that waits goes before new readers)",
                held(lock),
                titles(writers)
            ),
            Self::Upgrade(lock) => format!("waits to upgrade {}", held(lock)),
            Self::LockAgain(lock) => format!("was notified, waits for {}", held(lock)),
            Self::Notification(condvar) => {
                let of = of("for");
                format!("waits on {condvar}{of}, no thread is left to notify it")
            }
            Self::Initialiser { of, by } => format!(
                "waits for {of}, being initialised by {}",
                titles(by.as_slice())
            ),
            Self::Room(channel) => format!("waits for room in {channel}"),
            Self::Receiver(channel) => {
                format!("waits for a receiver to take its message from {channel}")
            }
            Self::Message(channel) => format!("waits for a message from {channel}"),
            Self::Barrier { of, arrived } => format!("waits at {of} with {arrived} arrived"),
            Self::Unpark => format!("is parked{}, no thread is left to unpark it", of("for")),
            Self::Wake { ready: false, .. } => {
                format!("awaits a future{}, no thread is left to wake it", of("of"))
            }
            Self::Wake { ready: true, .. } => {
                format!(
                    "awaits a future{} that is ready and was not woken",
                    of("of")
                )
            }
            Self::Kept => format!("keeps a future{} without polling it", of("of")),
            Self::Signal(signal) => format!("waits for {signal}, no thread is left to notify it"),
            Self::End(thread) => format!("waits for the end of {}", title(*thread)),
            Self::Futex(_) if awaited.is_some() => format!("waits{}", of("for")),
            Self::Futex(queue) => format!("sleeps in the kernel on {queue}"),
            Self::Lanes => "has returned from its calls".to_owned(),
            Self::Time => "sleeps".to_owned(),
        }
    }
}

/// As [`WaitsFor::text`], with threads by their numbers in the execution.
impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&ThreadIndex::title))
    }
}

#[cfg(all(test, feature = "explore"))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_named_with_its_holders_and_where_it_was_taken() {
        let here = Location::caller();
        let lock = HeldLock {
            name: ObjectName {
                what: "RwLock",
                number: 2,
                field: None,
            },
            by: vec![ThreadIndex(1), ThreadIndex::MAIN],
            since: Some(here),
        };
        let waits = WaitsFor::Lock(lock.clone());
        let text = "waits for RwLock#2, held by thread 1, the main thread";
        assert_eq!(waits.to_string(), format!("{text} since {here}"));
        assert_eq!(waits.brief_text(&ThreadIndex::title), text);
        assert_eq!(waits.held_by(), [ThreadIndex(1), ThreadIndex::MAIN]);
        let behind = WaitsFor::LockBehind {
            lock,
            writers: vec![ThreadIndex(3)],
        };
        assert_eq!(behind.held_by(), [ThreadIndex(3)]);
        let mut named = behind.clone();
        for name in named.names_mut() {
            name.field = Some("Registry.last");
        }
        let text = "waits to read Registry.last, held by thread 1, the main thread";
        assert_eq!(named.brief_text(&ThreadIndex::title), text);
        let title = |thread: ThreadIndex| format!("`t{}`", thread.0);
        assert!(behind.text(&title).contains("behind `t3`, which waits"));
    }

    #[test]
    fn what_a_future_is_of_is_named_with_who_changed_it() {
        let awaited = Awaited {
            fields: vec!["Registry.last"],
            changed: Some((ThreadIndex(2), "src/lib.rs:9:61")),
        };
        let waits = WaitsFor::Wake {
            ready: false,
            timers: false,
        };
        let text = |in_full| waits.written(&ThreadIndex::title, Some(&awaited), in_full);
        assert_eq!(
            text(true),
            "awaits a future of Registry.last (last changed by thread 2 at src/lib.rs:9:61), no thread is left to wake it"
        );
        assert_eq!(
            text(false),
            "awaits a future of Registry.last, no thread is left to wake it"
        );
    }
}
