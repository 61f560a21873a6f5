//! Futures that are not simply run, in tests of generators that know of none.

use super::Parts;
use contest_data::subject::FutureUse;
use contest_data::test::{ConcurrentTest, TestCall};

/// In every second test with futures, one of them is cancelled, or polled without having been woken or inside the
/// `wake` of its waker, or kept where that was requested. Tests without futures, and those that disturb one already,
/// stay as they are, and no random number is drawn for them.
pub(super) fn disturb(test: &mut ConcurrentTest, parts: &mut Parts) {
    let argument_of = |operation: u16| parts.calls.operation(operation).future_argument();
    let of_futures: Vec<(usize, usize, usize)> = (0..)
        .zip(&test.threads)
        .flat_map(|(lane, calls)| {
            (0..)
                .zip(calls)
                .map(move |(number, call)| (lane, number, call))
        })
        .filter_map(|(lane, number, call)| Some((lane, number, argument_of(call.operation)?)))
        .collect();
    let disturbed = |call: &TestCall| {
        let operation = parts.calls.operation(call.operation);
        operation.future_use(&call.choices) != FutureUse::Run
    };
    let mut calls = test.threads.iter().flatten();
    if of_futures.is_empty() || calls.any(disturbed) || parts.random.one_in(2) {
        return;
    }
    let Some(&(lane, number, argument)) = parts.random.pick(&of_futures) else {
        return;
    };
    let how = match parts.random.below(6) {
        _ if parts.keeps_futures && parts.random.one_in(2) => FutureUse::Keep,
        0 => FutureUse::PollAgain,
        1 => FutureUse::Drop,
        2 => FutureUse::PollInWake,
        _ => FutureUse::Cancel,
    };
    let operation = parts.calls.operation(test.threads[lane][number].operation);
    if usize::from(how.choice()) >= operation.arguments[argument].choices.len() {
        return;
    }
    if let Some(choice) = test.threads[lane][number].choices.get_mut(argument) {
        *choice = how.choice();
    }
}
