//! One function and the summaries of what it calls in, its own summary out.
//!
//! DepCon+ (Terragni and Pezzè), algorithms 1 and 2, with these deviations. They run as a forward data-flow analysis
//! over the blocks (Kildall, "A Unified Approach to Global Program Optimization", 1973), because a Rust guard may be
//! dropped on one way only: what may be held is the union over all ways, what is surely held the intersection. A lock
//! is in the lock summary if one acquisition of it is held at every access, which is what "taken before the first,
//! not released before the last" means. If a callee's accesses are the only ones, its locks count as well.
//! Acquisitions are distinguished, so a lock that is released and taken again in between does not count (the published
//! algorithm misses that for callees). Ways that a panic takes are left out.

mod accesses;
mod callables;
mod calls;
mod guards;
mod standard;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::bindings::{Bindings, Targets};
use super::call_effects::KnownEffects;
use super::held_locks::{State, Token, join, renew};
use super::mir::body::{BlockId, Operand, Position, Statement, Terminator, Value};
use super::mir::ty::Type;
use super::place::{Place, Root};
use super::program::{Function, Program};
use super::summary::{At, Mode, Summary};

/// What one function does at which places: for the comparison with runs, and for the fields of atomic sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    /// What it does itself, by line.
    pub(crate) lines: BTreeMap<u32, LineEffects>,
    /// Where methods of locks, atomics and the like are named, and on what they are called.
    pub(crate) sites: BTreeSet<(Position, Place)>,
}

/// What stands in one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineEffects {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) locks: bool,
}

/// What is known before a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Flow {
    state: State,
    /// Guards that locals own.
    owners: BTreeMap<u32, BTreeSet<Token>>,
}

struct Interpreter<'a> {
    number: u32,
    program: &'a Program,
    function: &'a Function,
    targets: &'a Targets,
    summaries: &'a [Summary],
    bindings: Bindings<'a>,
    summary: Summary,
    trace: Trace,
    /// Block whose terminator is run: it names the acquisitions made there.
    block: BlockId,
    end: Option<State>,
    returned: Vec<(Place, Mode, bool)>,
    returned_before: bool,
    known_effects: KnownEffects,
}

/// Times one block is visited. What is known only shrinks or grows, so this is not reached in practice.
const MOST_VISITS: u32 = 40;

/// Computes summary and trace of a function.
pub(crate) fn interpret(
    number: u32,
    program: &Program,
    targets: &Targets,
    summaries: &[Summary],
) -> (Summary, Trace) {
    let function = &program.functions[number as usize];
    let mut interpreter = Interpreter {
        number,
        program,
        function,
        targets,
        summaries,
        bindings: Bindings::new(program, function, targets, summaries),
        summary: Summary::default(),
        trace: Trace::default(),
        block: 0,
        end: None,
        returned: Vec::new(),
        returned_before: false,
        known_effects: KnownEffects::new(),
    };
    interpreter.run();
    let Interpreter {
        mut summary,
        trace,
        bindings,
        end,
        returned,
        ..
    } = interpreter;
    summary.returns = bindings.returns();
    summary.returned_locks = returned;
    if let Some(end) = end {
        let names = |list: Option<Vec<super::held_locks::Protecting>>| {
            list.map(|list| list.into_iter().map(|it| (it.lock, it.mode)).collect())
        };
        summary.shared_locks = names(end.shared);
        summary.all_locks = names(end.all);
    }
    (summary, trace)
}

impl Interpreter<'_> {
    fn run(&mut self) {
        let blocks = self.function.body.blocks().len();
        if !self.program.crates[self.function.krate].is_declared {
            let why = "is of a crate whose types could not be read";
            self.summary.inexact(why, self.at(0));
        }
        if self.function.body.output.is_async() {
            self.summary.inexact(
                "is async: what runs between its suspensions is not known",
                self.at(0),
            );
        }
        let mut before: Vec<Option<Flow>> = vec![None; blocks];
        let mut visits = vec![0_u32; blocks];
        let Some(first) = before.first_mut() else {
            return;
        };
        *first = Some(Flow::default());
        let mut waiting: VecDeque<BlockId> = VecDeque::from([0]);
        while let Some(block) = waiting.pop_front() {
            let index = block as usize;
            visits[index] += 1;
            if visits[index] > MOST_VISITS {
                self.summary.anything("is too large", self.at(0));
                continue;
            }
            let Some(flow) = before[index].clone() else {
                continue;
            };
            for (next, after) in self.visit(block, flow) {
                let Some(slot) = before.get_mut(next as usize) else {
                    continue;
                };
                let joined = match slot {
                    Some(there) => join_flows(there, &after),
                    None => after,
                };
                if slot.as_ref() != Some(&joined) {
                    *slot = Some(joined);
                    if !waiting.contains(&next) {
                        waiting.push_back(next);
                    }
                }
            }
        }
    }

    /// Runs a block; where it goes on, and with what.
    fn visit(&mut self, block: BlockId, mut flow: Flow) -> Vec<(BlockId, Flow)> {
        let body = &self.function.body;
        let code = &body.blocks()[block as usize];
        self.block = block;
        for (statement, position) in &code.statements {
            match statement {
                Statement::Assign(to, value) => self.assign(&mut flow, to, value, *position),
                Statement::Unknown(text) => {
                    let shown: String = text.chars().take(60).collect();
                    self.unknown(
                        &mut flow,
                        &format!("has a statement that is not known: `{shown}`"),
                        *position,
                    );
                }
            }
        }
        let (terminator, position) = &code.terminator;
        match terminator {
            Terminator::Goto(next) => next.iter().map(|it| (*it, flow.clone())).collect(),
            Terminator::Switch(on, targets) => {
                let empty = self.empty_variant(&code.statements, on, targets);
                let way = |(_, next): &(Option<u128>, BlockId)| (*next, flow.clone());
                let mut ways: Vec<(BlockId, Flow)> = targets.iter().map(way).collect();
                if let Some((local, at)) = empty
                    && let Some((_, flow)) = ways.get_mut(at)
                {
                    self.release(flow, local);
                }
                ways
            }
            Terminator::Diverge => Vec::new(),
            Terminator::Return => {
                self.leave(flow);
                Vec::new()
            }
            Terminator::Drop(place, next) => {
                self.drop_place(&mut flow, place, *position);
                vec![(*next, flow)]
            }
            Terminator::Call(call) => {
                self.call(&mut flow, call, *position);
                call.next.map(|next| (next, flow)).into_iter().collect()
            }
            Terminator::Unknown(text, next) => {
                let shown: String = text.chars().take(60).collect();
                self.unknown(&mut flow, &shown, *position);
                next.iter().map(|it| (*it, flow.clone())).collect()
            }
        }
    }

    /// A switch over the variant of an `Option`, or of what `try_lock` returned: the local, and which way is taken if
    /// it holds nothing.
    fn empty_variant(
        &self,
        statements: &[(Statement, Position)],
        on: &Operand,
        targets: &[(Option<u128>, BlockId)],
    ) -> Option<(u32, usize)> {
        let (Operand::Copy(on) | Operand::Move(on)) = on else {
            return None;
        };
        let of = statements.iter().rev().find_map(|(it, _)| match it {
            Statement::Assign(to, Value::About(of)) if to == on => Some(of),
            _ => None,
        })?;
        if !of.is_stored_locally() {
            return None;
        }
        let ty = self.bindings.type_of(of);
        let Type::Named(_, arguments) = &ty else {
            return None;
        };
        let empty = match (ty.last(), arguments.get(1).map_or("", Type::last)) {
            ("Option", _) => 0,
            ("Result", "TryLockError") => 1,
            _ => return None,
        };
        let named = targets.iter().position(|it| it.0 == Some(empty));
        let at = named.or_else(|| targets.iter().position(|it| it.0.is_none()))?;
        Some((of.local, at))
    }

    fn leave(&mut self, flow: Flow) {
        let tokens = flow.owners.get(&0).cloned().unwrap_or_default();
        let locks: Vec<(Place, Mode)> = flow
            .state
            .held
            .iter()
            .filter(|it| tokens.contains(&it.token))
            .map(|it| (it.lock, it.mode))
            .collect();
        // A block is visited again when more is known: what is returned surely may only shrink.
        for (lock, mode, surely) in &mut self.returned {
            *surely &= locks.contains(&(*lock, *mode));
        }
        for (lock, mode) in locks {
            if !self.returned.iter().any(|it| it.0 == lock && it.1 == mode) {
                self.returned.push((lock, mode, !self.returned_before));
            }
        }
        self.returned_before = true;
        self.end = Some(match self.end.take() {
            Some(end) => join(&end, &flow.state),
            None => flow.state,
        });
    }

    fn at(&self, line: u32) -> At {
        At {
            function: self.number,
            line,
        }
    }
}

fn join_flows(a: &Flow, b: &Flow) -> Flow {
    let mut owners = a.owners.clone();
    for (local, tokens) in &b.owners {
        owners.entry(*local).or_default().extend(tokens);
    }
    Flow {
        state: join(&a.state, &b.state),
        owners,
    }
}

fn is_local(place: &Place) -> bool {
    matches!(place.root, Root::Local(_))
}

/// True if others may see an access to the place: it is inside a lock or a cell, or it is not known where it is.
pub(crate) fn is_shared(place: &Place) -> bool {
    place.is_inside() || matches!(place.root, Root::Unknown(_))
}
