//! A hash of the code that a type runs, to see which types an edit concerns.
//!
//! It covers the bodies of all functions of the package that the type's own functions may run, every declaration and
//! constant of the package, and every other crate of the graph. What a function calls that is not known (a pointer, a
//! trait that other crates implement) may be any function of the package, so then all of them count.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher as _};

use fnv::FnvHasher;
use tracing::debug;

use super::analysis::Analysis;
use super::callees::Target;
use super::mir::body::Terminator;
use super::mir::position_free;
use super::mir::ty::Type;
use super::program::Function;
use contest_catalog::subject_catalog::SubjectEntry;

impl Analysis {
    /// A hash of the code of a type, as text: that of the functions it may run and of everything they may depend on.
    #[must_use]
    pub fn code_of(&self, subject: &SubjectEntry) -> String {
        let mut hasher = FnvHasher::default();
        for krate in &self.program.crates {
            krate.name.hash(&mut hasher);
            krate.code.hash(&mut hasher);
        }
        let described = position_free(&format!("{subject:?}"));
        described.hash(&mut hasher);
        let mut codes: Vec<(String, u64)> = self
            .functions_of(&described)
            .into_iter()
            .map(|number| {
                let body = &self.program.functions[number as usize].body;
                (position_free(&body.path), body.code)
            })
            .collect();
        codes.sort_unstable();
        let functions = codes.len();
        debug!(path = subject.path, functions, "code");
        codes.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// The functions of the package that a type may run. They begin with those of all types that its description
    /// mentions: itself, what its arguments are made with.
    fn functions_of(&self, described: &str) -> BTreeSet<u32> {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let words: BTreeSet<&str> = described.split(|it| !is_word(it)).collect();
        let own = self.program.own();
        let declared = &self.program.crates[own].declarations.by_last;
        let types: BTreeSet<&str> = (words.iter().copied())
            .filter(|word| declared.contains_key(*word))
            .collect();
        let is_own = |number: &u32| self.program.functions[*number as usize].krate == own;
        let numbers = 0..u32::try_from(self.program.functions.len()).unwrap_or(u32::MAX);
        let all: BTreeSet<u32> = numbers.filter(is_own).collect();
        let is_root = |number: &u32| {
            let function = &self.program.functions[*number as usize];
            let is_named = function.owner().is_empty() && words.contains(function.body.name());
            is_named || mentions(function, &types)
        };
        let mut waiting: Vec<u32> = all.iter().copied().filter(is_root).collect();
        let mut found: BTreeSet<u32> = waiting.iter().copied().collect();
        while let Some(number) = waiting.pop() {
            if self.calls_unknown(number) {
                let path = &self.program.functions[number as usize].body.path;
                debug!(%path, "calls what is not known");
                return all;
            }
            let callees = self.graph.callees[number as usize].iter().copied();
            for callee in callees.filter(is_own) {
                if found.insert(callee) {
                    waiting.push(callee);
                }
            }
        }
        found
    }

    /// True if a function may run functions of the package that are not among its callees.
    fn calls_unknown(&self, number: u32) -> bool {
        let targets = &self.graph.targets[number as usize];
        let blocks = self.program.functions[number as usize].body.blocks();
        targets.iter().zip(blocks).any(|(target, block)| {
            let is_call = matches!(block.terminator.0, Terminator::Call(_));
            match target {
                None => is_call && !block.cleanup,
                Some(target) => matches!(target, Target::Unknown(_) | Target::Open(..)),
            }
        })
    }
}

/// True for a function of one of these types, or that takes or returns one.
fn mentions(function: &Function, types: &BTreeSet<&str>) -> bool {
    let body = &function.body;
    let mut found = types.contains(function.owner());
    for ty in body.parameters.iter().chain([&body.output]) {
        ty.each(&mut |ty| {
            if let Type::Named(..) = ty {
                found |= types.contains(ty.last());
            }
        });
    }
    found
}
