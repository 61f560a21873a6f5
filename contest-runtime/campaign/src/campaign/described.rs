//! An execution that shows a bug, described: the finding, and whether that is allowed.

use super::prepared_test::PreparedTest;
use super::shown::Shown;
use crate::judge::{
    History, Suspicion, cancelled_calls, compared, fingerprint, interleaving, older_writes,
    switches, turns,
};
use contest_data::finding::{Allowed, Finding, FindingKind};
use contest_data::settings::Package;
use contest_data::test::call_text;
use contest_data::token::Token;
use contest_data::trace::{Ending, ExecutionRecord};

/// Most locations that are listed.
const MOST_LOCATIONS: usize = 8;

/// A bug that has just been shown again, with all that is needed to describe it.
#[derive(Clone, Copy)]
pub(super) struct Described<'a> {
    pub prepared: &'a PreparedTest,
    pub suspicion: &'a Suspicion,
    pub record: &'a ExecutionRecord,
    pub history: &'a History,
}

impl<'a> Described<'a> {
    /// What this execution of the test has shown.
    pub(super) fn of(prepared: &'a PreparedTest, shown: &'a Shown) -> Self {
        Self {
            prepared,
            suspicion: &shown.suspicion,
            record: &shown.record,
            history: &shown.history,
        }
    }

    /// What allows it, if it is the smallest that was found.
    pub(super) fn allowed_by<'s>(&self, allow: &'s [Allowed]) -> Option<&'s Allowed> {
        let kind = self.suspicion.kind;
        if !allow.iter().any(|it| it.kind == kind) {
            return None;
        }
        let places = match self.own_places() {
            Some(own) => own.to_vec(),
            None => self.places(),
        };
        allow.iter().find(|it| it.covers(kind, &places))
    }

    /// What allows it before it is made small: everywhere, in its own place, or wherever its calls were stopped, for
    /// those of what is smaller are among these.
    pub(super) fn surely_allowed_by<'s>(&self, allow: &'s [Allowed]) -> Option<&'s Allowed> {
        let kind = self.suspicion.kind;
        let covers = |places: &[String]| allow.iter().find(|it| it.covers(kind, places));
        if let Some(own) = self.own_places() {
            return covers(own);
        }
        if !allow.iter().any(|it| it.kind == kind) || Allowed::everywhere(allow, kind) {
            return covers(&[]);
        }
        let locations = self.locations();
        let mut all = locations.iter().map(|it| covers(std::slice::from_ref(it)));
        let first = all.next().flatten();
        first.filter(|_| all.all(|it| it.is_some()))
    }

    /// Where results are wrong, the suspicion has no places, or only those of calls that suffer from it.
    fn own_places(&self) -> Option<&'a [String]> {
        let kind = self.suspicion.kind;
        let of_results = kind.is_wrong_result() || kind == FindingKind::Cancellation;
        let own = &self.suspicion.locations;
        (!of_results && !own.is_empty()).then_some(own)
    }

    fn places(&self) -> Vec<String> {
        let judge = self.prepared.judge();
        Finding {
            locations: self.locations(),
            cancelled: cancelled_calls(&judge, self.record, self.history),
            interleaving: interleaving(&judge, self.record, self.history),
            ..Finding::new(self.suspicion.kind, "")
        }
        .places()
    }

    /// Those of the suspicion, then those at which a call was stopped and another thread went on.
    fn locations(&self) -> Vec<String> {
        let mut locations: Vec<String> = Vec::new();
        for location in self
            .suspicion
            .locations
            .iter()
            .flat_map(|it| self.shown(it))
        {
            if !(location.is_empty() || locations.contains(&location)) {
                locations.push(location);
            }
        }
        for switch in switches(&self.prepared.judge(), self.record, self.history) {
            let location = switch.line.unwrap_or(switch.location);
            let of_runtime = location.starts_with("contest-runtime/");
            if !(location.is_empty() || of_runtime || locations.contains(&location)) {
                locations.push(location);
            }
        }
        locations
    }

    /// The lines of the package for a location in code of ours, at which threads wait.
    fn shown(&self, location: &str) -> Vec<String> {
        let blocked = match &self.record.ending {
            Ending::Deadlock(blocked) | Ending::Livelock(blocked) => &blocked[..],
            _ => &[],
        };
        let here = blocked.iter().filter(|it| it.location == location);
        let lines: Vec<String> = here.map(|it| it.place().to_owned()).collect();
        match lines.is_empty() {
            true => vec![location.to_owned()],
            false => lines,
        }
    }
}

/// The finding, without the counts that only the campaign knows.
pub(super) fn finding(described: &Described<'_>, package: Package) -> Finding {
    let Described {
        prepared,
        suspicion,
        record,
        history,
    } = described;
    let judge = prepared.judge();
    let test = &prepared.test;
    let mut locations = described.locations();
    locations.truncate(MOST_LOCATIONS);
    let mut details = suspicion.details.clone();
    details.extend(older_writes::explanations(record));
    Finding {
        subject: test.subject.name.to_owned(),
        details,
        test: test.test.clone(),
        prefix: call_text::prefix(test.subject, &test.test),
        threads: call_text::threads(test.subject, &test.test),
        cancelled: cancelled_calls(&judge, record, history),
        turns: turns(&judge, record, history),
        compared: compared(&judge, suspicion),
        locations,
        interleaving: interleaving(&judge, record, history),
        schedule: Token::new(package, suspicion.kind, test, &record.schedule).encode(),
        preemptions: record.preemptions,
        fingerprint: fingerprint(&judge, suspicion, record, history),
        ..Finding::new(suspicion.kind, suspicion.message.as_str())
    }
}
