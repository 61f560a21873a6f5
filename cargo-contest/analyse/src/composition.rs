//! Operations that are more than one function: the driver formats, follows, goes through and drops what a function
//! returns, and some operations call a second function on what the first one returned (`lock().push`).
//!
//! What runs afterwards adds its accesses, acquisitions and pairs to the summary. Unless a lock is known to be held
//! meanwhile, no lock is held at every access any more.

use super::analysis::Analysis;
use super::mir::ty::{Type, is_std, last_segment};
use super::place::{Place, Root};
use super::program::{CrateId, Program};
use super::summary::{AccessKind, At, Mode, Summary};

/// The summary of an operation, and the functions it is made of.
pub(crate) struct Composition {
    pub(crate) summary: Summary,
    pub(crate) functions: Vec<u32>,
}

/// What follows a function on what it returned.
pub(crate) enum Next {
    /// The value it leads to is changed: `lock() += 1`.
    Change,
    /// This function is called on it.
    Call(u32),
}

impl Analysis {
    /// A function whose result the driver looks at.
    pub(crate) fn observed(&self, function: u32) -> Composition {
        let mut composition = self.begin(function);
        self.look_at(&mut composition, function);
        composition
    }

    /// A function, what is done with its result, and the result of that.
    pub(crate) fn chained(&self, first: u32, next: Next) -> Composition {
        let mut composition = self.observed(first);
        match next {
            Next::Change => {
                let at = At {
                    function: first,
                    line: 0,
                };
                let mut targets = self.summaries[first as usize].returns.clone();
                let output = &self.program.functions[first as usize].body.output;
                let krate = self.program.functions[first as usize].krate;
                for function in self.program.methods_of_parts(krate, output, &["deref_mut"]) {
                    targets = self.append(&mut composition, first, function);
                }
                for place in targets {
                    composition
                        .summary
                        .access(place, AccessKind::Both, false, at);
                }
            }
            Next::Call(second) => {
                let returns = self.append(&mut composition, first, second);
                composition.summary.returns = returns;
                self.look_at(&mut composition, second);
            }
        }
        composition
    }

    fn begin(&self, function: u32) -> Composition {
        Composition {
            summary: self.summaries[function as usize].clone(),
            functions: vec![function],
        }
    }

    /// Formats, follows, goes through and drops what the function returned.
    fn look_at(&self, composition: &mut Composition, function: u32) {
        let of = &self.program.functions[function as usize];
        let at = At { function, line: 0 };
        let output = &of.body.output;
        if output.is_async() {
            composition
                .summary
                .inexact("is a future, which is run by the driver", at);
        }
        if output.any(&|it| {
            matches!(it, Type::Dynamic(_))
                || matches!(it, Type::Opaque(text) if text.starts_with("impl "))
        }) {
            composition
                .summary
                .inexact("returns something of which only traits are known", at);
        }
        if output
            .any(&|it| it.last().ends_with("Guard") && self.program.is_modelled_type(of.krate, it))
        {
            let returns = composition.summary.returns.clone();
            if composition.summary.shared_locks.is_none() {
                let sure = composition.summary.returned_locks.iter().filter(|it| it.2);
                composition.summary.shared_locks = Some(sure.map(|it| (it.0, it.1)).collect());
            }
            for place in returns {
                composition
                    .summary
                    .access(place, AccessKind::Read, false, at);
            }
        }
        let names = ["fmt", "deref", "next", "into_iter"];
        let mut runs = self.program.methods_of_parts(of.krate, output, &names);
        let drops = self.program.drop_calls(of.krate, output);
        runs.extend(drops.iter().map(|(_, it)| it));
        // `impl Iterator` may be a `Map` with a closure.
        output.each(&mut |it| {
            if let Type::Closure(at) = it {
                runs.extend(self.program.closures.get(at));
            }
        });
        runs.sort_unstable();
        runs.dedup();
        for run in runs {
            if !self.summaries[run as usize].is_nothing() {
                self.append(composition, function, run);
            }
        }
    }

    /// One more function, on what this one returned; what it returns itself.
    fn append(&self, to: &mut Composition, first: u32, function: u32) -> Vec<Place> {
        let next = &self.summaries[function as usize];
        let parameters = &self.program.functions[function as usize].body.parameters;
        let krate = self.program.functions[function as usize].krate;
        let object = to.summary.returns.clone();
        let rename = |place: &Place| -> Vec<Place> {
            match place.root {
                // A field of what is returned may lie anywhere below what it refers to.
                Root::Parameter(0) => {
                    let below = |it: &Place| {
                        let mut it = it.join(place.path(), place.cut);
                        it.cut |= !place.path().is_empty() && object.len() > 1;
                        it
                    };
                    object.iter().map(below).collect()
                }
                // Of what the driver makes for one call, only objects of types of the graph are met by others.
                Root::Parameter(number) => {
                    let ty = parameters.get(usize::from(number));
                    let name = ty.map_or_else(String::new, |it| self.program.name_of(krate, it));
                    let unknown = || self.program.names.unknown(&name);
                    let unknown = (!name.is_empty()).then(unknown);
                    let below = unknown.map(|it| it.join(place.path(), place.cut));
                    below.into_iter().collect()
                }
                Root::Static(_) | Root::Unknown(_) => vec![*place],
                Root::Local(_) => Vec::new(),
            }
        };
        let at = At {
            function: first,
            line: 0,
        };
        let summary = &mut to.summary;
        for (why, its) in &next.inexact {
            summary.inexact(why, *its);
        }
        if !next.calls.is_empty() {
            summary.inexact("calls its closure argument", at);
        }
        for ((place, always), access) in &next.accesses {
            for place in rename(place) {
                summary.access(place, access.kind(), *always, access.at);
                // It may run after everything is released.
                summary.shared_locks = Some(Vec::new());
            }
        }
        for ((one, other), its) in &next.pairs {
            for first in rename(&one.0) {
                for second in rename(&other.0) {
                    summary.pair((first, one.1), (second, other.1), *its);
                }
            }
        }
        let held: Vec<(Place, Mode)> = summary
            .returned_locks
            .iter()
            .map(|it| (it.0, it.1))
            .collect();
        for ((lock, mode), (blocking, its)) in &next.acquires {
            for lock in rename(lock) {
                for held in held.iter().filter(|_| *blocking) {
                    summary.pair(*held, (lock, *mode), *its);
                }
                summary.acquire(lock, *mode, *blocking, *its);
            }
        }
        to.functions.push(function);
        next.returns.iter().flat_map(rename).collect()
    }
}

impl Program {
    /// Methods of these names of all types of the graph that a type is made of, crates with models left out.
    fn methods_of_parts(&self, krate: CrateId, ty: &Type, names: &[&str]) -> Vec<u32> {
        let mut owners: Vec<(CrateId, String)> = Vec::new();
        self.collect_parts(krate, ty, &mut owners);
        let named = names
            .iter()
            .filter_map(|it| self.by_name.get(*it))
            .flatten();
        let is_of = |number: &u32| {
            let function = &self.functions[*number as usize];
            let of = |(krate, owner): &(CrateId, String)| {
                function.krate == *krate && function.owner() == owner
            };
            function.trait_().is_some() && owners.iter().any(of)
        };
        named.copied().filter(is_of).collect()
    }

    fn collect_parts(&self, krate: CrateId, ty: &Type, found: &mut Vec<(CrateId, String)>) {
        let mut named = Vec::new();
        ty.each(&mut |it| {
            if let Type::Named(path, _) = it
                && !is_std(path)
            {
                named.push(path.clone());
            }
        });
        for path in named {
            let Some(declared) = self.declared(krate, &path) else {
                continue;
            };
            let part = (declared.krate, last_segment(declared.path).to_string());
            if self.is_modelled(declared.krate) || found.contains(&part) {
                continue;
            }
            found.push(part);
            for (_, fields) in self.field_lists(declared) {
                for (_, ty) in &fields.fields {
                    self.collect_parts(declared.krate, ty, found);
                }
            }
        }
    }
}
