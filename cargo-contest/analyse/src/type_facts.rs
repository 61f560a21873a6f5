//! What follows from how types are declared.

use std::collections::HashSet;
use std::sync::Arc;

use super::declarations::FieldList;
use super::drops::DropCall;
use super::mir::ty::{Name, Type, is_std, last_segment};
use super::place::Step;
use super::program::{CrateId, Program};

/// Structs in structs that are looked into.
const DEEPEST: usize = 6;
/// Calls of one drop.
const MOST: usize = 24;

impl Program {
    /// What runs when a value of the type is dropped. Values behind `Arc` are dropped by whoever is last, so by any.
    pub(crate) fn drop_calls(&self, krate: CrateId, ty: &Type) -> Arc<[DropCall]> {
        self.drops.of(krate, ty, || {
            let mut found = Vec::new();
            self.collect_drops(krate, ty, &mut Vec::new(), &mut found);
            found
        })
    }

    fn collect_drops(
        &self,
        krate: CrateId,
        ty: &Type,
        path: &mut Vec<Step>,
        found: &mut Vec<DropCall>,
    ) {
        if path.len() > DEEPEST || found.len() > MOST {
            return;
        }
        match ty {
            Type::Named(_, arguments) if self.is_modelled_type(krate, ty) => {
                if matches!(
                    ty.last(),
                    "PhantomData" | "ManuallyDrop" | "MaybeUninit" | "Weak" | "NonNull"
                ) || ty.last().ends_with("Guard")
                {
                    return;
                }
                let inside = matches!(
                    ty.last(),
                    "Mutex" | "RwLock" | "UnsafeCell" | "Cell" | "RefCell" | "OnceLock"
                );
                let element = !matches!(
                    ty.last(),
                    "Box" | "Option" | "Result" | "Arc" | "Rc" | "Pin"
                );
                path.push(if inside { Step::INSIDE } else { Step::ELEMENT });
                for of in arguments {
                    if inside || element {
                        self.collect_drops(krate, of, path, found);
                    } else {
                        let own = path.pop();
                        self.collect_drops(krate, of, path, found);
                        path.extend(own);
                    }
                }
                path.pop();
            }
            Type::Named(name, arguments) => {
                let Some(declared) = self.declared(krate, name) else {
                    return;
                };
                for function in self.by_name.get("drop").into_iter().flatten() {
                    let it = &self.functions[*function as usize];
                    if it.trait_() == Some("Drop")
                        && it.owner() == last_segment(declared.path)
                        && it.krate == declared.krate
                    {
                        found.push((path.clone(), *function));
                    }
                }
                for (owner, fields) in self.field_lists(declared) {
                    for (field, ty) in &fields.fields {
                        path.push(self.names.field(&owner, field));
                        self.collect_drops(declared.krate, ty, path, found);
                        path.pop();
                    }
                }
                // Type parameters of the type are fields of it, somewhere.
                for of in arguments.iter().filter(|it| !matches!(it, Type::Named(name, _) if self.declared(krate, name).is_none())) {
                    path.push(Step::ELEMENT);
                    self.collect_drops(krate, of, path, found);
                    path.pop();
                }
            }
            Type::Tuple(types) => {
                for (number, ty) in types.iter().enumerate() {
                    path.push(self.names.field("", &number.to_string()));
                    self.collect_drops(krate, ty, path, found);
                    path.pop();
                }
            }
            Type::Slice(of) => {
                path.push(Step::ELEMENT);
                self.collect_drops(krate, of, path, found);
                path.pop();
            }
            _ => {}
        }
    }

    /// Fields of a struct, or of each variant of an enum, with the name that declares them.
    pub(crate) fn field_lists(
        &self,
        declared: super::program::Declared<'_>,
    ) -> Vec<(String, &FieldList)> {
        let path = self.path_of(declared);
        let declarations = &self.crates[declared.krate].declarations;
        if let Some(fields) = declarations.structs.get(declared.path) {
            return vec![(path, fields)];
        }
        let variants = declarations.enums.get(declared.path).into_iter().flatten();
        variants
            .map(|(name, fields)| (format!("{path}::{name}"), fields))
            .collect()
    }

    /// True if a value of the type can change while it is shared.
    pub(crate) fn may_change_while_shared(&self, krate: CrateId, ty: &Type) -> bool {
        self.changes(krate, ty, &mut HashSet::new())
    }

    fn changes(&self, krate: CrateId, ty: &Type, seen: &mut HashSet<Name>) -> bool {
        match ty {
            Type::Named(path, arguments) => {
                let last = last_segment(path);
                if let Some(declared) = self.declared(krate, path)
                    && !is_std(path)
                    && !self.is_modelled(declared.krate)
                {
                    if !seen.insert(declared.path.clone()) {
                        return false;
                    }
                    return arguments.iter().any(|it| self.changes(krate, it, seen))
                        || self.field_lists(declared).iter().any(|(_, fields)| {
                            fields
                                .fields
                                .iter()
                                .any(|(_, ty)| self.changes(declared.krate, ty, seen))
                        });
                }
                last.starts_with("Atomic")
                    || matches!(
                        last,
                        "Mutex"
                            | "RwLock"
                            | "FairMutex"
                            | "ReentrantMutex"
                            | "ReentrantLock"
                            | "Condvar"
                            | "Once"
                            | "OnceLock"
                            | "OnceCell"
                            | "LazyLock"
                            | "Lazy"
                            | "Cell"
                            | "RefCell"
                            | "UnsafeCell"
                            | "Sender"
                            | "SyncSender"
                            | "Receiver"
                            | "Barrier"
                            | "SyncUnsafeCell"
                    )
                    || arguments.iter().any(|it| self.changes(krate, it, seen))
            }
            Type::Pointer(..) => true,
            Type::Reference(_, of) | Type::Slice(of) => self.changes(krate, of, seen),
            Type::Tuple(types) => types.iter().any(|it| self.changes(krate, it, seen)),
            _ => false,
        }
    }

    /// True if a value of the type may refer to memory that outlives it, or is part of an object that others see.
    pub(crate) fn carries(&self, krate: CrateId, ty: &Type) -> bool {
        if ty.is_plain() {
            return false;
        }
        match ty {
            Type::Named(path, arguments) if is_std(path) => {
                let owned = matches!(
                    last_segment(path),
                    "Vec"
                        | "VecDeque"
                        | "String"
                        | "HashMap"
                        | "BTreeMap"
                        | "HashSet"
                        | "BTreeSet"
                        | "Option"
                        | "Result"
                        | "Box"
                        | "Cell"
                        | "RefCell"
                        | "UnsafeCell"
                        | "Mutex"
                        | "RwLock"
                        | "MaybeUninit"
                        | "ManuallyDrop"
                        | "OnceLock"
                        | "Wrapping"
                        | "ControlFlow"
                        | "Poll"
                        | "PoisonError"
                        | "TryLockError"
                        | "BinaryHeap"
                        | "LinkedList"
                        | "Range"
                ) || last_segment(path).starts_with("Atomic");
                !owned || arguments.iter().any(|it| self.carries(krate, it))
            }
            Type::Named(path, _) => self.declared(krate, path).is_some(),
            Type::Tuple(types) => types.iter().any(|it| self.carries(krate, it)),
            Type::Slice(of) => self.carries(krate, of),
            Type::Function(_) => false,
            _ => true,
        }
    }
}
