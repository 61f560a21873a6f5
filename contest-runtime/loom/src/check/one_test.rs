//! One test: its calls one after another in all orders, and beside each other.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::failure::NO_ORDER;
use crate::log;
use crate::search::{Bounds, Stopped, search};
use contest_campaign::judge::orders;
use contest_data::subject::{Call, Object, Response, Subject};
use contest_data::test::{ConcurrentTest, TestCall, call_text};

thread_local! {
    /// The present call returned something that has a destructor.
    static HELD: Cell<bool> = const { Cell::new(false) };
}

/// For `observe`: what the call returned has a destructor.
pub(super) fn note_held() {
    HELD.set(true);
}

/// What the calls of each thread returned, and the observers in the end.
type Outcome = Vec<Vec<Response>>;

/// What every order gives that ends, and how many executions that took.
///
/// # Errors
/// Why the test says nothing: an order fails, or none ends.
pub(super) fn one_after_another(
    subject: &'static Subject,
    test: &ConcurrentTest,
) -> Result<(BTreeSet<Outcome>, u64), &'static str> {
    let mut outcomes = BTreeSet::new();
    let (orders, complete) = orders(&test.threads.iter().map(Vec::len).collect::<Vec<_>>());
    if !complete {
        return Err("too many orders of the calls one after another");
    }
    for order in &orders {
        let slot = RefCell::new(None);
        let bounds = Bounds {
            executions: Some(1),
            all: true,
            ..Bounds::default()
        };
        let (_, stopped) = search(bounds, &|| {
            let objects = prepared(subject, test);
            let mut results = vec![Vec::new(); test.threads.len()];
            for &thread in order {
                let thread = usize::from(thread);
                let number = results[thread].len();
                let call = &test.threads[thread][number];
                results[thread].push(run(subject, &objects, call));
            }
            *slot.borrow_mut() = Some(ended(subject, &objects, results));
        });
        if let Stopped::Failed(_) = stopped {
            return Err("an order of the calls one after another fails or waits for ever");
        }
        outcomes.extend(slot.take());
    }
    if outcomes.is_empty() {
        return Err("no order of the calls one after another ends");
    }
    Ok((outcomes, orders.len() as u64))
}

/// The body of one execution.
///
/// # Panics
/// If the results match no order. Weakly consistent operations count only with `strict`.
pub(super) fn concurrently(
    subject: &'static Subject,
    test: &ConcurrentTest,
    strict: bool,
    orders: &BTreeSet<Outcome>,
) {
    let objects = Rc::new(prepared(subject, test));
    let results = Rc::new(RefCell::new(vec![Vec::new(); test.threads.len()]));
    let texts = if log::is_on() {
        call_text::threads(subject, test)
    } else {
        Vec::new()
    };
    let threads: Vec<_> = (0..test.threads.len())
        .map(|number| {
            let (objects, results) = (Rc::clone(&objects), Rc::clone(&results));
            let calls = test.threads[number].clone();
            let texts = texts.get(number).cloned().unwrap_or_default();
            crate::thread::spawn(move || {
                for (place, call) in calls.iter().enumerate() {
                    let text = texts.get(place).map_or("", String::as_str);
                    log::call(place as u16, text);
                    let response = run(subject, &objects, call);
                    log::returned(response.as_deref());
                    results.borrow_mut()[number].push(response);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a panic of a thread ends the model");
    }
    let outcome = ended(subject, &objects, results.take());
    let weak = |thread: usize, call: usize| {
        let call = test.threads.get(thread).and_then(|calls| calls.get(call));
        !strict && call.is_some_and(|call| subject.operations[usize::from(call.operation)].weak)
    };
    let agrees = |order: &Outcome| {
        order
            .iter()
            .zip(&outcome)
            .enumerate()
            .all(|(thread, (theirs, ours))| {
                let mut calls = theirs.iter().zip(ours).enumerate();
                calls.all(|(call, (theirs, ours))| theirs == ours || weak(thread, call))
            })
    };
    if !orders.iter().any(agrees) {
        let text = |outcome: &Outcome| {
            let (end, threads) = outcome.split_last().expect("the observers are last");
            let threads: Vec<String> = threads
                .iter()
                .enumerate()
                .map(|(n, calls)| format!("thread {} returned {}", n + 1, list(calls)))
                .collect();
            format!("{}; in the end {}", threads.join(", "), list(end))
        };
        let orders: Vec<String> = orders
            .iter()
            .map(|it| format!("an order: {}", text(it)))
            .collect();
        panic!(
            "{NO_ORDER}\nhere: {}\n{}",
            text(&outcome),
            orders.join("\n")
        );
    }
}

fn list(responses: &[Response]) -> String {
    let texts: Vec<&str> = responses
        .iter()
        .map(|it| it.as_deref().unwrap_or("_"))
        .collect();
    texts.join(", ")
}

/// Objects, with the prefix run on them.
fn prepared(subject: &'static Subject, test: &ConcurrentTest) -> Vec<Object> {
    let make = |made: &contest_data::test::TestObject| {
        let call = Call {
            objects: &[],
            receiver: 0,
            choices: &made.choices,
        };
        (subject.constructors[usize::from(made.constructor)].make)(&call)
    };
    let objects: Vec<Object> = test.objects.iter().map(make).collect();
    for call in &test.prefix {
        run(subject, &objects, call);
    }
    objects
}

/// The results, and what the observers say now.
fn ended(subject: &'static Subject, objects: &[Object], mut results: Outcome) -> Outcome {
    let observers = (0_u16..)
        .zip(subject.operations)
        .filter(|(_, operation)| operation.observer && operation.arguments.is_empty());
    let seen = observers.map(|(operation, _)| {
        let call = TestCall {
            object: 0,
            operation,
            choices: Vec::new(),
        };
        run(subject, objects, &call)
    });
    let mut end: Vec<Response> = seen.collect();
    let whole = Call {
        objects,
        receiver: 0,
        choices: &[],
    };
    end.extend(
        subject
            .state
            .map(|state| state(&whole).filter(|text| !is_of_loom(text))),
    );
    results.push(end);
    results
}

/// What `Debug` shows of loom's types is about loom.
fn is_of_loom(text: &str) -> bool {
    text.contains("object: Ref") || text.contains("object: Mutex")
}

/// Runs one call; what has a destructor is not compared.
fn run(subject: &'static Subject, objects: &[Object], call: &TestCall) -> Response {
    let given = Call {
        objects,
        receiver: usize::from(call.object),
        choices: &call.choices,
    };
    let before = HELD.replace(false);
    let response = (subject.operations[usize::from(call.operation)].call)(&given);
    let held = HELD.replace(before);
    response.filter(|text| !held && !is_of_loom(text))
}
