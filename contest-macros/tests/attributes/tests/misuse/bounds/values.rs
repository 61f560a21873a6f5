//! Arguments of types without values.

use std::sync::Mutex;

struct Ticket;

#[contest::shared]
#[derive(Default)]
struct Desk {
    count: Mutex<u32>,
}

#[contest::operations]
impl Desk {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn take(&self, ticket: Ticket) {
        let _ = ticket;
    }

    #[contest(invariant)]
    pub fn is_sound(&self) -> u32 {
        1
    }
}

fn main() {}
