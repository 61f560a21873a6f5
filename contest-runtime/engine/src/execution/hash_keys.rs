//! Keys of hashers. `std` makes each one higher than the last one of its OS thread, so two keys show whether there were
//! others between them.

use std::collections::hash_map::RandomState;

/// Draws below this have different keys. Each one skips one more key than the draw before it.
const DRAWS: u64 = 1 << 15;

/// Skips as many keys as this draw of random numbers says, so that the hashers of an execution have others.
pub(super) fn draw(draw: u64) {
    for _ in 0..draw % DRAWS {
        let _ = RandomState::new();
    }
}

/// A number that goes up by one with every key that this OS thread makes, here or elsewhere. Where `std` keeps keys in
/// another way there is none.
pub(super) fn count() -> Option<u64> {
    type Keys = [u64; 2];
    const { assert!(align_of::<Keys>() <= align_of::<RandomState>()) };
    if size_of::<RandomState>() != size_of::<Keys>() {
        return None;
    }
    // SAFETY: a hasher's state consists of its keys, which are numbers; it is as large as two words, so there is no
    // padding. One of them is counted up, the other one stays, so their places do not matter.
    let keys: Keys = unsafe { std::mem::transmute_copy(&RandomState::new()) };
    Some(keys[0].wrapping_add(keys[1]))
}

/// True if keys were made on this OS thread since the count was this one, or that cannot be known.
pub(super) fn were_made_since(before: Option<u64>) -> bool {
    match (before, count()) {
        (Some(before), Some(now)) => now != before.wrapping_add(1),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_map_is_noticed_by_its_keys_and_nothing_else_is() {
        let before = count();
        assert!(
            before.is_some(),
            "`std` keeps keys otherwise than this knows"
        );
        assert!(!were_made_since(before));
        let before = count();
        drop(vec![1, 2, 3]);
        assert!(!were_made_since(before));
        let before = count();
        drop(HashMap::<u8, u8>::new());
        assert!(were_made_since(before));
    }
}
