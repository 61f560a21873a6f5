//! Operations of the catalog to functions of the sources.

use super::analysis::Analysis;
use super::dependency_graph::DependencyGraph;
use super::index::Receiver;
use super::method_summary::{Inexact, MethodSummary};
use super::types::{Type, last_segment};
use crate::discover::subject_catalog::{OperationEntry, SubjectEntry, Taken};

impl Analysis {
    /// The operations of a subject and how they depend on each other; `methods[n]` is operation `n` of the subject.
    ///
    /// An operation is found by the place where it is declared, else by its name. A chain of calls (`get_or_create().inc`) goes on
    /// with what the first call returned, so it is as unknown as an operation that is not found. Summaries name what an operation
    /// touches as seen from its own object: that the ends of a pair lead to the same is not in them, so of their operations nothing is
    /// known to exclude each other.
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
        let mut summary = if operation.name.contains("()") {
            MethodSummary::unknown(
                &operation.name,
                &operation.declared,
                "is a chain of calls on what another operation returns",
            )
        } else {
            match self.function_of(subject, operation) {
                Some(number) => self.looked_at(self.summary(&operation.name, number), number),
                None if operation.name == "Clone::clone" && operation.declared.is_empty() => {
                    self.clone_of(subject, operation)
                }
                None => MethodSummary::unknown(
                    &operation.name,
                    &operation.declared,
                    "is not in the sources that were read",
                ),
            }
        };
        summary.shared = operation.taken != Taken::MutableReference;
        if !operation.declared.is_empty() {
            summary.declared.clone_from(&operation.declared);
        }
        summary
    }

    /// The driver looks at what an operation returns: it formats, follows, goes through and drops it. Code that runs then is no part of
    /// the function.
    fn looked_at(&self, mut summary: MethodSummary, number: u32) -> MethodSummary {
        let function = &self.index.functions[number as usize];
        let output = function.output.substitute(function.self_type.as_ref(), &[]);
        let mut inexact = |why: String| {
            summary.inexact.push(Inexact {
                why,
                at: summary.declared.clone(),
            });
        };
        if function.is_async {
            inexact("is a future, which is run by the driver".to_string());
        }
        let matters = |function: u32| !self.summaries[function as usize].is_nothing();
        if let Some(what) = self.index.runs_when_looked_at(&output, &matters) {
            inexact(format!("returns {what}, whose own code runs afterwards"));
        }
        summary
    }

    /// The function that an operation is, if it is one.
    pub(crate) fn function_of(
        &self,
        subject: &SubjectEntry,
        operation: &OperationEntry,
    ) -> Option<u32> {
        self.find(subject, operation)
    }

    fn find(&self, subject: &SubjectEntry, operation: &OperationEntry) -> Option<u32> {
        let name = last_segment(&operation.name);
        let ends = subject.ends();
        let path = match operation.taken {
            Taken::End(of) => ends.get(usize::from(of.end)).unwrap_or(&subject.path),
            _ => &subject.path,
        };
        let own = last_segment(path);
        let fits = |number: &u32| {
            let it = &self.index.functions[*number as usize];
            it.has_body && *it.name == *name
        };
        let of_type = |number: &u32| match &self.index.functions[*number as usize].self_type {
            Some(Type::Own(path, _)) => last_segment(path) == own,
            _ => false,
        };
        if let Some((file, line)) = operation.declared.rsplit_once(':') {
            let found = self
                .by_line
                .get(&(file.into(), line.parse().ok()?))
                .into_iter()
                .flatten();
            let found: Vec<u32> = found.copied().filter(fits).collect();
            // Several of one line come out of one macro call.
            if let Some(number) = found.iter().find(|it| of_type(it)).or_else(|| {
                if found.len() == 1 {
                    found.first()
                } else {
                    None
                }
            }) {
                return Some(*number);
            }
        }
        let mut named = (0_u32..)
            .zip(&self.index.functions)
            .filter(|(_, it)| it.receiver != Receiver::None)
            .map(|(number, _)| number)
            .filter(fits)
            .filter(of_type);
        let first = named.next()?;
        if named.next().is_some() {
            None
        } else {
            Some(first)
        }
    }

    /// A derived or hand-written `Clone`.
    fn clone_of(&self, subject: &SubjectEntry, operation: &OperationEntry) -> MethodSummary {
        if let Some(number) = self.find(subject, operation) {
            return self.summary(&operation.name, number);
        }
        // Derived: handles are counted up, plain fields are copied. Fields behind a lock have no `Clone`.
        let runs = match self.own_type(subject) {
            Some(own) => self
                .index
                .derived(&own, "clone")
                .iter()
                .any(|(_, it)| !self.summaries[*it as usize].is_nothing()),
            None => true,
        };
        let inexact = runs.then(|| Inexact {
            why: "runs `clone` of its fields".to_string(),
            at: subject.declared.clone(),
        });
        let inexact = inexact.into_iter().collect();
        MethodSummary {
            inexact,
            operation: operation.name.clone(),
            declared: subject.declared.clone(),
            shared: true,
            ..MethodSummary::default()
        }
    }

    /// The type of a subject, if it is declared in the sources and its name is not ambiguous.
    fn own_type(&self, subject: &SubjectEntry) -> Option<Type> {
        let own = last_segment(&subject.path);
        let declared = self.index.structs.keys().chain(self.index.enums.keys());
        let mut named = declared.filter(|path| last_segment(path) == own);
        let first = named.next()?;
        named
            .next()
            .is_none()
            .then(|| Type::Own(first.clone(), Vec::new()))
    }
}
