//! Accesses of fields of annotated structs, as `#[contest::operations]` and `#[contest::shared]` write them into
//! bodies.
//!
//! A macro sees `guard.head` and no types, so the compiler decides twice, each time by the impl that stands on fewer
//! references: whether what `guard` leads to is annotated, and what the field is. Whatever is not is left alone. An
//! access is recorded and is no scheduling point: other threads are kept away by the lock.

use std::convert::Infallible;
use std::marker::PhantomData;

use contest_data::trace::Field;
use contest_engine::execution::active;

/// A struct with `#[contest::shared]`, or what leads to one.
pub trait HasFields {
    /// Its name.
    const NAME: &'static str;
}

macro_rules! leads_to {
    ($([$($generics:tt)*] $type:ty,)*) => {
        $(impl<$($generics)*> HasFields for $type {
            const NAME: &'static str = T::NAME;
        })*
    };
}

leads_to! {
    [T: HasFields + ?Sized] &T,
    [T: HasFields + ?Sized] &mut T,
    [T: HasFields + ?Sized] Box<T>,
    [T: HasFields + ?Sized] std::rc::Rc<T>,
    [T: HasFields + ?Sized] std::sync::Arc<T>,
    [T: HasFields + ?Sized] crate::sync::MutexGuard<'_, T>,
}

#[cfg(not(feature = "loom"))]
leads_to! {
    [T: HasFields + ?Sized] crate::sync::RwLockReadGuard<'_, T>,
    [T: HasFields + ?Sized] crate::sync::RwLockWriteGuard<'_, T>,
}

#[cfg(all(feature = "parking_lot", not(feature = "loom")))]
leads_to! {
    [T: HasFields + ?Sized] crate::parking_lot::MutexGuard<'_, T>,
    [T: HasFields + ?Sized] crate::parking_lot::RwLockReadGuard<'_, T>,
    [T: HasFields + ?Sized] crate::parking_lot::RwLockWriteGuard<'_, T>,
}

/// What an access does to the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads and writes it.
    Update,
    /// Calls the method of this name on it.
    Method(&'static str),
    /// Calls a method of locks, atomics and channels on it.
    Event,
}

/// Stands for the type of what a field is taken of.
#[derive(Debug)]
pub struct Owner<B>(PhantomData<*const B>);

impl<B> Owner<B> {
    /// To be recognised by [`is`](Self::is).
    #[must_use]
    pub const fn unknown() -> Self {
        Self(PhantomData)
    }

    /// Lets the compiler infer `B` from the argument.
    pub const fn is(&self, _: &B) {}
}

/// For code that is checked for its types and never runs.
pub const NEVER: Option<Infallible> = None;

/// Found if the type is annotated.
pub trait Annotated {
    /// The name of the struct.
    fn name(&self) -> Option<&'static str>;
}

/// Found for all others.
pub trait NotAnnotated {
    /// `None`.
    fn name(&self) -> Option<&'static str>;
}

impl<B: HasFields> Annotated for &Owner<B> {
    #[inline]
    fn name(&self) -> Option<&'static str> {
        Some(B::NAME)
    }
}

impl<B> NotAnnotated for Owner<B> {
    #[inline]
    fn name(&self) -> Option<&'static str> {
        None
    }
}

/// A type whose accesses have events of their own, or may happen through `&`.
pub trait OwnEvents {}

/// A type of `std` whose methods are known by name.
pub trait Container {}

/// Stands for the type of a field.
#[derive(Debug)]
pub struct Held<F: ?Sized>(*const F);

impl<F: ?Sized> Held<F> {
    /// The field here; it is not looked at.
    #[must_use]
    pub const fn at(place: *const F) -> Self {
        Self(place)
    }

    /// Records what is done to the field. If that is nothing, the field has events of its own, which get its name: in
    /// so many bytes from the place on.
    #[track_caller]
    pub fn record(&self, owner: &'static str, name: &'static str, effect: Effect, bytes: usize) {
        let Some(active) = active() else {
            return;
        };
        let address = self.0.cast::<u8>().addr();
        let field = Field { owner, name };
        if effect == Effect::default() {
            active.name_field(field, address, bytes);
        }
        if effect.reads {
            active.field_access(field, address, false);
        }
        if effect.writes {
            active.field_access(field, address, true);
        }
    }
}

/// What is recorded of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The place is read.
    pub reads: bool,
    /// The place is written.
    pub writes: bool,
}

/// Found for a type with events of its own.
pub trait OfOwnEvents {
    /// Nothing is recorded.
    fn effect(&self, _: Access) -> Effect {
        Effect::default()
    }
}

/// Found for a container, whose methods are known by name.
pub trait ByName {
    /// What is recorded.
    fn effect(&self, access: Access) -> Effect;
}

/// Found for all others: a method is a read at least.
pub trait AtLeast {
    /// What is recorded.
    fn effect(&self, access: Access) -> Effect;
}

impl<F: OwnEvents + ?Sized> OfOwnEvents for &&Held<F> {}

impl<F: Container + ?Sized> ByName for &Held<F> {
    fn effect(&self, access: Access) -> Effect {
        Effect {
            reads: !matches!(access, Access::Write | Access::Event),
            writes: match access {
                Access::Method(method) => WRITING.contains(&method),
                access => !matches!(access, Access::Read | Access::Event),
            },
        }
    }
}

impl<F: ?Sized> AtLeast for Held<F> {
    fn effect(&self, access: Access) -> Effect {
        Effect {
            reads: !matches!(access, Access::Write | Access::Event),
            writes: matches!(access, Access::Write | Access::Update),
        }
    }
}

/// Methods of containers that change them, or lend what is in them to be changed.
const WRITING: [&str; 64] = [
    "append",
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "back_mut",
    "chunks_mut",
    "clear",
    "copy_from_slice",
    "dedup",
    "dedup_by",
    "dedup_by_key",
    "drain",
    "entry",
    "extend",
    "extend_from_slice",
    "extract_if",
    "fill",
    "first_entry",
    "first_mut",
    "front_mut",
    "get_mut",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "insert_str",
    "iter_mut",
    "last_entry",
    "last_mut",
    "make_contiguous",
    "peek_mut",
    "pop",
    "pop_back",
    "pop_first",
    "pop_front",
    "pop_if",
    "pop_last",
    "push",
    "push_back",
    "push_front",
    "push_str",
    "range_mut",
    "remove",
    "remove_entry",
    "replace",
    "resize",
    "resize_with",
    "retain",
    "retain_mut",
    "reverse",
    "rotate_left",
    "rotate_right",
    "sort",
    "sort_by",
    "sort_by_key",
    "sort_unstable",
    "split_at_mut",
    "split_off",
    "swap",
    "swap_remove",
    "swap_remove_back",
    "take",
    "take_if",
    "truncate",
    "values_mut",
];

macro_rules! types {
    ($trait:ident: $([$($generics:tt)*] $type:ty,)*) => {
        $(impl<$($generics)*> $trait for $type {})*
    };
}

types! { Container:
    [] String,
    [T] Vec<T>,
    [T] [T],
    [T, const N: usize] [T; N],
    [T] Option<T>,
    [T] std::collections::VecDeque<T>,
    [T] std::collections::LinkedList<T>,
    [T] std::collections::BinaryHeap<T>,
    [T] std::collections::BTreeSet<T>,
    [K, V] std::collections::BTreeMap<K, V>,
    [T, S] std::collections::HashSet<T, S>,
    [K, V, S] std::collections::HashMap<K, V, S>,
}

types! { OwnEvents:
    [] crate::sync::atomic::AtomicBool,
    [] crate::sync::atomic::AtomicI8,
    [] crate::sync::atomic::AtomicI16,
    [] crate::sync::atomic::AtomicI32,
    [] crate::sync::atomic::AtomicI64,
    [] crate::sync::atomic::AtomicIsize,
    [] crate::sync::atomic::AtomicU8,
    [] crate::sync::atomic::AtomicU16,
    [] crate::sync::atomic::AtomicU32,
    [] crate::sync::atomic::AtomicU64,
    [] crate::sync::atomic::AtomicUsize,
    [T] crate::sync::atomic::AtomicPtr<T>,
    [T: ?Sized] crate::sync::Mutex<T>,
    [] crate::sync::Condvar,
    [T] crate::sync::mpsc::Sender<T>,
    [T] crate::sync::mpsc::Receiver<T>,
    [T: ?Sized] crate::cell::UnsafeCell<T>,
    [T] crate::cell::Cell<T>,
    [T: ?Sized] std::cell::UnsafeCell<T>,
    [T: ?Sized] std::cell::Cell<T>,
    [T: ?Sized] std::cell::RefCell<T>,
    [T] std::cell::OnceCell<T>,
}

#[cfg(not(feature = "loom"))]
types! { OwnEvents:
    [T: ?Sized] super::cells::UnsafeCell<T>,
    [T: ?Sized] super::cells::Cell<T>,
    [T: ?Sized] crate::sync::RwLock<T>,
    [] crate::sync::Barrier,
    [] crate::sync::Once,
    [T] crate::sync::OnceLock<T>,
    [T, F] crate::sync::LazyLock<T, F>,
    [T] crate::sync::mpsc::SyncSender<T>,
}

/// The value, after an access was noted.
#[inline]
pub fn seen<T>((): (), value: T) -> T {
    value
}

/// The value, before an access is noted.
#[inline]
pub fn done<T>(value: T, (): ()) -> T {
    value
}

/// The value, of which fields are taken.
#[inline]
pub fn through<T>(value: T, note: impl FnOnce(&T)) -> T {
    note(&value);
    value
}

/// For expanded code: notes an access of a field, if what it is taken of is annotated; else one of the next field, if
/// there is one.
///
/// The type of what it is taken of comes from code that never runs: a reference to all of it would be one too many
/// where another field is lent.
#[doc(hidden)]
#[macro_export]
macro_rules! note_field {
    ($access:expr;) => { () };
    ($access:expr; $base:expr, $field:tt; $($more:tt)*) => {{
        #[allow(unused_imports, reason = "some of the traits are used")]
        use $crate::macro_support::fields::{Annotated as _, AtLeast as _, ByName as _, NotAnnotated as _, OfOwnEvents as _};
        #[allow(unused_imports, reason = "some of the traits are used")]
        use $crate::macro_support::cell_access::{Extent, Known as _, Unknown as _};
        let owner = $crate::macro_support::fields::Owner::unknown();
        #[allow(unreachable_code, reason = "infers a type")]
        if let ::core::option::Option::Some(never) = $crate::macro_support::fields::NEVER {
            match never {}
            owner.is(&$base);
        }
        if let ::core::option::Option::Some(name) = (&&owner).name() {
            let held = $crate::macro_support::fields::Held::at(&raw const $base.$field);
            let bytes = (&&Extent(&raw const $base.$field)).bytes();
            held.record(name, ::core::stringify!($field), (&&&held).effect($access), bytes);
        } else {
            $crate::note_field!($access; $($more)*)
        }
    }};
}
