//! What discovery found: types under test with their constructors and operations, as Rust expressions that a crate
//! which depends on the package can compile, and what was left out.

use std::borrow::Cow;

use contest_data::subject::{EndUse, FutureUse, Keeping, Needs, Probe, StandInMode, UserCode};
use serde::{Deserialize, Serialize};

use super::expression::Expression;
use crate::pair_path;
use crate::skipped::Skipped;

/// In place of the path of a type, in a token and a catalog: the text of a scenario comes after it.
pub const SCENARIO: &str = "try ";

/// All subjects of one package.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubjectCatalog {
    /// Subjects in order of their path.
    pub subjects: Vec<SubjectEntry>,
    /// Items the generated driver needs beside them: `struct`s and `impl`s that stand in for user types (trait
    /// implementations).
    pub support_items: Vec<SupportItem>,
    /// Types that are not subjects, with the reason.
    pub skipped: Vec<Skipped>,
    /// Expressions of the manifest that may be in it.
    pub given: Vec<Given>,
    /// Handwritten impls of `Send` and `Sync` for types of the package.
    pub unsafe_impls: Vec<UnsafeImpl>,
    /// Arguments that are as the package's own code passes them.
    pub idioms: Vec<TakenIdiom>,
    /// The format of rustdoc's JSON, if it is not the one that this program was made for.
    pub other_format: Option<u32>,
}

/// An argument that cannot be made otherwise, as a test, an example or the documentation of the package passes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenIdiom {
    /// `Pool::open.address`
    pub argument: String,
    /// As it is written there.
    pub text: String,
    /// As it is compiled.
    pub expression: String,
    /// Where: `tests/pool.rs:12`.
    pub location: String,
}

/// `unsafe impl<T> Sync for Shelf<T> {}`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsafeImpl {
    /// Public path of the type.
    pub path: String,
    /// `Send` or `Sync`.
    pub marker: Cow<'static, str>,
    /// `src/lib.rs:12`
    pub location: String,
}

impl SubjectCatalog {
    /// Types and operations that are left out, by their paths.
    pub fn left_out(&self) -> impl Iterator<Item = Skipped> + '_ {
        let of_subjects = self.subjects.iter().flat_map(|subject| {
            let path = &subject.path;
            let operations = subject.left_out.iter();
            operations.map(move |it| Skipped::new(format!("{path}::{}", it.item), &it.why))
        });
        self.skipped.iter().cloned().chain(of_subjects)
    }

    /// Those for the type of a subject, or for one of its ends.
    pub fn unsafe_impls_of<'a>(
        &'a self,
        subject: &'a SubjectEntry,
    ) -> impl Iterator<Item = &'a UnsafeImpl> {
        let path = subject.path.split('<').next().unwrap_or_default();
        let mut types = pair_path::ends(path);
        types.push(path.to_owned());
        self.unsafe_impls
            .iter()
            .filter(move |it| types.contains(&it.path))
    }
}

/// A setting whose expressions are part of a driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// `make` of `Pool`.
    pub setting: String,
    /// As it is written in the manifest.
    pub expression: String,
}

/// A Rust item the driver declares once, because expressions of the catalog name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SupportItem {
    /// Name that expressions use: `StandInManageConnection`.
    pub name: String,
    /// Rust source.
    pub source: String,
    /// As a part of an emitted test, where that cannot be `source`.
    pub emitted: Option<String>,
}

impl SupportItem {
    /// True if Rust source names this item.
    #[must_use]
    pub fn is_named_in(&self, source: &str) -> bool {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        source.match_indices(&self.name).any(|(start, name)| {
            !source[..start].ends_with(is_word)
                && !source[start + name.len()..].starts_with(is_word)
        })
    }
}

/// A type under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubjectEntry {
    /// Public path without type arguments: `dashmap::DashMap`. The filter of the command line matches suffixes of it.
    /// With them, `slock::Slock<Unshared>`, where the type is tested a second time with an argument that is not `Sync`
    /// (`Unsent`: not `Send`); `flume::{Sender, Receiver}` if it is a pair.
    pub path: String,
    /// The type as a Rust expression: `dashmap::DashMap<u32, u32>`.
    pub type_expression: String,
    /// Where it is declared: `src/lib.rs:85`.
    pub declared: String,
    /// Ways to make one, preferred first.
    pub constructors: Vec<ConstructorEntry>,
    /// Its operations, in source order.
    pub operations: Vec<OperationEntry>,
    /// Methods and constructors left out, with the reason.
    pub left_out: Vec<Skipped>,
}

impl SubjectEntry {
    /// The operations that take the object by value, with one of which each object of a test ends.
    pub fn endings(&self) -> impl Iterator<Item = u16> {
        let numbered = (0_u16..).zip(&self.operations);
        let whole = numbered.filter(|(_, operation)| operation.taken == Taken::Value);
        whole.map(|(number, _)| number)
    }

    /// What reports and tokens call it: its type, or, of functions, its module.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        // The same type has a usual instance, too: the path tells which of the two carries the probe.
        let carries = |it: &str| Probe::of_path(it).is_some();
        let is_carrier = carries(&self.path) && !carries(&self.type_expression);
        if self.type_expression == "()" || is_carrier {
            Cow::Borrowed(&self.path)
        } else if self.ends().is_empty() {
            Cow::Borrowed(&self.type_expression)
        } else {
            Cow::Owned(without_wrappers(&self.type_expression))
        }
    }

    /// The operations as people count them: keeping a result is none beside the plain call, and neither is another
    /// closure.
    pub fn called(&self) -> impl Iterator<Item = &OperationEntry> {
        let operations = self.operations.iter();
        operations.filter(|it| it.keeping == Keeping::No && it.user_code == UserCode::Plain)
    }

    /// Paths of the ends, if it is a pair.
    #[must_use]
    pub fn ends(&self) -> Vec<String> {
        pair_path::ends(&self.path)
    }
}

/// The wrapper of an end that is `Sync`, and of one that is not.
pub const WRAPPERS: [&str; 2] = ["SharedEnd", "OwnEnd"];

/// `(pool::Pool, pool::Key)`: how a driver holds the ends of a pair is no matter of its readers.
fn without_wrappers(pair: &str) -> String {
    let mut text = pair.to_owned();
    for wrapper in WRAPPERS {
        let opened = format!("{wrapper}<");
        let in_name = |it: char| it.is_alphanumeric() || it == '_';
        let begins = |text: &str| {
            let mut all = text.match_indices(&opened).map(|(start, _)| start);
            all.find(|start| !text[..*start].ends_with(in_name))
        };
        while let Some(start) = begins(&text) {
            let inside = start + opened.len();
            let mut depth = 1;
            let mut before = ' ';
            let end = text[inside..].char_indices().find(|(_, sign)| {
                // The arrow of a function's type closes nothing.
                let closes = *sign == '>' && before != '-';
                before = *sign;
                depth += i32::from(*sign == '<') - i32::from(closes);
                depth == 0
            });
            let Some((length, _)) = end else { break };
            text.remove(inside + length);
            text.replace_range(start..inside, "");
        }
    }
    text
}

/// How a constructor's value is turned into the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Made {
    /// The expression is `T`.
    Plain,
    /// It is `Arc<T>`.
    Arc,
}

/// A way to make a subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstructorEntry {
    /// For reports: `DashMap::with_capacity({0})`.
    pub text: Expression,
    /// For the compiler: `dashmap::DashMap::<u32, u32>::with_capacity({0})`, unwrapping included.
    pub expression: Expression,
    /// What the expression is.
    pub made: Made,
    /// How the stand-ins in the object behave.
    pub mode: StandInMode,
    /// Its arguments.
    pub arguments: Vec<ArgumentRecipe>,
}

impl ConstructorEntry {
    /// One that is this value.
    pub fn of_value(value: ArgumentChoice) -> Self {
        Self {
            text: value.text.into(),
            expression: value.expression,
            made: Made::Plain,
            mode: StandInMode::Usual,
            arguments: Vec::new(),
        }
    }
}

/// How an argument is passed. The driver binds the chosen value with `let` first, so borrows live long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Passed {
    /// `value`.
    Value,
    /// `&value`.
    Reference,
    /// `&mut value`.
    MutableReference,
    /// Another object of the test, of the subject's own type: `&T`.
    OtherObject,
    /// Another object of the test: `Arc<T>`.
    OtherObjectArc,
}

/// Alternatives for one argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentRecipe {
    /// Type of the bound value as a Rust expression, if it can be written (closures cannot): `alloc::string::String`.
    pub type_expression: Option<String>,
    /// How it is passed.
    pub passed: Passed,
    /// Alternatives in order of preference; all of one type. Empty for other objects.
    pub choices: Vec<ArgumentChoice>,
    /// The choices are texts of several forms, [`Argument::OF_A_FORM`](contest_data::subject::Argument::OF_A_FORM) of
    /// each.
    #[serde(default)]
    pub of_texts: bool,
}

/// One alternative for an argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentChoice {
    /// For reports, as passed: `&"a"`, `1`, `|_| 1`.
    pub text: String,
    /// The bound value, without holes: `std::string::String::from("a")`.
    pub expression: Expression,
}

/// How an operation takes the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Taken {
    /// `&self` or a parameter `&T`.
    Reference,
    /// `&Arc<Self>`.
    ArcReference,
    /// `Arc<Self>`.
    Arc,
    /// `&mut self`: prefix only.
    MutableReference,
    /// `self`: the last call of the object.
    Value,
    /// An end of a pair; the object has type `&(…, …)`.
    End(EndUse),
}

impl Taken {
    /// True if threads of a test can call it beside each other.
    #[must_use]
    pub fn is_shared(self) -> bool {
        !matches!(self, Self::MutableReference | Self::Value)
    }
}

/// Methods of `Arc` itself, which hide methods of the same name of what it points to.
pub const METHODS_OF_ARC: &[&str] = &[
    "clone",
    "as_ref",
    "borrow",
    "eq",
    "cmp",
    "partial_cmp",
    "hash",
    "fmt",
    "to_string",
    "to_owned",
];

/// An operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationEntry {
    /// Method name, with `Trait::` in front for a trait's method: `insert`, `Collector::collect`. Derived operations
    /// show the chain: `get_or_create().inc`.
    pub name: String,
    /// For reports: `{s}.insert({0}, {1})`.
    pub text: Expression,
    /// For the compiler; the object is a place of type `&T` (`&Arc<T>`, `Arc<T>`, `&mut T` according to [`Taken`]).
    pub expression: Expression,
    /// How it takes the object.
    pub taken: Taken,
    /// Its arguments after the object.
    pub arguments: Vec<ArgumentRecipe>,
    /// What to do with the returned value.
    pub returned: Returned,
    /// It is polled by hand; then only the newest of those who wait for it need be woken.
    pub polled: bool,
    /// Commonly weakly consistent (`len`, `is_empty`, `capacity`, `strong_count`, iterators): compared at quiescence
    /// only.
    pub weak: bool,
    /// Its result is approximate, says its documentation.
    pub approximate: bool,
    /// The sentence in which its documentation says that its future must not be dropped before its end.
    pub not_cancel_safe: Option<String>,
    /// The sentence in which its documentation announces that it panics because of what other threads do.
    pub announced_panic: Option<String>,
    /// Suitable for observing the object at quiescence.
    pub observer: bool,
    /// It may be, by its type: whether it changes nothing is measured.
    pub may_observe: bool,
    /// What it does with a result that its thread keeps over further calls.
    pub keeping: Keeping,
    /// What its closures do beside their work.
    pub user_code: UserCode,
    /// Arguments that its callers have from other operations: the place of each, and the names of these operations.
    pub given_out: Vec<(usize, Vec<String>)>,
    /// `unsafe fn`s are never operations; this names the trait a method comes from, if any.
    pub from_trait: Option<String>,
    /// Where it is declared: `src/lib.rs:120`.
    pub declared: String,
}

impl ConstructorEntry {
    /// The call, and all alternatives of its arguments.
    pub fn values(&self) -> impl Iterator<Item = &Expression> {
        values(&self.expression, &self.arguments)
    }
}

fn values<'a>(
    call: &'a Expression,
    arguments: &'a [ArgumentRecipe],
) -> impl Iterator<Item = &'a Expression> {
    let choices = arguments.iter().flat_map(|it| &it.choices);
    std::iter::once(call).chain(choices.map(|it| &it.expression))
}

impl OperationEntry {
    /// The call, and all alternatives of its arguments.
    pub fn values(&self) -> impl Iterator<Item = &Expression> {
        values(&self.expression, &self.arguments)
    }

    /// An operation without arguments whose result is compared, in no way special.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        taken: Taken,
        expression: Expression,
        text: Expression,
    ) -> Self {
        Self {
            name: name.into(),
            text,
            expression,
            taken,
            arguments: Vec::new(),
            returned: Returned::Observe,
            polled: false,
            weak: false,
            approximate: false,
            not_cancel_safe: None,
            announced_panic: None,
            observer: false,
            may_observe: false,
            keeping: Keeping::No,
            user_code: UserCode::Plain,
            given_out: Vec::new(),
            from_trait: None,
            declared: String::new(),
        }
    }

    /// True if an argument is another object of its type.
    #[must_use]
    pub fn takes_other_object(&self) -> bool {
        let mut passed = self.arguments.iter().map(|it| it.passed);
        passed.any(|it| matches!(it, Passed::OtherObject | Passed::OtherObjectArc))
    }

    /// What follows its text where the future that it returns is run: nothing if it is a chain that awaits inside.
    #[must_use]
    pub fn awaits(&self) -> &'static str {
        let inside = self.text.to_string().contains(".await");
        if self.returned == Returned::Future && !inside {
            ".await"
        } else {
            ""
        }
    }

    /// Why its future is always run to its end; `None` if it may be dropped.
    #[must_use]
    pub fn not_cancelled(&self) -> Option<String> {
        if self.keeping == Keeping::Keeps {
            return Some("its result is kept".to_owned());
        }
        // A call of an operation, and one on what it returns.
        if self.returned == Returned::Future && self.name.contains("().") {
            return Some("given up, it may have made the first of its two calls".to_owned());
        }
        let whole = match self.taken {
            Taken::Value => true,
            Taken::End(end) => end.needs == Needs::Whole,
            Taken::Reference | Taken::ArcReference | Taken::Arc | Taken::MutableReference => false,
        };
        if whole {
            // The object goes with the future: no order of the calls without this one says what is right.
            return Some("its future owns the object".to_owned());
        }
        if self
            .name
            .rsplit([':', '.'])
            .next()
            .is_some_and(|it| it.starts_with("spawn"))
        {
            // Dropped, it neither undoes the call nor ends it: the task is begun, and who runs it decides what it does.
            return Some("its future is the handle of a task".to_owned());
        }
        let sentence = self.not_cancel_safe.as_ref()?;
        Some(format!("\"{sentence}\""))
    }

    /// How the call with these choices uses the future that it returns.
    #[must_use]
    pub fn future_use(&self, choices: &[u8]) -> FutureUse {
        let choice = choices.get(self.arguments.len()).copied();
        match self.returned {
            Returned::Future => FutureUse::of_choice(choice.unwrap_or(0)),
            Returned::Observe | Returned::Iterator => FutureUse::Run,
        }
    }
}

/// What the driver does with a returned value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Returned {
    /// Observe it by `Debug` if it has that, else by what it dereferences to, else as a drained iterator, else not at
    /// all; hold it to the end of the call.
    Observe,
    /// A future: run it by the controlled `block_on`, then observe the output.
    Future,
    /// An iterator: drain it to a limit, observing the items.
    Iterator,
}
