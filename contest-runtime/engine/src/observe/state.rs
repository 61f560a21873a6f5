//! The state of an object as text, to tell whether calls have changed it: what `Debug` shows, if it shows everything.

use std::fmt::Debug;

use contest_data::subject::Response;

/// Stands for the object; which of the two traits is found says whether its type has `Debug`.
#[derive(Debug)]
pub struct StateOf<'a, T: ?Sized>(pub &'a T);

/// For types with `Debug`.
pub trait ShownState {
    /// The state; `None` if what `Debug` shows is not all of it.
    fn state(&self) -> Response;
}

/// For all others.
pub trait HiddenState {
    /// Never known.
    fn state(&self) -> Response;
}

impl<T: Debug + ?Sized> ShownState for StateOf<'_, T> {
    fn state(&self) -> Response {
        whole(format!("{:?}", self.0))
    }
}

/// What `Debug` shows, if it shows everything: `Name { .. }` and the bare name leave something out, and a locked lock
/// shows nothing of what it protects. Locks of `std` end in `..` although they show everything but that.
fn whole(text: String) -> Response {
    let of_lock = |before: &str| {
        before.ends_with("poisoned: false, ") || before.ends_with("poisoned: true, ")
    };
    let partial = (text.match_indices("..")).any(|(at, _)| !of_lock(&text[..at]))
        || text.contains("<locked>");
    let bare = text.chars().all(|it| it.is_alphanumeric() || it == '_');
    (!partial && !bare).then_some(text)
}

impl<T: ?Sized> HiddenState for &StateOf<'_, T> {
    fn state(&self) -> Response {
        None
    }
}

/// The state of an object behind a reference: `Option<String>`, `None` if `Debug` does not show all of it.
#[macro_export]
macro_rules! state {
    ($object:expr) => {{
        #[allow(unused_imports, reason = "one of the traits is used")]
        use $crate::observe::state::{HiddenState as _, ShownState as _};
        (&$crate::observe::state::StateOf($object)).state()
    }};
}

#[cfg(test)]
mod tests {
    #[derive(Debug)]
    struct Shown(#[expect(dead_code, reason = "shown by `Debug`")] u32);
    struct Hidden;

    #[test]
    fn the_state_is_what_debug_shows_and_unknown_if_that_is_not_all() {
        assert_eq!(crate::state!(&Shown(7)).as_deref(), Some("Shown(7)"));
        assert_eq!(crate::state!(&Hidden), None);
        assert_eq!(crate::state!(&std::sync::atomic::AtomicU8::new(3)), None);
        let lock = std::sync::Mutex::new(1);
        assert!(crate::state!(&lock).is_some());
        let held = lock.lock();
        assert_eq!(crate::state!(&lock), None);
        drop(held);
    }

    #[test]
    fn a_part_that_is_left_out_beside_a_lock_is_seen() {
        let whole = |text: &str| super::whole(text.to_owned()).is_some();
        assert!(whole(
            "A { lock: Mutex { data: 1, poisoned: false, .. }, other: 2 }"
        ));
        assert!(!whole(
            "A { lock: Mutex { data: 1, poisoned: true, .. }, .. }"
        ));
        assert!(!whole(
            "A { lock: Mutex { data: <locked>, poisoned: false, .. } }"
        ));
    }
}
