//! The output of the stage: plain data, in names that mean the same for all methods of a type.

use std::fmt;

use serde::{Deserialize, Serialize};

/// End of the reason why a summary is not exact, where a function of an `extern` block is called.
pub const OF_ANOTHER_LANGUAGE: &str = ", a function of another language";

/// What a method may do to shared state, and under which locks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodSummary {
    /// The operation, as discovery names it: `insert`, `Collector::collect`.
    pub operation: String,
    /// Where it is declared: `src/lib.rs:120`.
    pub declared: String,
    /// Threads can call it at the same time: it does not need the object for itself.
    pub shared: bool,
    /// Access summary: shared locations it may read or write, callees included. Too many rather than too few.
    pub accesses: Vec<Access>,
    /// Lock summary: locks held, as one acquisition, at every access. Too few rather than too many.
    pub locks: Vec<HeldLock>,
    /// Double-lock summary: locks that may be taken while another is held.
    pub lock_pairs: Vec<LockPair>,
    /// Every lock it may take.
    pub acquires: Vec<HeldLock>,
    /// Why the summary is not exact; empty if it is. Only pairs of exact summaries may be left out.
    pub inexact: Vec<Inexact>,
}

impl MethodSummary {
    /// A method of which nothing is known.
    #[must_use]
    pub fn unknown(operation: &str, declared: &str, why: &str) -> Self {
        Self {
            operation: operation.to_string(),
            declared: declared.to_string(),
            shared: true,
            accesses: vec![Access {
                location: Location::anything(),
                reads: true,
                writes: true,
                at: declared.to_string(),
            }],
            inexact: vec![Inexact {
                why: why.to_string(),
                at: declared.to_string(),
            }],
            ..Self::default()
        }
    }

    /// No rule for unknown code was used.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.inexact.is_empty()
    }

    /// It runs code of another language, in which neither the tool nor the engine sees what orders threads. Blocks of
    /// inline assembly are synchronisation of their own.
    #[must_use]
    pub fn hides_order(&self) -> bool {
        let mut all = self.inexact.iter();
        all.any(|it| it.why.ends_with(OF_ANOTHER_LANGUAGE))
    }
}

/// Accesses to one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// What is accessed.
    pub location: Location,
    /// It is read.
    pub reads: bool,
    /// It is written.
    pub writes: bool,
    /// One place in the source that does it.
    pub at: String,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match (self.reads, self.writes) {
            (true, true) => "RW",
            (false, true) => "W",
            _ => "R",
        };
        write!(f, "{kind}({})", self.location)
    }
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LockMode {
    /// Together with other readers.
    Read,
    /// Alone.
    Exclusive,
    /// Alone; who holds it may take it again.
    Reentrant,
}

/// A lock and how it is held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldLock {
    /// The lock.
    pub lock: Location,
    /// How it is held.
    pub mode: LockMode,
}

impl fmt::Display for HeldLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mode {
            LockMode::Read => write!(f, "{} (read)", self.lock),
            LockMode::Exclusive | LockMode::Reentrant => write!(f, "{}", self.lock),
        }
    }
}

/// The second lock may be taken while the first is held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockPair {
    /// Held.
    pub first: HeldLock,
    /// Taken.
    pub second: HeldLock,
    /// One place in the source that takes it.
    pub at: String,
}

impl fmt::Display for LockPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.first, self.second)
    }
}

/// Why a summary is not exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inexact {
    /// A lower-case fragment that goes on after the method's name: `calls its closure argument`.
    pub why: String,
    /// Where: `src/lib.rs:12`.
    pub at: String,
}

/// Where the path of a location begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LocationRoot {
    /// The object.
    Object,
    /// An argument of the object's own type, by number from 1.
    Other(u16),
    /// Another argument, by number from 1.
    Argument(u16),
    /// A static, by path.
    Static(String),
    /// Some object of this type; of any type if empty.
    Any(String),
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LocationStep {
    /// The type that declares the field; empty for elements, for what a lock protects, and if it is not known.
    pub owner: String,
    /// Field name; `[]` for any element, `*` for what a lock or a cell holds.
    pub field: String,
}

/// A memory location or a lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Where its path begins.
    pub root: LocationRoot,
    /// Its path.
    pub path: Vec<LocationStep>,
    /// It stands for everything below as well.
    pub below: bool,
}

impl Location {
    /// Any location.
    #[must_use]
    pub fn anything() -> Self {
        Self {
            root: LocationRoot::Any(String::new()),
            path: Vec::new(),
            below: true,
        }
    }

    /// True if it is not known what it is at all.
    #[must_use]
    pub fn is_anything(&self) -> bool {
        matches!(&self.root, LocationRoot::Any(ty) if ty.is_empty())
    }

    /// True if every use of the name means one object, whenever it is used: then holding it as a lock excludes others.
    #[must_use]
    pub fn is_one_object(&self) -> bool {
        !self.below
            && matches!(self.root, LocationRoot::Object | LocationRoot::Static(_))
            && self
                .path
                .iter()
                .all(|it| it.field != "*" && it.field != "[]")
    }

    /// True if the two may be the same memory, or one a part of the other.
    #[must_use]
    pub fn may_overlap(&self, other: &Self) -> bool {
        use LocationRoot as R;
        match (&self.root, &other.root) {
            (R::Object | R::Other(_), R::Object | R::Other(_)) => prefix(&self.path, &other.path),
            (R::Static(a), R::Static(b)) => a == b && prefix(&self.path, &other.path),
            (R::Any(ty), _) => self.any_overlaps(ty, other),
            (_, R::Any(ty)) => other.any_overlaps(ty, self),
            _ => self.same_field(other),
        }
    }

    fn any_overlaps(&self, ty: &str, other: &Self) -> bool {
        if ty.is_empty() || other.is_anything() {
            return true;
        }
        let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_string();
        if let LocationRoot::Any(its) = &other.root
            && last(its) == last(ty)
        {
            return self.path.is_empty()
                || other.path.is_empty()
                || self.same_field(other)
                || prefix(&self.path, &other.path);
        }
        other.path.iter().any(|it| last(&it.owner) == last(ty))
            && (self.path.iter().all(|it| it.owner.is_empty()) || self.same_field(other))
    }

    /// True if some field of the one is a field of the other, and they do not part after it.
    fn same_field(&self, other: &Self) -> bool {
        self.path.iter().enumerate().any(|(n, step)| {
            !step.owner.is_empty()
                && other
                    .path
                    .iter()
                    .enumerate()
                    .any(|(m, it)| it == step && prefix(&self.path[n + 1..], &other.path[m + 1..]))
        })
    }

    /// True if the two, as locks, may be the same lock in some test: the same field of the same type, of whatever
    /// object.
    #[must_use]
    pub fn is_compatible(&self, other: &Self) -> bool {
        use LocationRoot as R;
        match (&self.root, &other.root) {
            (R::Static(a), R::Static(b)) if a != b => false,
            (R::Object | R::Other(_), R::Object | R::Other(_)) | (R::Static(_), R::Static(_)) => {
                self.path == other.path
                    || ((self.below || other.below) && prefix(&self.path, &other.path))
            }
            (R::Any(_), _) | (_, R::Any(_)) => self.may_overlap(other),
            _ => {
                let field = |it: &Self| {
                    it.path
                        .iter()
                        .rev()
                        .find(|it| !it.owner.is_empty())
                        .cloned()
                };
                field(self).is_some() && field(self) == field(other)
            }
        }
    }
}

/// True if one path begins with the other. Steps to elements do not count: a library function may lead to a container
/// or to an element of it, and which is not always known.
fn prefix(a: &[LocationStep], b: &[LocationStep]) -> bool {
    fn fields(path: &[LocationStep]) -> impl Iterator<Item = &str> {
        path.iter()
            .map(|it| it.field.as_str())
            .filter(|it| *it != "[]")
    }
    fields(a).zip(fields(b)).all(|(a, b)| a == b)
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.root {
            LocationRoot::Object => f.write_str("self")?,
            LocationRoot::Other(n) => write!(f, "other{n}")?,
            LocationRoot::Argument(n) => write!(f, "argument{n}")?,
            LocationRoot::Static(path) => f.write_str(path)?,
            LocationRoot::Any(ty) if ty.is_empty() => f.write_str("?")?,
            LocationRoot::Any(ty) => write!(f, "?{}", ty.rsplit("::").next().unwrap_or(ty))?,
        }
        for step in &self.path {
            if step.field == "[]" {
                f.write_str("[]")?;
            } else {
                write!(f, ".{}", step.field)?;
            }
        }
        if self.below && !self.is_anything() {
            f.write_str("..")?;
        }
        Ok(())
    }
}
