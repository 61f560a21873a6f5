//! Summaries of all functions of a package, and what they mean for its types and operations.

use std::collections::HashMap;
use std::time::Duration;

use super::effect::{AccessKind, Mode, Trace};
use super::index::{Function, Index, Receiver};
use super::interpret::is_shared;
use super::method_summary::{
    Access, HeldLock, Inexact, Location, LocationRoot, LocationStep, LockMode, LockPair,
    MethodSummary,
};
use super::place::{Names, Place, Root};
use super::summary::{At, Summary};
use super::types::{Name, Type};
use crate::skipped::Skipped;

/// What the stage found out about a package.
#[derive(Debug)]
pub struct Analysis {
    pub(crate) index: Index,
    pub(crate) summaries: Vec<Summary>,
    /// What the summaries were made of.
    pub(crate) traces: Vec<Trace>,
    /// Files that were read.
    pub files: usize,
    /// Lines of them.
    pub lines: usize,
    /// What could not be read, parsed or expanded.
    pub skipped: Vec<Skipped>,
    /// How long it took.
    pub elapsed: Duration,
    pub(crate) by_line: HashMap<(Name, usize), Vec<u32>>,
}

impl Analysis {
    pub(crate) fn new(index: Index, summaries: Vec<Summary>, traces: Vec<Trace>) -> Self {
        let mut by_line: HashMap<(Name, usize), Vec<u32>> = HashMap::new();
        for (number, function) in (0_u32..).zip(&index.functions) {
            for line in [function.lines.0, function.lines.1] {
                let there = by_line.entry((function.file.clone(), line)).or_default();
                if !there.contains(&number) {
                    there.push(number);
                }
            }
        }
        Self {
            index,
            summaries,
            traces,
            files: 0,
            lines: 0,
            skipped: Vec::new(),
            elapsed: Duration::ZERO,
            by_line,
        }
    }

    /// Functions with a body, and those of them whose summary is exact.
    #[must_use]
    pub fn exact_share(&self) -> (usize, usize) {
        let with_body = || {
            self.index
                .functions
                .iter()
                .zip(&self.summaries)
                .filter(|(it, _)| it.has_body)
        };
        (
            with_body().filter(|(_, it)| is_exact(it)).count(),
            with_body().count(),
        )
    }

    /// Why summaries are not exact: reasons with how many functions have them first, most frequent first.
    #[must_use]
    pub fn reasons(&self) -> Vec<(String, usize)> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for summary in &self.summaries {
            for why in summary.inexact.keys() {
                *counts.entry(why.clone()).or_default() += 1;
            }
            if !summary.calls.is_empty() {
                *counts
                    .entry("calls its closure argument".to_string())
                    .or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }

    /// Types of the package that have methods, by path.
    #[must_use]
    pub fn types(&self) -> Vec<String> {
        let mut found: Vec<String> = self
            .index
            .functions
            .iter()
            .filter(|it| it.receiver != Receiver::None)
            .filter_map(|it| match &it.self_type {
                Some(Type::Own(path, _)) => Some(path.to_string()),
                _ => None,
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }

    /// Summaries of all methods of a type that take the object, in the order of the source. The path is that inside the package,
    /// without the name of the crate: `queue::Bounded`.
    #[must_use]
    pub fn methods(&self, path: &str) -> Vec<MethodSummary> {
        (0_u32..)
            .zip(&self.index.functions)
            .filter(|(_, it)| it.receiver != Receiver::None && it.has_body)
            .filter(|(_, it)| matches!(&it.self_type, Some(Type::Own(own, _)) if **own == *path))
            .map(|(number, it)| {
                let name = match &it.trait_ {
                    Some(of) => format!("{}::{}", of.last(), it.name),
                    None => it.name.to_string(),
                };
                self.summary(&name, number)
            })
            .collect()
    }

    /// The summary of one function as an operation.
    pub(crate) fn summary(&self, operation: &str, number: u32) -> MethodSummary {
        let function = &self.index.functions[number as usize];
        let summary = &self.summaries[number as usize];
        let location = |place: &Place| location(place, function, &self.index.names);
        let lock = |(place, mode): &(Place, Mode)| HeldLock {
            lock: location(place),
            mode: lock_mode(*mode),
        };
        let mut inexact: Vec<Inexact> = summary
            .inexact
            .iter()
            .map(|(why, at)| Inexact {
                why: why.clone(),
                at: self.at(*at),
            })
            .collect();
        for (_, _, at) in summary.calls.iter().take(1) {
            inexact.push(Inexact {
                why: "calls its closure argument".to_string(),
                at: self.at(*at),
            });
        }
        let mut lock_pairs: Vec<LockPair> = summary
            .pairs
            .iter()
            .filter(|((first, second), _)| {
                !(first.1 == Mode::Reentrant && second.1 == Mode::Reentrant && first.0 == second.0)
            })
            .map(|((first, second), at)| LockPair {
                first: lock(first),
                second: lock(second),
                at: self.at(*at),
            })
            .collect();
        for (_, called, at) in &summary.calls {
            for held in &called.held {
                let second = HeldLock {
                    lock: Location::anything(),
                    mode: LockMode::Exclusive,
                };
                let pair = LockPair {
                    first: lock(held),
                    second,
                    at: self.at(*at),
                };
                if !lock_pairs.contains(&pair) {
                    lock_pairs.push(pair);
                }
            }
        }
        let mut summary = MethodSummary {
            operation: operation.to_string(),
            declared: format!("{}:{}", function.file, function.lines.0),
            shared: !matches!(function.receiver, Receiver::Exclusive),
            accesses: summary
                .accesses
                .iter()
                .filter(|((place, always), _)| *always || is_shared(place))
                .map(|((place, _), it)| Access {
                    location: location(place),
                    reads: it.kind() != AccessKind::Write,
                    writes: it.kind() != AccessKind::Read,
                    at: self.at(it.at),
                })
                .collect(),
            locks: if summary.calls.is_empty() {
                summary
                    .shared_locks
                    .iter()
                    .flatten()
                    .filter(|(place, _)| place.is_fixed())
                    .map(lock)
                    .collect()
            } else {
                Vec::new()
            },
            lock_pairs,
            acquires: summary.acquires.keys().map(lock).collect(),
            inexact,
        };
        // Steps are numbered as threads meet them; what is shown is in an order of its own.
        summary.accesses.sort_by_cached_key(ToString::to_string);
        summary.locks.sort_by_cached_key(ToString::to_string);
        summary.lock_pairs.sort_by_cached_key(ToString::to_string);
        summary.acquires.sort_by_cached_key(ToString::to_string);
        summary
    }

    fn at(&self, at: At) -> String {
        let Some(function) = self.index.functions.get(at.function as usize) else {
            return String::new();
        };
        if at.line == 0 {
            format!("{}:{}", function.file, function.lines.0)
        } else {
            format!("{}:{}", function.file, at.line)
        }
    }
}

fn is_exact(summary: &Summary) -> bool {
    summary.inexact.is_empty() && summary.calls.is_empty()
}

fn lock_mode(mode: Mode) -> LockMode {
    match mode {
        Mode::Read => LockMode::Read,
        Mode::Exclusive => LockMode::Exclusive,
        Mode::Reentrant => LockMode::Reentrant,
    }
}

/// A place in names that mean the same for all methods of the type.
fn location(place: &Place, function: &Function, names: &Names) -> Location {
    let root = match &place.root {
        Root::Parameter(0) if function.receiver != Receiver::None => LocationRoot::Object,
        Root::Parameter(n) => {
            let own = |ty: &Type| match ty {
                Type::Own(path, _) => Some(path.clone()),
                _ => None,
            };
            let of = function.parameters.get(usize::from(*n)).map(|ty| {
                let mut ty = ty.clone();
                while let Some(inner) = super::known_types::wrapped(&ty) {
                    ty = inner;
                }
                ty
            });
            let same = of
                .as_ref()
                .and_then(own)
                .is_some_and(|it| function.self_type.as_ref().and_then(own) == Some(it));
            let n = if function.receiver == Receiver::None {
                n + 1
            } else {
                *n
            };
            if same {
                LocationRoot::Other(n)
            } else {
                LocationRoot::Argument(n)
            }
        }
        Root::Static(path) => LocationRoot::Static(names.of(*path).1.to_string()),
        Root::Unknown(ty) => LocationRoot::Any(names.of(*ty).1.to_string()),
        Root::Local(_) | Root::Result(_) | Root::ClosureArgument(..) => {
            LocationRoot::Any(String::new())
        }
    };
    let path = place
        .path()
        .iter()
        .map(|it| {
            let (owner, field) = names.of(*it);
            LocationStep {
                owner: owner.to_string(),
                field: field.to_string(),
            }
        })
        .collect();
    Location {
        root,
        path,
        below: place.cut,
    }
}
