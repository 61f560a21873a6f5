//! On items it cannot be on, and with arguments that it has not.

#[contest::shared]
union Either {
    left: u32,
    right: f32,
}

#[contest::shared]
use std::sync::Mutex;

#[contest::shared]
unsafe extern "C" {}

#[contest::shared(all)]
struct Unknown {
    lock: std::sync::Mutex<u32>,
}

#[contest::shared(plain = u32)]
struct Assigned {
    lock: std::sync::Mutex<u32>,
}

fn main() {
    // The items are there all the same: no further errors.
    let _ = Either { left: 1 };
    let _ = Unknown { lock: Mutex::new(1) };
    let _ = Assigned { lock: Mutex::new(1) };
}
