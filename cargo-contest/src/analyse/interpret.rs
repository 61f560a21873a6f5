//! Effects of one body in, its summary out.
//!
//! DepCon+ (Terragni and Pezzè), algorithms 1 and 2, with these deviations. Ways of a branch are kept apart and joined, because a Rust
//! guard may be dropped on one of them only: what may be held is the union, what is surely held the intersection. A lock is in the lock
//! summary if one acquisition of it is held at every access, which is what "taken before the first, not released before the last"
//! means. If a callee's accesses are the only ones, its locks count as well. Acquisitions are told apart, so a lock that is released
//! and taken again in between does not count (the published algorithm misses that for callees).

mod calls;

use std::collections::BTreeMap;

use super::effect::{AccessKind, Effect, Mode, Token, Trace};
use super::held_locks::{Held, Protecting, State, hold, join, join_both, protect};
use super::place::{Names, Place, Root, Step};
use super::summary::{At, Called, Returns, Summary};

#[derive(Default)]
struct Frame {
    left: Option<State>,
    next: Option<State>,
}

/// What one call returned, in names of the caller.
#[derive(Clone, Debug)]
enum Result_ {
    Place(Place),
    Fields(Vec<(Step, Place)>),
    Unknown,
}

struct Interpreter<'a> {
    function: u32,
    names: &'a Names,
    trace: &'a Trace,
    summaries: &'a [Summary],
    summary: Summary,
    results: BTreeMap<u32, Result_>,
    closure_arguments: BTreeMap<(u32, u16), Option<Place>>,
    frames: Vec<Frame>,
    next: u32,
    loops: usize,
    closures_run: Vec<u32>,
    ends: Vec<State>,
    steps: usize,
}

/// Effects one interpretation may run, what callees bring counted: nested loops run their bodies twice each.
const MOST_STEPS: usize = 40_000;

/// Computes the summary of a function from its trace and the summaries of what it calls.
pub(crate) fn interpret(
    function: u32,
    trace: &Trace,
    summaries: &[Summary],
    names: &Names,
) -> Summary {
    let mut interpreter = Interpreter {
        function,
        names,
        trace,
        summaries,
        summary: Summary::default(),
        results: BTreeMap::new(),
        closure_arguments: BTreeMap::new(),
        frames: Vec::new(),
        next: 0,
        loops: 0,
        closures_run: Vec::new(),
        ends: Vec::new(),
        steps: 0,
    };
    let end = interpreter.run(&trace.effects, Some(State::default()));
    let mut ends = std::mem::take(&mut interpreter.ends);
    ends.extend(end);
    let joined = ends.into_iter().reduce(|a, b| join(&a, &b));
    let names = |list: Option<Vec<Protecting>>| {
        list.map(|list| list.into_iter().map(|it| (it.lock, it.mode)).collect())
    };
    if let Some(joined) = joined {
        interpreter.summary.shared_locks = names(joined.shared);
        interpreter.summary.all_locks = names(joined.all);
    }
    interpreter.summary
}

impl Interpreter<'_> {
    fn at(&self, line: u32) -> At {
        At {
            function: self.function,
            line,
        }
    }

    fn run(&mut self, effects: &[Effect], mut state: Option<State>) -> Option<State> {
        for effect in effects {
            let current = state?;
            self.steps += 1;
            if self.steps > MOST_STEPS {
                self.summary.anything("is too large", self.at(0));
                return Some(State {
                    shared: Some(Vec::new()),
                    all: Some(Vec::new()),
                    ..current
                });
            }
            state = self.step(effect, current);
        }
        state
    }

    fn step(&mut self, effect: &Effect, mut state: State) -> Option<State> {
        match effect {
            Effect::Access {
                place,
                kind,
                always,
                line,
            } => {
                let place = self.resolve(place);
                self.access(&mut state, place, *kind, *always, *line);
            }
            Effect::Acquire {
                lock,
                mode,
                blocking,
                token,
                line,
            } => {
                let lock = self.resolve(lock);
                self.acquire(&mut state, lock, *mode, *blocking, *token, *line);
            }
            Effect::Drop(token) | Effect::Forget(token) => {
                // A forgotten guard is held for ever.
                if matches!(effect, Effect::Drop(_)) {
                    state.held.retain(|it| it.token != *token);
                }
            }
            Effect::Wait {
                condvar,
                tokens,
                line,
            } => self.wait(&mut state, condvar, tokens, *line),
            Effect::Block { object, line } => {
                let object = self.resolve(object);
                if !is_local(&object) {
                    let at = self.at(*line);
                    for held in &state.held {
                        self.summary
                            .pair((held.lock, held.mode), (object, Mode::Exclusive), at);
                    }
                    self.summary.acquire(object, Mode::Exclusive, true, at);
                }
            }
            Effect::Call {
                number,
                callees,
                arguments,
                token,
                line,
            } => self.call(&mut state, *number, callees, arguments, *token, *line),
            Effect::CallParameter {
                parameter,
                arguments,
                line,
            } => {
                let arguments = arguments
                    .iter()
                    .map(|it| it.as_ref().map(|it| self.resolve(it)))
                    .collect();
                let held = state.held.iter().map(|it| (it.lock, it.mode)).collect();
                let at = self.at(*line);
                self.summary
                    .call(*parameter, Called { held, arguments }, at);
            }
            Effect::Unknown {
                why,
                reaches,
                closures,
                callables,
                line,
            } => {
                let at = self.at(*line);
                for place in reaches {
                    let mut place = self.resolve(place);
                    place.cut = true;
                    self.access(&mut state, place, AccessKind::Both, true, *line);
                }
                for closure in closures {
                    state = self.closure(*closure, &[], state);
                }
                for parameter in callables {
                    let held = state.held.iter().map(|it| (it.lock, it.mode)).collect();
                    self.summary.call(
                        *parameter,
                        Called {
                            held,
                            arguments: Vec::new(),
                        },
                        at,
                    );
                }
                for held in &state.held {
                    self.summary.pair(
                        (held.lock, held.mode),
                        (Place::anything(), Mode::Exclusive),
                        at,
                    );
                }
                state.shared = Some(Vec::new());
                state.all = Some(Vec::new());
                self.summary.inexact(why, at);
            }
            Effect::Inexact { why, line } => self.summary.inexact(why, self.at(*line)),
            Effect::Branch(ways) => {
                let ends: Vec<State> = ways
                    .iter()
                    .filter_map(|way| self.run(way, Some(state.clone())))
                    .collect();
                return ends.into_iter().reduce(|a, b| join(&a, &b));
            }
            Effect::Loop { body, endless } => return self.repeat(body, *endless, state),
            Effect::Labelled(body) => {
                self.frames.push(Frame::default());
                let end = self.run(body, Some(state));
                let frame = self.frames.pop().unwrap_or_default();
                return join_both(end, frame.left);
            }
            Effect::Spawn(body) => {
                let fresh = State {
                    held: Vec::new(),
                    ..state.clone()
                };
                self.run(body, Some(fresh));
                // What another thread does is protected by nothing that is held here.
                state.shared = Some(Vec::new());
                state.all = Some(Vec::new());
            }
            Effect::Break(up) => {
                self.leave(*up, state, false);
                return None;
            }
            Effect::Continue(up) => {
                self.leave(*up, state, true);
                return None;
            }
            Effect::Return(returned) => {
                let place = returned.place.as_ref().map(|it| self.resolve(it));
                let returns = match place {
                    None => Returns::Nothing,
                    Some(
                        place @ Place {
                            root: Root::Local(number),
                            ..
                        },
                    ) if place.path().is_empty() => {
                        let fields: Vec<(Step, Place)> = self
                            .trace
                            .aliases
                            .iter()
                            .filter(|(it, _, _)| *it == number)
                            .map(|(_, step, to)| (*step, self.resolve(to)))
                            .collect();
                        Returns::Fields(fields)
                    }
                    Some(Place {
                        root: Root::Unknown(_),
                        ..
                    }) => Returns::Unknown,
                    Some(place) => Returns::Place(place),
                };
                let locks = state
                    .held
                    .iter()
                    .filter(|it| returned.tokens.contains(&it.token))
                    .map(|it| (it.lock, it.mode))
                    .collect();
                self.summary.returned(returns, locks);
                self.ends.push(state);
                return None;
            }
            Effect::Diverge => return None,
        }
        Some(state)
    }

    fn leave(&mut self, up: usize, state: State, next: bool) {
        let depth = self.frames.len();
        if up < depth {
            let frame = &mut self.frames[depth - 1 - up];
            let target = if next {
                &mut frame.next
            } else {
                &mut frame.left
            };
            *target = join_both(target.take(), Some(state));
        } else {
            self.ends.push(state);
        }
    }

    /// A loop: its body runs twice, so that what one round leaves behind meets the next.
    fn repeat(&mut self, body: &[Effect], endless: bool, state: State) -> Option<State> {
        self.frames.push(Frame::default());
        self.loops += 1;
        let rounds = if self.loops > 3 { 1 } else { 2 };
        let mut before = Some(state);
        let mut after = None;
        for _ in 0..rounds {
            let end = self.run(body, before.clone());
            let next = self.frames.last_mut().and_then(|it| it.next.take());
            after = join_both(end, next);
            before = join_both(before, after.clone());
        }
        self.loops -= 1;
        let frame = self.frames.pop().unwrap_or_default();
        if endless {
            // What the last round leaves behind meets the exits as well.
            frame
                .left
                .map(|left| after.map_or(left.clone(), |after| join(&left, &after)))
        } else {
            join_both(frame.left, join_both(before, after))
        }
    }

    fn access(
        &mut self,
        state: &mut State,
        place: Place,
        kind: AccessKind,
        always: bool,
        line: u32,
    ) {
        if is_local(&place) {
            return;
        }
        let shared = always || is_shared(&place);
        let at = self.at(line);
        self.summary.access(place, kind, always, at);
        protect(state, shared, &[]);
    }

    fn acquire(
        &mut self,
        state: &mut State,
        lock: Place,
        mode: Mode,
        blocking: bool,
        token: Token,
        line: u32,
    ) {
        if is_local(&lock) {
            return;
        }
        let at = self.at(line);
        if blocking {
            for held in &state.held {
                self.summary.pair((held.lock, held.mode), (lock, mode), at);
            }
        }
        self.summary.acquire(lock, mode, blocking, at);
        self.next += 1;
        let held = Held {
            lock,
            mode,
            token,
            acquisitions: vec![self.next],
            surely: blocking,
        };
        if !hold(state, held) {
            self.summary
                .inexact("holds more locks than are followed", at);
        }
    }

    fn wait(&mut self, state: &mut State, condvar: &Place, tokens: &[Token], line: u32) {
        let condvar = self.resolve(condvar);
        let at = self.at(line);
        self.access(state, condvar, AccessKind::Read, true, line);
        let (given, kept): (Vec<Held>, Vec<Held>) = state
            .held
            .iter()
            .cloned()
            .partition(|it| tokens.contains(&it.token));
        for held in &kept {
            let mine = (held.lock, held.mode);
            if !is_local(&condvar) {
                self.summary.pair(mine, (condvar, Mode::Exclusive), at);
            }
            for other in &given {
                self.summary.pair(mine, (other.lock, other.mode), at);
            }
        }
        // Taken again: another acquisition.
        for held in &mut state.held {
            if tokens.contains(&held.token) {
                self.next += 1;
                held.acquisitions = vec![self.next];
            }
        }
    }

    /// A place in names that mean something outside: results of calls and arguments of closures replaced.
    fn resolve(&self, place: &Place) -> Place {
        let mut place = *place;
        for _ in 0..12 {
            match &place.root {
                Root::Local(number) => {
                    let Some(first) = place.path().first().copied() else {
                        return place;
                    };
                    let to = self
                        .trace
                        .aliases
                        .iter()
                        .find(|(it, step, _)| it == number && self.names.same_field(*step, first))
                        .map(|(_, _, to)| to);
                    match to {
                        Some(to) => place = to.join(&place.path()[1..], place.cut),
                        None => return place,
                    }
                }
                Root::Result(number) => match self.results.get(number) {
                    Some(Result_::Place(to)) => place = to.join(place.path(), place.cut),
                    Some(Result_::Fields(fields)) => {
                        let first = place.path().first().copied();
                        let to = first.and_then(|first| {
                            fields
                                .iter()
                                .find(|(step, _)| self.names.same_field(*step, first))
                        });
                        match to {
                            Some((_, to)) => place = to.join(&place.path()[1..], place.cut),
                            None => return Place::of(Root::Local(0)),
                        }
                    }
                    Some(Result_::Unknown) => {
                        let owner = place.path().first().map(|it| self.names.of(*it).0);
                        place.root = Root::Unknown(self.names.path(owner.as_deref().unwrap_or("")));
                        return place;
                    }
                    None => return Place::of(Root::Local(0)),
                },
                Root::ClosureArgument(closure, n) => {
                    match self.closure_arguments.get(&(*closure, *n)) {
                        Some(Some(to)) => place = to.join(place.path(), place.cut),
                        Some(None) => return Place::of(Root::Local(0)),
                        None => {
                            place.root = Root::Unknown(Step::ANY);
                            return place;
                        }
                    }
                }
                _ => return place,
            }
        }
        Place::anything()
    }
}

/// A place of a callee in names of the caller.
fn rename(place: &Place, arguments: &[Option<Place>]) -> Place {
    match &place.root {
        Root::Parameter(n) => match arguments.get(usize::from(*n)) {
            Some(Some(to)) => to.join(place.path(), place.cut),
            _ => Place::of(Root::Local(0)),
        },
        Root::Static(_) | Root::Unknown(_) => *place,
        Root::Local(_) => Place::of(Root::Local(0)),
        Root::Result(_) | Root::ClosureArgument(..) => Place::anything(),
    }
}

fn is_local(place: &Place) -> bool {
    matches!(place.root, Root::Local(_))
}

/// True if others may see an access to the place: it is inside a lock or a cell, or nobody knows where it is.
pub(crate) fn is_shared(place: &Place) -> bool {
    place.is_inside() || matches!(place.root, Root::Unknown(_))
}
