//! The state of an object as text, through locks: what `#[contest::shared]` derives. Two objects with the same text are
//! in the same state.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::fmt::{Debug, Write as _};
use std::sync::{PoisonError, TryLockError};

use crate::sync::{Mutex, OnceLock, RwLock, atomic};
use contest_engine::observe::state::StateOf;

/// The state of an object as text.
///
/// `#[contest::shared]` implements it with the fields of the type. An empty `impl` says that the state cannot be
/// written.
#[diagnostic::on_unimplemented(
    message = "the state of `{Self}` is not known to `contest`",
    note = "write `#[contest::shared]` on it, or `impl contest::Snapshot for {Self} {{}}`, which says that its state stays unknown"
)]
pub trait Snapshot {
    /// Writes the state; false if it cannot.
    fn snapshot(&self, out: &mut String) -> bool {
        let _ = out;
        false
    }
}

/// Found if the type has a [`Snapshot`].
pub trait Own {
    /// Writes the state; false if it cannot.
    fn write_state(&self, out: &mut String) -> bool;
}

/// Found if the type has `Debug`.
pub trait Shown {
    /// Writes the state; false if what `Debug` shows is not all of it.
    fn write_state(&self, out: &mut String) -> bool;
}

/// Found for all others.
pub trait Hidden {
    /// False.
    fn write_state(&self, out: &mut String) -> bool;
}

impl<T: Snapshot + ?Sized> Own for &&StateOf<'_, T> {
    fn write_state(&self, out: &mut String) -> bool {
        self.0.snapshot(out)
    }
}

impl<T: Debug + ?Sized> Shown for &StateOf<'_, T> {
    fn write_state(&self, out: &mut String) -> bool {
        use contest_engine::observe::state::ShownState as _;
        let state = StateOf(self.0).state();
        // An address is no state.
        let Some(text) = state.filter(|text| !text.contains("0x")) else {
            return false;
        };
        out.push_str(&text);
        true
    }
}

impl<T: ?Sized> Hidden for StateOf<'_, T> {
    fn write_state(&self, _: &mut String) -> bool {
        false
    }
}

/// For expanded code: writes the state of what is behind a reference.
#[doc(hidden)]
#[macro_export]
macro_rules! snapshot {
    ($object:expr, $out:expr) => {{
        #[allow(unused_imports, reason = "one of the traits is used")]
        use $crate::macro_support::snapshot::{Hidden as _, Own as _, Shown as _};
        (&&&$crate::macro_support::state::StateOf($object)).write_state($out)
    }};
}

macro_rules! shown {
    ($($type:ty)*) => {
        $(impl Snapshot for $type {
            fn snapshot(&self, out: &mut String) -> bool {
                write!(out, "{self:?}").is_ok()
            }
        })*
    };
}

shown! {
    () bool char str String u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 std::time::Duration
    std::path::Path std::path::PathBuf
}

macro_rules! atomics {
    ($($name:ident)*) => {
        $(impl Snapshot for atomic::$name {
            fn snapshot(&self, out: &mut String) -> bool {
                write!(out, "{:?}", self.load(atomic::Ordering::SeqCst)).is_ok()
            }
        })*
    };
}

atomics! { AtomicBool AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize }

/// What has no state but its waiting threads, and there are none when a state is read.
macro_rules! stateless {
    ($([$($generics:tt)*] $type:ty,)*) => {
        $(impl<$($generics)*> Snapshot for $type {
            fn snapshot(&self, _: &mut String) -> bool {
                true
            }
        })*
    };
}

stateless! {
    [] crate::sync::Condvar,
    [T: ?Sized] std::marker::PhantomData<T>,
    [] std::hash::RandomState,
    [H] std::hash::BuildHasherDefault<H>,
}

impl Snapshot for crate::sync::Once {
    fn snapshot(&self, out: &mut String) -> bool {
        self.is_completed().snapshot(out)
    }
}

impl<T: Snapshot + ?Sized> Snapshot for Mutex<T> {
    fn snapshot(&self, out: &mut String) -> bool {
        match self.try_lock() {
            Ok(value) => value.snapshot(out),
            Err(TryLockError::Poisoned(poisoned)) => {
                out.push_str("poisoned ");
                poisoned.into_inner().snapshot(out)
            }
            Err(TryLockError::WouldBlock) => false,
        }
    }
}

/// With loom only for what has a size.
macro_rules! read_write_lock {
    ($($generics:tt)*) => {
        impl<$($generics)*> Snapshot for RwLock<T> {
            fn snapshot(&self, out: &mut String) -> bool {
                match self.try_read() {
                    Ok(value) => value.snapshot(out),
                    Err(TryLockError::Poisoned(poisoned)) => {
                        out.push_str("poisoned ");
                        PoisonError::into_inner(poisoned).snapshot(out)
                    }
                    Err(TryLockError::WouldBlock) => false,
                }
            }
        }
    };
}

#[cfg(not(feature = "loom"))]
read_write_lock! { T: Snapshot + ?Sized }
#[cfg(feature = "loom")]
read_write_lock! { T: Snapshot }

impl<T: Snapshot> Snapshot for OnceLock<T> {
    fn snapshot(&self, out: &mut String) -> bool {
        self.get().snapshot(out)
    }
}

macro_rules! pointers {
    ($($type:ty)*) => {
        $(impl<T: Snapshot + ?Sized> Snapshot for $type {
            fn snapshot(&self, out: &mut String) -> bool {
                (**self).snapshot(out)
            }
        })*
    };
}

pointers! { &T &mut T Box<T> std::rc::Rc<T> std::sync::Arc<T> }

impl<T: Snapshot> Snapshot for Option<T> {
    fn snapshot(&self, out: &mut String) -> bool {
        match self {
            None => write!(out, "None").is_ok(),
            Some(value) => {
                out.push_str("Some ");
                value.snapshot(out)
            }
        }
    }
}

impl<T: Snapshot, E: Snapshot> Snapshot for Result<T, E> {
    fn snapshot(&self, out: &mut String) -> bool {
        match self {
            Ok(value) => {
                out.push_str("Ok ");
                value.snapshot(out)
            }
            Err(error) => {
                out.push_str("Err ");
                error.snapshot(out)
            }
        }
    }
}

/// In their order.
fn list<'a, T: Snapshot + 'a>(items: impl Iterator<Item = &'a T>, out: &mut String) -> bool {
    out.push('[');
    let mut complete = true;
    for item in items {
        complete &= item.snapshot(out);
        out.push(';');
    }
    out.push(']');
    complete
}

/// In the order of their texts: that of a hash map means nothing.
fn sorted(texts: Option<Vec<String>>, out: &mut String) -> bool {
    let Some(mut texts) = texts else {
        return false;
    };
    texts.sort_unstable();
    let _ = write!(out, "{texts:?}");
    true
}

fn text<T: Snapshot>(value: &T) -> Option<String> {
    let mut out = String::new();
    value.snapshot(&mut out).then_some(out)
}

macro_rules! lists {
    ($($type:ty)*) => {
        $(impl<T: Snapshot> Snapshot for $type {
            fn snapshot(&self, out: &mut String) -> bool {
                list(self.iter(), out)
            }
        })*
    };
}

lists! { [T] Vec<T> VecDeque<T> LinkedList<T> BTreeSet<T> }

impl<T: Snapshot, const N: usize> Snapshot for [T; N] {
    fn snapshot(&self, out: &mut String) -> bool {
        list(self.iter(), out)
    }
}

impl<K: Snapshot, V: Snapshot> Snapshot for BTreeMap<K, V> {
    fn snapshot(&self, out: &mut String) -> bool {
        let mut complete = true;
        for (key, value) in self {
            complete &= key.snapshot(out);
            out.push(':');
            complete &= value.snapshot(out);
            out.push(';');
        }
        complete
    }
}

impl<K: Snapshot, V: Snapshot, S> Snapshot for HashMap<K, V, S> {
    fn snapshot(&self, out: &mut String) -> bool {
        let entry = |(key, value)| Some(format!("{}:{}", text(key)?, text(value)?));
        sorted(self.iter().map(entry).collect(), out)
    }
}

impl<T: Snapshot, S> Snapshot for HashSet<T, S> {
    fn snapshot(&self, out: &mut String) -> bool {
        sorted(self.iter().map(text).collect(), out)
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {
        $(impl<$($name: Snapshot),+> Snapshot for ($($name,)+) {
            #[allow(non_snake_case, reason = "named as the type parameters")]
            fn snapshot(&self, out: &mut String) -> bool {
                let ($($name,)+) = self;
                let mut complete = true;
                $(
                    complete &= $name.snapshot(out);
                    out.push(',');
                )+
                complete
            }
        })*
    };
}

tuples! { A; A B; A B C; A B C D; }

#[cfg(test)]
mod tests {
    use super::*;

    fn state<T: Snapshot>(value: &T) -> Option<String> {
        text(value)
    }

    #[test]
    fn a_lock_shows_what_is_in_it_and_a_held_one_nothing() {
        let lock = Mutex::new(vec![1, 2]);
        assert_eq!(state(&lock).as_deref(), Some("[1;2;]"));
        let held = lock.lock();
        assert_eq!(state(&lock), None);
        drop(held);
    }

    #[test]
    fn the_order_of_a_hash_map_does_not_matter() {
        let forwards: HashMap<u8, u8> = (0..50).map(|n| (n, n)).collect();
        let backwards: HashMap<u8, u8> = (0..50).rev().map(|n| (n, n)).collect();
        assert_eq!(state(&forwards), state(&backwards));
    }

    #[test]
    fn the_state_of_other_types_is_their_debug_text_or_unknown() {
        #[derive(Debug)]
        struct Shown(#[expect(dead_code, reason = "shown by `Debug`")] u8);
        struct Secret;
        let mut out = String::new();
        assert!(crate::snapshot!(&Shown(3), &mut out) && out == "Shown(3)");
        assert!(!crate::snapshot!(&Secret, &mut out));
        assert!(!crate::snapshot!(
            &std::ptr::from_ref(&out),
            &mut String::new()
        ));
        assert!(crate::snapshot!(&Mutex::new(1_u8), &mut out) && out.ends_with(")1"));
    }
}
