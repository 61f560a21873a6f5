//! Makes objects and calls of one subject: first alternatives mostly, so that the keys of different calls collide.

use super::RandomSource;
use crate::generate::ends::can_meet;
use contest_data::sorted;
use contest_data::subject::{
    Argument, EndUse, Keeping, Needs, Operation, Receiver, Subject, UserCode,
};
use contest_data::test::{TestCall, TestObject};

/// Names that commonly put something into an object; calls of these make the best prefixes.
const FILLING: [&str; 16] = [
    "insert", "push", "add", "set", "send", "put", "write", "store", "enqueue", "register",
    "create", "get_or", "intern", "offer", "append", "inc",
];

/// A source of calls of one subject.
#[derive(Debug)]
pub(crate) struct RandomCalls {
    subject: &'static Subject,
    /// Operations that any thread may call.
    shared: Vec<u16>,
    /// Operations that may change the state, most promising first; exclusive ones included.
    changers: Vec<u16>,
    /// Operations that the main thread can call before the others start: those that change the state first.
    prefix: Vec<u16>,
    /// Operations whose results are kept, and those that let go what is kept.
    keeping: Vec<u16>,
    letting_go: Vec<u16>,
    /// Operations whose closures panic, and those whose closures call the object.
    panicking: Vec<u16>,
    coming_back: Vec<u16>,
}

impl RandomCalls {
    /// For this subject.
    #[must_use]
    pub(crate) fn new(subject: &'static Subject) -> Self {
        let numbered = || (0_u16..).zip(subject.operations);
        let shared = numbered()
            .filter(|(_, operation)| operation.runs_beside_others())
            .map(|(index, _)| index)
            .collect();
        let of = |keeping: Keeping| {
            let all = numbered().filter(move |(_, it)| it.contract.keeping == keeping);
            all.map(|(index, _)| index).collect::<Vec<u16>>()
        };
        let (keeping, letting_go) = (of(Keeping::Keeps), of(Keeping::LetsGo));
        let with = |code: UserCode| {
            let all = numbered().filter(move |(_, it)| it.contract.user_code == code);
            all.map(|(index, _)| index).collect::<Vec<u16>>()
        };
        let (panicking, coming_back) = (with(UserCode::Panics), with(UserCode::ComesBack));
        let mut changers: Vec<u16> = numbered()
            .filter(|(_, operation)| changes_state(operation))
            .map(|(index, _)| index)
            .collect();
        sorted::sort_by_key(&mut changers, |&index| {
            promise(&subject.operations[usize::from(index)])
        });
        let is_invariant = |index: u16| subject.operations[usize::from(index)].contract.invariant;
        let mut prefix = changers.clone();
        prefix.extend(
            numbered()
                .map(|(index, _)| index)
                .filter(|it| !changers.contains(it)),
        );
        prefix.retain(|&index| {
            !is_invariant(index)
                && subject.operations[usize::from(index)].receiver != Receiver::Whole
        });
        let apart = [&keeping, &letting_go, &panicking, &coming_back];
        let is_apart = |index: &u16| apart.iter().any(|it| it.contains(index));
        changers.retain(|index| !is_apart(index));
        prefix.retain(|index| !is_apart(index));
        Self {
            subject,
            shared,
            changers,
            prefix,
            keeping,
            letting_go,
            panicking,
            coming_back,
        }
    }

    /// Whose calls they are.
    #[must_use]
    pub(crate) fn subject(&self) -> &'static Subject {
        self.subject
    }

    /// Operations that any thread may call, by index.
    #[must_use]
    pub(crate) fn shared(&self) -> &[u16] {
        &self.shared
    }

    /// Operations that may change the state, most promising first.
    #[must_use]
    pub(crate) fn changers(&self) -> &[u16] {
        &self.changers
    }

    /// Operations that the main thread can call before the others start: those that change the state first.
    #[must_use]
    pub(crate) fn prefix(&self) -> &[u16] {
        &self.prefix
    }

    /// Operations whose results are kept over further calls, by index.
    #[must_use]
    pub(crate) fn keeping(&self) -> &[u16] {
        &self.keeping
    }

    /// The operation that lets go what is kept.
    #[must_use]
    pub(crate) fn letting_go(&self) -> Option<u16> {
        self.letting_go.first().copied()
    }

    /// Operations whose closures panic, by index.
    #[must_use]
    pub(crate) fn panicking(&self) -> &[u16] {
        &self.panicking
    }

    /// Operations whose closures call the object, by index.
    #[must_use]
    pub(crate) fn coming_back(&self) -> &[u16] {
        &self.coming_back
    }

    /// The operation with this index.
    #[must_use]
    pub(crate) fn operation(&self, index: u16) -> &'static Operation {
        &self.subject.operations[usize::from(index)]
    }

    /// True if two threads can have one of these operations each.
    #[must_use]
    pub(crate) fn can_meet(&self, left: u16, right: u16) -> bool {
        can_meet(self.subject, left, right)
    }

    /// True if some argument of the operation is another object of the subject's own type.
    #[must_use]
    pub(crate) fn takes_object(&self, index: u16) -> bool {
        self.operation(index)
            .arguments
            .iter()
            .any(|argument| argument.object)
    }

    /// See [`first_call`].
    #[must_use]
    pub(crate) fn first_call(&self, operation: u16, receiver: u8, objects: u8) -> TestCall {
        first_call(self.subject, operation, receiver, objects)
    }

    /// A call with random alternatives, the first ones favoured.
    pub(crate) fn random_call(
        &self,
        operation: u16,
        objects: u8,
        random: &mut RandomSource,
    ) -> TestCall {
        let receiver = random.below(usize::from(objects)) as u8;
        let mut call = self.first_call(operation, receiver, objects);
        for (choice, argument) in call
            .choices
            .iter_mut()
            .zip(self.operation(operation).arguments)
        {
            let alternatives = if argument.object {
                usize::from(objects)
            } else if argument.of_future {
                continue;
            } else {
                usize::from(argument.values())
            };
            if random.one_in(3) {
                *choice = random.below(alternatives) as u8;
            }
        }
        call
    }

    /// An object: by the first constructor mostly.
    pub(crate) fn random_object(&self, random: &mut RandomSource) -> TestObject {
        let constructors = self.subject.constructors;
        let constructor = if random.one_in(6) {
            random.below(constructors.len())
        } else {
            0
        };
        let arguments = constructors
            .get(constructor)
            .map_or(&[][..], |made| made.arguments);
        let choices = arguments
            .iter()
            .map(|argument| {
                // A runtime with several threads is no other value: it shows what tasks do beside each other.
                let seldom = if argument.is_of_runtime() { 2 } else { 4 };
                if random.one_in(seldom) {
                    random.below(argument.choices.len()) as u8
                } else {
                    0
                }
            })
            .collect();
        TestObject {
            constructor: constructor as u16,
            choices,
        }
    }

    /// The object that the first constructor makes of first alternatives.
    #[must_use]
    pub(crate) fn first_object(&self) -> TestObject {
        first_object(self.subject)
    }

    /// `length` calls that may change the state.
    pub(crate) fn random_prefix(
        &self,
        length: usize,
        objects: u8,
        random: &mut RandomSource,
    ) -> Vec<TestCall> {
        let mut calls = Vec::with_capacity(length);
        for _ in 0..length {
            if let Some(&operation) = random.pick(&self.changers) {
                calls.push(self.random_call(operation, objects, random));
            }
        }
        calls
    }
}

/// The object that the first constructor makes of first alternatives.
#[must_use]
pub(crate) fn first_object(subject: &Subject) -> TestObject {
    let made = subject.constructors.first();
    TestObject {
        constructor: 0,
        choices: vec![0; made.map_or(0, |made| made.arguments.len())],
    }
}

/// A call of the operation on object `receiver` with first alternatives; object arguments are the other object, if
/// there is one.
#[must_use]
pub(crate) fn first_call(subject: &Subject, operation: u16, receiver: u8, objects: u8) -> TestCall {
    let arguments = subject.operations[usize::from(operation)].arguments;
    let choices = arguments
        .iter()
        .map(|argument| first_choice(argument, receiver, objects))
        .collect();
    TestCall {
        object: receiver,
        operation,
        choices,
    }
}

fn first_choice(argument: &Argument, receiver: u8, objects: u8) -> u8 {
    if argument.object && objects > 1 {
        u8::from(receiver == 0)
    } else {
        0
    }
}

fn changes_state(operation: &Operation) -> bool {
    match operation.receiver {
        Receiver::Exclusive => true,
        Receiver::Whole => false,
        Receiver::Shared | Receiver::End(_) => !(operation.weak || operation.observer),
    }
}

/// Smaller is better.
fn promise(operation: &Operation) -> u8 {
    let name = operation.name.rsplit("::").next().unwrap_or(operation.name);
    let fills = FILLING
        .iter()
        .any(|word| name.starts_with(word) || name.ends_with(word));
    match (fills, operation.arguments.is_empty(), operation.receiver) {
        // What comes before the threads start is to leave them something to do.
        (
            _,
            _,
            Receiver::End(EndUse {
                needs: Needs::Whole,
                ..
            }),
        ) => 4,
        (true, _, Receiver::Shared | Receiver::End(_)) => 0,
        (true, _, Receiver::Exclusive | Receiver::Whole) => 1,
        (false, false, _) => 2,
        (false, true, _) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::fixtures::{constructor, operation};
    use contest_data::subject::Constructor;

    static LEDGER: Subject = Subject {
        name: "Ledger",
        path: "Ledger",
        constructors: &[Constructor {
            arguments: &[Argument::OF_RUNTIME],
            ..constructor("Ledger::new()")
        }],
        operations: &[operation("exchange", &[])],
        state: None,
    };

    #[test]
    fn a_fair_share_of_the_objects_has_a_runtime_with_several_threads() {
        let calls = RandomCalls::new(&LEDGER);
        let mut random = RandomSource::new(1, 0);
        let objects = (0..400).map(|_| calls.random_object(&mut random));
        let on_two_workers = objects.filter(|it| it.choices == [1]).count();
        assert!((70..130).contains(&on_two_workers), "{on_two_workers}");
    }
}
