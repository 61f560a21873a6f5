//! What PCR can be told, and what it counts.

use crate::coverage::Contents;
use crate::research::predict::{FilterRules, ForesightCounts, ForesightLimits};

/// What the strategy does and does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcrSettings {
    /// Whether what locks protect counts as variables.
    pub contents: Contents,
    /// The filter rules.
    pub rules: FilterRules,
    /// Bounds of a trace.
    pub limits: ForesightLimits,
    /// Traces waiting to be asked about.
    pub traces: usize,
    /// Questions about one pattern until it is covered.
    pub attempts: u32,
    /// Covered patterns are asked for again with other values written, the later the more often they were asked for. Rule 2 alone would
    /// leave such states out for good.
    pub states: bool,
    /// Where only counters are in the way, what an addition returned is taken to be of no consequence: such plans are tentative.
    pub tentative: bool,
    /// Clauses held by the solvers of all waiting traces; beyond, solvers are let go and built anew when needed.
    pub held_clauses: u64,
    /// Events held by all waiting traces; beyond, new traces are dropped.
    pub held_events: u64,
    /// Random executions in a row that show nothing new before the strategy ends; 0: never.
    pub idle: u32,
}

impl Default for PcrSettings {
    fn default() -> Self {
        Self {
            contents: Contents::Counted,
            rules: FilterRules::default(),
            limits: ForesightLimits::default(),
            traces: 64,
            attempts: 24,
            states: true,
            tentative: true,
            held_clauses: 2_000_000,
            held_events: 1_000_000,
            idle: 0,
        }
    }
}

/// What became of it all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PcrCounts {
    /// Executions by a planned schedule.
    pub planned: u64,
    /// Executions by no plan: those it starts from.
    pub random: u64,
    /// Planned executions that took additions to be of no consequence; not among the others.
    pub tentative: u64,
    /// Of these, executions in which the pattern was shown.
    pub tentative_realised: u64,
    /// Of these, executions that could not be followed.
    pub tentative_diverged: u64,
    /// Planned executions in which the pattern was shown.
    pub realised: u64,
    /// Planned executions that could not be followed, because a thread did something else.
    pub different: u64,
    /// Planned executions that could not be followed, because a thread was blocked or spun.
    pub blocked: u64,
    /// Planned executions that were followed, and the pattern was not shown: what it needs lies behind a branch on something unseen.
    pub unrealised: u64,
    /// Executions that foretell nothing new, since their threads did what they had done before.
    pub equivalent: u64,
    /// Traces dropped because too many were waiting, or too long ones.
    pub dropped: u64,
    /// Solvers let go because all together held too many clauses.
    pub let_go: u64,
    /// Patterns left out by each filter rule.
    pub filtered: [u64; 6],
    /// Accesses and patterns that the caps cut off.
    pub capped: u64,
    /// Patterns given up after too many questions.
    pub exhausted: u64,
    /// Threads and variables that models leave out or fix.
    pub cuts: u64,
    /// What was asked.
    pub questions: ForesightCounts,
}

impl PcrCounts {
    /// In words, as strategies report what they count.
    #[must_use]
    pub fn in_words(&self) -> Vec<(&'static str, u64)> {
        let questions = &self.questions;
        vec![
            ("pcr: planned executions", self.planned),
            (
                "pcr: planned executions that showed their pattern",
                self.realised,
            ),
            (
                "pcr: planned executions that diverged",
                self.different + self.blocked,
            ),
            ("pcr: tentative executions", self.tentative),
            (
                "pcr: tentative executions that showed their pattern",
                self.tentative_realised,
            ),
            (
                "pcr: tentative executions that diverged",
                self.tentative_diverged,
            ),
            ("pcr: starting executions", self.random),
            ("pcr: constraint systems solved", questions.asked),
            (
                "pcr: questions spared by unsatisfiable cores",
                questions.forbidden,
            ),
            ("pcr: questions the solver gave up", questions.gave_up),
            (
                "pcr: windows halved at the limit of clauses",
                questions.too_large,
            ),
            (
                "pcr: steps of long executions not looked at",
                questions.unseen_steps,
            ),
            (
                "pcr: patterns left out by the filter rules",
                self.filtered.iter().sum(),
            ),
            ("pcr: accesses and patterns beyond the limits", self.capped),
            ("pcr: patterns given up", self.exhausted),
            (
                "pcr: executions dropped at the limit of memory",
                self.dropped,
            ),
            ("pcr: solvers let go at the limit of memory", self.let_go),
            (
                "pcr: threads and variables not modelled to their end",
                self.cuts,
            ),
        ]
    }
}
