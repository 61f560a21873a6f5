//! What of a test ends the process without any concurrency.

use contest_data::protocol::FailureAlone;
use contest_data::settings::Avoid;
use contest_data::test::{ConcurrentTest, TestCall};
use contest_data::totals::Alone;

use super::{DeathContext, Diagnosis, probe};
use crate::campaign::campaign_error::CampaignError;
use crate::campaign::test_text;
use crate::discover::subject_catalog::SubjectEntry;
use crate::harness::Driver;

/// The smallest part that dies without concurrency: an object that is only made and dropped, or one call on a fresh
/// object, if there is one, else the whole test.
pub(super) fn diagnose(
    driver: &Driver,
    context: &DeathContext,
    subject: &SubjectEntry,
    test: &ConcurrentTest,
) -> Result<Diagnosis, CampaignError> {
    let smallest = match made(driver, test)? {
        Some(made) => made,
        None => one_call(driver, test)?.unwrap_or_else(|| test.clone()),
    };
    let mut calls = test_text::prefix(subject, &smallest);
    calls.extend(
        test_text::threads(subject, &smallest)
            .into_iter()
            .flatten()
            .map(|call| call + ";"),
    );
    let all = smallest
        .prefix
        .iter()
        .chain(smallest.threads.iter().flatten());
    let operations: Vec<u16> = all.map(|call| call.operation).collect();
    let (objects, what) = if operations.is_empty() {
        (
            smallest.objects.clone(),
            "an object that, made and dropped,",
        )
    } else {
        (Vec::new(), "a call that")
    };
    let avoid = Avoid {
        subject: test.subject,
        objects,
        operations,
        why: format!("has {what} ends the process alone, as reported"),
    };
    let alone = Alone {
        subject: subject.shown().to_owned(),
        calls,
        what: if context.hung {
            FailureAlone::DoesNotEnd
        } else {
            FailureAlone::EndsProcess
        },
        detail: context.to_string(),
    };
    Ok(Diagnosis::Alone(alone, avoid))
}

/// A test that only makes one of the objects and drops it, if that ends the process.
fn made(driver: &Driver, test: &ConcurrentTest) -> Result<Option<ConcurrentTest>, CampaignError> {
    for (at, object) in test.objects.iter().enumerate() {
        let made = ConcurrentTest {
            objects: vec![object.clone()],
            prefix: Vec::new(),
            threads: vec![Vec::new()],
            ..test.clone()
        };
        if !test.objects[..at].contains(object) && probe(driver, &made, None)?.died {
            return Ok(Some(made));
        }
    }
    Ok(None)
}

/// A test of one of the calls on fresh objects, if that ends the process.
fn one_call(
    driver: &Driver,
    test: &ConcurrentTest,
) -> Result<Option<ConcurrentTest>, CampaignError> {
    let mut tried: Vec<&TestCall> = Vec::new();
    for call in test.prefix.iter().chain(test.threads.iter().flatten()) {
        if tried.contains(&call) {
            continue;
        }
        tried.push(call);
        let single = ConcurrentTest {
            prefix: Vec::new(),
            threads: vec![vec![call.clone()]],
            ..test.clone()
        };
        if probe(driver, &single, None)?.died {
            return Ok(Some(single));
        }
    }
    Ok(None)
}
