//! On items that are no impl of a type.

#[contest::operations]
struct Queue {
    lock: u32,
}

#[contest::operations]
fn push() {}

trait Push {
    fn push(&self);
}

#[contest::operations]
impl Push for [Queue] {
    fn push(&self) {}
}

#[contest::operations(skip)]
impl Queue {
    pub fn len(&self) -> u32 {
        self.lock
    }
}

#[contest::operations(part = Reads, parts(Push))]
impl Queue {
    pub fn get(&self) -> u32 {
        self.lock
    }
}

fn main() {
    push();
    let queue = Queue { lock: 1 };
    queue.len();
    queue.get();
    [queue].push();
}
