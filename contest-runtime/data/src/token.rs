//! A finding's schedule as text that can be passed around: which crate and type, which test, which decisions.
//!
//! `contest1-`, the test in URL-safe base64, a full stop, the text of the schedule. Operations are named by a hash of
//! their text, not by number, so that a token survives unrelated edits of the crate.

mod bytes;

use std::fmt;

use self::bytes::{Reader, Writer};
use super::settings::Package;
use crate::finding::FindingKind;
use crate::subject::{Argument, StandInMode, Subject};
use crate::test::{ConcurrentTest, RunnableTest, TestCall, TestObject};
use crate::trace::{Schedule, base64url};

const PREFIX: &str = "contest1-";
/// In place of a type: the schedule is of a test that the crate has. The name of its executable comes after it.
const OWN_TEST: &str = "#[test] ";

/// What a token holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Name and version of the crate.
    pub package: (String, String),
    /// What was found.
    pub kind: FindingKind,
    /// The type, without type arguments.
    pub subject: String,
    /// Its name with type arguments.
    pub subject_name: String,
    test: NamedTest,
    /// The decisions.
    pub schedule: Schedule,
}

/// Why a token cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// It does not begin as tokens of this version do.
    NotAToken,
    /// Characters are missing or changed.
    Damaged,
    /// It belongs to another crate or version: that of the token, this one.
    OtherPackage(String, String),
    /// There is no such type here.
    NoSubject(String),
    /// An operation or a constructor of the test is not there any more.
    NoOperation(String),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAToken => write!(
                f,
                "this is no schedule token of this version of cargo-contest: tokens begin with `{PREFIX}`"
            ),
            Self::Damaged => f.write_str(
                "the token is damaged: characters are missing or changed; copy it whole",
            ),
            Self::OtherPackage(token, here) => write!(
                f,
                "the token was made for {token}, this is {here}; select that package and version, or find the bug again"
            ),
            Self::NoSubject(subject) => {
                write!(
                    f,
                    "the token is about the type `{subject}`, which is not among the types under test"
                )
            }
            Self::NoOperation(subject) => write!(
                f,
                "the token calls an operation of `{subject}` that is not there any more; find the bug again"
            ),
        }
    }
}

impl std::error::Error for TokenError {}

/// A test whose operations have stable names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct NamedTest {
    objects: Vec<(u32, Vec<u8>)>,
    prefix: Vec<NamedCall>,
    threads: Vec<Vec<NamedCall>>,
    observers: Vec<NamedCall>,
    drops: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedCall {
    object: u8,
    operation: u32,
    choices: Vec<u8>,
}

impl Token {
    /// The token of an execution.
    #[must_use]
    pub fn new(
        package: Package,
        kind: FindingKind,
        test: &RunnableTest,
        schedule: &Schedule,
    ) -> Self {
        let subject = test.subject;
        let call = |call: &TestCall| NamedCall {
            object: call.object,
            operation: operation(subject, call.operation.into()).unwrap_or(0),
            choices: call.choices.clone(),
        };
        let object = |object: &TestObject| {
            let made = constructor(subject, object.constructor.into());
            (made.unwrap_or(0), object.choices.clone())
        };
        Self {
            package: (package.name.to_owned(), package.version.to_owned()),
            kind,
            subject: subject.path.to_owned(),
            subject_name: subject.name.to_owned(),
            test: NamedTest {
                objects: test.test.objects.iter().map(object).collect(),
                prefix: test.test.prefix.iter().map(call).collect(),
                threads: test
                    .test
                    .threads
                    .iter()
                    .map(|lane| lane.iter().map(call).collect())
                    .collect(),
                observers: test.observers.iter().map(call).collect(),
                drops: test.drops,
            },
            schedule: schedule.clone(),
        }
    }

    /// The token of an execution of a test that the crate has, in this executable of its tests.
    #[must_use]
    pub fn of_own_test(
        package: &(String, String),
        kind: FindingKind,
        executable: &str,
        test: &str,
        schedule: &Schedule,
    ) -> Self {
        Self {
            package: package.clone(),
            kind,
            subject: format!("{OWN_TEST}{executable}"),
            subject_name: test.to_owned(),
            test: NamedTest::default(),
            schedule: schedule.clone(),
        }
    }

    /// Executable and name of the test, if it is one that the crate has.
    #[must_use]
    pub fn own_test(&self) -> Option<(&str, &str)> {
        let executable = self.subject.strip_prefix(OWN_TEST)?;
        Some((executable, &self.subject_name))
    }

    /// The test, among the types linked in.
    ///
    /// # Errors
    /// If the token is about another crate, or the type or an operation is not there.
    pub fn test(
        &self,
        package: Package,
        subjects: &'static [Subject],
    ) -> Result<RunnableTest, TokenError> {
        if self.package != (package.name.to_owned(), package.version.to_owned()) {
            return Err(TokenError::OtherPackage(
                format!("{} {}", self.package.0, self.package.1),
                format!("{} {}", package.name, package.version),
            ));
        }
        let (index, subject) = subjects
            .iter()
            .enumerate()
            .find(|(_, subject)| subject.name == self.subject_name)
            .or_else(|| {
                subjects
                    .iter()
                    .enumerate()
                    .find(|(_, subject)| subject.path == self.subject)
            })
            .ok_or_else(|| TokenError::NoSubject(self.subject_name.clone()))?;
        let gone = || TokenError::NoOperation(self.subject_name.clone());
        let call = |named: &NamedCall| {
            let mut all = 0..subject.operations.len();
            let called = all.find(|number| operation(subject, *number) == Some(named.operation))?;
            Some(TestCall {
                object: named.object,
                operation: u16::try_from(called).ok()?,
                choices: named.choices.clone(),
            })
        };
        let calls = |named: &[NamedCall]| {
            named
                .iter()
                .map(call)
                .collect::<Option<Vec<_>>>()
                .ok_or_else(gone)
        };
        let objects: Option<Vec<TestObject>> = self
            .test
            .objects
            .iter()
            .map(|(made, choices)| {
                let mut all = 0..subject.constructors.len();
                let position = all.find(|number| constructor(subject, *number) == Some(*made))?;
                Some(TestObject {
                    constructor: u16::try_from(position).ok()?,
                    choices: choices.clone(),
                })
            })
            .collect();
        Ok(RunnableTest {
            subject,
            test: ConcurrentTest {
                subject: u16::try_from(index).unwrap_or(u16::MAX),
                objects: objects.ok_or_else(gone)?,
                prefix: calls(&self.test.prefix)?,
                threads: self
                    .test
                    .threads
                    .iter()
                    .map(|lane| calls(lane))
                    .collect::<Result<Vec<_>, _>>()?,
            },
            observers: calls(&self.test.observers)?,
            drops: self.test.drops,
            state: None,
        })
    }

    /// As text.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut out = Writer(Vec::new());
        out.text(&self.package.0);
        out.text(&self.package.1);
        out.text(&self.subject);
        out.text(&self.subject_name);
        let kind = FindingKind::OF_CAMPAIGNS
            .iter()
            .position(|(kind, _)| *kind == self.kind);
        out.number(kind.unwrap_or_default() as u64);
        out.list(&self.test.objects, |out, (constructor, choices)| {
            out.number(u64::from(*constructor));
            out.bytes(choices);
        });
        out.calls(&self.test.prefix);
        out.list(&self.test.threads, |out, lane| out.calls(lane));
        out.calls(&self.test.observers);
        out.number(u64::from(self.test.drops));
        let schedule = self.schedule.to_text();
        let sum = checksum(&out.0, &schedule);
        out.0.extend_from_slice(&sum);
        format!("{PREFIX}{}.{schedule}", base64url::encode(&out.0))
    }

    /// From text.
    ///
    /// # Errors
    /// If it is no token, or damaged.
    pub fn decode(text: &str) -> Result<Self, TokenError> {
        let body = text
            .trim()
            .strip_prefix(PREFIX)
            .ok_or(TokenError::NotAToken)?;
        let (body, schedule) = body.split_once('.').ok_or(TokenError::Damaged)?;
        let bytes = base64url::decode(body).ok_or(TokenError::Damaged)?;
        let (bytes, sum) = bytes
            .split_at_checked(bytes.len().wrapping_sub(4))
            .ok_or(TokenError::Damaged)?;
        if checksum(bytes, schedule) != sum {
            return Err(TokenError::Damaged);
        }
        let schedule = Schedule::from_text(schedule).map_err(|_| TokenError::Damaged)?;
        Reader(bytes).token(schedule).ok_or(TokenError::Damaged)
    }
}

impl Writer {
    fn calls(&mut self, calls: &[NamedCall]) {
        self.list(calls, |out, call| {
            out.number(u64::from(call.object));
            out.number(u64::from(call.operation));
            out.bytes(&call.choices);
        });
    }
}

impl Reader<'_> {
    fn calls(&mut self) -> Option<Vec<NamedCall>> {
        self.list(|input| {
            Some(NamedCall {
                object: u8::try_from(input.number()?).ok()?,
                operation: u32::try_from(input.number()?).ok()?,
                choices: input.bytes()?.to_vec(),
            })
        })
    }

    fn token(&mut self, schedule: Schedule) -> Option<Token> {
        let package = (self.text()?, self.text()?);
        let subject = self.text()?;
        let subject_name = self.text()?;
        let (kind, _) = *FindingKind::OF_CAMPAIGNS.get(usize::try_from(self.number()?).ok()?)?;
        let test = NamedTest {
            objects: self.list(|input| {
                Some((
                    u32::try_from(input.number()?).ok()?,
                    input.bytes()?.to_vec(),
                ))
            })?,
            prefix: self.calls()?,
            threads: self.list(Self::calls)?,
            observers: self.calls()?,
            drops: self.number()? != 0,
        };
        self.0.is_empty().then_some(Token {
            package,
            kind,
            subject,
            subject_name,
            test,
            schedule,
        })
    }
}

/// The lasting name of an operation.
fn name(text: &str) -> u32 {
    fnv1a(text.bytes())
}

/// The lasting name of an operation or a way to make an object, by its number; `None` if there is none. It is the hash
/// of its text, unless it is not the `usual` one of that text: with stand-ins there is a constructor for each of their
/// modes. These differ in what stands for their arguments.
fn lasting_name(number: usize, entry: impl Fn(usize) -> Option<Written>) -> Option<u32> {
    let own = entry(number)?;
    let mut before = (0..number).filter_map(&entry);
    if own.usual && !before.any(|other| other.usual && other.text == own.text) {
        return Some(name(own.text));
    }
    let choices = |argument: &'static Argument| {
        let choices = argument.choices.iter().flat_map(|it| it.bytes().chain([0]));
        choices.chain([1])
    };
    let arguments = own.arguments.iter().flat_map(choices);
    Some(fnv1a(own.text.bytes().chain([0]).chain(arguments)))
}

/// What an operation or a constructor is named by.
struct Written {
    text: &'static str,
    arguments: &'static [Argument],
    usual: bool,
}

fn constructor(subject: &Subject, number: usize) -> Option<u32> {
    lasting_name(number, |it| {
        let made = subject.constructors.get(it)?;
        Some(Written {
            text: made.text,
            arguments: made.arguments,
            usual: made.mode == StandInMode::Usual,
        })
    })
}

fn operation(subject: &Subject, number: usize) -> Option<u32> {
    lasting_name(number, |it| {
        let called = subject.operations.get(it)?;
        Some(Written {
            text: called.text,
            arguments: called.arguments,
            usual: true,
        })
    })
}

fn checksum(bytes: &[u8], schedule: &str) -> [u8; 4] {
    fnv1a(bytes.iter().copied().chain(schedule.bytes())).to_le_bytes()
}

fn fnv1a(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0x811C_9DC5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests;
