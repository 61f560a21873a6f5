//! The calls and objects of which the tests of a rung consist, and how many tests that makes.

use crate::generate::RandomCalls;
use contest_data::ladder::{Breadth, Rung};
use contest_data::sorted;
use contest_data::subject::{Argument, FutureUse, Keeping, Operation, Receiver, Subject, UserCode};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Which tests of one or two objects belong to a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objects {
    /// One object; no call takes another one.
    One,
    /// Two, because a call takes another one.
    Needed,
    /// Two, although no call takes another one; both are used.
    Beside,
}

impl Objects {
    /// Number of objects.
    pub(super) fn count(self) -> u8 {
        if self == Self::One { 1 } else { 2 }
    }

    /// Those whose tests a rung consists of.
    pub(super) fn of(rung: &Rung, calls: &RandomCalls) -> Vec<Self> {
        let takes = |operation: u16| calls.takes_object(operation);
        if rung.two_objects {
            vec![Self::Beside]
        } else if calls.prefix().iter().copied().any(takes) {
            vec![Self::One, Self::Needed]
        } else {
            vec![Self::One]
        }
    }
}

/// Every call of the operation on one of so many objects.
pub(super) fn calls_of(
    operation: &Operation,
    index: u16,
    objects: u8,
    breadth: Breadth,
    disturbed: bool,
) -> Vec<TestCall> {
    let choices = choices(operation.arguments, objects, breadth, disturbed);
    let on = |object| {
        choices.iter().map(move |choices| TestCall {
            object,
            operation: index,
            choices: choices.clone(),
        })
    };
    (0..objects).flat_map(on).collect()
}

/// Every object of the breadth.
pub(super) fn objects_of(subject: &Subject, breadth: Breadth) -> Vec<TestObject> {
    let constructors = (0_u16..).zip(subject.constructors);
    let most = if breadth.all_constructors() {
        usize::MAX
    } else {
        1
    };
    let by = |(constructor, made): (u16, &contest_data::subject::Constructor)| {
        let choices = choices(made.arguments, 1, breadth, false).into_iter();
        choices.map(move |choices| TestObject {
            constructor,
            choices,
        })
    };
    constructors.take(most).flat_map(by).collect()
}

/// Alternatives of one argument.
fn alternatives(argument: &Argument, objects: u8, breadth: Breadth, disturbed: bool) -> u8 {
    if argument.object {
        objects
    } else if argument.of_future {
        if disturbed {
            argument.choices.len().min(FutureUse::ENUMERATED) as u8
        } else {
            1
        }
    } else {
        breadth.values().min(argument.values()).max(1)
    }
}

fn choices(arguments: &[Argument], objects: u8, breadth: Breadth, disturbed: bool) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::with_capacity(arguments.len())];
    for argument in arguments {
        let alternatives = alternatives(argument, objects, breadth, disturbed);
        let longer = all.iter().flat_map(|start| {
            (0..alternatives).map(move |choice| {
                let mut longer = start.clone();
                longer.push(choice);
                longer
            })
        });
        all = longer.collect();
    }
    all
}

fn count_of(arguments: &[Argument], objects: u8, breadth: Breadth, disturbed: bool) -> u128 {
    let alternatives = arguments
        .iter()
        .map(|argument| u128::from(alternatives(argument, objects, breadth, disturbed)));
    alternatives.fold(1, u128::saturating_mul)
}

/// The smallest breadth that has all alternatives of the test.
pub(super) fn breadth_of(subject: &Subject, test: &ConcurrentTest) -> Breadth {
    let mut values = 0;
    let mut constructors = false;
    for made in &test.objects {
        constructors |= made.constructor > 0;
        values = made.choices.iter().copied().fold(values, u8::max);
    }
    for call in test.prefix.iter().chain(test.threads.iter().flatten()) {
        let arguments = subject.operations[usize::from(call.operation)].arguments;
        for (choice, argument) in call.choices.iter().zip(arguments) {
            if !(argument.object || argument.of_future) {
                values = values.max(argument.value_of(*choice));
            }
        }
    }
    Breadth::needed(values.saturating_add(1), constructors)
}

/// Calls of the test whose future is not simply run.
pub(super) fn disturbed(subject: &Subject, test: &ConcurrentTest) -> u8 {
    let calls = test.prefix.iter().chain(test.threads.iter().flatten());
    let disturbed = calls.filter(|call| {
        let operation = &subject.operations[usize::from(call.operation)];
        operation.future_use(&call.choices) != FutureUse::Run
    });
    u8::try_from(disturbed.count()).unwrap_or(u8::MAX)
}

/// The shape of a test; `None` if it is of none: three objects, two different ones, one that is not used, or a future
/// or a result that is kept.
pub(super) fn rung_of(calls: &RandomCalls, test: &ConcurrentTest) -> Option<Rung> {
    let made = || test.prefix.iter().chain(test.threads.iter().flatten());
    let takes = made().any(|call| calls.takes_object(call.operation));
    let uses = |object| made().any(|call| call.object == object);
    let two_objects = match test.objects.as_slice() {
        [_] if !takes => false,
        [one, other] if one == other && takes => false,
        [one, other] if one == other && uses(0) && uses(1) => true,
        _ => return None,
    };
    let operation = |call: &TestCall| calls.operation(call.operation);
    let is_apart = |call: &TestCall| {
        let it = operation(call);
        it.future_use(&call.choices) == FutureUse::Keep
            || it.contract.keeping != Keeping::No
            || it.contract.user_code != UserCode::Plain
    };
    if made().any(is_apart) {
        return None;
    }
    let length = |calls: &Vec<TestCall>| u8::try_from(calls.len()).ok();
    let mut lanes = test
        .threads
        .iter()
        .map(length)
        .collect::<Option<Vec<u8>>>()?;
    sorted::sort(&mut lanes);
    Some(Rung {
        lanes,
        prefix: length(&test.prefix)?,
        breadth: breadth_of(calls.subject(), test),
        two_objects,
        disturbed: disturbed(calls.subject(), test),
    })
}

/// How many tests a rung has, up to exchanged threads and exchanged equal objects; `u128::MAX` for more than that.
///
/// Lanes of one length are a multiset. The exchange of two objects is an involution that leaves no call as it is, so
/// half of what it does not leave as it is remains (Burnside). Of rungs with disturbed futures it is an upper bound: of
/// tests with any number of these.
pub(super) fn count(calls: &RandomCalls, rung: &Rung) -> u128 {
    let inner = rung.breadth.inner().map(|breadth| Rung {
        breadth,
        ..rung.clone()
    });
    let of = |rung: &Rung| {
        let kinds = Objects::of(rung, calls).into_iter();
        let counts = kinds.map(|objects| up_to(calls, rung, objects));
        counts.fold(0, u128::saturating_add)
    };
    of(rung).saturating_sub(inner.as_ref().map_or(0, of))
}

/// All tests with at most this breadth.
fn up_to(calls: &RandomCalls, rung: &Rung, objects: Objects) -> u128 {
    match objects {
        Objects::One => orbits(calls, rung, 1, false),
        Objects::Needed => {
            orbits(calls, rung, 2, true).saturating_sub(orbits(calls, rung, 2, false))
        }
        Objects::Beside => {
            orbits(calls, rung, 2, false).saturating_sub(orbits(calls, rung, 1, false))
        }
    }
}

/// Tests on so many objects, of all operations or only of those that take no other object.
fn orbits(calls: &RandomCalls, rung: &Rung, objects: u8, all: bool) -> u128 {
    let subject = calls.subject();
    let sum = |operations: &[u16], disturbed: bool| {
        let counts = operations
            .iter()
            .filter(|&&operation| all || !calls.takes_object(operation))
            .map(|&operation| {
                let arguments = calls.operation(operation).arguments;
                count_of(arguments, objects, rung.breadth, disturbed)
            })
            .map(|count| count.saturating_mul(u128::from(objects)));
        counts.fold(0, u128::saturating_add)
    };
    let made = if rung.breadth.all_constructors() {
        subject.constructors
    } else {
        subject.constructors.get(..1).unwrap_or_default()
    };
    let made = made
        .iter()
        .map(|made| count_of(made.arguments, 1, rung.breadth, false))
        .fold(0, u128::saturating_add);
    let prefix = power(sum(calls.prefix(), false), rung.prefix);
    let each = sum(calls.shared(), rung.disturbed > 0);
    let (mut lanes, mut fixed) = (1_u128, 1_u128);
    let mut rest = rung.lanes.as_slice();
    while let Some(&length) = rest.first() {
        let same = rest.iter().take_while(|&&other| other == length).count();
        rest = &rest[same..];
        let sequences = power(each, length);
        lanes = lanes.saturating_mul(multisets(sequences, same));
        fixed = if same.is_multiple_of(2) {
            fixed.saturating_mul(multisets(sequences / 2, same / 2))
        } else {
            0
        };
    }
    let starts = made.saturating_mul(prefix);
    let tests = starts.saturating_mul(lanes);
    if objects == 1 {
        return tests;
    }
    let fixed = if rung.prefix > 0 {
        0
    } else {
        made.saturating_mul(fixed)
    };
    match tests.checked_add(fixed) {
        Some(both) => both / 2,
        None => u128::MAX,
    }
}

fn power(base: u128, exponent: u8) -> u128 {
    base.checked_pow(u32::from(exponent)).unwrap_or(u128::MAX)
}

/// Multisets of `size` (at most a few) out of so many: (n + k - 1 over k).
fn multisets(of: u128, size: usize) -> u128 {
    let mut count = 1_u128;
    for k in 0..size as u128 {
        let Some(more) = count.checked_mul(of.saturating_add(k)) else {
            return u128::MAX;
        };
        count = more / (k + 1);
    }
    count
}

/// True if some operation belongs to an end of a pair: then some tests are such as no program can have.
pub(super) fn has_ends(subject: &Subject) -> bool {
    let mut operations = subject.operations.iter();
    operations.any(|operation| matches!(operation.receiver, Receiver::End(_)))
}

/// True if some operation returns a future.
pub(super) fn has_futures(subject: &Subject) -> bool {
    let mut operations = subject.operations.iter();
    operations.any(|operation| operation.future_argument().is_some())
}

/// Calls of one operation at most, and all calls, at this breadth.
pub(super) fn call_count(calls: &RandomCalls, breadth: Breadth) -> u128 {
    let operations = calls.subject().operations.iter();
    let counts = operations.map(|operation| 2 * count_of(operation.arguments, 2, breadth, true));
    counts.fold(0, u128::saturating_add)
}
