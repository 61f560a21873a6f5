//! `org.apache.log4j.helpers.AppenderAttachableImpl` of log4j 1.2.13 (PCR, V17, "data race"; its Figure 2): the list is
//! there when it is asked for, and gone when it is used.

use std::sync::{Arc, Mutex, PoisonError};

type List = Arc<Mutex<Vec<u32>>>;

/// Appenders by their numbers. There is no list while there are none.
#[derive(Debug, Default)]
pub struct AppenderAttachable {
    appenders: Mutex<Option<List>>,
}

impl AppenderAttachable {
    /// Without appenders.
    pub fn new() -> Self {
        Self::default()
    }

    fn has_list(&self) -> bool {
        let list = self
            .appenders
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        list.is_some()
    }

    /// The list.
    ///
    /// # Panics
    /// If there is none.
    fn list(&self) -> List {
        let list = self
            .appenders
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        list.expect("there is a list")
    }

    fn set_list(&self, list: Option<List>) {
        *self
            .appenders
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = list;
    }

    /// Attaches an appender, once.
    pub fn add_appender(&self, appender: u32) {
        if !self.has_list() {
            self.set_list(Some(List::default()));
        }
        let list = self.list();
        let mut list = list.lock().unwrap();
        if !list.contains(&appender) {
            list.push(appender);
        }
    }

    /// Gives an event to all appenders; how many there were.
    pub fn append_loop_on_appenders(&self, event: u32) -> usize {
        if !self.has_list() {
            return 0;
        }
        let appenders = self.list().lock().unwrap().len();
        (0..appenders).filter(|_| event != u32::MAX).count()
    }

    /// The appenders.
    pub fn all_appenders(&self) -> Vec<u32> {
        if !self.has_list() {
            return Vec::new();
        }
        self.list().lock().unwrap().clone()
    }

    /// The place of an appender.
    pub fn appender(&self, appender: u32) -> Option<usize> {
        if !self.has_list() {
            return None;
        }
        self.list()
            .lock()
            .unwrap()
            .iter()
            .position(|own| *own == appender)
    }

    /// True if the appender is attached. The fault: the list is asked for, then used.
    pub fn is_attached(&self, appender: u32) -> bool {
        if !self.has_list() {
            return false;
        }
        self.list().lock().unwrap().contains(&appender)
    }

    /// Detaches all appenders.
    pub fn remove_all_appenders(&self) {
        if self.has_list() {
            self.list().lock().unwrap().clear();
            self.set_list(None);
        }
    }

    /// Detaches an appender; false if it is not attached.
    pub fn remove_appender(&self, appender: u32) -> bool {
        if !self.has_list() {
            return false;
        }
        let list = self.list();
        let mut list = list.lock().unwrap();
        let found = list.iter().position(|own| *own == appender);
        found.map(|at| list.remove(at)).is_some()
    }

    /// Detaches the appender at a place; false if there is none.
    pub fn remove_appender_at(&self, place: usize) -> bool {
        if !self.has_list() {
            return false;
        }
        let list = self.list();
        let mut list = list.lock().unwrap();
        let inside = place < list.len();
        if inside {
            list.remove(place);
        }
        inside
    }
}
