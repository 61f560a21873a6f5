//! Settings and counters of PCR.

use crate::coverage::Contents;
use crate::research::predict::{FilterRules, ForesightCounts, ForesightLimits};

/// Settings of PCR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcrSettings {
    /// Whether the data that locks protect counts as variables.
    pub contents: Contents,
    /// The filter rules.
    pub rules: FilterRules,
    /// Bounds of a trace.
    pub limits: ForesightLimits,
    /// Most traces in the queue.
    pub traces: usize,
    /// Most queries about one pattern until it is covered.
    pub attempts: u32,
    /// Covered patterns are queried again with other values written, later the more often they were queried. Rule 2
    /// alone would never reach such states.
    pub states: bool,
    /// Where only the values of counters make a pattern infeasible, plan as if no step depended on them; such plans are
    /// tentative.
    pub tentative: bool,
    /// Clauses held by the solvers of all waiting traces; beyond that, solvers are discarded and rebuilt when needed.
    pub held_clauses: u64,
    /// Events held by all waiting traces; beyond that, new traces are dropped.
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

/// Counters of PCR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PcrCounts {
    /// Executions by a planned schedule.
    pub planned: u64,
    /// Starting executions, without a plan.
    pub random: u64,
    /// Tentative executions; not counted among the planned ones.
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
    /// Planned executions that followed the plan without covering the pattern: it needs a branch on a value that is not
    /// in the trace.
    pub unrealised: u64,
    /// Executions from which nothing new can be predicted, because each thread did what it had done before.
    pub equivalent: u64,
    /// Traces dropped because the queue was full.
    pub dropped: u64,
    /// Solvers discarded because they held too many clauses in total.
    pub let_go: u64,
    /// Patterns left out by each filter rule.
    pub filtered: [u64; 6],
    /// Accesses and patterns beyond the limits.
    pub capped: u64,
    /// Patterns given up after too many queries.
    pub exhausted: u64,
    /// Threads and variables that models leave out or fix.
    pub cuts: u64,
    /// Queries and their cost.
    pub questions: ForesightCounts,
}

impl PcrCounts {
    /// The counters with their names in reports.
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
            ("pcr: constraint systems solved", questions.queries),
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
