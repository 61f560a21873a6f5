//! Objects in another mode than the usual one, in tests of generators that take that: a stand-in that waits, fails or
//! answers otherwise, a dependency that was filled.

use super::Parts;
use contest_data::subject::{FutureUse, StandInMode};
use contest_data::test::ConcurrentTest;

/// Where there are such objects: every second test has one, of all that are filled and of all others equally often. A
/// future that is cancelled or polled once more gets one that waits, three times in four: where nothing waits, it comes
/// to its end in its first poll. For subjects without such objects no random number is drawn.
pub(super) fn in_modes(test: &mut ConcurrentTest, parts: &mut Parts) {
    let constructors = parts.calls.subject().constructors;
    let of = |wanted: fn(StandInMode) -> bool| -> Vec<u16> {
        let numbered = (0..).zip(constructors);
        let fitting = numbered.filter(|(_, it)| wanted(it.mode));
        fitting.map(|(number, _)| number).collect()
    };
    let all = of(|it| it != StandInMode::Usual);
    let is_usual = |constructor: u16| !all.contains(&constructor);
    if all.is_empty() || test.objects.iter().any(|it| !is_usual(it.constructor)) {
        return;
    }
    let waiting = of(|it| it == StandInMode::Waits);
    let filled = of(|it| it == StandInMode::Filled);
    let others = of(|it| matches!(it, StandInMode::Waits | StandInMode::Differs));
    let disturbed = test.threads.iter().flatten().any(|call| {
        let operation = parts.calls.operation(call.operation);
        operation.future_use(&call.choices) != FutureUse::Run
    });
    let modes = if disturbed && !waiting.is_empty() {
        (!parts.random.one_in(4)).then_some(&waiting)
    } else if parts.random.one_in(2) {
        let both = !filled.is_empty() && !others.is_empty();
        let is_filled = if both {
            parts.random.one_in(2)
        } else {
            others.is_empty()
        };
        Some(if is_filled { &filled } else { &others })
    } else {
        None
    };
    let Some(&constructor) = modes.and_then(|modes| parts.random.pick(modes)) else {
        return;
    };
    let arguments = constructors[usize::from(constructor)].arguments;
    for object in &mut test.objects {
        object.constructor = constructor;
        object.choices.resize(arguments.len(), 0);
        for (choice, argument) in object.choices.iter_mut().zip(arguments) {
            if usize::from(*choice) >= argument.choices.len() {
                *choice = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::DependencyTable;
    use crate::generate::fixtures::{constructor_in, operation};
    use contest_data::dependencies::Dependencies;
    use contest_data::settings::TestSize;
    use contest_data::subject::{Argument, Subject};
    use contest_data::test::{TestCall, TestObject};

    static POOL: Subject = Subject {
        name: "Pool",
        path: "Pool",
        constructors: &[
            constructor_in(StandInMode::Usual),
            constructor_in(StandInMode::Waits),
            constructor_in(StandInMode::Differs),
        ],
        operations: &[operation("get", &[Argument::OF_FUTURE])],
        state: None,
    };

    static PLAIN: Subject = Subject {
        constructors: &[constructor_in(StandInMode::Usual)],
        ..POOL
    };

    static SERVICE: Subject = Subject {
        constructors: &[
            constructor_in(StandInMode::Usual),
            constructor_in(StandInMode::Filled),
            constructor_in(StandInMode::Filled),
            constructor_in(StandInMode::Filled),
            constructor_in(StandInMode::Differs),
        ],
        ..POOL
    };

    /// How many of 400 tests of one call whose future is used in this way have an object of each constructor.
    fn counts(subject: &'static Subject, how: FutureUse) -> Vec<usize> {
        let table = DependencyTable::new(&Dependencies::default());
        let mut parts = Parts::new(subject, 0, TestSize::USUAL, 1, "test", table);
        let mut counts = vec![0; subject.constructors.len()];
        for _ in 0..400 {
            let object = TestObject {
                constructor: 0,
                choices: Vec::new(),
            };
            let call = TestCall {
                operation: 0,
                object: 0,
                choices: vec![how.choice()],
            };
            let mut test = parts.test(
                vec![object],
                Vec::new(),
                vec![vec![call.clone()], vec![call]],
            );
            in_modes(&mut test, &mut parts);
            counts[usize::from(test.objects[0].constructor)] += 1;
        }
        counts
    }

    #[test]
    fn a_half_of_the_objects_has_a_mode_and_what_is_cancelled_waits() {
        let run = counts(&POOL, FutureUse::Run);
        assert!(run.iter().all(|it| *it > 60) && run[0] < 240, "{run:?}");
        let cancelled = counts(&POOL, FutureUse::Cancel);
        assert!(cancelled[1] > 250 && cancelled[2] == 0, "{cancelled:?}");
        assert_eq!(counts(&PLAIN, FutureUse::Cancel), [400]);
    }

    #[test]
    fn dependencies_that_are_filled_take_no_more_tests_than_stand_ins_with_a_mode() {
        let run = counts(&SERVICE, FutureUse::Run);
        let filled: usize = run[1..4].iter().sum();
        assert!((60..140).contains(&filled) && run[4] > 60, "{run:?}");
    }
}
