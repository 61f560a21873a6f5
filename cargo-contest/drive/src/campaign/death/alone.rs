//! What of a test ends the process without any concurrency.

use contest_data::protocol::FailureAlone;
use contest_data::settings::Avoid;
use contest_data::test::{ConcurrentTest, TestCall};
use contest_data::totals::Alone;

use crate::campaign::campaign_error::CampaignError;
use crate::campaign::test_text;
use contest_catalog::subject_catalog::SubjectEntry;

/// Whether the test ends the process without any concurrency.
type Dies<'a> = &'a dyn Fn(&ConcurrentTest) -> Result<bool, CampaignError>;

/// The smallest part that dies without concurrency: an object that is only made and dropped, or one call on a fresh
/// object, if there is one, else the whole test.
///
/// `what` and `detail` say how it dies. The calls to avoid from now on come with it.
pub(super) fn smallest(
    subject: &SubjectEntry,
    test: &ConcurrentTest,
    (what, detail): (FailureAlone, String),
    dies: Dies<'_>,
) -> Result<(Alone, Avoid), CampaignError> {
    let smallest = match made(test, dies)? {
        Some(made) => made,
        None => one_call(test, dies)?.unwrap_or_else(|| test.clone()),
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
    let (objects, who) = if operations.is_empty() {
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
        why: format!("has {who} ends the process alone, as reported"),
    };
    let alone = Alone {
        subject: subject.shown().into_owned(),
        calls,
        what,
        detail,
    };
    Ok((alone, avoid))
}

/// The last call of two sequences that end the process alone: each of its sequences would cost a process. `known` are
/// those that did so before, and what was made of them here.
pub(in crate::campaign) fn in_several(known: &[Avoid], new: &Avoid) -> Option<Avoid> {
    let last = |it: &Avoid| {
        it.operations
            .last()
            .copied()
            .filter(|_| it.operations.len() > 1)
    };
    let common = last(new)?;
    let of_subject = || known.iter().filter(|it| it.subject == new.subject);
    let is_known = of_subject().any(|it| it.operations == [common]);
    let is_other = |it: &Avoid| last(it) == Some(common) && it.operations != new.operations;
    (of_subject().any(is_other) && !is_known).then(|| Avoid {
        subject: new.subject,
        objects: Vec::new(),
        operations: vec![common],
        why: "has a call that ended the process alone after several others, as reported".to_owned(),
    })
}

/// A test that only makes one of the objects and drops it, if that ends the process.
fn made(test: &ConcurrentTest, dies: Dies<'_>) -> Result<Option<ConcurrentTest>, CampaignError> {
    for (at, object) in test.objects.iter().enumerate() {
        let made = ConcurrentTest {
            objects: vec![object.clone()],
            prefix: Vec::new(),
            threads: vec![Vec::new()],
            ..test.clone()
        };
        if !test.objects[..at].contains(object) && dies(&made)? {
            return Ok(Some(made));
        }
    }
    Ok(None)
}

/// A test of one of the calls on fresh objects, if that ends the process.
fn one_call(
    test: &ConcurrentTest,
    dies: Dies<'_>,
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
        if dies(&single)? {
            return Ok(Some(single));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn avoid(subject: u16, operations: &[u16]) -> Avoid {
        Avoid {
            subject,
            objects: Vec::new(),
            operations: operations.to_vec(),
            why: "dies".to_owned(),
        }
    }

    #[test]
    fn a_call_of_two_sequences_that_end_the_process_is_avoided_once() {
        let mut known = vec![avoid(0, &[1, 1]), avoid(1, &[2, 3])];
        assert_eq!(in_several(&known, &avoid(1, &[4, 5])), None);
        assert_eq!(in_several(&known, &avoid(0, &[1, 1])), None, "the same");
        assert_eq!(in_several(&known, &avoid(0, &[1])), None, "it dies at once");
        let (set_up, other) = (avoid(1, &[2, 4]), avoid(1, &[2, 5]));
        assert_eq!(in_several(&known, &set_up), None, "another one dies");
        assert_eq!(in_several(&known, &other), None, "another one dies");
        let both = in_several(&known, &avoid(0, &[3, 1])).unwrap();
        assert_eq!((both.subject, &both.operations[..]), (0, &[1][..]));
        known.push(both);
        assert_eq!(in_several(&known, &avoid(0, &[4, 1])), None);
    }
}
