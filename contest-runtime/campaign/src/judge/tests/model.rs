//! A sequential type as a state machine, a subject that names its operations, and serial runs of it.

use crate::judge::history::Observed;
use crate::judge::{
    Compared, History, Interleavings, Judge, RunSerially, SerialOutcomes, SerialRun, Verdict,
};
use contest_data::subject::{
    Argument, Call, Constructor, Contract, EndUse, FutureUse, Keeping, Needs, Object, Operation,
    Receiver, Response, StandInMode, Subject, UserCode,
};
use contest_data::test::{CallName, ConcurrentTest, RunnableTest, TestCall, TestObject, TestShape};
use contest_data::trace::{Ending, Outcome};

/// State of the model: what is in the container, in order.
pub(super) type State = Vec<u32>;

/// One call of the model; `None` if it blocks.
pub(super) type Step = fn(&mut State, u16) -> Option<String>;

pub(super) const PUSH_1: u16 = 0;
pub(super) const PUSH_2: u16 = 1;
pub(super) const TAKE: u16 = 2;
pub(super) const TRY_TAKE: u16 = 3;
pub(super) const COUNT: u16 = 4;
pub(super) const TRY_PUSH: u16 = 5;
pub(super) const EXTEND: u16 = 6;
/// As `TRY_TAKE`, as a future that owns the end.
pub(super) const INTO_TAKE: u16 = 7;
/// As `TAKE`, as a future.
pub(super) const TAKE_ASYNC: u16 = 8;
/// As `TAKE`, polled by hand.
pub(super) const POLL_TAKE: u16 = 9;

/// As `PUSH_1`, and its future waits for ever after that.
pub(super) const POST: u16 = 10;

/// Keeps its result.
pub(super) const LOCK: u16 = 11;
/// Lets go what is kept.
pub(super) const LET_GO: u16 = 12;
pub(super) const COMES_BACK: u16 = 13;
pub(super) const PANICS: u16 = 14;

/// First in, first out.
pub(super) fn queue(state: &mut State, operation: u16) -> Option<String> {
    container(state, operation, 0)
}

/// Last in, first out.
pub(super) fn stack(state: &mut State, operation: u16) -> Option<String> {
    let last = state.len().saturating_sub(1);
    container(state, operation, last)
}

fn container(state: &mut State, operation: u16, end: usize) -> Option<String> {
    Some(match operation {
        PUSH_1 | PUSH_2 => {
            state.push(u32::from(operation) + 1);
            "()".to_owned()
        }
        POST => {
            if !state.contains(&4) {
                state.push(4);
            }
            return None;
        }
        TAKE | TAKE_ASYNC | POLL_TAKE if state.is_empty() => return None,
        TAKE | TAKE_ASYNC | POLL_TAKE => state.remove(end).to_string(),
        TRY_TAKE | INTO_TAKE if state.is_empty() => "None".to_owned(),
        TRY_TAKE | INTO_TAKE => format!("Some({})", state.remove(end)),
        COUNT => {
            state.push(0);
            state.len().to_string()
        }
        TRY_PUSH => {
            state.push(3);
            "true".to_owned()
        }
        EXTEND => {
            state.extend([1, 2]);
            "()".to_owned()
        }
        other => unreachable!("operation {other}"),
    })
}

fn no_make(_: &Call<'_>) -> Object {
    unreachable!("the model makes no objects")
}

fn no_call(_: &Call<'_>) -> Response {
    unreachable!("the model makes no calls")
}

pub(super) const fn operation(text: &'static str) -> Operation {
    Operation {
        name: text,
        text,
        arguments: &[],
        receiver: Receiver::Shared,
        weak: false,
        observer: false,
        contract: contest_data::subject::Contract::NONE,
        declared: "",
        call: no_call,
    }
}

static SUBJECT: Subject = Subject {
    name: "Model",
    path: "Model",
    constructors: &[Constructor {
        text: "Model::new()",
        arguments: &[],
        mode: StandInMode::Usual,
        make: no_make,
    }],
    operations: &[
        operation("{s}.push(1)"),
        operation("{s}.push(2)"),
        operation("{s}.take()"),
        operation("{s}.try_take()"),
        operation("{s}.count()"),
        operation("{s}.try_push(3)"),
        Operation {
            name: "extend",
            ..operation("{s}.extend([1, 2])")
        },
        Operation {
            contract: Contract {
                awaited: true,
                ..Contract::NONE
            },
            receiver: Receiver::End(EndUse {
                end: 0,
                needs: Needs::Whole,
            }),
            ..operation("{s}.into_take()")
        },
        Operation {
            arguments: &[Argument {
                choices: &FutureUse::CHOICES,
                object: false,
                of_future: true,
                of_texts: false,
            }],
            ..operation("{s}.take_async()")
        },
        Operation {
            arguments: &[Argument {
                choices: &FutureUse::CHOICES,
                object: false,
                of_future: true,
                of_texts: false,
            }],
            contract: Contract {
                awaited: true,
                polled: true,
                ..Contract::NONE
            },
            ..operation("poll_fn(|context| {s}.poll_take(context)).await")
        },
        Operation {
            arguments: &[Argument {
                choices: &FutureUse::CHOICES,
                object: false,
                of_future: true,
                of_texts: false,
            }],
            ..operation("{s}.post()")
        },
        Operation {
            contract: Contract {
                keeping: Keeping::Keeps,
                ..Contract::NONE
            },
            ..operation("let kept = {s}.lock()")
        },
        Operation {
            contract: Contract {
                keeping: Keeping::LetsGo,
                ..Contract::NONE
            },
            ..operation("drop(kept)")
        },
        Operation {
            contract: Contract {
                user_code: UserCode::ComesBack,
                ..Contract::NONE
            },
            ..operation("{s}.update(|…| { back.push(1); … })")
        },
        Operation {
            contract: Contract {
                user_code: UserCode::Panics,
                ..Contract::NONE
            },
            ..operation("{s}.update(|…| panic!())")
        },
    ],
    state: None,
};

/// A test with these operations in its lanes.
pub(super) fn test(lanes: &[Vec<u16>]) -> RunnableTest {
    let call = |&operation: &u16| TestCall {
        object: 0,
        operation,
        choices: Vec::new(),
    };
    RunnableTest {
        subject: &SUBJECT,
        test: ConcurrentTest {
            subject: 0,
            objects: vec![TestObject {
                constructor: 0,
                choices: Vec::new(),
            }],
            prefix: Vec::new(),
            threads: lanes
                .iter()
                .map(|lane| lane.iter().map(call).collect())
                .collect(),
        },
        observers: Vec::new(),
        drops: true,
        state: None,
    }
}

/// A history in which nothing happened yet.
pub(super) fn empty(shape: &TestShape) -> History {
    let absent = Observed {
        outcome: Outcome::Absent,
        began: u32::MAX,
        ended: u32::MAX,
        blocked: false,
        held: false,
        waited_out: std::time::Duration::ZERO,
        awaited: std::time::Duration::ZERO,
        slept: false,
        waited_at: String::new(),
        turned_away: Vec::new(),
        steps: None,
        holds: 0,
    };
    History {
        polls_in_wake: Vec::new(),
        under_way: None,
        lanes: shape
            .lanes
            .iter()
            .map(|&calls| vec![absent.clone(); calls])
            .collect(),
        main: Vec::new(),
        observers: 0..0,
        threads: (0..shape.lanes.len())
            .map(|lane| Some(lane as u16 + 1))
            .collect(),
        ending: Ending::Finished,
        first_panic: None,
        early_timeout: false,
        early_sleep: false,
        reads_clock: false,
        background_steps: false,
        background_rested: true,
        callers_in_background: false,
        background_threads: 0,
        settling: 0,
        ended_at_once: false,
        time_passed: false,
        faults: Vec::new(),
        lock_waits: Vec::new(),
        unowned: Vec::new(),
    }
}

/// Runs the model.
pub(super) struct Model(pub Step);

impl RunSerially for Model {
    fn set_background_first(&mut self, _: bool) {}

    fn run_beside_tasks(
        &mut self,
        _: &RunnableTest,
        _: Interleavings,
        _: &mut dyn FnMut(History),
    ) -> bool {
        false
    }

    fn run_serially(
        &mut self,
        test: &RunnableTest,
        order: &[u8],
        _: &contest_data::test::Split,
    ) -> SerialRun {
        let mut history = empty(&TestShape::of(test));
        let mut state = State::new();
        let mut next = vec![0; history.lanes.len()];
        let mut blocked = vec![false; history.lanes.len()];
        let mut overlapped = false;
        let mut time = 0;
        let mut attempt = |history: &mut History, lane: usize, call: usize| {
            let operation = test.test.threads[lane][call].operation;
            let observed = &mut history.lanes[lane][call];
            time += 1;
            observed.began = observed.began.min(time);
            let call = &test.test.threads[lane][call];
            let left_waiting = test.future_use(call) == FutureUse::LeaveWaiting;
            let cancelled = || left_waiting.then(|| FutureUse::CANCELLED.to_owned());
            match (self.0)(&mut state, operation).or_else(cancelled) {
                Some(text) => {
                    observed.outcome = Outcome::Returned(Some(text));
                    time += 1;
                    observed.ended = time;
                    true
                }
                None => {
                    observed.outcome = Outcome::Pending;
                    observed.blocked = true;
                    false
                }
            }
        };
        for &lane in order {
            let lane = usize::from(lane);
            if blocked[lane] {
                continue;
            }
            overlapped |= blocked.contains(&true);
            let done = attempt(&mut history, lane, next[lane]);
            blocked[lane] = !done;
            next[lane] += usize::from(done);
            for other in 0..blocked.len() {
                if blocked[other] && attempt(&mut history, other, next[other]) {
                    blocked[other] = false;
                    next[other] += 1;
                }
            }
        }
        if blocked.contains(&true) {
            history.ending = Ending::Deadlock(Vec::new());
        }
        SerialRun {
            order: order.to_vec(),
            history,
            overlapped,
            panics: Vec::new(),
        }
    }
}

/// What the rules say about a history of a test.
pub(super) fn verdict(step: Step, test: &RunnableTest, history: &History) -> Verdict {
    let mut model = Model(step);
    let mut outcomes = SerialOutcomes::of(test, &mut model);
    outcomes.settle(test, &mut model);
    let shape = TestShape::of(test);
    let compared = Compared::default();
    let judge = Judge {
        test,
        shape: &shape,
        outcomes: &outcomes,
        compared: &compared,
    };
    judge.judge_history(history, &mut model)
}

/// Sets what a call returned and when.
pub(super) fn returned(
    history: &mut History,
    lane: usize,
    call: usize,
    text: &str,
    span: (u32, u32),
) {
    history.lanes[lane][call] = Observed {
        outcome: Outcome::Returned(Some(text.to_owned())),
        began: span.0,
        ended: span.1,
        held: false,
        waited_out: std::time::Duration::ZERO,
        awaited: std::time::Duration::ZERO,
        slept: false,
        waited_at: String::new(),
        turned_away: Vec::new(),
        steps: None,
        holds: 0,
        blocked: false,
    };
}

/// Makes a call hang from this time on.
pub(super) fn hangs(history: &mut History, lane: usize, call: usize, began: u32) {
    history.lanes[lane][call] = Observed {
        outcome: Outcome::Pending,
        began,
        ended: u32::MAX,
        held: false,
        waited_out: std::time::Duration::ZERO,
        awaited: std::time::Duration::ZERO,
        slept: false,
        waited_at: String::new(),
        turned_away: Vec::new(),
        steps: None,
        holds: 0,
        blocked: true,
    };
    history.ending = Ending::Deadlock(Vec::new());
}

/// All calls with their spans.
pub(super) fn names(history: &History) -> Vec<CallName> {
    history.lane_calls().map(|(name, _)| name).collect()
}
