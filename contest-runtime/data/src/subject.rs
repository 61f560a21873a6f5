//! The generated driver's description of a type under test: plain tables of functions and texts. Tests are data over
//! these tables (operation number, argument choices); they are never compiled one by one.

mod argument;
pub mod custom;
mod future_use;
mod keeping;
mod stand_in_mode;
mod user_code;

pub use argument::Argument;
pub use future_use::FutureUse;
pub use keeping::Keeping;
pub use stand_in_mode::StandInMode;
pub use user_code::UserCode;

use std::any::Any;
use std::fmt;

/// A type under test, instantiated.
#[derive(Debug)]
pub struct Subject {
    /// With type arguments, for reports: `dashmap::DashMap<u32, u32>`.
    pub name: &'static str,
    /// Without, for filters: `dashmap::DashMap`.
    pub path: &'static str,
    /// Ways to make one.
    pub constructors: &'static [Constructor],
    /// Methods that can be called on it.
    pub operations: &'static [Operation],
    /// The state of an object (the receiver of the call, without choices) as text, to compare the states of two
    /// objects; `None` if the type has no such text.
    pub state: Option<fn(&Call<'_>) -> Response>,
}

/// A type argument that only an `unsafe impl` of `Sync` or `Send` with a bound too few admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// [`Unshared`](contest_std::probe::Unshared): not `Sync`.
    Unshared,
    /// [`Unsent`](contest_std::probe::Unsent): not `Send`.
    Unsent,
}

impl Probe {
    /// The one among the type arguments of a subject's path.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let (_, arguments) = path.split_once('<')?;
        let mut words = arguments.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.find_map(|word| match word {
            "Unshared" => Some(Self::Unshared),
            "Unsent" => Some(Self::Unsent),
            _ => None,
        })
    }
}

impl Subject {
    /// What it has for a type argument, if it stands beside the usual instance of its type to show that one thing; what
    /// else is wrong the usual instance shows.
    #[must_use]
    pub fn probe(&self) -> Option<Probe> {
        Probe::of_path(self.path)
    }

    /// True if it stands beside the usual instance of its type, with other type arguments.
    #[must_use]
    pub fn is_further(&self) -> bool {
        self.path.contains('<')
    }

    /// The path that identifies a bug: one of several instances of a type is one bug, but a probe shows another
    /// one than the usual instance.
    #[must_use]
    pub fn bug_path(&self) -> &'static str {
        if self.probe().is_some() {
            return self.path;
        }
        self.path.split('<').next().unwrap_or(self.path)
    }

    /// True if its tests may run on threads of the system: all that lanes use of an object is an `Arc` of a type that
    /// is `Sync` and `Send`. Ends of pairs are lent by cells that count for one thread of the system, and probes stand
    /// for what is not `Sync` or not `Send`. So of the tables of a generated driver; no other tests run so.
    #[must_use]
    pub fn runs_on_real_threads(&self) -> bool {
        !self.is_moved() && self.probe().is_none()
    }

    /// The operations that take the object whole, with one of which each object of a test ends.
    pub fn endings(&self) -> impl Iterator<Item = u16> {
        let numbered = (0_u16..).zip(self.operations);
        let whole = numbered.filter(|(_, operation)| operation.receiver == Receiver::Whole);
        whole.map(|(number, _)| number)
    }

    /// True if threads may own parts of the object: it is made of ends.
    #[must_use]
    pub fn is_moved(&self) -> bool {
        self.path.contains('{')
    }
}

/// A way to make an object.
#[derive(Clone, Copy)]
pub struct Constructor {
    /// As written in a report, arguments as `{0}`, `{1}`: `DashMap::with_capacity({0})`.
    pub text: &'static str,
    /// What can stand for each argument.
    pub arguments: &'static [Argument],
    /// How the user's side of the object behaves.
    pub mode: StandInMode,
    /// Makes the object, as an `Arc<T>` inside.
    pub make: fn(&Call<'_>) -> Object,
}

/// How an operation needs the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// `&self`, `&Arc<Self>` or `Arc<Self>`: any thread, at any time.
    Shared,
    /// `&mut self`: only in the prefix, before the object is shared.
    Exclusive,
    /// `self`: the last call on the object, when all threads have ended.
    Whole,
    /// An end of a pair: the object is a tuple of ends, each of which a thread may have for itself.
    End(EndUse),
}

/// Which end of a pair an operation is on, and how it needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EndUse {
    /// Index into the tuple.
    pub end: u8,
    /// How it needs it.
    pub needs: Needs,
}

/// How an operation needs an end of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Needs {
    /// `&self` of an end that is `Sync`: any thread, at any time.
    Shared,
    /// `&mut self`, or `&self` of an end that is not `Sync`: one thread of a test.
    Alone,
    /// `self`: one thread of a test, as its last call of this end.
    Whole,
}

/// What an annotation says about an operation that its signature and results do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    /// It says, by not panicking, that the object is sound. Called when all threads have ended, not beside others.
    pub invariant: bool,
    /// It may panic, by design.
    pub may_panic: bool,
    /// It may wait for ever, by design.
    pub blocking: bool,
    /// Its result is approximate, says its documentation: compared only at quiescence, and only where all serial orders
    /// agree and no thread calls anything that may change the object.
    pub approximate: bool,
    /// By its type it may only look at the object: it is an observer if that is measured.
    pub may_observe: bool,
    /// It returns a future, which the call awaits.
    pub awaited: bool,
    /// That future polls the object by hand (`poll_next`): pending, it may have done a part of the object's work.
    pub polled: bool,
    /// Its future must not be dropped before its end, says its documentation: it never is.
    pub not_cancel_safe: bool,
    /// The sentence in which its documentation announces that it panics because of what other threads do; empty if it
    /// does not.
    pub announced_panic: &'static str,
    /// What it does with a result that its thread keeps over further calls.
    pub keeping: Keeping,
    /// What the closures that it is given do beside their work.
    pub user_code: UserCode,
    /// Arguments that its callers have from other operations.
    pub given_out: &'static [GivenOut],
}

/// An argument that is a number which other operations give out, like the id of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenOut {
    /// Its place among the arguments.
    pub argument: u8,
    /// Names of the operations that return such numbers and take none.
    pub by: &'static [&'static str],
}

impl Contract {
    /// Nothing is promised.
    pub const NONE: Self = Self {
        invariant: false,
        may_panic: false,
        blocking: false,
        approximate: false,
        may_observe: false,
        awaited: false,
        polled: false,
        not_cancel_safe: false,
        announced_panic: "",
        keeping: Keeping::No,
        user_code: UserCode::Plain,
        given_out: &[],
    };
}

/// An operation of a subject.
#[derive(Clone, Copy)]
pub struct Operation {
    /// Method name: `insert`.
    pub name: &'static str,
    /// As written in a report, the object as `{s}`, arguments as `{0}`, `{1}`: `{s}.insert({0}, {1})`.
    pub text: &'static str,
    /// What can stand for each argument.
    pub arguments: &'static [Argument],
    /// How it needs the object.
    pub receiver: Receiver,
    /// Its result may be weakly consistent by custom (`len`, `is_empty`, iterators, `Debug`): compared at quiescence
    /// only.
    pub weak: bool,
    /// May be used to look at the object at quiescence: takes `&self`, its result can be observed and it is expected to
    /// change nothing.
    pub observer: bool,
    /// What its annotation promises.
    pub contract: Contract,
    /// Where it is declared: `src/lib.rs:120`.
    pub declared: &'static str,
    /// Calls it.
    pub call: fn(&Call<'_>) -> Response,
}

impl Operation {
    /// Which argument says how its future is used, if it returns one.
    #[must_use]
    pub fn future_argument(&self) -> Option<usize> {
        self.arguments.iter().position(|it| it.of_future)
    }

    /// How this call uses the future that the operation returns; [`FutureUse::Run`] if it returns none.
    #[must_use]
    pub fn future_use(&self, choices: &[u8]) -> FutureUse {
        let argument = self.future_argument();
        let choice = argument.and_then(|argument| choices.get(argument));
        FutureUse::of_choice(choice.copied().unwrap_or(0))
    }

    /// True if threads of a test call it beside each other, whatever else they call.
    #[must_use]
    pub fn runs_beside_others(&self) -> bool {
        !matches!(self.receiver, Receiver::Exclusive | Receiver::Whole)
            && !self.contract.invariant
            && self.contract.keeping == Keeping::No
            && self.contract.user_code == UserCode::Plain
    }
}

/// What one call is given.
#[derive(Debug)]
pub struct Call<'a> {
    /// Objects of the test; empty for a constructor.
    pub objects: &'a [Object],
    /// Which of them is the receiver.
    pub receiver: usize,
    /// Which alternative stands for each argument.
    pub choices: &'a [u8],
}

impl Call<'_> {
    /// The alternative chosen for argument `index`, counting from 0.
    #[must_use]
    pub fn choice(&self, index: usize) -> u8 {
        self.choices.get(index).copied().unwrap_or(0)
    }
}

/// An object of a test, type-erased: the generated code puts a `RefCell<Arc<T>>` in, so that `&mut self` methods can
/// have it whole before it is shared.
pub struct Object(pub Box<dyn Any>);

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Object")
    }
}

impl fmt::Debug for Constructor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Constructor")
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

/// What a call returned, in canonical text; `None` if it cannot be observed.
pub type Response = Option<String>;
