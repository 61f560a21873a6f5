//! The check bytes of a schedule, from a table of the method names seen so far: hashing a name at every decision would
//! cost more than the decision.

use contest_data::trace::Action;
use contest_data::trace::schedule::{kind_of, name_parts};

const ENTRIES: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Entry {
    name: &'static str,
    factor: u8,
    sum: u8,
}

/// Remembers what of a check depends on the name only.
#[derive(Debug)]
pub(super) struct Checks([Entry; ENTRIES]);

impl Checks {
    pub(super) fn new() -> Self {
        let (factor, sum) = name_parts("");
        Self(
            [Entry {
                name: "",
                factor,
                sum,
            }; ENTRIES],
        )
    }

    /// As [`check_of`](contest_data::trace::schedule::check_of).
    #[inline]
    pub(super) fn of(&mut self, action: Action, name: &'static str) -> u8 {
        let address = name.as_ptr().addr();
        let place = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - ENTRIES.ilog2());
        let entry = &mut self.0[place as usize % ENTRIES];
        if !std::ptr::eq(entry.name, name) {
            fill(entry, name);
        }
        kind_of(action)
            .wrapping_mul(entry.factor)
            .wrapping_add(entry.sum)
    }
}

#[cold]
#[inline(never)]
fn fill(entry: &mut Entry, name: &'static str) {
    let (factor, sum) = name_parts(name);
    *entry = Entry { name, factor, sum };
}

#[cfg(test)]
mod tests {
    use super::Checks;
    use contest_data::trace::schedule::check_of;
    use contest_data::trace::{Action, LockMode};
    use std::sync::atomic::Ordering::SeqCst;

    #[test]
    fn the_table_gives_what_hashing_the_name_gives() {
        // Every part of it is a name; an interpreter gets few.
        let names: &'static str = if cfg!(miri) {
            "lock try_lock"
        } else {
            "begin end lock try_lock load store fetch_add fetch_sub compare_exchange join"
        };
        let actions = [
            Action::Load(SeqCst),
            Action::CasFail(SeqCst),
            Action::Acquire(LockMode::Read),
            Action::TryAcquire(LockMode::Exclusive, true),
            Action::LaneEnd,
        ];
        let mut checks = Checks::new();
        for _ in 0..2 {
            for end in 0..names.len() {
                for start in 0..=end {
                    let name = &names[start..end];
                    for action in actions {
                        assert_eq!(checks.of(action, name), check_of(action, name), "{name:?}");
                    }
                }
            }
        }
    }
}
