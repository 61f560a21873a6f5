//! A setting that is written once and read by all.

extern crate contest;
extern crate oncemutex;

use oncemutex::OnceMutex;

#[contest::shared]
struct Setting {
    value: OnceMutex<u32>,
}

#[contest::operations]
impl Setting {
    pub fn new() -> Self {
        Self {
            value: OnceMutex::new(0),
        }
    }

    pub fn set(&self, value: u32) -> bool {
        match self.value.lock() {
            Some(mut guard) => {
                *guard = value;
                true
            }
            None => false,
        }
    }

    pub fn get(&self) -> u32 {
        *self.value
    }
}

#[test]
fn generated() {
    report(contest::check::<Setting>());
}
