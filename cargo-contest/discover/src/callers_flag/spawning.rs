//! Tasks of an executor that are pending until a flag of the caller is set: `executor.spawn(tasks.until_set())` beside
//! `tasks.set(); tasks.wake_by_ref()`.
//!
//! A wake-up makes a later poll see what came before it (`std::task::Waker`). Each task wakes itself once when it has
//! left its waker, so that the wake-up of the caller may meet one that is under way.

use super::super::operations::Operations;
use super::super::stand_in::LATER;
use super::protocol::{
    Protocol, TASKS, beside, in_turn, is_own_method, of_object, operation, shown_in_turn,
};
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{OperationEntry, Passed, Returned};

const SPAWN: &str = "spawn";

/// Methods that run the tasks of the object until a future is ready.
const RUNS: [&str; 2] = ["block_on", "run"];

pub(super) fn protocol(own: &Operations) -> Option<Protocol> {
    let of_future = |name: &str| {
        let mut all = own.found.iter();
        all.find(|it| it.name == name && is_own_method(it) && takes_future(it))
    };
    let spawn = of_future(SPAWN).filter(|it| it.returned == Returned::Future)?;
    let runs = RUNS.iter().find_map(|it| of_future(it));
    let mut operations = vec![waits(spawn, task_for(spawn)?, runs)];
    for wake in ["wake_by_ref", "wake"] {
        let calls = || [beside("set"), beside(wake)];
        let name = format!("set, {wake}");
        operations.push(operation(
            spawn,
            name,
            in_turn(calls()),
            shown_in_turn(calls()),
        ));
    }
    let wake = || [beside("wake_by_ref")];
    let name = "wake_by_ref".to_owned();
    operations.push(operation(
        spawn,
        name,
        in_turn(wake()),
        shown_in_turn(wake()),
    ));
    Some(Protocol {
        beside: TASKS,
        operations,
    })
}

/// True for the name of a method that begins a task.
pub(super) fn says_spawn(name: &str) -> bool {
    name == SPAWN
}

fn takes_future(entry: &OperationEntry) -> bool {
    task_for(entry).is_some()
}

/// The method that makes a task for this operation, which takes a future: one with a number as its result, also where
/// the type of the result is the caller's to choose, or one without.
fn task_for(entry: &OperationEntry) -> Option<&'static str> {
    let [argument] = &entry.arguments[..] else {
        return None;
    };
    let future = argument.type_expression.as_deref()?;
    let result = future.strip_prefix(LATER)?;
    match (argument.passed, result) {
        (Passed::Value, "<u32>") => Some("until_set"),
        (Passed::Value, "<()>") => Some("done_when_set"),
        _ => None,
    }
}

/// Begins a task and waits for its end.
fn waits(spawn: &OperationEntry, task: &str, runs: Option<&OperationEntry>) -> OperationEntry {
    let whole = |of: fn(&OperationEntry) -> &Expression| {
        let spawned = with_argument(of(spawn), &beside(task));
        match runs {
            Some(runs) => with_argument(of(runs), &spawned),
            None => spawned,
        }
    };
    let (compiled, text) = (whole(|it| &it.expression), whole(|it| &it.text));
    let returned = runs.map_or(spawn.returned, |it| it.returned);
    let name = format!("{SPAWN}, wait");
    match returned {
        Returned::Future => OperationEntry {
            returned,
            ..operation(
                spawn,
                name,
                compiled.between("async { let _ = ", ".await; }"),
                text,
            )
        },
        Returned::Observe | Returned::Iterator => {
            operation(spawn, name, in_turn([compiled]), shown_in_turn([text]))
        }
    }
}

/// The call of the object with this argument in place of its only one.
fn with_argument(call: &Expression, argument: &Expression) -> Expression {
    of_object(call).fill(&|hole| match hole {
        Hole::Argument(_) => Some(argument.clone()),
        Hole::Object { .. } => None,
    })
}
