use super::*;
use contest_data::test::{TestCall, TestObject};
use contest_data::trace::ThreadIndex;

/// Shows the bug if operations 1 and 2 run in different lanes after operation 7, with at least two preemptions, of
/// which the ones at operations 3 and 5 of thread 1 are enough.
struct Fake {
    asked: u32,
    most: u32,
}

impl Reproduce for Fake {
    fn reproduce(
        &mut self,
        test: &ConcurrentTest,
        preemptions: Option<u32>,
    ) -> Option<Reproduction> {
        self.asked += 1;
        let has =
            |lane: &Vec<TestCall>, operation| lane.iter().any(|call| call.operation == operation);
        let first = test.threads.iter().position(|lane| has(lane, 1))?;
        let second = test.threads.iter().position(|lane| has(lane, 2))?;
        let shown =
            first != second && has(&test.prefix, 7) && preemptions.is_none_or(|bound| bound >= 2);
        let switches = (0..preemptions.unwrap_or(9)).map(switch).collect();
        shown.then(|| found(test, switches))
    }

    fn rerun(
        &mut self,
        test: &ConcurrentTest,
        switches: &[Switch],
        _: &[u16],
    ) -> Option<Reproduction> {
        self.asked += 1;
        let enough = [switch(3), switch(5)]
            .iter()
            .all(|needed| switches.contains(needed));
        enough.then(|| found(test, switches.to_vec()))
    }

    fn goes_on(&self) -> bool {
        self.asked < self.most
    }
}

fn switch(index: u32) -> Switch {
    Switch {
        thread: ThreadIndex(1),
        index,
        to: ThreadIndex(2),
    }
}

fn found(test: &ConcurrentTest, switches: Vec<Switch>) -> Reproduction {
    Reproduction {
        schedule: Schedule::default(),
        preemptions: switches.len() as u32,
        steps: test.threads.iter().flatten().count() as u32,
        switches,
        values: Vec::new(),
    }
}

fn call(operation: u16, choice: u8) -> TestCall {
    TestCall {
        object: 0,
        operation,
        choices: vec![choice],
    }
}

fn large() -> ConcurrentTest {
    let object = TestObject {
        constructor: 1,
        choices: vec![2],
    };
    ConcurrentTest {
        subject: 0,
        objects: vec![object.clone(), object],
        prefix: vec![call(5, 0), call(7, 3), call(6, 0)],
        threads: vec![
            vec![call(4, 0)],
            vec![call(1, 2), call(3, 0)],
            vec![call(3, 1), call(2, 0)],
        ],
    }
}

#[test]
fn what_does_not_matter_is_left_out() {
    let mut run = Fake {
        asked: 0,
        most: u32::MAX,
    };
    let (test, last) = minimise(
        &large(),
        &found(&large(), (0..9).map(switch).collect()),
        &mut run,
    );
    let expected = ConcurrentTest {
        subject: 0,
        objects: vec![TestObject {
            constructor: 0,
            choices: vec![],
        }],
        prefix: vec![call(7, 0)],
        threads: vec![vec![call(1, 0)], vec![call(2, 0)]],
    };
    assert_eq!(test, expected);
    assert_eq!(last.switches, [switch(3), switch(5)]);
}

#[test]
fn when_time_is_up_what_was_reached_still_shows_the_bug() {
    for most in 0..40 {
        let (test, last) = minimise(
            &large(),
            &found(&large(), (0..9).map(switch).collect()),
            &mut Fake { asked: 0, most },
        );
        let again = Fake { asked: 0, most: 1 }.reproduce(&test, Some(last.preemptions));
        assert!(again.is_some(), "after {most} attempts");
    }
}

/// Goes round a loop: an execution is long, and no switch can be missed.
struct Endless(u64);

impl Again for Endless {
    fn with_preemptions(&mut self, _: u32) -> Option<Reproduction> {
        None
    }

    fn with_switches(&mut self, _: &[Switch], _: &[u16]) -> Option<Reproduction> {
        self.0 += 1;
        None
    }

    fn goes_on(&self) -> bool {
        true
    }
}

#[test]
fn long_executions_are_not_run_thousands_of_times_in_vain() {
    let long = Reproduction {
        preemptions: 0,
        steps: 4_000,
        ..found(&large(), (0..2_000).map(switch).collect())
    };
    let mut run = Endless(0);
    assert_eq!(fewest_switches(long.clone(), &mut run), long);
    assert!(run.0 <= 50, "{}", run.0);
    // Short ones are tried with every switch.
    let short = Reproduction { steps: 8, ..long };
    let mut run = Endless(0);
    fewest_switches(short, &mut run);
    assert!(run.0 >= 2_000, "{}", run.0);
}
