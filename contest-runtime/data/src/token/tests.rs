use super::*;
use crate::subject::{
    Argument, Call, Constructor, Object, Operation, Receiver, Response, StandInMode,
};
use crate::trace::Decision;

fn make(_: &Call<'_>) -> Object {
    Object(Box::new(()))
}

fn call(_: &Call<'_>) -> Response {
    None
}

const fn operation(text: &'static str) -> Operation {
    Operation {
        name: text,
        text,
        arguments: &[],
        receiver: Receiver::Shared,
        weak: false,
        observer: false,
        contract: crate::subject::Contract::NONE,
        declared: "",
        call,
    }
}

const NEW: Constructor = Constructor {
    text: "Map::new()",
    arguments: &[],
    mode: StandInMode::Usual,
    make,
};

static BEFORE: [Subject; 1] = [Subject {
    name: "Map<u8>",
    path: "Map",
    constructors: &[NEW],
    operations: &[operation("{s}.get({0})"), operation("{s}.put({0})")],
    state: None,
}];

/// Another type in front, another operation in between.
static AFTER: [Subject; 2] = [
    Subject {
        name: "Set",
        path: "Set",
        constructors: &[],
        operations: &[],
        state: None,
    },
    Subject {
        name: "Map<u8>",
        path: "Map",
        constructors: &[
            Constructor {
                text: "Map::default()",
                arguments: &[],
                mode: StandInMode::Usual,
                make,
            },
            NEW,
        ],
        operations: &[
            operation("{s}.get({0})"),
            operation("{s}.len()"),
            operation("{s}.put({0})"),
        ],
        state: None,
    },
];

const HERE: Package = Package {
    name: "maps",
    version: "1.0.0",
};

fn token() -> Token {
    let call = |operation| TestCall {
        object: 0,
        operation,
        choices: vec![2, 0],
    };
    let test = RunnableTest {
        subject: &BEFORE[0],
        test: ConcurrentTest {
            subject: 0,
            objects: vec![TestObject {
                constructor: 0,
                choices: vec![],
            }],
            prefix: vec![call(1)],
            threads: vec![vec![call(0), call(1)], vec![call(1)]],
        },
        observers: vec![call(0)],
        drops: false,
        state: None,
    };
    let schedule = Schedule {
        decisions: vec![
            Decision::Thread(1),
            Decision::Value(300),
            Decision::Thread(2),
        ],
        checks: vec![7, 200, 0],
        visible: Vec::new(),
        memory_model: crate::limits::MemoryModel::Sc,
        leeway: crate::limits::Leeway::default(),
    };
    Token::new(HERE, FindingKind::Deadlock, &test, &schedule)
}

#[test]
fn what_was_encoded_comes_back() {
    let text = token().encode();
    assert!(
        text.starts_with(PREFIX)
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    );
    assert_eq!(Token::decode(&format!(" {text}\n")), Ok(token()));
}

#[test]
fn a_token_survives_unrelated_edits_of_the_crate() {
    let test = token().test(HERE, &AFTER).unwrap();
    assert!(!test.drops);
    assert_eq!(test.test.subject, 1);
    assert_eq!(test.test.objects[0].constructor, 1);
    let operations: Vec<u16> = test
        .test
        .threads
        .iter()
        .flatten()
        .map(|call| call.operation)
        .collect();
    assert_eq!(operations, [0, 2, 2]);
}

#[test]
fn a_token_of_another_crate_version_or_type_is_refused_naming_both() {
    let other = Package {
        name: "maps",
        version: "1.0.1",
    };
    let message = token().test(other, &BEFORE).unwrap_err().to_string();
    assert!(
        message.contains("maps 1.0.0") && message.contains("maps 1.0.1"),
        "{message}"
    );
    assert_eq!(
        token().test(HERE, &AFTER[..1]).unwrap_err(),
        TokenError::NoSubject("Map<u8>".to_owned())
    );
    static LESS: [Subject; 1] = [Subject {
        name: "Map<u8>",
        path: "Map",
        constructors: &[NEW],
        operations: &[],
        state: None,
    }];
    assert_eq!(
        token().test(HERE, &LESS).unwrap_err(),
        TokenError::NoOperation("Map<u8>".to_owned())
    );
}

#[test]
fn a_damaged_token_is_refused_wherever_the_damage_is() {
    let text = token().encode();
    assert_eq!(Token::decode("hello"), Err(TokenError::NotAToken));
    for end in PREFIX.len()..text.len() {
        assert_eq!(
            Token::decode(&text[..end]),
            Err(TokenError::Damaged),
            "cut at {end}"
        );
    }
    for at in PREFIX.len()..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        assert_eq!(
            Token::decode(&changed),
            Err(TokenError::Damaged),
            "changed at {at}"
        );
    }
}

#[test]
fn a_token_of_a_test_of_the_crate_names_executable_and_test() {
    let package = ("queue".to_owned(), "1.2.3".to_owned());
    let schedule = Schedule::default();
    let kind = FindingKind::Deadlock;
    let token = Token::of_own_test(&package, kind, "test threads", "a::b", &schedule);
    let again = Token::decode(&token.encode()).unwrap();
    assert_eq!(again, token);
    assert_eq!(again.own_test(), Some(("test threads", "a::b")));
}

/// A type with a constructor for each mode of a stand-in: one text, other arguments.
static WITH_MODES: [Subject; 1] = [flight(&[USUAL, WAITS, FAILS])];
/// Another mode, in front of all.
static WITH_MORE_MODES: [Subject; 1] = [flight(&[DIFFERS, USUAL, WAITS, FAILS])];

const USUAL: Constructor = with(StandInMode::Usual, &[argument(&["Loader"])]);
const WAITS: Constructor = with(StandInMode::Waits, &[argument(&["Loader::WAITS"])]);
const FAILS: Constructor = with(StandInMode::Differs, &[argument(&["Loader::FAILS"])]);
const DIFFERS: Constructor = with(StandInMode::Differs, &[argument(&["Loader::DIFFERS"])]);

const fn flight(constructors: &'static [Constructor]) -> Subject {
    Subject {
        name: "Flight",
        path: "Flight",
        constructors,
        operations: &[],
        state: None,
    }
}

const fn with(mode: StandInMode, arguments: &'static [Argument]) -> Constructor {
    Constructor {
        text: "Flight::new({0})",
        arguments,
        mode,
        make,
    }
}

const fn argument(choices: &'static [&'static str]) -> Argument {
    Argument {
        choices,
        object: false,
        of_future: false,
        of_texts: false,
    }
}

#[test]
fn constructors_of_one_text_are_told_apart_by_their_arguments() {
    for constructor in 0..3 {
        let test = RunnableTest {
            subject: &WITH_MODES[0],
            test: ConcurrentTest {
                objects: vec![TestObject {
                    constructor,
                    choices: vec![0],
                }],
                ..ConcurrentTest::default()
            },
            observers: Vec::new(),
            drops: false,
            state: None,
        };
        let token = Token::new(HERE, FindingKind::Deadlock, &test, &Schedule::default());
        let token = Token::decode(&token.encode()).unwrap();
        let made = |subjects| token.test(HERE, subjects).unwrap().test.objects[0].constructor;
        assert_eq!(made(&WITH_MODES), constructor);
        assert_eq!(made(&WITH_MORE_MODES), constructor + 1);
    }
}
