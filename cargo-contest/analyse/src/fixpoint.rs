//! Functions in, their summaries out: callees first, cycles of calls until nothing changes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::call_graph::CallGraph;
use super::interpret::{Trace, interpret};
use super::program::Program;
use super::summary::{At, Summary};

/// Cycles of more functions than this get four rounds only.
const LARGE: usize = 4;
/// Rounds over one cycle of calls. Summaries only grow, and paths are cut where they repeat, so this is not reached
/// in practice.
const MOST_ROUNDS: usize = 12;

/// Summaries of all functions that the package reaches, and what they do themselves.
pub(crate) fn summaries(program: &Program, graph: &CallGraph) -> (Vec<Summary>, Vec<Trace>) {
    let count = program.functions.len();
    let mut found = Found {
        program,
        graph,
        summaries: vec![Summary::default(); count],
        traces: vec![Trace::default(); count],
    };
    for component in components(&graph.callees) {
        let recursive = component.len() > 1
            || component
                .iter()
                .any(|it| graph.callees[*it as usize].contains(it));
        if recursive {
            found.settle(&component);
        } else if !graph.targets[component[0] as usize].is_empty() {
            found.compute(component[0]);
        }
    }
    (found.summaries, found.traces)
}

struct Found<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    summaries: Vec<Summary>,
    traces: Vec<Trace>,
}

impl Found<'_> {
    /// Computes one summary; true if it has changed. A bug of the analysis costs the summary of one function, not all
    /// of them.
    fn compute(&mut self, function: u32) -> bool {
        let index = function as usize;
        let (program, targets) = (self.program, &self.graph.targets[index]);
        let summaries = &self.summaries;
        let computed = catch_unwind(AssertUnwindSafe(|| {
            interpret(function, program, targets, summaries)
        }));
        let (summary, trace) = computed.unwrap_or_else(|_| {
            let mut summary = Summary::default();
            let at = At { function, line: 0 };
            summary.anything("could not be analysed: a bug of this tool", at);
            (summary, Trace::default())
        });
        let changed = summary != self.summaries[index];
        self.summaries[index] = summary;
        self.traces[index] = trace;
        changed
    }

    /// One cycle of calls: whatever calls something that changed is computed again.
    fn settle(&mut self, component: &[u32]) {
        let mut changed: Vec<u32> = component.to_vec();
        for round in 0.. {
            let is_stale = |it: &u32| {
                round == 0
                    || self.graph.callees[*it as usize]
                        .iter()
                        .any(|it| changed.contains(it))
            };
            let again: Vec<u32> = component.iter().copied().filter(is_stale).collect();
            changed.clear();
            for function in again {
                if self.compute(function) {
                    changed.push(function);
                }
            }
            if changed.is_empty() {
                return;
            }
            if round >= MOST_ROUNDS || (round >= 3 && component.len() > LARGE) {
                break;
            }
        }
        for function in component {
            let summary = &mut self.summaries[*function as usize];
            summary.shared_locks = Some(Vec::new());
            summary.all_locks = Some(Vec::new());
            let at = At {
                function: *function,
                line: 0,
            };
            summary.anything("calls itself in a way that does not settle", at);
        }
    }
}

/// Strongly connected components, callees first (Tarjan, without recursion).
fn components(callees: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let count = callees.len();
    let mut order = vec![NEW; count];
    let mut low = vec![0_u32; count];
    let mut on_stack = vec![false; count];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for start in 0..count {
        if order[start] != NEW {
            continue;
        }
        let mut work: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((node, edge)) = work.pop() {
            if edge == 0 {
                order[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(to) = callees[node].get(edge).map(|it| *it as usize) {
                work.push((node, edge + 1));
                if to < count && order[to] == NEW {
                    work.push((to, 0));
                } else if to < count && on_stack[to] {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if low[node] == order[node] {
                let mut component = Vec::new();
                while let Some(top) = stack.pop() {
                    on_stack[top] = false;
                    component.push(u32::try_from(top).unwrap_or(NEW));
                    if top == node {
                        break;
                    }
                }
                found.push(component);
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn callees_come_before_their_callers_and_cycles_are_together() {
        // 0 → 1 → 2 → 1, 2 → 3.
        let found = components(&[vec![1], vec![2], vec![1, 3], vec![]]);
        let mut sorted: Vec<Vec<u32>> = found.clone();
        sorted.iter_mut().for_each(|it| it.sort_unstable());
        assert_eq!(sorted, [vec![3], vec![1, 2], vec![0]]);
    }
}
