//! Runs an emitted test.

use std::time::Duration;

use super::super::failure;
use super::super::regressions::Kept;
use super::super::run::{InProcess, Report, limits};
use crate::model::watch::Watch;
use contest_campaign::campaign::single;
use contest_data::settings::Package;
use contest_data::subject::{
    Call, Constructor, Contract, Operation, Receiver, Response, Subject, custom,
};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};
use contest_data::totals::SubjectTotals;
use contest_data::trace::Schedule;
use contest_engine::execution::os_thread::on_another;
use contest_search::explore::Budget;

/// What a search may cost, if the interleaving does not fit.
const BUDGET: Budget = Budget {
    executions: 20_000,
    time: Duration::from_secs(5),
    minimum: 60,
};
/// After how long an execution counts as blocked in a call that the scheduler does not see.
const HANG_LIMIT: Duration = Duration::from_secs(10);

/// One call: its text, and how it is made.
pub type OneCall = (&'static str, fn(&Call<'_>) -> Response);

/// A test as the macro writes it.
#[derive(Debug)]
pub struct Calls {
    /// The schedule that fails; empty if it is to be searched.
    pub interleaving: &'static str,
    /// The objects, in order.
    pub objects: Vec<Constructor>,
    /// Calls of the main thread before the others start.
    pub prefix: Vec<OneCall>,
    /// Calls of each thread.
    pub threads: Vec<Vec<OneCall>>,
    /// The state of the first object.
    pub state: fn(&Call<'_>) -> Response,
}

/// The text of a call as people write it.
#[must_use]
pub const fn text_of(text: &'static str) -> &'static str {
    text
}

/// Runs the interleaving, or searches one.
///
/// # Panics
/// With the finding, if the test fails; if nothing could be tested.
#[track_caller]
pub fn run(calls: Calls) {
    let given = calls.interleaving.trim();
    let schedule = Schedule::from_text(given);
    let (subject, test) = subject(calls);
    let (mut notes, schedule) = match schedule {
        _ if given.is_empty() => (
            vec!["no interleaving is given: it was searched".to_owned()],
            None,
        ),
        Ok(schedule) => (Vec::new(), Some(schedule)),
        Err(error) => (
            vec![format!(
                "the interleaving cannot be read ({error}): another was searched"
            )],
            None,
        ),
    };
    let watch = Watch::start(HANG_LIMIT);
    let single = on_another(|| {
        let package = Package {
            name: "",
            version: "",
        };
        single::check(
            package,
            subject,
            test,
            schedule,
            BUDGET,
            limits(),
            &mut InProcess(watch),
        )
    });
    if let Some(where_) = &single.diverged {
        notes.push(format!(
            "the interleaving does not fit the code any more ({where_}): another was searched"
        ));
    }
    if let Some(cut) = &single.cut {
        notes.push(format!("not everything was tested: {cut}"));
    }
    if single.found.is_none() {
        assert!(
            !single.unfit,
            "contest: this test says nothing any more: {}",
            notes.join("; ")
        );
        assert!(
            single.controlled,
            "contest: nothing was controlled in this test: its threads use no lock, atomic or channel that the scheduler sees; is there \
             `#[contest::shared]` on the type, and `#[contest::operations]` on its methods?"
        );
    }
    let mut report = Report {
        totals: SubjectTotals {
            name: "emitted test".to_owned(),
            tests: 1,
            executions: single.executions,
            exhausted: u64::from(single.cut.is_none()),
            ..SubjectTotals::default()
        },
        notes,
        ..Report::default()
    };
    if let Some((mut finding, schedule)) = single.found {
        let text = schedule.to_text();
        if text != given {
            report.notes.push(format!(
                "to have this interleaving run first: const INTERLEAVING: &str = \"{text}\";"
            ));
        }
        // That of a campaign, which this is none of.
        finding.schedule.clear();
        report.findings.push(finding);
    }
    failure::check(&report, &Kept::Not);
}

/// A subject whose operations are the calls. Never freed, as all subjects.
fn subject(calls: Calls) -> (&'static Subject, ConcurrentTest) {
    let Calls {
        objects,
        prefix,
        threads,
        state,
        ..
    } = calls;
    let mut operations = Vec::new();
    let mut call = |(text, call): OneCall| {
        let name = method(text);
        operations.push(Operation {
            name,
            text,
            arguments: &[],
            receiver: Receiver::Shared,
            weak: custom::is_weak(name),
            observer: false,
            contract: Contract::NONE,
            declared: "",
            call,
        });
        TestCall {
            object: 0,
            operation: operations.len() as u16 - 1,
            choices: Vec::new(),
        }
    };
    let prefix: Vec<TestCall> = prefix.into_iter().map(&mut call).collect();
    let threads: Vec<Vec<TestCall>> = threads
        .into_iter()
        .map(|calls| calls.into_iter().map(&mut call).collect())
        .collect();
    let test = ConcurrentTest {
        subject: 0,
        objects: (0..objects.len() as u16)
            .map(|constructor| TestObject {
                constructor,
                choices: Vec::new(),
            })
            .collect(),
        prefix,
        threads,
    };
    let subject = Box::leak(Box::new(Subject {
        name: "emitted test",
        path: "",
        constructors: Vec::leak(objects),
        operations: Vec::leak(operations),
        state: Some(state),
    }));
    (subject, test)
}

/// `push` of `a.push(x)`: the first method of an object.
fn method(text: &'static str) -> &'static str {
    let after = text.split_once('.').map_or(text, |(_, after)| after);
    let end = after
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(after.len());
    &after[..end]
}
