//! Keys of hashers. `std` counts them up on each OS thread, so it shows without a look at each that some were made.

use std::collections::hash_map::RandomState;

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
