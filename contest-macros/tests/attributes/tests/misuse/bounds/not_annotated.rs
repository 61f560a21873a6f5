//! A check of a type that has no operations, of one that cannot be shared, and parts that are not named.

use std::cell::Cell;
use std::sync::Mutex;

struct Plain;

#[contest::shared]
#[derive(Default)]
struct Lonely {
    lock: Mutex<u32>,
    cell: Cell<u32>,
}

#[contest::operations]
impl Lonely {
    pub fn new() -> Self {
        Self::default()
    }
}

#[contest::shared]
#[derive(Default)]
struct Split {
    lock: Mutex<u32>,
}

#[contest::operations(parts(Missing))]
impl Split {
    pub fn new() -> Self {
        Self::default()
    }
}

trait Forgotten {
    fn add(&self);
}

#[contest::operations]
impl Forgotten for Split {
    fn add(&self) {
        *self.lock.lock().unwrap() += 1;
    }
}

fn main() {
    contest::check::<Plain>().run();
}
