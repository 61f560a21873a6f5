//! Summaries of all functions of a package, and what they mean for its types and operations.

use std::collections::HashMap;
use std::time::Duration;

use super::call_graph::CallGraph;
use super::fixpoint::summaries;
use super::interpret::{Trace, is_shared};
use super::mir::ty::Type;
use super::place::{Names, Place, Root, Step};
use super::program::{Function, Program};
use super::summary::{At, Mode, Summary};
use contest_catalog::method_summary::{
    Access, HeldLock, Inexact, Location, LocationRoot, LocationStep, LockMode, LockPair,
    MethodSummary,
};
use contest_catalog::skipped::Skipped;

/// What the stage found out about a package.
#[derive(Debug)]
pub struct Analysis {
    pub(crate) program: Program,
    pub(crate) graph: CallGraph,
    pub(crate) summaries: Vec<Summary>,
    /// What each function does itself, by place in the source.
    pub(crate) traces: Vec<Trace>,
    /// Source files of the package that have functions.
    pub files: usize,
    /// Lines of them.
    pub lines: usize,
    /// What could not be read.
    pub skipped: Vec<Skipped>,
    /// How long it took.
    pub elapsed: Duration,
}

impl Analysis {
    pub(crate) fn new(program: Program, skipped: Vec<Skipped>) -> Self {
        let graph = CallGraph::new(&program);
        let (summaries, traces) = summaries(&program, &graph);
        let (files, lines) = program.crates.last().map_or((0, 0), |it| it.sources);
        Self {
            files,
            lines,
            program,
            graph,
            summaries,
            traces,
            skipped,
            elapsed: Duration::ZERO,
        }
    }

    /// Functions of the package itself, and those of them whose summary is exact.
    #[must_use]
    pub fn exact_share(&self) -> (usize, usize) {
        let own =
            |number: &u32| self.program.functions[*number as usize].krate == self.program.own();
        let numbers = 0..u32::try_from(self.summaries.len()).unwrap_or(0);
        let own: Vec<u32> = numbers.filter(own).collect();
        let exact = own
            .iter()
            .filter(|it| is_exact(&self.summaries[**it as usize]));
        (exact.count(), own.len())
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

    /// Summaries of all methods of a type that take the object, in the order of the source. The path is that inside
    /// the package, without the name of the crate: `queue::Bounded`.
    #[must_use]
    pub fn methods(&self, path: &str) -> Vec<MethodSummary> {
        let own = self.program.own();
        let mut found: Vec<(u32, MethodSummary)> = (0_u32..)
            .zip(&self.program.functions)
            .filter(|(_, it)| it.krate == own && it.receiver().is_some() && !it.is_closure())
            .filter(|(_, it)| {
                let of = it.header.as_ref().and_then(|it| it.path.as_deref());
                of == Some(path)
            })
            .map(|(number, it)| {
                let name = match it.trait_() {
                    Some(of) => format!("{of}::{}", it.body.name()),
                    None => it.body.name().to_string(),
                };
                let summary = &self.summaries[number as usize];
                (it.body.line, self.summary(&name, number, summary))
            })
            .collect();
        found.sort_by_key(|(line, _)| *line);
        found.into_iter().map(|(_, it)| it).collect()
    }

    /// The summary of an operation that begins with this function.
    pub(crate) fn summary(&self, operation: &str, number: u32, summary: &Summary) -> MethodSummary {
        let function = &self.program.functions[number as usize];
        let location = |place: &Place| location(place, function, &self.program);
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
            declared: format!("{}:{}", function.file, function.body.line),
            shared: !matches!(function.receiver(), Some(Type::Reference(true, _))),
            accesses: summary
                .accesses
                .iter()
                .filter(|((place, always), _)| *always || is_shared(place))
                .map(|((place, _), it)| Access {
                    location: location(place),
                    reads: it.reads,
                    writes: it.writes,
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
        let Some(function) = self.program.functions.get(at.function as usize) else {
            return String::new();
        };
        if at.line == 0 {
            format!("{}:{}", function.file, function.body.line)
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
fn location(place: &Place, function: &Function, program: &Program) -> Location {
    let names: &Names = &program.names;
    let has_self = function.receiver().is_some();
    let root = match &place.root {
        Root::Parameter(0) if has_self => LocationRoot::Object,
        Root::Parameter(n) => {
            let name = |ty: Option<&Type>| {
                ty.map(|it| program.name_of(function.krate, it))
                    .filter(|it| !it.is_empty())
            };
            let of = name(function.body.parameters.get(usize::from(*n)));
            let same = of.is_some() && of == name(function.receiver());
            let n = if has_self { *n } else { n + 1 };
            if same {
                LocationRoot::Other(n)
            } else {
                LocationRoot::Argument(n)
            }
        }
        Root::Static(path) => LocationRoot::Static(names.of(*path).1.to_string()),
        Root::Unknown(ty) => LocationRoot::Any(names.of(*ty).1.to_string()),
        Root::Local(_) => LocationRoot::Any(String::new()),
    };
    let step = |it: &Step| {
        let (owner, field) = names.of(*it);
        LocationStep {
            owner: owner.to_string(),
            field: field.to_string(),
        }
    };
    Location {
        root,
        path: place.path().iter().map(step).collect(),
        below: place.cut,
    }
}
