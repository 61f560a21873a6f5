//! What a reader has to look at first in an interleaving: between which two lines a call was interrupted and what came
//! in between, which notifications were in vain, where a future was dropped. Only what the steps of the finding say.

use std::collections::BTreeSet;

use contest_data::finding::{
    Finding, FindingKind, InterleavingStep, LinkKind, StepEffect, interruptions,
};

use super::figures::counted;

/// Most interruptions that are described.
const MOST: usize = 2;
/// Most steps of other threads that are named for one.
const MOST_BETWEEN: usize = 3;

/// Sentences about an interleaving, and the places that they name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurningPoints {
    /// Sentences.
    pub notes: Vec<String>,
    /// `src/lib.rs:10:5`, in the order of the sentences, each once.
    pub places: Vec<String>,
}

/// Where to look in a finding, the first place first: in every format.
#[must_use]
pub fn places_of(finding: &Finding) -> Vec<String> {
    TurningPoints::of(finding).and_places_of(finding)
}

impl TurningPoints {
    /// Those of a finding.
    #[must_use]
    pub fn of(finding: &Finding) -> Self {
        let mut points = Self::default();
        let steps = &finding.interleaving;
        if interruption_tells(finding) {
            // A call that sees a mixture changes nothing.
            let reads_count = finding.kind == FindingKind::TornRead;
            let all = interruptions(steps).into_iter();
            let mut all: Vec<Interruption<'_>> = all
                .filter_map(|(before, after)| Interruption::of(steps, before, after, reads_count))
                .collect();
            if finding.kind.is_wrong_result() {
                // By other calls first: background threads come between where they do no harm, too.
                all.sort_by_key(|it| !it.between.iter().any(|step| step.call.is_some()));
            }
            for it in all.iter().take(MOST) {
                it.describe(&mut points);
            }
        }
        points.taken(steps);
        points.in_vain(steps);
        points.dropped(finding);
        points
    }

    /// The places of a finding with those of its turning points, each once. A wrong result has no place of its own:
    /// what was looked at and acted on comes first.
    #[must_use]
    pub fn and_places_of(&self, finding: &Finding) -> Vec<String> {
        let (first, then) = match finding.kind {
            kind if kind.is_wrong_result() => (&self.places, &finding.locations),
            _ => (&finding.locations, &self.places),
        };
        let mut places: Vec<String> = Vec::new();
        for place in first.iter().chain(then) {
            if !places.contains(place) {
                places.push(place.clone());
            }
        }
        places
    }

    fn name<'a>(&mut self, step: &'a InterleavingStep) -> &'a str {
        let place = place(step);
        if !self.places.iter().any(|it| it == place) {
            self.places.push(place.to_owned());
        }
        place
    }

    /// Where what threads wait for at the end was taken; the details of the finding say it in words.
    fn taken(&mut self, steps: &[InterleavingStep]) {
        for facts in steps.iter().filter_map(|it| it.facts.as_ref()) {
            if facts.effect != StepEffect::Blocked {
                continue;
            }
            for link in facts.links.iter().filter(|it| it.why == LinkKind::WaitsFor) {
                let is_linked = |it: &&InterleavingStep| {
                    it.facts.as_ref().map(|it| it.number) == Some(link.step)
                };
                let step = steps.iter().find(is_linked);
                if let Some(step) = step.filter(|it| !place(it).is_empty()) {
                    self.name(step);
                }
            }
        }
    }

    /// Who waits at the end for an object, and where that was notified before.
    fn in_vain(&mut self, steps: &[InterleavingStep]) {
        let mut seen = BTreeSet::new();
        for blocked in steps.iter().filter(|it| effect(it) == StepEffect::Blocked) {
            let object = object(blocked);
            if object.is_empty() || !seen.insert(object) {
                continue;
            }
            for step in steps {
                let wakes = step.event.contains(".notify_") || effect(step) == StepEffect::Wakes;
                if self::object(step) != object || !wakes || place(step).is_empty() {
                    continue;
                }
                let at = self.name(step);
                let note = format!("{object} was notified at {at}: `{}`", step.event);
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
        }
    }

    /// Where the futures of cancelled calls were dropped, and the last thing that the call had done.
    fn dropped(&mut self, finding: &Finding) {
        for cancelled in &finding.cancelled {
            let (thread, call) = (cancelled.lane + 1, Some(cancelled.call));
            let own = |it: &&InterleavingStep| it.thread == thread && it.call == call;
            let steps: Vec<_> = finding.interleaving.iter().filter(own).collect();
            let drop = steps
                .iter()
                .position(|it| it.event.starts_with("the future is dropped"));
            let Some(drop) = drop else { continue };
            let calls = finding.threads.get(usize::from(cancelled.lane));
            let Some(text) = calls.and_then(|it| it.get(usize::from(cancelled.call))) else {
                continue;
            };
            let mut done = steps[..drop].iter().rev();
            let done = done.find(|it| changes(it) && !place(it).is_empty());
            let after = done.map_or_else(String::new, |step| {
                format!(", after `{}` at {}", step.event, self.name(step))
            });
            // A future that does nothing visible before it waits leaves no place.
            let at = match place(steps[drop]) {
                "" => "an `await`",
                _ => self.name(steps[drop]),
            };
            self.notes.push(format!("{text} is dropped at {at}{after}"));
        }
    }
}

/// Where the accesses of the fault, or the locks that are held, do not say it already.
fn interruption_tells(finding: &Finding) -> bool {
    let mut details = finding.details.iter();
    match finding.kind {
        FindingKind::DataRace | FindingKind::WrongThread | FindingKind::Livelock => false,
        FindingKind::Deadlock => !details.any(|it| it.contains(", held by ")),
        _ => true,
    }
}

/// A call that looks at something and later acts on it, while another thread changes it in between.
struct Interruption<'a> {
    /// Looks.
    check: &'a InterleavingStep,
    /// Acts.
    act: &'a InterleavingStep,
    /// What changes something in between, or reads it in a call where that counts; the last of it.
    between: Vec<&'a InterleavingStep>,
    /// Such steps that came before these.
    earlier: usize,
}

impl<'a> Interruption<'a> {
    /// The one between these steps of one call; `None` if what came in between has nothing to do with it.
    fn of(
        steps: &'a [InterleavingStep],
        before: usize,
        after: usize,
        reads_count: bool,
    ) -> Option<Self> {
        let (thread, call) = (steps[before].thread, steps[before].call);
        let own = |it: &&InterleavingStep| {
            it.thread == thread && it.call == call && !place(it).is_empty()
        };
        let earlier = || steps[..=before].iter().filter(own);
        let later = || steps[after..].iter().filter(own);
        let others = || {
            let between = steps[before + 1..after].iter();
            between.filter(|it| it.thread != thread && !object(it).is_empty())
        };
        let objects = |of: &mut dyn Iterator<Item = &'a InterleavingStep>| -> BTreeSet<&'a str> {
            of.map(object).filter(|it| !it.is_empty()).collect()
        };
        let there = objects(&mut others());
        let looked: BTreeSet<_> = &objects(&mut earlier()) & &there;
        let acted: BTreeSet<_> = &objects(&mut later()) & &there;
        if looked.is_empty() || acted.is_empty() {
            return None;
        }
        let both: BTreeSet<_> = &looked & &acted;
        let (looked, acted) = if both.is_empty() {
            (looked, acted)
        } else {
            (both.clone(), both)
        };
        let act = later().find(|it| acted.contains(object(it)))?;
        let looks = |it: &&InterleavingStep| looked.contains(object(it));
        // Steps of a dependency that one place in the package called are one call, such as the lock of an async
        // runtime: what it was called for was looked at before it.
        let is_inside = |it: &&InterleavingStep| it.caller.is_some() && it.caller == act.caller;
        let check = earlier().rfind(|it| looks(it) && !is_inside(it));
        let check = check.or_else(|| earlier().rfind(looks))?;
        let mut between: Vec<_> = others()
            .filter(|it| looked.contains(object(it)) || acted.contains(object(it)))
            .filter(|it| changes(it) || reads_count && it.call.is_some())
            .filter(|it| !place(it).is_empty())
            .collect();
        // What came last is what the act meets.
        let first = between.len().saturating_sub(MOST_BETWEEN);
        between.drain(..first);
        (!between.is_empty()).then_some(Self {
            check,
            act,
            between,
            earlier: first,
        })
    }

    fn describe(&self, points: &mut TurningPoints) {
        let (check, act) = (points.name(self.check), points.name(self.act));
        let mut between = Vec::new();
        let mut last = None;
        for step in &self.between {
            let thread = match last {
                Some(last) if last == step.thread => String::new(),
                _ => format!("thread {} does ", step.thread),
            };
            last = Some(step.thread);
            between.push(format!("{thread}`{}` at {}", step.event, points.name(step)));
        }
        let more = match self.earlier {
            0 => String::new(),
            earlier => format!(", after {}", counted(earlier as u64, "other step")),
        };
        points.notes.push(format!(
            "thread {} is interrupted between {check} (`{}`) and {act} (`{}`); meanwhile {}{more}",
            self.check.thread,
            self.check.event,
            self.act.event,
            between.join(", ")
        ));
    }
}

fn changes(step: &InterleavingStep) -> bool {
    matches!(
        effect(step),
        StepEffect::Writes
            | StepEffect::Updates
            | StepEffect::Locks
            | StepEffect::Wakes
            | StepEffect::Faults
    )
}

fn effect(step: &InterleavingStep) -> StepEffect {
    step.facts
        .as_ref()
        .map_or(StepEffect::Other, |it| it.effect)
}

fn object(step: &InterleavingStep) -> &str {
    step.facts.as_ref().map_or("", |it| &it.object)
}

/// The line of the package, if it is known.
fn place(step: &InterleavingStep) -> &str {
    step.caller.as_deref().unwrap_or(&step.location)
}

#[cfg(test)]
mod tests;
