//! Fields that change while shared, and the places in the source that access them: what atomic sets are made of.
//!
//! A field is named by the type that declares it: `Queue.head`. A field whose type is a struct of the package stands
//! for the fields of that struct. Places where the analysis does not know the field are not among the sites.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use contest_data::atomic_sets::FieldSite;
use contest_data::atomic_sets::MOST_SETS;

use super::analysis::Analysis;
use super::mir::ty::{Type, is_std};
use super::place::Place;

/// The set of all fields that no group names.
const REST: u64 = 1;
/// Fields that an error lists.
const MOST_LISTED: usize = 40;
/// Structs in structs that are looked into.
const DEEPEST: usize = 6;

/// A type of the package and a field of it.
type Field = (String, String);

/// A group of fields that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// No type of the package has a field of this name that changes while shared.
    Unknown {
        /// As given.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// There are as many types of this name.
    Ambiguous {
        /// As given.
        name: String,
        /// The fields it could be.
        fields: Vec<String>,
    },
    /// More groups than can be distinguished.
    TooMany(usize),
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, known } if known.is_empty() => write!(
                f,
                "no field `{name}` that changes while shared: no type of the package has such a field"
            ),
            Self::Unknown { name, known } => {
                let more = known.len().saturating_sub(MOST_LISTED);
                let listed = &known[..known.len() - more];
                write!(
                    f,
                    "no field `{name}` that changes while shared; write `Type.field`, with one of {}",
                    listed.join(", ")
                )?;
                if more > 0 {
                    write!(f, " and {more} more")?;
                }
                Ok(())
            }
            Self::Ambiguous { name, fields } => write!(
                f,
                "`{name}` names more than one field; write one of {}",
                fields.join(", ")
            ),
            Self::TooMany(groups) => write!(
                f,
                "{groups} groups of fields; there can be at most {}",
                MOST_SETS - 1
            ),
        }
    }
}

impl std::error::Error for FieldError {}

impl Analysis {
    /// Fields of the package's structs that change while shared, as `module::Type.field`, sorted.
    #[must_use]
    pub fn shared_fields(&self) -> Vec<String> {
        let own = self.program.own();
        let Some(package) = self.program.crates.get(own) else {
            return Vec::new();
        };
        let mut fields = Vec::new();
        for (path, of) in &package.declarations.structs {
            for (name, ty) in &of.fields {
                if self.program.may_change_while_shared(own, ty) {
                    fields.push(format!("{path}.{name}"));
                }
            }
        }
        fields.sort();
        fields
    }

    /// The places that access fields, each with the sets of its field: one set for each group, and one for all fields
    /// of no group.
    ///
    /// # Errors
    /// Names a field that there is not, or one that is ambiguous.
    pub fn field_sites(&self, groups: &[Vec<String>]) -> Result<Vec<FieldSite>, FieldError> {
        if groups.len() >= MOST_SETS {
            return Err(FieldError::TooMany(groups.len()));
        }
        let known = self.shared_fields();
        let mut sets: BTreeMap<Field, u64> = BTreeMap::new();
        for (number, group) in groups.iter().enumerate() {
            for name in group {
                let field = find(name, &known)?;
                let mut leaves = BTreeSet::new();
                self.leaves(&field, &mut leaves, 0);
                for leaf in leaves {
                    *sets.entry(leaf).or_default() |= REST << (number + 1);
                }
            }
        }
        Ok(self.sites(&sets))
    }

    fn sites(&self, sets: &BTreeMap<Field, u64>) -> Vec<FieldSite> {
        let mut sites = Vec::new();
        for (function, trace) in self.program.functions.iter().zip(&self.traces) {
            if function.krate != self.program.own() {
                continue;
            }
            for (position, place) in &trace.sites {
                if let Some(field) = self.field_of(place) {
                    sites.push(FieldSite {
                        file: function.file.to_string(),
                        line: position.line,
                        column: position.column,
                        sets: sets.get(&field).copied().unwrap_or(REST),
                    });
                }
            }
        }
        sites
    }

    /// The field itself, or the fields of the structs of the package that its type is made of.
    fn leaves(&self, field: &Field, leaves: &mut BTreeSet<Field>, depth: usize) {
        // What a lock of the package is made of is accessed in its own methods; so is the lock itself where it is one
        // of std.
        leaves.insert(field.clone());
        if depth == DEEPEST {
            return;
        }
        for (path, ty) in self.fields_of(&field.0) {
            if path != field.1 {
                continue;
            }
            let mut structs = BTreeSet::new();
            ty.each(&mut |it| {
                if let Type::Named(path, _) = it
                    && !is_std(path)
                    && let Some(declared) = self.program.declared(self.program.own(), path)
                    && declared.krate == self.program.own()
                {
                    structs.insert(declared.path.to_string());
                }
            });
            for path in structs {
                for (name, ty) in self.fields_of(&path) {
                    if self
                        .program
                        .may_change_while_shared(self.program.own(), &ty)
                    {
                        self.leaves(&(path.clone(), name), leaves, depth + 1);
                    }
                }
            }
        }
    }

    /// Fields of a struct of the package.
    fn fields_of(&self, path: &str) -> Vec<(String, Type)> {
        let package = self.program.crates.get(self.program.own());
        let of = package.and_then(|it| it.declarations.structs.get(path));
        let fields = of.into_iter().flat_map(|it| &it.fields);
        fields
            .map(|(name, ty)| (name.to_string(), ty.clone()))
            .collect()
    }

    /// The innermost field of the path that the package declares.
    fn field_of(&self, place: &Place) -> Option<Field> {
        let package = &self.program.crates.get(self.program.own())?.declarations;
        let mut steps = place
            .path()
            .iter()
            .rev()
            .map(|step| self.program.names.of(*step));
        let (owner, field) = steps.find(|(owner, _)| package.structs.contains_key(owner))?;
        Some((owner.to_string(), field.to_string()))
    }
}

/// The field of this name, with or without the modules of its type, or with the name of the crate before them.
fn find(name: &str, known: &[String]) -> Result<Field, FieldError> {
    let ends = |known: &&String| {
        let without_crate = name.split_once("::").map(|(_, rest)| rest);
        **known == *name
            || known.ends_with(&format!("::{name}"))
            || without_crate.is_some_and(|rest| **known == *rest)
    };
    let exact = known.iter().find(|known| **known == *name);
    let found: Vec<&String> = match exact {
        Some(exact) => vec![exact],
        None => known.iter().filter(ends).collect(),
    };
    match found.as_slice() {
        [one] => {
            let (owner, field) = one.rsplit_once('.').unwrap_or((one, ""));
            Ok((owner.to_string(), field.to_string()))
        }
        [] => Err(FieldError::Unknown {
            name: name.to_string(),
            known: known.to_vec(),
        }),
        several => Err(FieldError::Ambiguous {
            name: name.to_string(),
            fields: several.iter().map(ToString::to_string).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<String> {
        ["a::Queue.head", "a::Queue.tail", "b::Queue.head", "Set.0"]
            .map(str::to_string)
            .to_vec()
    }

    #[test]
    fn a_field_is_found_by_the_end_of_its_types_path() {
        let field = |owner: &str, name: &str| Ok((owner.to_string(), name.to_string()));
        assert_eq!(find("Queue.tail", &known()), field("a::Queue", "tail"));
        assert_eq!(
            find("mine::b::Queue.head", &known()),
            field("b::Queue", "head")
        );
        assert_eq!(find("Set.0", &known()), field("Set", "0"));
    }

    #[test]
    fn an_unknown_or_ambiguous_field_is_reported_with_those_there_are() {
        let text = find("Queue.haed", &known()).unwrap_err().to_string();
        assert!(
            text.contains("`Queue.haed`") && text.contains("a::Queue.head"),
            "{text}"
        );
        let text = find("Queue.head", &known()).unwrap_err().to_string();
        assert!(text.contains("b::Queue.head"), "{text}");
    }
}
