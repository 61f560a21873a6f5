//! What the values consist of that cross the wall: every field, by name, so that a new one is an error of the compiler
//! until it is here.

use std::sync::Arc;
use std::time::Duration;

use contest_data::atomic_sets::{AtomicSets, FieldSite};
use contest_data::coverage_counts::{CoverageCounts, CurvePoint, FieldMet};
use contest_data::dependencies::{Dependencies, PairDependency};
use contest_data::finding::{
    Allowed, CancelledCall, Compared, Finding, FindingKind, InterleavingStep, KnownBug, Level,
    LinkKind, StepEffect, StepFacts, StepLink, Turns,
};
use contest_data::gap::{Cut, Gap, Gaps, WeakMemory};
use contest_data::ladder::{Breadth, Checksum, Rung, RungTotals};
use contest_data::limits::MemoryModel;
use contest_data::observed::{Observed, OperationFact, PairFact, Sampled, Seen, SeenTogether};
use contest_data::orderings::{
    AtomicPlace, AtomicRole, MemoryOrder, OrderingChange, OrderingSettings,
};
use contest_data::own_tests::{OwnResult, OwnTestSettings, OwnVerdict, Together, WeakPart};
use contest_data::protocol::{Notice, Replayed, Reply, Request};
use contest_data::scenario::{Scenario, ScenarioOutcome, ScenarioReport};
use contest_data::settings::{Avoid, ModelChoice, Prunings, Settings, SizeBounds, UnseenOrder};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};
use contest_data::totals::{
    Alone, FailureAlone, Generation, PausedTest, PausedTests, Progress, SubjectTotals, Totals,
};

use crate::text::{Line, Malformed, Wire, Words};

macro_rules! records {
    ($($record:ident { $($field:ident),* $(,)? })*) => {$(
        impl Wire for $record {
            fn write(&self, line: &mut Line) {
                let Self { $($field),* } = self;
                $($field.write(line);)*
            }

            fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
                Ok(Self { $($field: Wire::read(words)?),* })
            }
        }
    )*};
}

macro_rules! choices {
    ($($choice:ident {
        $($variant:ident $(($part:ident))? $({ $($field:ident),* })?),* $(,)?
    })*) => {$(
        impl Wire for $choice {
            fn write(&self, line: &mut Line) {
                match self {
                    $(Self::$variant $(($part))? $({ $($field),* })? => {
                        line.word(stringify!($variant));
                        $($part.write(line);)?
                        $($($field.write(line);)*)?
                    })*
                }
            }

            fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
                let before = words.expected(concat!("a variant of ", stringify!($choice)));
                match words.word() {
                    $(stringify!($variant) => Ok(Self::$variant
                        $(({ let $part = Wire::read(words)?; $part }))?
                        $({ $($field: Wire::read(words)?),* })?),)*
                    _ => Err(before),
                }
            }
        }
    )*};
}

choices! {
    Request {
        Campaign(settings),
        Replay { token },
        Probe { test, schedule },
        Debug { token },
        Scenario(scenario),
        OwnTests(settings),
        OwnTest { name, schedule, token },
    }
    Notice { Found(bug), Stop }
    Reply {
        Hello { version, subjects, notes },
        Progress(progress),
        CampaignFinding { finding, bug },
        Finding(finding),
        Alone(alone),
        GeneratorPanicked { subject, number, panic },
        Done(totals),
        Scenario(report),
        OwnTests(names),
        OwnTest(result),
        OwnTestsDone { pairs, pairs_failed, pairs_left },
        Replayed(replayed),
        Token(token),
        Probed { ending },
        Refused(why),
    }
    FindingKind {
        Deadlock, Panic, Livelock, DataRace, UseAfterFree, DoubleFree, OutOfBounds, Leak, Abort,
        Invariant, NonLinearizable, WrongThread, LostWakeup, Cancellation, ReentrantWaker,
        Futurelock, Timing, Randomness, Interference, TornRead, Exit, Limit, Nondeterministic, Unsupported,
    }
    Level { Error, Warning }
    StepEffect {
        Other, Reads, Writes, Updates, Locks, Unlocks, Waits, Blocked, Wakes, Faults,
    }
    LinkKind { ReadsFrom, PassedOver, Unlocked, Woken, Message, WaitsFor, Conflict }
    MemoryModel { Sc, Rc11 }
    ModelChoice { Auto, Sc, Rc11 }
    AtomicRole { Load, Store, Update, Exchange, Fence }
    MemoryOrder { Relaxed, Acquire, Release, AcqRel, SeqCst }
    OwnVerdict { Ok, Failed, FailsSometimes, Ignored, NotRun }
    OperationFact { Reads, Writes, Locks, LocksMore }
    PairFact { Conflict, SameLock, Interleave, TakeTurns, OppositeLocks }
    Gap {
        Nondeterministic(what), Diverged, Outside(what), Cut(cut), Sampled(name), HeldBack,
        Background, Timeouts, Clock, Randomness(draws), Environment, SpuriousWake, Probes, Freed,
        Assembly, Unwinding, LateLocals, Addresses, LeftBehind, ManyThreads, Contended, WideAccess, WeakMemory(what),
        SerialOrders, Unjudged(why), Unsettled(message), Unwatched(why),
        Unmodelled(why),
    }
    Cut {
        Unfinished, Executions(most), Time, AllTime, TooLarge, Finding, Limit, Execution(why),
        Replayed,
    }
    WeakMemory {
        OtherOperations, Spins, Unwinds, TooLarge, SeveralCreators, ReusedMemory, Overlapping,
    }
    FailureAlone { Panics, Blocks, DoesNotEnd, EndsProcess, BreaksInvariant }
}

records! {
    Replayed { finding, ending, interleaving, diverged }
    ConcurrentTest { subject, objects, prefix, threads }
    TestObject { constructor, choices }
    TestCall { object, operation, choices }
    Finding {
        kind, level, subject, message, details, test, prefix, threads, cancelled, turns, compared, thread_names,
        locations, interleaving, preemptions, schedule, executions, elapsed_ms, fingerprint,
        own_test,
    }
    CancelledCall { lane, call, polls }
    Turns { lanes }
    Compared { results, observers }
    InterleavingStep { thread, call, event, location, caller, result, facts }
    StepFacts { number, object, field, effect, holds, links }
    StepLink { why, step }
    KnownBug { subject, kind, locations, operations, fingerprint }
    Allowed { kind, place, except }
    Settings {
        subjects, budget, steps, seed, strategy, memory_model, orderings, generator, dependencies,
        atomic_sets, prunings, size, fail_fast, shard, first_test, begun, go_on, later,
        report_paused, known, avoid, allow, warn, unseen_order, strict, behaviour, samples, watch_all,
        observe_all,
    }
    UnseenOrder { subject, operations }
    Avoid { subject, objects, operations, why }
    Prunings {
        unchanged, redundant_child, gain_without_change, redundant, published, long, pairs,
    }
    SizeBounds { threads, calls }
    Dependencies { subject, pairs, circles }
    PairDependency { left, right, conflict, parallel, deadlock, exact, rank }
    FieldSite { file, line, column, sets }
    OrderingSettings { changes, collect }
    OrderingChange { place, order, failure, fence_before }
    AtomicPlace { file, line, column, name, role, order, failure }
    Scenario {
        test, budget_ms, executions, seed, strategy, strict, observe, memory_model, orderings,
    }
    ScenarioReport { outcomes, executions, complete, gaps, draws, read_clock, only_sc, why, places }
    ScenarioOutcome { results, executions, judgement, is_bug }
    OwnTestSettings {
        package, executable, arguments, first, shard, budget_ms, overtime_ms, test_budget_ms, tests_after,
        executions, seed, strategy, memory_model, sampled, allow, warn,
        isolated, one_has_all, slow_has_more, passes_as_it_is, together,
    }
    Together { known, left_out, failing }
    OwnResult { name, verdict, complete, gaps, weak, allowed, executions, threads, draws, delays, random_executions, random_failures, sound, why }
    WeakPart { executions, complete, why }
    Progress { subject, test, begun, paused, smallest, totals }
    PausedTests { turn, rung, tests }
    PausedTest { place, executions, checksum }
    Totals { subjects, elapsed_ms }
    SubjectTotals {
        name, operations, never_concurrent, only_errors, pairs, pairs_pruned, tests, exhausted, drew, partly, cut,
        left_out, skipped, executions, watched, unobserved, contended, steps, decisions, findings, requirements,
        generation, overlapped, coverage, ladder, approximate, not_cancelled, behaviour, sampled, places,
    }
    Generation {
        calls, sequence_runs, sequences, traces_covered, traces_seen, first_search, states, pruned,
    }
    Alone { subject, calls, what, detail }
    Rung { lanes, prefix, breadth, two_objects, disturbed }
    RungTotals {
        rung, tests, exact, enumerated, redundant, checksum, begun, checksum_begun, complete,
        only_sc, drew, read_clock, partly, cut, left_out,
    }
    CoverageCounts {
        executions, all_executions, covered, by_pattern, by_strategy, bound, printed_bound,
        atomic_set, atomic_set_popl, by_atomic_set, apart, sites, variables, capped, fields,
        more_fields, curve,
    }
    CurvePoint { executions, milliseconds, covered }
    FieldMet { field, places, more_places, patterns }
    Observed { alone, together, dropped }
    Sampled { tests, executions, missed }
    Seen { operation, does, what, location }
    SeenTogether { operations, does, locations }
}

impl Wire for Breadth {
    fn write(&self, line: &mut Line) {
        self.0.write(line);
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        Wire::read(words).map(Self)
    }
}

impl Wire for Checksum {
    fn write(&self, line: &mut Line) {
        self.0.write(line);
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        Wire::read(words).map(Self)
    }
}

impl Wire for Gaps {
    fn write(&self, line: &mut Line) {
        self.iter().cloned().collect::<Vec<_>>().write(line);
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        let gaps = Vec::<Gap>::read(words)?;
        Ok(gaps.into_iter().collect())
    }
}

/// In milliseconds.
impl Wire for Duration {
    fn write(&self, line: &mut Line) {
        line.number(u64::try_from(self.as_millis()).unwrap_or(u64::MAX));
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        words.number().map(Self::from_millis)
    }
}

impl Wire for Arc<AtomicSets> {
    fn write(&self, line: &mut Line) {
        self.sites().write(line);
    }

    fn read(words: &mut Words<'_>) -> Result<Self, Malformed> {
        let sites = Vec::<FieldSite>::read(words)?;
        Ok(Self::new(AtomicSets::new(&sites)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{read, write};

    fn finding() -> Finding {
        let call = TestCall {
            object: 0,
            operation: 3,
            choices: vec![1, 2],
        };
        let facts = StepFacts {
            number: 2,
            object: "Mutex#1".to_owned(),
            effect: StepEffect::Locks,
            links: vec![StepLink {
                why: LinkKind::WaitsFor,
                step: 1,
            }],
            ..StepFacts::default()
        };
        Finding {
            test: ConcurrentTest {
                subject: 1,
                objects: vec![TestObject {
                    constructor: 0,
                    choices: Vec::new(),
                }],
                prefix: vec![call.clone()],
                threads: vec![vec![call.clone()], vec![call.clone(), call]],
            },
            interleaving: vec![InterleavingStep {
                thread: 1,
                call: Some(0),
                event: "lock \"a\"\\".to_owned(),
                facts: Some(facts),
                ..InterleavingStep::default()
            }],
            turns: Some(Turns::default()),
            ..Finding::new(FindingKind::Deadlock, "two\nlines")
        }
    }

    fn settings() -> Settings {
        let site = FieldSite {
            file: "src/lib.rs".to_owned(),
            line: 7,
            column: 16,
            sets: 0b10,
        };
        Settings {
            budget: Duration::from_millis(1500),
            atomic_sets: Arc::new(AtomicSets::new(&[site])),
            prunings: Prunings::NONE,
            allow: vec![Allowed::parse("data-race:src/ring.rs:12").unwrap()],
            shard: Some((1, 2)),
            memory_model: ModelChoice::Rc11,
            ..Settings::default()
        }
    }

    #[test]
    fn what_crosses_the_wall_is_what_was_sent() {
        let sent = settings();
        assert_eq!(read::<Settings>(&write(&sent)).unwrap(), sent);
        let sent = finding();
        assert_eq!(read::<Finding>(&write(&sent)).unwrap(), sent);
        let sent = OwnTestSettings::default();
        assert_eq!(read::<OwnTestSettings>(&write(&sent)).unwrap(), sent);
        let sent = Progress {
            totals: Totals {
                subjects: vec![SubjectTotals {
                    ladder: vec![RungTotals::default()],
                    cut: vec![("why".to_owned(), 3)],
                    ..SubjectTotals::default()
                }],
                elapsed_ms: 12,
            },
            paused: Some(vec![PausedTests {
                turn: 1,
                rung: Some(Rung::default()),
                tests: vec![PausedTest::default()],
            }]),
            ..Progress::default()
        };
        assert_eq!(read::<Progress>(&write(&sent)).unwrap(), sent);
    }

    #[test]
    fn every_reply_is_one_line_that_names_it() {
        let reply = Reply::CampaignFinding {
            finding: Box::new(finding()),
            bug: KnownBug {
                subject: 1,
                kind: FindingKind::DataRace,
                locations: vec!["src/lib.rs:1:2".to_owned()],
                operations: vec![1],
                fingerprint: "f".to_owned(),
            },
        };
        let line = write(&reply);
        assert!(line.starts_with("CampaignFinding Deadlock "), "{line}");
        assert!(!line.contains('\n'), "{line}");
        let back = read::<Reply>(&line).unwrap();
        assert_eq!(format!("{back:?}"), format!("{reply:?}"));
    }

    #[test]
    fn a_line_that_was_cut_or_changed_is_an_error_or_another_value_never_a_panic() {
        let line = write(&Reply::Finding(Box::new(finding())));
        for end in (0..line.len() - 1).filter(|&end| line.is_char_boundary(end)) {
            let cut = read::<Reply>(&line[..end]);
            // Without its last word, a `]`, `-` or text, nothing is whole.
            assert!(cut.is_err(), "{end}: {}", &line[..end]);
        }
        for at in 0..line.len() {
            for byte in [b' ', b'"', b'\\', b'[', b']', b'9', b'+'] {
                let mut changed = line.clone().into_bytes();
                changed[at] = byte;
                let _ = read::<Reply>(&String::from_utf8_lossy(&changed));
            }
        }
    }

    #[test]
    fn an_unknown_variant_is_an_error() {
        let error = read::<Request>("Replai \"t\"").unwrap_err().to_string();
        assert_eq!(error, "expected a variant of Request at byte 0");
    }
}
