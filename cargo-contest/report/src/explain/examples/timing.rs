//! A sleep that is meant to be long enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[derive(Debug, Default)]
pub struct Lamp {
    on: Arc<AtomicBool>,
}

impl Lamp {
    /// The lamp is on soon.
    pub fn switch_on(&self) {
        let on = Arc::clone(&self.on);
        thread::spawn(move || on.store(true, Ordering::Release));
    }

    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn it_is_on_after_a_while() {
        let lamp = Lamp::default();
        lamp.switch_on();
        // Wrong: on a busy machine the thread has not begun by then. Fix: wait for the thread, or until the lamp is on.
        thread::sleep(Duration::from_millis(30));
        assert!(lamp.is_on());
    }
}
