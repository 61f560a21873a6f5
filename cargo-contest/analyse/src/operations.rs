//! Operations of the catalog to functions of the sources.

use super::analysis::Analysis;
use super::composition::{Composition, Next};
use super::mir::ty::last_segment;
use contest_catalog::dependency_graph::DependencyGraph;
use contest_catalog::method_summary::MethodSummary;
use contest_catalog::subject_catalog::{OperationEntry, SubjectEntry, Taken};

/// Lines from the declaration of a function to its parameters, attributes counted.
const LONGEST_SIGNATURE: u32 = 12;

impl Analysis {
    /// The operations of a subject and how they depend on each other; `methods[n]` is operation `n` of the subject.
    ///
    /// An operation is found by the place where it is declared, else by its name. Summaries name what an operation
    /// touches as seen from its own object: that the ends of a pair lead to the same is not in them, so of their
    /// operations nothing is known to exclude each other.
    #[must_use]
    pub fn subject(&self, subject: &SubjectEntry) -> DependencyGraph {
        let methods = subject
            .operations
            .iter()
            .map(|operation| self.operation(subject, operation))
            .collect();
        let mut graph = DependencyGraph::new(subject.path.clone(), methods);
        let end = |method: u16| match subject.operations[usize::from(method)].taken {
            Taken::End(of) => Some(of.end),
            _ => None,
        };
        for pair in &mut graph.pairs {
            if end(pair.first) != end(pair.second) {
                pair.forget();
            }
        }
        graph
    }

    fn operation(&self, subject: &SubjectEntry, operation: &OperationEntry) -> MethodSummary {
        let mut summary = match self.composition_of(subject, operation) {
            Some(it) => self.summary(&operation.name, it.functions[0], &it.summary),
            None if operation.expression.uses_of_object() > 1 => {
                let why = "has an argument that another call of the object makes";
                MethodSummary::unknown(&operation.name, &operation.declared, why)
            }
            None if operation.name == "Clone::clone" && operation.declared.is_empty() => {
                let why = "has a `clone` of which no body is known";
                MethodSummary::unknown(&operation.name, &subject.declared, why)
            }
            None => {
                let why = "is not in the sources that were read";
                MethodSummary::unknown(&operation.name, &operation.declared, why)
            }
        };
        summary.shared = operation.taken.is_shared();
        if !operation.declared.is_empty() {
            summary.declared.clone_from(&operation.declared);
        }
        summary
    }

    /// The functions that an operation runs: one and what looks at its result, or a chain of two (`lock().push`,
    /// `lock() += 1`).
    pub(crate) fn composition_of(
        &self,
        subject: &SubjectEntry,
        operation: &OperationEntry,
    ) -> Option<Composition> {
        // What the other call does would be missing.
        if operation.expression.uses_of_object() > 1 {
            return None;
        }
        let Some((first, then)) = operation.name.split_once("()") else {
            return self
                .find(subject, operation, &operation.name)
                .map(|it| self.observed(it));
        };
        let Some(then) = then.strip_prefix('.') else {
            let first = self.find(subject, operation, first)?;
            return Some(self.chained(first, Next::Change));
        };
        let second = self.at_declaration(&operation.declared, last_segment(then), |_| true)?;
        Some(self.chained(self.of_type(subject, operation, first)?, Next::Call(second)))
    }

    fn find(&self, subject: &SubjectEntry, operation: &OperationEntry, name: &str) -> Option<u32> {
        let own = own_type(subject, operation);
        let is_of_type = |number: u32| self.program.functions[number as usize].owner() == own;
        self.at_declaration(&operation.declared, last_segment(name), is_of_type)
            .or_else(|| self.of_type(subject, operation, name))
    }

    /// The function of this name that is declared here. The compiler knows the line of the parameters, which is a
    /// little later.
    fn at_declaration(
        &self,
        declared: &str,
        name: &str,
        prefer: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let (file, line) = declared.rsplit_once(':')?;
        let line: u32 = line.parse().ok()?;
        let own = self.program.own();
        let distance = |number: u32| {
            let function = &self.program.functions[number as usize];
            let here = *function.file == *file && (function.krate == own || file.starts_with('/'));
            let after = function.body.line.checked_sub(line)?;
            (here && after <= LONGEST_SIGNATURE).then_some(after)
        };
        let named = self.program.by_name.get(name)?.iter().copied();
        let near = named.filter_map(|it| Some((distance(it)?, !prefer(it), it)));
        near.min().map(|(_, _, number)| number)
    }

    /// The only function of this name of the operation's type.
    fn of_type(
        &self,
        subject: &SubjectEntry,
        operation: &OperationEntry,
        name: &str,
    ) -> Option<u32> {
        let own = own_type(subject, operation);
        let named = self
            .program
            .by_name
            .get(last_segment(name))?
            .iter()
            .copied();
        let mut of_type = named.filter(|it| {
            let function = &self.program.functions[*it as usize];
            function.krate == self.program.own() && function.owner() == own
        });
        let first = of_type.next()?;
        of_type.next().is_none().then_some(first)
    }
}

/// The last path segment of the type that an operation belongs to.
fn own_type(subject: &SubjectEntry, operation: &OperationEntry) -> String {
    let ends = subject.ends();
    let path = match operation.taken {
        Taken::End(of) => ends.get(usize::from(of.end)).unwrap_or(&subject.path),
        _ => &subject.path,
    };
    last_segment(path).to_string()
}
