//! Traces of all functions in, their summaries out: callees first, cycles of calls until nothing changes.

use super::effect::{Effect, Trace};
use super::interpret::interpret;
use super::place::Names;
use super::summary::{At, Summary};

/// Cycles of more functions than this get four rounds only.
const LARGE: usize = 4;
/// Rounds over one cycle of calls. Summaries only grow, and paths are cut where they repeat, so this is not reached in practice.
const MOST_ROUNDS: usize = 12;

/// Summaries of all functions.
pub(crate) fn summaries(traces: &[Trace], names: &Names) -> Vec<Summary> {
    let callees: Vec<Vec<u32>> = traces.iter().map(callees_of).collect();
    let mut summaries = vec![Summary::default(); traces.len()];
    for component in components(&callees) {
        let recursive = component.len() > 1
            || component
                .iter()
                .any(|it| callees[*it as usize].contains(it));
        if !recursive {
            let function = component[0];
            summaries[function as usize] =
                interpret(function, &traces[function as usize], &summaries, names);
            continue;
        }
        settle(&component, traces, &callees, &mut summaries, names);
    }
    summaries
}

/// One cycle of calls: whoever calls something that changed is computed again.
fn settle(
    component: &[u32],
    traces: &[Trace],
    callees: &[Vec<u32>],
    summaries: &mut [Summary],
    names: &Names,
) {
    let mut changed: Vec<u32> = component.to_vec();
    for round in 0.. {
        let again: Vec<u32> = component
            .iter()
            .copied()
            .filter(|it| {
                round == 0
                    || callees[*it as usize]
                        .iter()
                        .any(|callee| changed.contains(callee))
            })
            .collect();
        changed.clear();
        for function in again {
            let new = interpret(function, &traces[function as usize], summaries, names);
            if new != summaries[function as usize] {
                summaries[function as usize] = new;
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
        let summary = &mut summaries[*function as usize];
        summary.shared_locks = Some(Vec::new());
        summary.all_locks = Some(Vec::new());
        summary.anything(
            "calls itself in a way that does not settle",
            At {
                function: *function,
                line: 0,
            },
        );
    }
}

fn callees_of(trace: &Trace) -> Vec<u32> {
    let mut found = Vec::new();
    collect(&trace.effects, &mut found);
    for closure in &trace.closures {
        collect(closure, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn collect(effects: &[Effect], found: &mut Vec<u32>) {
    for effect in effects {
        match effect {
            Effect::Call { callees, .. } => found.extend(callees),
            Effect::Branch(ways) => ways.iter().for_each(|way| collect(way, found)),
            Effect::Loop { body, .. } | Effect::Labelled(body) | Effect::Spawn(body) => {
                collect(body, found)
            }
            _ => {}
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
