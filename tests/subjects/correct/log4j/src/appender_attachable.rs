//! `org.apache.log4j.helpers.AppenderAttachableImpl` of log4j 1.2.13 (PCR, V17; its Figure 2), mended: the list is asked
//! for and used under one lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Appenders by their numbers. There is no list while there are none.
#[derive(Debug, Default)]
pub struct AppenderAttachable {
    appenders: Mutex<Option<Vec<u32>>>,
}

impl AppenderAttachable {
    /// Without appenders.
    pub fn new() -> Self {
        Self::default()
    }

    fn list(&self) -> MutexGuard<'_, Option<Vec<u32>>> {
        self.appenders
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Attaches an appender, once.
    pub fn add_appender(&self, appender: u32) {
        let mut list = self.list();
        let list = list.get_or_insert_with(Vec::new);
        if !list.contains(&appender) {
            list.push(appender);
        }
    }

    /// Gives an event to all appenders; how many there were.
    pub fn append_loop_on_appenders(&self, event: u32) -> usize {
        let appenders = self.list().as_ref().map_or(0, Vec::len);
        (0..appenders).filter(|_| event != u32::MAX).count()
    }

    /// The appenders.
    pub fn all_appenders(&self) -> Vec<u32> {
        self.list().clone().unwrap_or_default()
    }

    /// The place of an appender.
    pub fn appender(&self, appender: u32) -> Option<usize> {
        let list = self.list();
        list.as_ref()?.iter().position(|own| *own == appender)
    }

    /// True if the appender is attached.
    pub fn is_attached(&self, appender: u32) -> bool {
        self.appender(appender).is_some()
    }

    /// Detaches all appenders.
    pub fn remove_all_appenders(&self) {
        *self.list() = None;
    }

    /// Detaches an appender; false if it is not attached.
    pub fn remove_appender(&self, appender: u32) -> bool {
        let mut list = self.list();
        let Some(list) = list.as_mut() else {
            return false;
        };
        let found = list.iter().position(|own| *own == appender);
        found.map(|at| list.remove(at)).is_some()
    }

    /// Detaches the appender at a place; false if there is none.
    pub fn remove_appender_at(&self, place: usize) -> bool {
        let mut list = self.list();
        let inside = list.as_ref().is_some_and(|list| place < list.len());
        if let Some(list) = list.as_mut().filter(|_| inside) {
            list.remove(place);
        }
        inside
    }
}
