//! What a call may run: functions of the graph, a function of the standard library, or something that is not known.

use super::mir::body::CalleePath;
use super::mir::ty::{Type, is_std, last_segment};
use super::program::{CrateId, Function, Program};

/// What a call may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// One of these functions.
    Functions(Vec<u32>),
    /// The same, of a trait that other crates may implement.
    Open(Vec<u32>, String),
    /// A value that is a function: the first argument of the call.
    Value,
    /// A function of the standard library, by the last segments of its path: `Mutex::lock`.
    Standard { owner: String, name: String },
    /// A method of a type parameter, of a trait of the standard library: it runs nothing of the graph.
    Parameter,
    /// A function of another language.
    OtherLanguage(String),
    /// Nothing is known of it.
    Unknown(String),
}

impl Program {
    /// What a path means in a crate.
    pub(crate) fn target(&self, krate: CrateId, path: &CalleePath) -> Target {
        match (&path.self_type, &path.trait_) {
            (Some(self_type), Some(trait_)) => self.trait_method(krate, path, self_type, trait_),
            (Some(self_type), None) => {
                let owner = self_type.referent().last();
                self.inherent(krate, path, owner, self_type)
            }
            _ => self.by_written_path(krate, path),
        }
    }

    fn trait_method(
        &self,
        krate: CrateId,
        path: &CalleePath,
        self_type: &Type,
        trait_: &str,
    ) -> Target {
        let of_trait = last_segment(trait_);
        if matches!(of_trait, "Fn" | "FnMut" | "FnOnce") && is_std(trait_) {
            return Target::Value;
        }
        let standard_trait = is_std(trait_);
        let object = looked_through(self_type);
        let named = match object {
            Type::Named(name, _) => self.declared(krate, name).is_some() || is_std(name),
            Type::Dynamic(_) | Type::Opaque(_) => false,
            _ => true,
        };
        if named {
            let owner = match object {
                Type::Named(name, _) => last_segment(name),
                _ => "",
            };
            let found = self.methods(path, |it| {
                it.trait_() == Some(of_trait) && (it.owner() == owner && !owner.is_empty())
            });
            let found = self.of_path(found, krate, object);
            if !found.is_empty() {
                return Target::Functions(found);
            }
            // Blanket impls, and impls out of macros whose trait is not known.
            let found = self.methods(path, |it| {
                (it.trait_() == Some(of_trait)
                    && it.owner().is_empty()
                    && it.body.path.contains("<impl at"))
                    || (it.header.as_ref().is_some_and(|it| it.unsure) && it.owner() == owner)
            });
            if !found.is_empty() {
                return Target::Functions(found);
            }
            let default = self.default_of(path, of_trait);
            if !default.is_empty() {
                return Target::Functions(default);
            }
            if standard_trait {
                return Target::Standard {
                    owner: of_trait.to_string(),
                    name: path.name.to_string(),
                };
            }
        } else if standard_trait {
            return match object {
                Type::Dynamic(_)
                    if !matches!(of_trait, "Debug" | "Display" | "Any" | "Error" | "Write") =>
                {
                    Target::Unknown(format!("calls a method of `dyn {of_trait}`"))
                }
                _ => Target::Parameter,
            };
        } else {
            let mut found = self.methods(path, |it| it.trait_() == Some(of_trait));
            if found.is_empty() {
                found = self.default_of(path, of_trait);
            }
            if !found.is_empty() {
                let open = matches!(object, Type::Dynamic(_)) && self.is_public_trait(of_trait);
                return match open {
                    true => Target::Open(found, of_trait.to_string()),
                    false => Target::Functions(found),
                };
            }
        }
        Target::Unknown(format!(
            "calls `{of_trait}::{}`, of which no body is known",
            path.name
        ))
    }

    fn is_public_trait(&self, last: &str) -> bool {
        let mut traits = self.crates.iter().flat_map(|it| &it.declarations.traits);
        traits.any(|(path, public)| *public && last_segment(path) == last)
    }

    fn default_of(&self, path: &CalleePath, of_trait: &str) -> Vec<u32> {
        self.methods(path, |it| {
            let (owner, _) = it.body.path.rsplit_once("::").unwrap_or(("", ""));
            !it.body.path.contains("<impl at") && last_segment(owner) == of_trait
        })
    }

    fn methods(&self, path: &CalleePath, is: impl Fn(&Function) -> bool) -> Vec<u32> {
        let named = self.by_name.get(&path.name).map_or(&[][..], Vec::as_slice);
        let numbers = named.iter().copied();
        numbers
            .filter(|it| is(&self.functions[*it as usize]))
            .collect()
    }

    /// Of several types of the same last name, those that are this very type, if the paths show it.
    fn of_path(&self, found: Vec<u32>, krate: CrateId, of: &Type) -> Vec<u32> {
        let Type::Named(path, _) = of else {
            return found;
        };
        let Some(declared) = self.declared(krate, path) else {
            return found;
        };
        let is = |it: &u32| {
            let function = &self.functions[*it as usize];
            let path = function.header.as_ref().and_then(|it| it.path.as_ref());
            path.map_or(function.krate == declared.krate, |path| {
                self.declared(function.krate, path)
                    .is_some_and(|it| it.krate == declared.krate && it.path == declared.path)
            })
        };
        let exact: Vec<u32> = found.iter().copied().filter(is).collect();
        if exact.is_empty() { found } else { exact }
    }

    fn by_written_path(&self, krate: CrateId, path: &CalleePath) -> Target {
        let owner = &*path.owner;
        if is_std(&format!("{owner}::")) {
            return Target::Standard {
                owner: standard_owner(owner).to_string(),
                name: path.name.to_string(),
            };
        }
        // `a::<impl b::S<T>>::f` is a method of `b::S` whose impl stands in another module.
        if let Some((_, of)) = owner.split_once("<impl ")
            && let Some(of) = of.strip_suffix('>')
        {
            let of = Type::parse(of);
            return self.inherent(krate, path, of.last(), &of);
        }
        let full = if owner.is_empty() {
            path.name.to_string()
        } else {
            format!("{owner}::{}", path.name)
        };
        if let Some(found) = self.by_path.get(&(krate, full.as_str().into())) {
            return Target::Functions(vec![*found]);
        }
        self.inherent(
            krate,
            path,
            last_segment(owner),
            &Type::Named(owner.into(), Vec::new()),
        )
    }

    fn inherent(&self, krate: CrateId, path: &CalleePath, owner: &str, of: &Type) -> Target {
        let written = match of {
            Type::Named(path, _) => &**path,
            _ => "",
        };
        let first = written.split("::").next().unwrap_or_default();
        let other = self.crate_named(first).filter(|it| *it != krate);
        if !owner.is_empty() {
            let found = self.methods(path, |it| {
                it.owner() == owner
                    && (it.trait_().is_none()
                        || it.body.path.ends_with(&format!("{owner}::{}", path.name)))
            });
            let found = self.of_path(found, krate, of);
            if !found.is_empty() {
                return Target::Functions(found);
            }
            // Functions of traits and functions inside functions.
            let found = self.methods(path, |it| {
                it.krate == other.unwrap_or(krate) && it.header.as_ref().is_some_and(|it| it.unsure)
            });
            if !found.is_empty() && self.declared(krate, written).is_some() {
                return Target::Functions(found);
            }
        }
        // A function inside a method.
        let ending = format!("::{owner}::{}", path.name);
        let nested = self.methods(path, |it| {
            it.krate == krate && it.body.path.ends_with(&ending)
        });
        if !nested.is_empty() {
            return Target::Functions(nested);
        }
        let where_ = other.unwrap_or(krate);
        let free = self.methods(path, |it| it.header.is_none() && !it.is_closure());
        let there: Vec<u32> = free
            .iter()
            .copied()
            .filter(|it| self.functions[*it as usize].krate == where_)
            .collect();
        if !there.is_empty() {
            return Target::Functions(there);
        }
        let foreign = |it: CrateId| {
            let it = &self.crates[it];
            &*it.name == "libc" || it.declarations.of_other_languages.contains(&path.name)
        };
        if foreign(where_) || foreign(krate) {
            return Target::OtherLanguage(path.name.to_string());
        }
        if other.is_some() && !free.is_empty() {
            return Target::Functions(free);
        }
        let shown = if owner.is_empty() {
            path.name.to_string()
        } else {
            format!("{owner}::{}", path.name)
        };
        if matches!(of, Type::Slice(_) | Type::Dynamic(_)) {
            return Target::Standard {
                owner: "slice".to_string(),
                name: path.name.to_string(),
            };
        }
        Target::Unknown(format!("calls `{shown}`, of which no body is known"))
    }
}

/// `slice` for `core::slice::<impl [T]>`.
fn standard_owner(owner: &str) -> &str {
    let owner = owner.split("::<impl").next().unwrap_or(owner);
    last_segment(owner)
}

/// The type behind what forwards every trait of the standard library.
fn looked_through(ty: &Type) -> &Type {
    match ty {
        Type::Reference(_, to) => looked_through(to),
        Type::Named(path, arguments)
            if is_std(path) && last_segment(path) == "Box" && !arguments.is_empty() =>
        {
            looked_through(&arguments[0])
        }
        _ => ty,
    }
}
