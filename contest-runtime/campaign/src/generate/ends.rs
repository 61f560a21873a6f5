//! Ends of a pair (`channel() -> (Sender, Receiver)`): tests use them only as safe code could.
//!
//! Generators propose calls without regard to it; what breaks these rules is no test, just as what does not compile is
//! none.

use contest_data::subject::{EndUse, Needs, Receiver, Subject};
use contest_data::test::{ConcurrentTest, TestCall};

/// True if threads of a test may each have one of these operations on the same object.
pub(super) fn can_meet(subject: &Subject, left: u16, right: u16) -> bool {
    match (use_of(subject, left), use_of(subject, right)) {
        (Some(left), Some(right)) if left.end == right.end => {
            left.needs == Needs::Shared && right.needs == Needs::Shared
        }
        _ => true,
    }
}

/// True if one thread can make these calls in this order: what was given away is gone.
pub(crate) fn in_order<'a>(
    subject: &Subject,
    calls: impl IntoIterator<Item = &'a TestCall>,
) -> bool {
    let mut gone = Vec::new();
    calls.into_iter().all(|call| {
        let Some(of) = use_of(subject, call.operation) else {
            return true;
        };
        let place = (call.object, of.end);
        let there = !gone.contains(&place);
        if of.needs == Needs::Whole {
            gone.push(place);
        }
        there
    })
}

/// True if the ends are where a program could have them: an end that some thread needs for itself is used by no other
/// thread, and one that was given away is not used afterwards.
pub(crate) fn respects_ends(subject: &Subject, test: &ConcurrentTest) -> bool {
    let lanes_fit = test.threads.iter().enumerate().all(|(number, lane)| {
        let others = || test.threads[number + 1..].iter().flatten();
        lane.iter().all(|call| {
            others().all(|other| {
                other.object != call.object || can_meet(subject, call.operation, other.operation)
            })
        })
    });
    lanes_fit
        && test
            .threads
            .iter()
            .all(|lane| in_order(subject, test.prefix.iter().chain(lane)))
        && in_order(subject, &test.prefix)
}

/// True if the test leaves the end that this call looks at where it is.
pub(crate) fn still_there(subject: &Subject, test: &ConcurrentTest, look: &TestCall) -> bool {
    let Some(of) = use_of(subject, look.operation) else {
        return true;
    };
    let mut calls = test.prefix.iter().chain(test.threads.iter().flatten());
    !calls.any(|call| {
        call.object == look.object
            && use_of(subject, call.operation)
                .is_some_and(|other| other.end == of.end && other.needs == Needs::Whole)
    })
}

/// Two threads in one end, one of which drops the other end when it is done with its call: how channels go out of use
/// in programs. A drop as the only call finds less: it meets an end that is idle again. Pairs of operations in order,
/// each with every such drop.
pub(super) fn partings(subject: &Subject) -> Vec<[u16; 3]> {
    let operations = || (0_u16..).zip(subject.operations);
    let shared = || {
        operations().filter_map(|(number, operation)| match operation.receiver {
            Receiver::End(of)
                if of.needs == Needs::Shared && !operation.weak && !operation.observer =>
            {
                Some((number, of.end))
            }
            _ => None,
        })
    };
    let drops = operations().filter_map(|(number, operation)| match operation.receiver {
        Receiver::End(of)
            if of.needs == Needs::Whole && operation.name.rsplit("::").next() == Some("drop") =>
        {
            Some((number, of.end))
        }
        _ => None,
    });
    let mut found = Vec::new();
    for (drop, end) in drops {
        for (left, of_left) in shared() {
            for (right, of_right) in shared() {
                if of_left == of_right && of_left != end {
                    found.push([left, right, drop]);
                }
            }
        }
    }
    found
}

fn use_of(subject: &Subject, operation: u16) -> Option<EndUse> {
    match subject.operations[usize::from(operation)].receiver {
        Receiver::End(of) => Some(of),
        Receiver::Shared | Receiver::Exclusive | Receiver::Whole => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{constructor, end};
    use super::*;
    use contest_data::subject::Constructor;

    const MAKE: &[Constructor] = &[constructor("channel()")];
    /// Numbers of its operations: send, dropping the sender, recv (`&mut self`), dropping the receiver.
    static CHANNEL: Subject = Subject {
        name: "(Sender<u32>, Receiver<u32>)",
        path: "a::{Sender, Receiver}",
        constructors: MAKE,
        operations: &[
            end("send", 0, Needs::Shared),
            end("drop", 0, Needs::Whole),
            end("recv", 1, Needs::Alone),
            end("drop", 1, Needs::Whole),
        ],
        state: None,
    };

    fn test(prefix: &[u16], lanes: &[&[u16]]) -> ConcurrentTest {
        let calls = |operations: &[u16]| {
            let calls = operations.iter().map(|&operation| TestCall {
                object: 0,
                operation,
                choices: Vec::new(),
            });
            calls.collect::<Vec<_>>()
        };
        ConcurrentTest {
            subject: 0,
            objects: Vec::new(),
            prefix: calls(prefix),
            threads: lanes.iter().map(|lane| calls(lane)).collect(),
        }
    }

    #[test]
    fn two_threads_use_an_end_and_one_of_them_drops_the_other_end() {
        // The receiver is for one thread.
        assert_eq!(partings(&CHANNEL), [[0, 0, 3]]);
        let [left, right, last] = partings(&CHANNEL)[0];
        assert!(respects_ends(
            &CHANNEL,
            &test(&[], &[&[left], &[right, last]])
        ));
    }

    #[test]
    fn an_end_that_a_thread_needs_for_itself_is_used_by_no_other() {
        let fits = |prefix: &[u16], lanes: &[&[u16]]| respects_ends(&CHANNEL, &test(prefix, lanes));
        assert!(fits(&[], &[&[0], &[0]]), "a sender is shared");
        assert!(fits(&[0, 2], &[&[0, 0, 1], &[2, 2, 3]]));
        assert!(!fits(&[], &[&[2], &[2]]));
        assert!(!fits(&[], &[&[0, 2], &[3]]));
        assert!(
            !fits(&[], &[&[0], &[0, 1]]),
            "one thread drops what another uses"
        );
        assert!(!fits(&[], &[&[1, 0], &[2]]), "used after it was dropped");
        assert!(
            !fits(&[3], &[&[0], &[2]]),
            "dropped before the threads start"
        );
        assert!(fits(&[3], &[&[0], &[0]]));
    }

    #[test]
    fn what_was_given_away_is_not_looked_at() {
        let look = |operation| TestCall {
            object: 0,
            operation,
            choices: Vec::new(),
        };
        let dropped = test(&[], &[&[0], &[3]]);
        assert!(still_there(&CHANNEL, &dropped, &look(0)));
        assert!(!still_there(&CHANNEL, &dropped, &look(2)));
    }
}
