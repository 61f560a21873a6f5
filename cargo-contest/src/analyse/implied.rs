//! Code of the package that runs although nobody wrote a call of it: by derived methods, which run those of the fields, and by whoever
//! looks at a result.

use super::index::{Fields, Index};
use super::known_types::{Kind, kind};
use super::types::{Name, Type, last_segment};

/// A function, with the path of fields from the value to what it is called on.
pub(crate) type Implied = (Vec<(Name, Name)>, u32);

/// Most functions of one derived method.
const MOST: usize = 16;
/// Deepest field that is looked at.
const DEEPEST: usize = 6;

impl Index {
    /// Functions of this name, written by hand, that a derived method of that name of the type runs.
    pub(crate) fn derived(&self, ty: &Type, name: &str) -> Vec<Implied> {
        let mut found = Vec::new();
        self.collect_derived(ty, name, &mut Vec::new(), &mut found);
        found
    }

    fn collect_derived(
        &self,
        ty: &Type,
        name: &str,
        path: &mut Vec<(Name, Name)>,
        found: &mut Vec<Implied>,
    ) {
        if path.len() > DEEPEST || found.len() >= MOST {
            return;
        }
        match ty {
            Type::Own(own, arguments) => {
                let written = self.methods.get(&(own.clone(), name.into()));
                if let Some(written) = written {
                    found.extend(written.iter().map(|it| (path.clone(), *it)));
                    return;
                }
                for (owner, fields) in self.declarations(own) {
                    let by = fields.bind(arguments);
                    for (field, ty) in &fields.fields {
                        path.push((owner.clone(), field.clone()));
                        self.collect_derived(&ty.substitute(None, &by), name, path, found);
                        path.pop();
                    }
                }
            }
            // A handle is counted up; what it leads to is not copied.
            Type::Foreign(holder, _)
                if name == "clone" && matches!(last_segment(holder), "Arc" | "Rc" | "Weak") => {}
            Type::Foreign(_, arguments) => {
                path.push(("".into(), "[]".into()));
                for ty in arguments {
                    self.collect_derived(ty, name, path, found);
                }
                path.pop();
            }
            Type::Reference(_, to) if name != "clone" => {
                self.collect_derived(to, name, path, found);
            }
            Type::Sequence(of) => {
                path.push(("".into(), "[]".into()));
                self.collect_derived(of, name, path, found);
                path.pop();
            }
            Type::Tuple(types) => {
                for ty in types {
                    self.collect_derived(ty, name, path, found);
                }
            }
            _ => {}
        }
    }

    /// Fields of a struct, or of each variant of an enum, with the name that declares them.
    fn declarations(&self, own: &Name) -> Vec<(Name, &Fields)> {
        if let Some(fields) = self.structs.get(own) {
            return vec![(own.clone(), fields)];
        }
        self.enums
            .get(own)
            .into_iter()
            .flatten()
            .filter_map(|it| Some((it.clone(), self.variants.get(it)?)))
            .collect()
    }

    /// What is in a result that runs code of its own when it is formatted, followed, gone through or dropped: `the type`, in words.
    /// `matters` says whether a function does anything that others could see.
    pub(crate) fn runs_when_looked_at(
        &self,
        ty: &Type,
        matters: &dyn Fn(u32) -> bool,
    ) -> Option<String> {
        self.looked_at(ty, matters, &mut Vec::new())
    }

    fn looked_at(
        &self,
        ty: &Type,
        matters: &dyn Fn(u32) -> bool,
        seen: &mut Vec<Name>,
    ) -> Option<String> {
        let mut any = |types: &[Type]| {
            types
                .iter()
                .find_map(|it| self.looked_at(it, matters, seen))
        };
        match ty {
            Type::Own(own, arguments) => {
                if let Some(found) = any(arguments) {
                    return Some(found);
                }
                if seen.contains(own) {
                    return None;
                }
                seen.push(own.clone());
                let runs = ["fmt", "deref", "next", "into_iter", "drop"];
                let mut written = runs
                    .iter()
                    .filter_map(|name| self.methods.get(&(own.clone(), (*name).into())))
                    .flatten();
                if written.any(|it| matters(*it)) {
                    return Some(format!("a `{}`", last_segment(own)));
                }
                let declarations = self.declarations(own);
                let fields = declarations.iter().flat_map(|(_, it)| &it.fields);
                let types: Vec<Type> = fields.map(|(_, ty)| ty.clone()).collect();
                types
                    .iter()
                    .find_map(|it| self.looked_at(it, matters, seen))
            }
            Type::Foreign(..) if kind(ty) == Some(Kind::Guard) => {
                Some("the guard of a lock".to_string())
            }
            Type::Foreign(_, arguments) => any(arguments),
            Type::Tuple(types) => any(types),
            Type::Reference(_, of) | Type::Sequence(of) | Type::Pointer(of) => {
                self.looked_at(of, matters, seen)
            }
            Type::Traits(_) => Some("something of which only traits are known".to_string()),
            Type::Unknown | Type::Written(..) => Some("a value of unknown type".to_string()),
            Type::Callable(_) | Type::Closure(_) | Type::Parameter(_) | Type::Itself => None,
        }
    }
}
