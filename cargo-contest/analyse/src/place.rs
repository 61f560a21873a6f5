//! Names of memory locations and locks: a root and a path of fields. Small and copied: summaries are made of nothing
//! else.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::mir::ty::Name;

/// One step of a path: a field with the type that declares it, by number in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Step(u32);

/// Set for steps whose declaring type is not known.
const WITHOUT_OWNER: u32 = 1 << 31;

impl Step {
    /// What a lock or a cell holds.
    pub(crate) const INSIDE: Self = Self(WITHOUT_OWNER);
    /// Any element.
    pub(crate) const ELEMENT: Self = Self(1 | WITHOUT_OWNER);
    /// Nothing: the type of an object of which nothing is known.
    pub(crate) const ANY: Self = Self(2 | WITHOUT_OWNER);
    /// Bounds of all steps.
    pub(crate) const FIRST: Self = Self(0);
    pub(crate) const LAST: Self = Self(u32::MAX);
}

/// Where a path of fields begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Root {
    /// A parameter of the function; 0 is the object.
    Parameter(u16),
    /// A static, by path.
    Static(Step),
    /// An object made in the function, by number: no other thread has access to it.
    Local(u32),
    /// Some object of a type; of any if that is [`Step::ANY`].
    Unknown(Step),
}

/// Longest path; what is longer is cut and stands for everything below.
const LONGEST: usize = 7;

/// A root and a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) root: Root,
    length: u8,
    /// The path was cut: it stands for everything below.
    pub(crate) cut: bool,
    steps: [Step; LONGEST],
}

impl Place {
    /// Only a root.
    pub(crate) fn of(root: Root) -> Self {
        Self {
            root,
            length: 0,
            cut: false,
            steps: [Step::ANY; LONGEST],
        }
    }

    /// Some object; nothing is known of it.
    pub(crate) fn anything() -> Self {
        Self::of(Root::Unknown(Step::ANY))
    }

    /// Its path.
    pub(crate) fn path(&self) -> &[Step] {
        &self.steps[..usize::from(self.length)]
    }

    /// One step further.
    pub(crate) fn step(&self, step: Step) -> Self {
        let mut place = *self;
        place.push(step);
        place
    }

    /// What the lock or cell holds.
    pub(crate) fn inside(&self) -> Self {
        self.step(Step::INSIDE)
    }

    /// A place below this one.
    pub(crate) fn join(&self, path: &[Step], cut: bool) -> Self {
        let mut place = *self;
        for step in path {
            place.push(*step);
        }
        place.cut |= cut;
        place
    }

    /// A step that repeats an earlier one (a list's `next`), or one too many, cuts the path.
    fn push(&mut self, step: Step) {
        if self.cut {
            return;
        }
        let repeats = step.0 & WITHOUT_OWNER == 0 && self.path().contains(&step);
        if repeats || usize::from(self.length) >= LONGEST {
            self.cut = true;
        } else if step == Step::INSIDE && self.path().last() == Some(&step) {
            // What a cell in a lock holds: one of the two says it.
        } else {
            self.steps[usize::from(self.length)] = step;
            self.length += 1;
        }
    }

    /// True if what the place names can change while it is shared: it is inside a lock or a cell.
    pub(crate) fn is_inside(&self) -> bool {
        self.path().contains(&Step::INSIDE)
    }

    /// True if every use of the name means the same object: fixed fields of the object, or of a static.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.cut
            && matches!(self.root, Root::Parameter(0) | Root::Static(_))
            && !self
                .path()
                .iter()
                .any(|it| matches!(*it, Step::INSIDE | Step::ELEMENT))
    }
}

/// Types and fields by number.
#[derive(Debug)]
pub(crate) struct Names {
    table: RwLock<Table>,
}

#[derive(Debug)]
struct Table {
    /// By type, then by field.
    numbers: HashMap<Name, HashMap<Name, Step>>,
    names: Vec<(Name, Name)>,
}

impl Default for Names {
    fn default() -> Self {
        let names: Vec<(Name, Name)> = ["*", "[]", ""]
            .into_iter()
            .map(|it| ("".into(), it.into()))
            .collect();
        let steps = (0_u32..).zip(&names);
        let numbers = steps.map(|(n, (_, field))| (field.clone(), Step(n | WITHOUT_OWNER)));
        let numbers = HashMap::from([("".into(), numbers.collect())]);
        Self {
            table: RwLock::new(Table { numbers, names }),
        }
    }
}

impl Names {
    /// The step to a field of a type; of a type that is not known if that is empty.
    pub(crate) fn field(&self, owner: &str, field: &str) -> Step {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(step) = table.numbers.get(owner).and_then(|of| of.get(field)) {
            return *step;
        }
        drop(table);
        let key: (Name, Name) = (owner.into(), field.into());
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let mark = if owner.is_empty() { WITHOUT_OWNER } else { 0 };
        let next = Step(u32::try_from(table.names.len()).unwrap_or(0) | mark);
        let of_type = table.numbers.entry(key.0.clone()).or_default();
        let step = *of_type.entry(key.1.clone()).or_insert(next);
        if step == next {
            table.names.push(key);
        }
        step
    }

    /// The number of a type or a static.
    pub(crate) fn path(&self, path: &str) -> Step {
        self.field("", path)
    }

    /// Type and field of a step.
    pub(crate) fn of(&self, step: Step) -> (Name, Name) {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table
            .names
            .get((step.0 & !WITHOUT_OWNER) as usize)
            .cloned()
            .unwrap_or_else(|| ("".into(), "".into()))
    }

    /// Some object of a type.
    pub(crate) fn unknown(&self, ty: &str) -> Place {
        Place::of(Root::Unknown(self.path(ty)))
    }
}
