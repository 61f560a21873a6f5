//! Names of memory locations and locks: a root and a path of fields.

use std::fmt;

use super::types::Name;

/// Where a path of fields begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Root {
    /// A parameter of the function; 0 is the object.
    Parameter(u16),
    /// A static, by path.
    Static(Name),
    /// An object made in the function, by number: nobody else sees it.
    Local(u32),
    /// What a call returned, by number of the call.
    Result(u32),
    /// An argument of a closure: number of the closure, of the argument.
    ClosureArgument(u32, u16),
    /// Some object of a type; the type may be empty.
    Unknown(Name),
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Step {
    /// The type that declares the field; empty if it is not known.
    pub(crate) owner: Name,
    /// Name of the field; `[]` for an element, `*` for what a lock or a cell holds.
    pub(crate) field: Name,
}

/// A root and a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) root: Root,
    pub(crate) path: Vec<Step>,
    /// The path was cut: it stands for everything below.
    pub(crate) cut: bool,
}

/// Longest path; what is longer is cut and stands for everything below.
const LONGEST: usize = 8;

impl Place {
    /// Only a root.
    pub(crate) fn of(root: Root) -> Self {
        Self { root, path: Vec::new(), cut: false }
    }

    /// Some object of a type.
    pub(crate) fn unknown(ty: &str) -> Self {
        Self::of(Root::Unknown(ty.into()))
    }

    /// One step further.
    pub(crate) fn step(&self, owner: &str, field: &str) -> Self {
        let mut place = self.clone();
        place.push(Step { owner: owner.into(), field: field.into() });
        place
    }

    /// A place below this one.
    pub(crate) fn join(&self, path: &[Step], cut: bool) -> Self {
        let mut place = self.clone();
        for step in path {
            place.push(step.clone());
        }
        place.cut |= cut;
        place
    }

    /// A step that repeats an earlier one (a list's `next`), or one too many, cuts the path.
    fn push(&mut self, step: Step) {
        if self.cut {
            return;
        }
        // Twice what a lock holds, or twice an element, is a step down, no repetition.
        let repeats = !step.owner.is_empty() && self.path.contains(&step);
        if repeats || self.path.len() >= LONGEST {
            self.cut = true;
        } else if &*step.field == "*" && self.path.last().is_some_and(|it| &*it.field == "*") {
            // What a cell in a lock holds: one of the two says it.
        } else {
            self.path.push(step);
        }
    }

    /// True if what the place names can change while it is shared: it is inside a lock or a cell.
    pub(crate) fn is_inside(&self) -> bool {
        self.path.iter().any(|it| &*it.field == "*")
    }

    /// True if every use of the name means the same object: fixed fields of the object, or of a static.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.cut
            && matches!(self.root, Root::Parameter(0) | Root::Static(_))
            && self.path.iter().all(|it| !matches!(&*it.field, "*" | "[]") && !it.field.contains('('))
    }

    /// The last field that has a name with the type that declares it, and what follows.
    pub(crate) fn last_field(&self) -> Option<(usize, &Step)> {
        self.path
            .iter()
            .enumerate()
            .rev()
            .find(|(_, it)| !it.owner.is_empty() && !matches!(&*it.field, "*" | "[]"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.root {
            Root::Parameter(0) => f.write_str("self")?,
            Root::Parameter(n) => write!(f, "argument {n}")?,
            Root::Static(path) => f.write_str(path)?,
            Root::Local(n) => write!(f, "local {n}")?,
            Root::Result(n) => write!(f, "result {n}")?,
            Root::ClosureArgument(..) => f.write_str("closure argument")?,
            Root::Unknown(ty) if ty.is_empty() => f.write_str("?")?,
            Root::Unknown(ty) => write!(f, "?{ty}")?,
        }
        for step in &self.path {
            match &*step.field {
                "[]" => f.write_str("[]")?,
                field => write!(f, ".{field}")?,
            }
        }
        if self.cut {
            f.write_str("..")?;
        }
        Ok(())
    }
}
