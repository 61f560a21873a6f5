//! Results that one thread of a test keeps between two of its calls ([`Keeping`]).

use contest_data::subject::{Keeping, Subject};
use contest_data::test::{ConcurrentTest, TestCall};

/// True if each thread lets go what it keeps: what is kept to the end of a test would never be given back.
pub(crate) fn lets_go(subject: &Subject, test: &ConcurrentTest) -> bool {
    let keeping = |call: &TestCall| {
        subject.operations[usize::from(call.operation)]
            .contract
            .keeping
    };
    let mut lanes = test.threads.iter().chain([&test.prefix]);
    lanes.all(|calls| {
        let last = |of| calls.iter().rposition(|call| keeping(call) == of);
        last(Keeping::Keeps).is_none_or(|kept| last(Keeping::LetsGo).is_some_and(|it| it > kept))
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{constructor, keeping, operation};
    use super::*;
    use contest_data::subject::Constructor;

    const MAKE: &[Constructor] = &[constructor("Lock::new()")];
    static LOCK: Subject = Subject {
        name: "Lock",
        path: "Lock",
        constructors: MAKE,
        operations: &[
            operation("is_locked", &[]),
            keeping("lock", Keeping::Keeps),
            keeping("drop(kept)", Keeping::LetsGo),
        ],
        state: None,
    };

    #[test]
    fn what_is_kept_is_let_go_by_its_thread() {
        let calls = |operations: &[u16]| -> Vec<TestCall> {
            let calls = operations.iter().map(|&operation| TestCall {
                object: 0,
                operation,
                choices: Vec::new(),
            });
            calls.collect()
        };
        let fits = |prefix: &[u16], lanes: [&[u16]; 2]| {
            let test = ConcurrentTest {
                prefix: calls(prefix),
                threads: lanes.map(calls).into(),
                ..ConcurrentTest::default()
            };
            lets_go(&LOCK, &test)
        };
        assert!(fits(&[], [&[1, 0, 2], &[0]]));
        assert!(fits(&[], [&[2, 0], &[0]]), "nothing is kept");
        assert!(!fits(&[], [&[1, 0], &[0]]));
        assert!(!fits(&[], [&[1, 0], &[2]]), "another thread lets go");
        assert!(!fits(&[], [&[1, 2, 1], &[0]]));
        assert!(!fits(&[1], [&[2], &[0]]), "kept when the threads start");
    }
}
