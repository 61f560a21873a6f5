//! Paths to declarations: through modules, `use`, re-exports and globs, as far as the package's own sources tell.

use super::index::{Index, Scope};
use super::known_types::prelude;
use super::types::{Name, Type};

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// A module of the package.
    Module(Name),
    /// A declaration of the package, or something inside one: `queue::Bounded`, `queue::Bounded::new`.
    Own(Name),
    /// Something of another crate.
    Foreign(Name),
}

/// Re-exports of re-exports end here.
const DEEPEST: usize = 12;

impl Index {
    /// What the path means in a module.
    pub(crate) fn resolve(&self, module: &str, segments: &[Name]) -> Option<Resolved> {
        self.resolve_to(module, segments, 0)
    }

    fn resolve_to(&self, module: &str, segments: &[Name], depth: usize) -> Option<Resolved> {
        if depth > DEEPEST {
            return None;
        }
        let (first, mut rest) = segments.split_first()?;
        let mut at = match &**first {
            "" => {
                let path: Vec<&str> = rest.iter().map(|it| &**it).collect();
                return Some(Resolved::Foreign(path.join("::").into()));
            }
            "crate" => Resolved::Module("".into()),
            "self" => Resolved::Module(module.into()),
            "super" => {
                let mut module = module;
                module = module.rsplit_once("::").map_or("", |(it, _)| it);
                while let Some((next, more)) = rest.split_first() {
                    if &**next != "super" {
                        break;
                    }
                    module = module.rsplit_once("::").map_or("", |(it, _)| it);
                    rest = more;
                }
                Resolved::Module(module.into())
            }
            _ => self
                .look_up(module, first, true, depth)
                .unwrap_or_else(|| Resolved::Foreign(first.clone())),
        };
        for segment in rest {
            at = match at {
                Resolved::Module(path) => self.look_up(&path, segment, false, depth)?,
                Resolved::Own(path) => Resolved::Own(format!("{path}::{segment}").into()),
                Resolved::Foreign(path) => Resolved::Foreign(format!("{path}::{segment}").into()),
            };
        }
        Some(at)
    }

    /// A name in a module; `outside` if the prelude counts too.
    fn look_up(&self, module: &str, name: &Name, outside: bool, depth: usize) -> Option<Resolved> {
        if depth > DEEPEST {
            return None;
        }
        let scope = self.scopes.get(module)?;
        if let Some(found) = self.declared(module, scope, name) {
            return Some(found);
        }
        if let Some(path) = scope.uses.get(name) {
            // `use name;` or `use name::name` of an extern crate.
            if path.first() == Some(name) && !outside_is_module(scope, name) {
                return Some(Resolved::Foreign(path.join_path()));
            }
            return self.resolve_to(module, path, depth + 1);
        }
        for glob in &scope.globs {
            match self.resolve_to(module, glob, depth + 1) {
                Some(Resolved::Module(path)) if *path != *module => {
                    if let Some(found) = self.look_up(&path, name, false, depth + 1) {
                        return Some(found);
                    }
                }
                Some(Resolved::Own(path)) => {
                    let variant: Name = format!("{path}::{name}").into();
                    if self.variants.contains_key(&variant) {
                        return Some(Resolved::Own(variant));
                    }
                }
                Some(Resolved::Foreign(path))
                    if super::known_types::is_known_name(name) && prelude(name).is_none() =>
                {
                    return Some(Resolved::Foreign(format!("{path}::{name}").into()));
                }
                _ => {}
            }
        }
        if outside {
            prelude(name).map(|path| Resolved::Foreign(path.into()))
        } else {
            None
        }
    }

    fn declared(&self, module: &str, scope: &Scope, name: &Name) -> Option<Resolved> {
        let path = || -> Name {
            if module.is_empty() {
                name.clone()
            } else {
                format!("{module}::{name}").into()
            }
        };
        if scope.items.contains_key(name) {
            Some(Resolved::Own(path()))
        } else if scope.modules.contains_key(name) {
            Some(Resolved::Module(path()))
        } else {
            None
        }
    }

    /// A type with its paths resolved, aliases followed.
    pub(crate) fn resolve_type(&self, module: &str, ty: &Type) -> Type {
        self.resolve_type_to(module, ty, 0)
    }

    fn resolve_type_to(&self, module: &str, ty: &Type, depth: usize) -> Type {
        if depth > 24 {
            return Type::Unknown;
        }
        let all = |types: &[Type]| -> Vec<Type> {
            types
                .iter()
                .map(|it| self.resolve_type_to(module, it, depth + 1))
                .collect()
        };
        let one = |ty: &Type| Box::new(self.resolve_type_to(module, ty, depth + 1));
        match ty {
            Type::Written(segments, arguments) => {
                let arguments = all(arguments);
                match self.resolve(module, segments) {
                    Some(Resolved::Own(path)) => match self.aliases.get(&path) {
                        Some((generics, of, to)) => {
                            let to = self.resolve_type_to(of, to, depth + 1);
                            let by: Vec<(Name, Type)> =
                                generics.iter().cloned().zip(arguments).collect();
                            to.substitute(None, &by)
                        }
                        None => Type::Own(path, arguments),
                    },
                    Some(Resolved::Foreign(path)) => Type::Foreign(path, arguments),
                    _ if segments.len() == 1 && super::types::is_primitive(&segments[0]) => {
                        Type::Foreign(segments[0].clone(), arguments)
                    }
                    _ => Type::Unknown,
                }
            }
            Type::Own(path, arguments) => Type::Own(path.clone(), all(arguments)),
            Type::Foreign(path, arguments) => Type::Foreign(path.clone(), all(arguments)),
            Type::Reference(mutable, to) => Type::Reference(*mutable, one(to)),
            Type::Pointer(to) => Type::Pointer(one(to)),
            Type::Tuple(types) => Type::Tuple(all(types)),
            Type::Sequence(of) => Type::Sequence(one(of)),
            Type::Traits(traits) => Type::Traits(all(traits)),
            Type::Callable(output) => Type::Callable(one(output)),
            Type::Parameter(_) | Type::Closure(_) | Type::Itself | Type::Unknown => ty.clone(),
        }
    }
}

fn outside_is_module(scope: &Scope, name: &Name) -> bool {
    scope.modules.contains_key(name)
}

trait JoinPath {
    fn join_path(&self) -> Name;
}

impl JoinPath for Vec<Name> {
    fn join_path(&self) -> Name {
        let parts: Vec<&str> = self.iter().map(|it| &**it).collect();
        parts.join("::").into()
    }
}
