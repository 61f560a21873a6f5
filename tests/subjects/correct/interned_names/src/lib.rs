//! Names that are kept once, as long as they have a handle.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Mutex;

static NAMES: Mutex<Vec<Shared>> = Mutex::new(Vec::new());

/// A name, and how many handles it has.
struct Counted {
    count: AtomicUsize,
    name: u32,
}

/// Of one name.
#[derive(Clone, Copy, PartialEq)]
struct Shared(*mut Counted);

unsafe impl Send for Shared {}

impl Shared {
    fn count(&self) -> &AtomicUsize {
        // SAFETY: it is freed when no handle is left.
        unsafe { &(*self.0).count }
    }

    fn name(&self) -> u32 {
        // SAFETY: as above.
        unsafe { (*self.0).name }
    }
}

/// A handle of a name.
pub struct Name(Shared);

impl Name {
    /// The one handle of this name, or a further one.
    pub fn new(name: u32) -> Self {
        let mut names = NAMES.lock().unwrap();
        if let Some(known) = names.iter().find(|it| it.name() == name) {
            known.count().fetch_add(1, SeqCst);
            return Self(*known);
        }
        let count = AtomicUsize::new(1);
        let new = Shared(Box::into_raw(Box::new(Counted { count, name })));
        names.push(new);
        Self(new)
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let mut names = NAMES.lock().unwrap();
        if self.0.count().fetch_sub(1, SeqCst) == 1 {
            names.retain(|it| *it != self.0);
            // SAFETY: nothing else has it.
            drop(unsafe { Box::from_raw(self.0 .0) });
        }
    }
}
