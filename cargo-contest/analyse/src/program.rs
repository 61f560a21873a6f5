//! All crates of the graph under one roof: their functions, their types, and which of both a name means.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compile::Unit;
use super::declarations::{self, Declarations, FieldList};
use super::declared_code;
use super::drops::Drops;
use super::impl_header::{ImplHeader, header};
use super::mir::file::{self, Hashes};
use super::mir::function::Body;
use super::mir::ty::{Name, Type, is_std, last_segment};
use super::place::{Names, Step};
use contest_catalog::skipped::Skipped;

/// Parsers recurse over nested code.
const STACK: usize = 64 << 20;

/// Number of a crate.
pub(crate) type CrateId = usize;

/// One crate.
#[derive(Debug)]
pub(crate) struct Crate {
    pub(crate) name: Name,
    /// Source files that have functions, and lines of them.
    pub(crate) sources: (usize, usize),
    pub(crate) declarations: Declarations,
    /// Its declarations could be read.
    pub(crate) is_declared: bool,
    /// A hash of what is no body of a function: declarations, constants; of another crate than the one analysed, of all
    /// of it.
    pub(crate) code: u64,
}

impl Crate {
    fn nothing(name: &str) -> Self {
        Self {
            name: name.into(),
            sources: (0, 0),
            declarations: Declarations::default(),
            is_declared: false,
            code: 0,
        }
    }
}

/// A function of some crate.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) krate: CrateId,
    pub(crate) body: Body,
    /// File relative to the directory of its package, or absolute.
    pub(crate) file: Name,
    /// Type and trait of the impl it stands in; the trait alone for a default body.
    pub(crate) header: Option<ImplHeader>,
}

impl Function {
    /// The last path segment of the type it is a method or associated function of; empty if that may be any type.
    pub(crate) fn owner(&self) -> &str {
        self.header.as_ref().map_or("", |it| &it.owner)
    }

    /// The last path segment of its trait.
    pub(crate) fn trait_(&self) -> Option<&str> {
        self.header.as_ref().and_then(|it| it.trait_.as_deref())
    }

    pub(crate) fn is_closure(&self) -> bool {
        self.body.name().starts_with("{closure")
    }

    /// The type behind `self`, if it has a receiver.
    pub(crate) fn receiver(&self) -> Option<&Type> {
        self.body
            .has_self
            .then(|| self.body.parameters.first())
            .flatten()
    }
}

/// Functions and types of all crates.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) crates: Vec<Crate>,
    pub(crate) functions: Vec<Function>,
    /// By own name.
    pub(crate) by_name: HashMap<Name, Vec<u32>>,
    /// By path as written in their crate.
    pub(crate) by_path: HashMap<(CrateId, Name), u32>,
    /// Bodies of closures, by the place that names the closure.
    pub(crate) closures: HashMap<Name, u32>,
    pub(crate) names: Names,
    /// What drops run, as far as it is known.
    pub(crate) drops: Drops,
}

/// Reads what the compiler wrote of all units; the last is the package itself. What cannot be read is skipped.
pub(crate) fn read(units: &[Unit], skipped: &mut Vec<Skipped>) -> Program {
    let mut program = Program::default();
    let parts: Vec<(Crate, Vec<Function>, Vec<Skipped>)> = std::thread::scope(|scope| {
        let started: Vec<_> = units
            .iter()
            .enumerate()
            .map(|(krate, unit)| {
                let thread = std::thread::Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, move || {
                    read_unit(krate, unit, krate + 1 == units.len())
                })
            })
            .collect();
        let joined = started.into_iter().zip(units).map(|(thread, unit)| {
            thread
                .ok()
                .and_then(|it| it.join().ok())
                .unwrap_or_else(|| {
                    let krate = Crate::nothing(&unit.note.crate_name);
                    let item = format!("functions of {}", unit.note.crate_name);
                    (
                        krate,
                        Vec::new(),
                        vec![Skipped::new(item, "a bug of this tool")],
                    )
                })
        });
        joined.collect()
    });
    for (krate, functions, problems) in parts {
        program.crates.push(krate);
        program.functions.extend(functions);
        skipped.extend(problems);
    }
    program.link();
    program
}

fn read_unit(krate: CrateId, unit: &Unit, is_own: bool) -> (Crate, Vec<Function>, Vec<Skipped>) {
    let mut skipped = Vec::new();
    let item = |what: &str| format!("{what} of {}", unit.note.crate_name);
    let text = std::fs::read_to_string(&unit.mir).unwrap_or_else(|error| {
        skipped.push(Skipped::new(item("functions"), error.to_string()));
        String::new()
    });
    let hashes = if is_own {
        Hashes::Made
    } else {
        Hashes::LeftOut
    };
    let file = file::read(text.into(), hashes);
    let expanded = std::fs::read_to_string(&unit.expanded).unwrap_or_default();
    // What `std::pin::pin!` expands to; only macros of `std` may say it.
    let expanded = expanded.replace("super let ", "let ");
    let declared = declarations::read(&expanded);
    let code = if is_own {
        declared_code::of_declarations(&expanded, file.constants)
    } else {
        declared_code::of_text(&expanded)
    };
    let is_declared = declared.is_ok() && !expanded.is_empty();
    if !is_declared {
        let why = declared.as_ref().err().map(|error| {
            let line = error.span().start().line;
            let text = expanded.lines().nth(line.saturating_sub(1));
            format!(": {error} in `{}`", text.unwrap_or_default().trim())
        });
        let why = format!(
            "their expanded source cannot be read{}",
            why.unwrap_or_default()
        );
        skipped.push(Skipped::new(item("types"), why));
    }
    let mut sources = Sources {
        directory: &unit.note.working_directory,
        texts: BTreeMap::new(),
    };
    let functions = file.bodies.into_iter().map(|body| {
        let header = header(&body, &mut |file| sources.lines(file));
        let file = unit.note.working_directory.join(&*body.file);
        let file = file
            .strip_prefix(&unit.note.package_directory)
            .unwrap_or(&file);
        Function {
            krate,
            file: file.display().to_string().into(),
            body,
            header,
        }
    });
    let functions: Vec<Function> = functions.collect();
    let files: BTreeSet<&Name> = functions.iter().map(|it| &it.file).collect();
    let lines = files
        .iter()
        .map(|it| sources.count(&unit.note.package_directory.join(&***it)));
    let krate = Crate {
        sources: (files.len(), lines.sum()),
        name: unit.note.crate_name.as_str().into(),
        declarations: declared.unwrap_or_default(),
        is_declared,
        code,
    };
    (krate, functions, skipped)
}

/// Source files, for the headers of impls.
struct Sources<'a> {
    directory: &'a Path,
    texts: BTreeMap<PathBuf, Arc<[String]>>,
}

impl Sources<'_> {
    fn count(&self, path: &Path) -> usize {
        let known = self.texts.get(path).map(|it| it.len());
        known.unwrap_or_else(|| std::fs::read_to_string(path).map_or(0, |it| it.lines().count()))
    }

    fn lines(&mut self, file: &str) -> Arc<[String]> {
        let path = self.directory.join(file);
        let lines = self.texts.entry(path).or_insert_with_key(|path| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            text.lines().map(str::to_string).collect()
        });
        lines.clone()
    }
}

/// A declared type: its crate, its path there, and whether it is an enum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared<'a> {
    pub(crate) krate: CrateId,
    pub(crate) path: &'a Name,
    pub(crate) is_enum: bool,
}

impl Program {
    fn link(&mut self) {
        for (number, function) in (0_u32..).zip(&self.functions) {
            let body = &function.body;
            self.by_name
                .entry(body.name().into())
                .or_default()
                .push(number);
            self.by_path
                .insert((function.krate, body.path.clone()), number);
            if function.is_closure()
                && let Some(Type::Closure(at)) = body.parameters.first().map(Type::referent)
            {
                self.closures.insert(at.clone(), number);
            }
        }
    }

    /// The crate that is analysed.
    pub(crate) fn own(&self) -> CrateId {
        self.crates.len().saturating_sub(1)
    }

    /// The crate of this name.
    pub(crate) fn crate_named(&self, name: &str) -> Option<CrateId> {
        (0..self.crates.len())
            .rev()
            .find(|it| *self.crates[*it].name == *name)
    }

    /// The type that a path means in a crate, if a crate of the graph declares it.
    pub(crate) fn declared(&self, krate: CrateId, path: &str) -> Option<Declared<'_>> {
        if path.starts_with("std::") || path.starts_with("core::") || path.starts_with("alloc::") {
            return None;
        }
        if let Some(found) = self.declared_in(krate, path) {
            return Some(found);
        }
        let (first, _) = path.split_once("::")?;
        let other = self.crate_named(first)?;
        // Paths to other crates are those of their re-exports; sometimes of yet another crate.
        let last = last_segment(path);
        self.declared_in(other, last)
            .or_else(|| (0..self.crates.len()).find_map(|it| self.declared_in(it, last)))
    }

    fn declared_in(&self, krate: CrateId, path: &str) -> Option<Declared<'_>> {
        self.declared_at(krate, path, 0)
    }

    fn declared_at(&self, krate: CrateId, path: &str, depth: u32) -> Option<Declared<'_>> {
        let declarations = &self.crates[krate].declarations;
        let exact = declarations
            .structs
            .get_key_value(path)
            .map(|(path, _)| (path, false));
        let exact = exact.or_else(|| {
            declarations
                .enums
                .get_key_value(path)
                .map(|(path, _)| (path, true))
        });
        let (path, is_enum) = match exact {
            Some(found) => found,
            None => {
                let last = last_segment(path);
                let Some(paths) = declarations.by_last.get(last) else {
                    // Another name of a type, here or in another crate.
                    let name = declarations.renamed.get(last).filter(|it| ***it != *last)?;
                    return (depth < 3)
                        .then(|| self.declared_at(krate, name, depth + 1))
                        .flatten();
                };
                let found = paths
                    .iter()
                    .find(|it| it.ends_with(path) || path.ends_with(&***it))
                    .or_else(|| (!path.contains("::")).then(|| paths.first()).flatten())?;
                (found, declarations.enums.contains_key(found))
            }
        };
        Some(Declared {
            krate,
            path,
            is_enum,
        })
    }

    /// Fields of a struct, or of one variant of an enum.
    pub(crate) fn fields(
        &self,
        declared: Declared<'_>,
        variant: Option<&str>,
    ) -> Option<&FieldList> {
        let declarations = &self.crates[declared.krate].declarations;
        if declared.is_enum {
            let variants = declarations.enums.get(declared.path)?;
            let named = variants.iter().find(|(name, _)| Some(&**name) == variant);
            return named.map(|(_, fields)| fields);
        }
        declarations.structs.get(declared.path)
    }

    /// The step to a field. Types of std are looked through, so their fields are no steps.
    pub(crate) fn field(
        &self,
        krate: CrateId,
        of: &Type,
        variant: Option<&str>,
        number: u32,
    ) -> Option<Step> {
        match of {
            Type::Tuple(_) | Type::Closure(_) | Type::Opaque(_) => {
                Some(self.names.field("", &number.to_string()))
            }
            Type::Named(path, _) if !is_std(path) => {
                let Some(declared) = self.declared(krate, path) else {
                    return Some(self.names.field("", &number.to_string()));
                };
                let fields = self.fields(declared, variant);
                let name = fields.and_then(|it| it.fields.get(number as usize));
                let name = name.map_or_else(|| number.to_string(), |(name, _)| name.to_string());
                let mut owner = self.path_of(declared);
                if declared.is_enum {
                    owner.push_str("::");
                    owner.push_str(variant.unwrap_or("?"));
                }
                Some(self.names.field(&owner, &name))
            }
            _ => None,
        }
    }

    /// The path of a type: of the own crate as declared, of others with the name of the crate.
    pub(crate) fn path_of(&self, declared: Declared<'_>) -> String {
        if declared.krate == self.own() {
            declared.path.to_string()
        } else {
            format!(
                "{}::{}",
                self.crates[declared.krate].name,
                last_segment(declared.path)
            )
        }
    }

    /// The same for any type: the name of what it leads to; empty if that is not a type of the graph.
    pub(crate) fn name_of(&self, krate: CrateId, ty: &Type) -> String {
        match ty.referent() {
            Type::Named(path, arguments) if is_std(path) => {
                match (last_segment(path), &**arguments) {
                    (
                        "Box" | "Arc" | "Rc" | "Pin" | "NonNull" | "Option" | "Weak" | "AtomicPtr",
                        [of, ..],
                    ) => self.name_of(krate, of),
                    _ => String::new(),
                }
            }
            Type::Named(path, _) => self
                .declared(krate, path)
                .map_or_else(String::new, |it| self.path_of(it)),
            _ => String::new(),
        }
    }
}
