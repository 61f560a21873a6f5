//! The ways to observe a value, most telling first. `(&&…&Probe::of(&value)).way()` finds the first whose bounds the
//! value meets: each impl stands on one reference fewer than the one before it. Called by the expansion of `observe!`
//! only.

use std::fmt::Debug;
use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;

use super::future::{block_on, block_on_sent};
use super::text::debug;
use contest_data::subject::{FutureUse, Response};

/// Most items taken from an iterator.
const MOST_ITEMS: usize = 16;

/// Stands for the type of a value.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<*const T>);

impl<T> Probe<T> {
    /// For the type of this value.
    #[must_use]
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// Stands for the type of a value that is to be drained if it can be.
#[derive(Debug)]
pub struct IteratorProbe<T>(PhantomData<*const T>);

impl<T> IteratorProbe<T> {
    /// For the type of this value.
    #[must_use]
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// Takes at most [`MOST_ITEMS`] items; `size_hint` is called at each step because it is an operation too. Each item is
/// a call of its own: no iterator promises that nothing comes between two of them.
fn drain<I: Iterator>(iterator: &mut I, item: impl Fn(&I::Item) -> String) -> String {
    let mut out = String::from("[");
    for taken in 0..=MOST_ITEMS {
        super::step(());
        let _ = iterator.size_hint();
        let Some(next) = iterator.next() else { break };
        if taken > 0 {
            out.push_str(", ");
        }
        if taken == MOST_ITEMS {
            out.push('…');
            break;
        }
        out.push_str(&item(&next));
    }
    out.push(']');
    out
}

fn opaque<T>(_: &T) -> String {
    "_".to_owned()
}

fn option<T>(value: Option<&mut T>, some: impl FnOnce(&mut T) -> String) -> Response {
    Some(value.map_or_else(
        || "None".to_owned(),
        |value| format!("Some({})", some(value)),
    ))
}

fn result<T, E>(
    value: Result<&mut T, &mut E>,
    ok: impl FnOnce(&mut T) -> String,
    err: impl FnOnce(&mut E) -> String,
) -> Response {
    Some(match value {
        Ok(value) => format!("Ok({})", ok(value)),
        Err(error) => format!("Err({})", err(error)),
    })
}

/// One way: the name of its marker, of the trait that finds it, on how many references, for which types, and what it
/// does.
macro_rules! way {
    ($marker:ident, $finder:ident, $doc:literal, [$($probe:tt)*], [$($generics:tt)*], $on:ty,
     |$value:ident: $type:ty| $observe:expr) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $marker;

        #[doc = concat!("Finds [`", stringify!($marker), "`].")]
        pub trait $finder {
            /// The way.
            fn way(&self) -> $marker {
                $marker
            }
        }

        impl<$($generics)*> $finder for $($probe)* $on {}

        impl $marker {
            /// Observes the value.
            pub fn observe<$($generics)*>(self, $value: &mut $type) -> Response {
                $observe
            }
        }
    };
}

// Before `Debug`: that of an iterator shows its insides and leaves it undrained.
way!(ByItems, FindItems, "By the `Debug` of its items.", [&&&&&&&&&&&&&],
    [T: Iterator<Item: Debug>], Probe<T>, |value: T| Some(drain(value, debug)));
way!(ByOptionItems, FindOptionItems, "An option of an iterator.", [&&&&&&&&&&&&&],
    [T: Iterator<Item: Debug>], Probe<Option<T>>,
    |value: Option<T>| option(value.as_mut(), |value| drain(value, debug)));
way!(ByResultItems, FindResultItems, "A result of an iterator.", [&&&&&&&&&&&&&],
    [T: Iterator<Item: Debug>, E: Debug], Probe<Result<T, E>>,
    |value: Result<T, E>| result(value.as_mut(), |value| drain(value, debug), |error| debug(error)));
way!(
    ByOption,
    FindOption,
    "An option of something that has `Debug`: what is inside may be opaque, whether it is there is not.",
    [&&&&&&&&&&&&],
    [T: Debug],
    Probe<Option<T>>,
    |value: Option<T>| option(value.as_mut(), |value| debug(value))
);
way!(
    ByResult,
    FindResult,
    "A result likewise.",
    [&&&&&&&&&&&&],
    [T: Debug, E: Debug],
    Probe<Result<T, E>>,
    |value: Result<T, E>| result(value.as_mut(), |value| debug(value), |error| debug(error))
);
way!(ByItemsDeref, FindItemsDeref, "By what its items point to.", [&&&&&&&&&&&],
    [T: Iterator<Item: Deref<Target: Debug>>], Probe<T>, |value: T| Some(drain(value, |item| debug(&**item))));
way!(ByCount, FindCount, "By the number of its items.", [&&&&&&&&&&],
    [T: Iterator], Probe<T>, |value: T| Some(drain(value, opaque)));
way!(ByDebug, FindDebug, "By `Debug`.", [&&&&&&&&&], [T: Debug], Probe<T>, |value: T| Some(debug(value)));
way!(ByDeref, FindDeref, "By the `Debug` of what it points to.", [&&&&&&&&],
    [T: Deref<Target: Debug>], Probe<T>, |value: T| Some(debug(&**value)));
way!(ByOptionDeref, FindOptionDeref, "An option of something that points to what has `Debug`.", [&&&&&&&],
    [T: Deref<Target: Debug>], Probe<Option<T>>, |value: Option<T>| option(value.as_mut(), |value| debug(&**value)));
way!(ByResultDeref, FindResultDeref, "A result likewise, its error by `Debug`.", [&&&&&&&],
    [T: Deref<Target: Debug>, E: Debug], Probe<Result<T, E>>,
    |value: Result<T, E>| result(value.as_mut(), |value| debug(&**value), |error| debug(error)));
way!(ByResultDerefOpaque, FindResultDerefOpaque, "A result likewise, its error opaque.", [&&&&&&],
    [T: Deref<Target: Debug>, E], Probe<Result<T, E>>,
    |value: Result<T, E>| result(value.as_mut(), |value| debug(&**value), |error| opaque(error)));
way!(ByError, FindError, "A result of something opaque: whether it is `Ok`, and the error.", [&&&],
    [T, E: Debug], Probe<Result<T, E>>,
    |value: Result<T, E>| result(value.as_mut(), |value| opaque(value), |error| debug(error)));
way!(ByOptionVariant, FindOptionVariant, "An option of something opaque: whether it is `Some`.", [&&],
    [T], Probe<Option<T>>, |value: Option<T>| option(value.as_mut(), |value| opaque(value)));
way!(ByResultVariant, FindResultVariant, "A result of opaque things: whether it is `Ok`.", [&&],
    [T, E], Probe<Result<T, E>>,
    |value: Result<T, E>| result(value.as_mut(), |value| opaque(value), |error| opaque(error)));
way!(ByNothing, FindNothing, "Cannot be observed.", [&], [T], Probe<T>, |value: T| {
    let _ = value;
    None
});

way!(DrainItems, FindDrainItems, "As [`ByItems`].", [&&&&&&&],
    [T: Iterator<Item: Debug>], IteratorProbe<T>, |value: T| ByItems.observe(value));
way!(DrainItemsDeref, FindDrainItemsDeref, "As [`ByItemsDeref`].", [&&&&&&],
    [T: Iterator<Item: Deref<Target: Debug>>], IteratorProbe<T>, |value: T| ByItemsDeref.observe(value));
way!(DrainOption, FindDrainOption, "As [`ByOptionItems`].", [&&&&&&],
    [T: Iterator<Item: Debug>], IteratorProbe<Option<T>>, |value: Option<T>| ByOptionItems.observe(value));
way!(DrainCount, FindDrainCount, "As [`ByCount`].", [&&&&&],
    [T: Iterator], IteratorProbe<T>, |value: T| ByCount.observe(value));
way!(DrainDebug, FindDrainDebug, "Not an iterator: by `Debug`.", [&&&&],
    [T: Debug], IteratorProbe<T>, |value: T| ByDebug.observe(value));
way!(DrainNothing, FindDrainNothing, "Not an iterator, and cannot be observed.", [&&&],
    [T], IteratorProbe<T>, |value: T| ByNothing.observe(value));

/// Stands for the type of a future.
#[derive(Debug)]
pub struct FutureProbe<F>(PhantomData<*const F>);

impl<F> FutureProbe<F> {
    /// For the type of this future.
    #[must_use]
    pub fn of(_: &F) -> Self {
        Self(PhantomData)
    }
}

/// Any thread may poll the future.
#[derive(Clone, Copy, Debug)]
pub struct ByAnyThread;

/// Only the thread that made the future may poll it.
#[derive(Clone, Copy, Debug)]
pub struct ByItsThread;

/// Finds [`ByAnyThread`].
pub trait FindByAnyThread {
    /// The way.
    fn way(&self) -> ByAnyThread {
        ByAnyThread
    }
}

/// Finds [`ByItsThread`].
pub trait FindByItsThread {
    /// The way.
    fn way(&self) -> ByItsThread {
        ByItsThread
    }
}

impl<F: Future<Output: Send> + Send> FindByAnyThread for &FutureProbe<F> {}
impl<F: Future> FindByItsThread for FutureProbe<F> {}

impl ByAnyThread {
    /// Runs the future.
    #[track_caller]
    pub fn run<F: Future<Output: Send> + Send>(
        self,
        future: F,
        how: FutureUse,
    ) -> Option<F::Output> {
        block_on_sent(future, how)
    }
}

impl ByItsThread {
    /// Runs the future.
    #[track_caller]
    pub fn run<F: Future>(self, future: F, how: FutureUse) -> Option<F::Output> {
        block_on(future, how)
    }
}
