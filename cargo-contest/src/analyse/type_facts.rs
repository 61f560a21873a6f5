//! What types of the package are made of, as far as it matters: whether they change while shared, hold guards, or run code when dropped.

use super::index::{Fields, Index};
use super::known_types::{Kind, kind};
use super::types::{Name, Type, last_segment};

impl Index {
    /// True if some method or field of the package makes the type interesting to share: it holds something that can change while shared.
    pub(crate) fn may_change_while_shared(&self, ty: &Type) -> bool {
        self.changes(ty, 0)
    }

    fn changes(&self, ty: &Type, depth: usize) -> bool {
        if depth > 6 {
            return true;
        }
        match ty {
            Type::Own(path, arguments) => {
                let of = |fields: &Fields| {
                    let by = fields.bind(arguments);
                    fields
                        .fields
                        .iter()
                        .any(|(_, it)| self.changes(&it.substitute(None, &by), depth + 1))
                };
                if let Some(fields) = self.structs.get(path) {
                    of(fields)
                } else if let Some(variants) = self.enums.get(path) {
                    variants
                        .iter()
                        .filter_map(|it| self.variants.get(it))
                        .any(of)
                } else {
                    true
                }
            }
            Type::Foreign(path, arguments) => {
                let last = last_segment(path);
                let plain = super::types::is_primitive(path)
                    || matches!(
                        last,
                        "String"
                            | "str"
                            | "Vec"
                            | "VecDeque"
                            | "HashMap"
                            | "BTreeMap"
                            | "HashSet"
                            | "BTreeSet"
                            | "BinaryHeap"
                            | "Option"
                            | "Result"
                            | "Box"
                            | "Arc"
                            | "Rc"
                            | "Weak"
                            | "Cow"
                            | "Duration"
                            | "Instant"
                            | "SystemTime"
                            | "PhantomData"
                            | "Range"
                            | "Layout"
                            | "TypeId"
                            | "ThreadId"
                            | "NonZeroUsize"
                            | "NonZeroU32"
                            | "NonZeroU64"
                            | "Wrapping"
                            | "Path"
                            | "PathBuf"
                            | "OsString"
                            | "CachePadded"
                            | "Pin"
                            | "ManuallyDrop"
                            | "MaybeUninit"
                            | "RandomState"
                            | "Error"
                            | "Location"
                            | "PoisonError"
                            | "TryLockError"
                            | "LockResult"
                            | "Ordering"
                            | "LinkedList"
                    );
                !plain || arguments.iter().any(|it| self.changes(it, depth + 1))
            }
            Type::Reference(_, to) | Type::Sequence(to) => self.changes(to, depth + 1),
            Type::Tuple(types) => types.iter().any(|it| self.changes(it, depth + 1)),
            // Type arguments are chosen by discovery, and plain.
            Type::Parameter(_) => false,
            Type::Callable(_) | Type::Closure(_) => false,
            _ => true,
        }
    }

    /// True if a value of the type may keep a lock taken.
    pub(crate) fn may_hold_guard(&self, ty: &Type) -> bool {
        self.holds_guard(ty, 0)
    }

    fn holds_guard(&self, ty: &Type, depth: usize) -> bool {
        if depth > 5 {
            return true;
        }
        let any = |types: &[Type]| types.iter().any(|it| self.holds_guard(it, depth + 1));
        match ty {
            Type::Own(path, arguments) => {
                let of = |fields: &Fields| {
                    fields
                        .fields
                        .iter()
                        .any(|(_, it)| self.holds_guard(it, depth + 1))
                };
                let declared = match (self.structs.get(path), self.enums.get(path)) {
                    (Some(fields), _) => of(fields),
                    (_, Some(variants)) => variants
                        .iter()
                        .filter_map(|it| self.variants.get(it))
                        .any(of),
                    _ => true,
                };
                declared || any(arguments)
            }
            Type::Foreign(_, arguments) => kind(ty) == Some(Kind::Guard) || any(arguments),
            Type::Tuple(types) => any(types),
            Type::Sequence(of) => self.holds_guard(of, depth + 1),
            Type::Traits(_) | Type::Unknown => true,
            _ => false,
        }
    }

    /// Functions that run when a value of the type is dropped, with the field path to what is dropped.
    pub(crate) fn drops(&self, ty: &Type) -> Vec<(Vec<(Name, Name)>, u32)> {
        let mut found = Vec::new();
        self.collect_drops(ty, &mut Vec::new(), &mut found, 0);
        found
    }

    fn collect_drops(
        &self,
        ty: &Type,
        path: &mut Vec<(Name, Name)>,
        found: &mut Vec<(Vec<(Name, Name)>, u32)>,
        depth: usize,
    ) {
        if depth > 4 || found.len() > 16 {
            return;
        }
        match ty {
            Type::Own(name, arguments) => {
                if let Some(functions) = self.methods.get(&(name.clone(), "drop".into())) {
                    for function in functions {
                        let it = &self.functions[*function as usize];
                        if it.trait_.as_ref().is_some_and(|it| it.last() == "Drop") {
                            found.push((path.clone(), *function));
                        }
                    }
                }
                if let Some(fields) = self.structs.get(name) {
                    let by = fields.bind(arguments);
                    for (field, ty) in &fields.fields {
                        path.push((name.clone(), field.clone()));
                        self.collect_drops(&ty.substitute(None, &by), path, found, depth + 1);
                        path.pop();
                    }
                }
            }
            Type::Foreign(name, arguments) => {
                let last = last_segment(name);
                if matches!(
                    last,
                    "Box" | "Option" | "Result" | "Arc" | "Rc" | "CachePadded" | "Pin"
                ) {
                    for ty in arguments {
                        self.collect_drops(ty, path, found, depth + 1);
                    }
                } else if matches!(
                    last,
                    "Vec"
                        | "VecDeque"
                        | "HashMap"
                        | "BTreeMap"
                        | "LinkedList"
                        | "HashSet"
                        | "BTreeSet"
                        | "BinaryHeap"
                ) {
                    for ty in arguments {
                        path.push(("".into(), "[]".into()));
                        self.collect_drops(ty, path, found, depth + 1);
                        path.pop();
                    }
                }
            }
            Type::Tuple(types) => {
                for ty in types {
                    self.collect_drops(ty, path, found, depth + 1);
                }
            }
            Type::Sequence(of) => self.collect_drops(of, path, found, depth + 1),
            _ => {}
        }
    }
}
