//! Turns what a call returned into canonical text, at the place where the type is known.
//!
//! The macros pick a way by the traits the value has (autoref specialisation: the method found after the fewest
//! dereferences wins), so generated code needs to know nothing but the value: the items it yields, else `Debug`, else
//! what it dereferences to, else whether it is
//! `Some` or `Ok`, else nothing.

use std::sync::OnceLock;

use crate::execution::active;
use contest_data::subject::{FutureUse, Response};
use contest_data::trace::ThreadIndex;

mod call_count;
mod canonical;
mod future;
pub mod referent;
pub mod state;
mod text;
pub mod ways;

pub use call_count::{callers_code, count_call, take_count, with_count};
pub use canonical::stripped;
pub use future::{block_on, is_polled_by_waker, wait_for};
pub use text::variant;

/// Inside an execution, on its main thread: lets all other threads run until each of them waits.
#[track_caller]
pub fn let_others_rest() {
    if let Some(active) = active().filter(|it| it.current() == ThreadIndex::MAIN) {
        active.let_others_rest();
    }
}

/// What another engine does when a call has its result.
static ON_HOLD: OnceLock<fn()> = OnceLock::new();

/// Sets what happens, beside the engine of this crate, when a call has its result and drops it next. Only the first
/// call counts.
pub fn on_hold(note: fn()) {
    let _ = ON_HOLD.set(note);
}

/// The text of a panic that was caught.
#[must_use]
pub fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned())
}

/// How a call uses its future, by the choice of the argument that stands for it.
#[must_use]
pub fn future_use(choice: u8) -> FutureUse {
    FutureUse::of_choice(choice)
}

/// What a call came back with whose future was dropped.
#[must_use]
pub fn cancelled() -> Response {
    Some(FutureUse::CANCELLED.to_owned())
}

/// The number of the virtual thread that runs: 0 is the one that makes the objects.
#[must_use]
pub fn running_thread() -> usize {
    crate::execution::running_thread()
}

/// Says that the call has its result, which is dropped next.
pub fn hold<V>(_: &V) {
    if !std::mem::needs_drop::<V>() {
        return;
    }
    if let Some(active) = crate::execution::active() {
        active.call_hold(false);
    } else if let Some(note) = ON_HOLD.get() {
        note();
    }
}

/// A part of a chain of calls has ended: what follows is a call of its own, and others may come between.
pub fn step<V>(value: V) -> V {
    if let Some(active) = crate::execution::active() {
        active.call_hold(true);
    }
    value
}

/// Observes a value: `Option<String>`, `None` if it cannot be observed. The value is held until it was observed, then
/// dropped, or given to `keep`.
#[macro_export]
macro_rules! observe {
    ($value:expr) => {
        match $value {
            mut value => {
                #[allow(unused_imports, reason = "one of the traits is used")]
                use $crate::observe::ways::*;
                let way = (&&&&&&&&&&&&&&Probe::of(&value)).way();
                $crate::read_referent!(value);
                let response = way.observe(&mut value);
                $crate::observe::hold(&value);
                response
            }
        }
    };
    ($value:expr, $keep:expr) => {
        match $value {
            mut value => {
                #[allow(unused_imports, reason = "one of the traits is used")]
                use $crate::observe::ways::*;
                let way = (&&&&&&&&&&&&&&Probe::of(&value)).way();
                $crate::read_referent!(value);
                let response = way.observe(&mut value);
                $keep(value);
                response
            }
        }
    };
}

/// Reads what a value leads to, if that is a reference to plain data.
#[doc(hidden)]
#[macro_export]
macro_rules! read_referent {
    ($value:ident) => {{
        #[allow(unused_imports, reason = "one of the traits is used")]
        use $crate::observe::referent::*;
        let referent = (&&&&&&&&&&Probe::of(&$value)).referent();
        // The macro makes the call: an access inside a function of the engine would count as one of the engine's own.
        for (address, size) in referent.bytes(&$value) {
            $crate::execution::note_read(address, size);
        }
    }};
}

/// Drains an iterator to a limit, asking for its `size_hint` at each step, and observes the items. One that is given to
/// `keep` is not drained: the first item is observed.
#[macro_export]
macro_rules! observe_iterator {
    ($iterator:expr) => {
        match $iterator {
            mut value => {
                #[allow(unused_imports, reason = "one of the traits is used")]
                use $crate::observe::ways::*;
                let way = (&&&&&&&&&&IteratorProbe::of(&value)).way();
                let response = way.observe(&mut value);
                $crate::observe::hold(&value);
                response
            }
        }
    };
    ($iterator:expr, $keep:expr) => {
        match $iterator {
            mut value => {
                let response = $crate::observe!(::core::iter::Iterator::next(&mut value));
                $keep(value);
                response
            }
        }
    };
}

/// Runs a future on this virtual thread and observes its output. It may be dropped before its end, as the choice says
/// ([`FutureUse`](contest_data::subject::FutureUse)). With `keep` its output is given to that.
#[macro_export]
macro_rules! observe_future {
    ($future:expr, $choice:expr) => {
        match $future {
            future => {
                #[allow(unused_imports, reason = "one of the traits is used")]
                use $crate::observe::ways::*;
                let way = (&&FutureProbe::of(&future)).way();
                match way.run(future, $crate::observe::future_use($choice)) {
                    ::core::option::Option::Some(output) => $crate::observe!(output),
                    ::core::option::Option::None => $crate::observe::cancelled(),
                }
            }
        }
    };
    ($future:expr, $choice:expr, $keep:expr) => {
        match $future {
            future => {
                #[allow(unused_imports, reason = "one of the traits is used")]
                use $crate::observe::ways::*;
                let way = (&&FutureProbe::of(&future)).way();
                match way.run(future, $crate::observe::future_use($choice)) {
                    ::core::option::Option::Some(output) => $crate::observe!(output, $keep),
                    ::core::option::Option::None => $crate::observe::cancelled(),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests;
