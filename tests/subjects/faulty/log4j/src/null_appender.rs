//! `org.apache.log4j.varia.NullAppender` of log4j 1.2.13 with what it inherits from `AppenderSkeleton` (PCR, V19,
//! "atomicity"): filters form a chain with a head and a tail, which are two fields without a lock.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
struct Filter {
    level: u32,
    next: Mutex<Option<Arc<Filter>>>,
}

type Link = Mutex<Option<Arc<Filter>>>;

fn get(link: &Link) -> Option<Arc<Filter>> {
    link.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn set(link: &Link, filter: Option<Arc<Filter>>) {
    *link.lock().unwrap_or_else(PoisonError::into_inner) = filter;
}

/// An appender that writes nothing.
#[derive(Debug, Default)]
pub struct NullAppender {
    head: Link,
    tail: Link,
    monitor: Mutex<()>,
    name: Mutex<String>,
    layout: Mutex<Option<String>>,
    error_handler: AtomicU32,
    threshold: AtomicU32,
    appended: AtomicUsize,
    closed: AtomicBool,
    active: AtomicBool,
}

impl NullAppender {
    /// Open, without filters.
    pub fn new() -> Self {
        Self::default()
    }

    fn enter(&self) -> MutexGuard<'_, ()> {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a filter at the end. The fault: that there is a head does not mean that there is a tail.
    pub fn add_filter(&self, level: u32) {
        let filter = Arc::new(Filter {
            level,
            next: Mutex::default(),
        });
        if get(&self.head).is_none() {
            set(&self.head, Some(Arc::clone(&filter)));
            set(&self.tail, Some(filter));
        } else {
            let tail = get(&self.tail).expect("there is a tail");
            set(&tail.next, Some(Arc::clone(&filter)));
            set(&self.tail, Some(filter));
        }
    }

    /// Removes all filters.
    pub fn clear_filters(&self) {
        set(&self.tail, None);
        set(&self.head, None);
    }

    /// The level of the first filter.
    pub fn filter(&self) -> Option<u32> {
        get(&self.head).map(|filter| filter.level)
    }

    /// The same under its older name.
    pub fn first_filter(&self) -> Option<u32> {
        self.filter()
    }

    /// Appends an event unless it is closed, below the threshold or below a filter.
    pub fn do_append(&self, level: u32) -> bool {
        let _entered = self.enter();
        if self.closed.load(SeqCst) || !self.is_as_severe_as_threshold(level) {
            return false;
        }
        let mut next = get(&self.head);
        while let Some(filter) = next {
            if level < filter.level {
                return false;
            }
            next = get(&filter.next);
        }
        self.appended.fetch_add(1, SeqCst);
        true
    }

    /// Events that were appended.
    pub fn appended(&self) -> usize {
        self.appended.load(SeqCst)
    }

    /// True if events of this level are appended.
    pub fn is_as_severe_as_threshold(&self, level: u32) -> bool {
        level >= self.threshold()
    }

    /// The level below which nothing is appended.
    pub fn threshold(&self) -> u32 {
        self.threshold.load(SeqCst)
    }

    /// Sets it.
    pub fn set_threshold(&self, level: u32) {
        let _entered = self.enter();
        self.threshold.store(level, SeqCst);
    }

    /// The name.
    pub fn name(&self) -> String {
        self.name.lock().unwrap().clone()
    }

    /// Sets it.
    pub fn set_name(&self, name: &str) {
        name.clone_into(&mut self.name.lock().unwrap());
    }

    /// The layout.
    pub fn layout(&self) -> Option<String> {
        self.layout.lock().unwrap().clone()
    }

    /// Sets it.
    pub fn set_layout(&self, layout: &str) {
        *self.layout.lock().unwrap() = Some(layout.to_owned());
    }

    /// True if it cannot work without a layout.
    pub fn requires_layout(&self) -> bool {
        false
    }

    /// Number of the error handler.
    pub fn error_handler(&self) -> u32 {
        self.error_handler.load(SeqCst)
    }

    /// Sets it.
    pub fn set_error_handler(&self, handler: u32) {
        let _entered = self.enter();
        self.error_handler.store(handler, SeqCst);
    }

    /// Makes the options effective.
    pub fn activate_options(&self) {
        self.active.store(true, SeqCst);
    }

    /// True if the options are effective.
    pub fn is_active(&self) -> bool {
        self.active.load(SeqCst)
    }

    /// Closes it.
    pub fn close(&self) {
        let _entered = self.enter();
        self.closed.store(true, SeqCst);
    }
}
