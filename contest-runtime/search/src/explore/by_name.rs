//! The strategies by name, as plain values.

use std::sync::Arc;

use crate::research::{MapTest, Mcr, PatternSet, Pcr, Pta};
use crate::strategies::{
    Budget, Communications, Dfs, Dpor, Graphs, Member, Pct, Portfolio, Pos, Random, Stale,
    SwitchOnce, SwitchTwice, Urw, WholeCalls,
};
use contest_data::atomic_sets::AtomicSets;
use contest_data::decision::Strategy;
use contest_data::limits::MemoryModel;
use contest_data::names::STRATEGIES;

/// Preemptions of the bounded search.
const DFS_BOUND: u32 = 2;
/// Ordering constraints of a bug that PCT aims at.
const PCT_DEPTH: u32 = 3;
/// The members of the portfolio with their shares of the executions. A systematic search of a large test covers only a
/// corner of it, so most executions are sampled.
const MIX: [(&str, u32); 5] = [
    ("surw", 3),
    ("urw", 2),
    ("pct", 2),
    ("patient", 2),
    ("dfs", 3),
];
/// The same under a weak memory model, where each takes older writes at random.
const WEAK_MIX: [(&str, u32); 5] = [
    ("switch-once", 2),
    ("surw", 3),
    ("urw", 2),
    ("random", 1),
    ("pct", 2),
];
/// The strategies that take turns in an exploration that goes on again and again, with their shares: executions that
/// differ most come first.
const TURNS: [(&str, u32); 9] = [
    ("dpor", 4),
    ("calls", 8),
    ("switch-once", 8),
    ("switch-twice", 4),
    ("patient", 1),
    ("surw", 2),
    ("pct", 1),
    ("urw", 1),
    ("pcr", 1),
];
/// Percent of the time that `auto` gives to DPOR. If DPOR explores everything, the others are not needed; if it
/// estimates that it cannot, it ends early and the others get the rest of its budget.
const EXHAUSTIVE_TIME: u32 = 50;
/// Percent of the executions and of the time that `auto` gives to PCR after that: planned executions of unseen patterns
/// come before sampling.
const PLANNED: u32 = 10;
/// Percent of the executions and of the time that `auto` gives to the portfolio in the end.
const SAMPLED: u32 = 40;

fn member(name: &str, weight: u32, seed: u64, executions: u64) -> Option<Member> {
    let (name, strategy): (_, Box<dyn Strategy>) = match name {
        "dpor" => ("dpor", Box::new(Dpor::new())),
        "dfs" => ("dfs", Box::new(Dfs::new(Some(DFS_BOUND)))),
        "switch-once" => ("switch-once", Box::new(SwitchOnce::new())),
        "switch-twice" => ("switch-twice", Box::new(SwitchTwice::new())),
        "calls" => ("calls", Box::new(WholeCalls::new(seed, executions))),
        "random" => ("random", Box::new(Random::new(seed, executions))),
        "pct" => ("pct", Box::new(Pct::new(seed, PCT_DEPTH, executions))),
        "patient" => {
            let patient = Pct::patient(seed, PCT_DEPTH, executions);
            ("patient", Box::new(patient))
        }
        "pos" => ("pos", Box::new(Pos::new(seed, executions))),
        "urw" => ("urw", Box::new(Urw::new(seed, executions))),
        "surw" => ("surw", Box::new(Urw::selective(seed, executions))),
        "pcr" => ("pcr", Box::new(Pcr::new(seed, executions))),
        "mcr" => ("mcr", Box::new(Mcr::new(seed, executions))),
        "maptest" => ("maptest", Box::new(MapTest::new(seed, executions))),
        _ => {
            let known = STRATEGIES.iter().find(|(known, _)| *known == name)?;
            (known.0, Box::new(Pta::new(pta_patterns(name)?, executions)))
        }
    };
    Some(Member {
        name,
        strategy,
        weight,
        exhaustive: name == "dpor",
    })
}

/// The patterns that the strategies `pta…` predict; `None` for other strategies.
#[must_use]
pub fn pta_patterns(name: &str) -> Option<PatternSet> {
    match name {
        "pta" => Some(PatternSet::Eleven),
        "pta14" => Some(PatternSet::Fourteen),
        "pta32" => Some(PatternSet::All),
        _ => None,
    }
}

fn mix(seed: u64, executions: u64) -> Vec<Member> {
    let parts = MIX.iter();
    parts
        .filter_map(|&(name, weight)| member(name, weight, seed, executions))
        .collect()
}

/// The strategy of this name from [`STRATEGIES`], within a budget.
///
/// # Errors
/// The name, if there is no such strategy.
///
/// # Examples
/// ```
/// use contest_data::decision::Strategy;
/// use contest_search::explore::{Budget, named};
///
/// let mut strategy = named("auto", 1, Budget::executions(100)).unwrap();
/// assert!(strategy.begin());
/// assert!(named("luck", 1, Budget::executions(100)).is_err());
/// ```
pub fn named(name: &str, seed: u64, budget: Budget) -> Result<Portfolio, String> {
    grouped(name, seed, budget, &Arc::default())
}

/// As [`named`]; for strategies that use atomic sets.
///
/// # Errors
/// The name, if there is no such strategy.
pub(super) fn grouped(
    name: &str,
    seed: u64,
    budget: Budget,
    sets: &Arc<AtomicSets>,
) -> Result<Portfolio, String> {
    let stages = match name {
        "auto" => {
            let exhaustive = budget.part(100, EXHAUSTIVE_TIME);
            let planned = budget.part(PLANNED, PLANNED);
            let sampled = budget.part(SAMPLED, SAMPLED);
            // They get more than their shares if DPOR gives up early.
            let most = budget.executions.saturating_mul(2);
            let pcr = member("pcr", 1, seed, most);
            let first = member("dpor", 1, seed, exhaustive.executions);
            vec![
                (exhaustive, first.into_iter().collect()),
                (planned, pcr.into_iter().collect()),
                (sampled, mix(seed, most)),
            ]
        }
        "portfolio" => vec![(budget, mix(seed, budget.executions))],
        _ => {
            let mut only =
                member(name, 1, seed, budget.executions).ok_or_else(|| name.to_owned())?;
            if let Some(patterns) = pta_patterns(name) {
                only.strategy =
                    Box::new(Pta::new(patterns, budget.executions).grouped(sets.clone()));
            }
            vec![(budget, vec![only])]
        }
    };
    Ok(Portfolio::new(stages))
}

/// The strategy of this name for an exploration that goes on again and again, for at most so many executions: `auto` is
/// several strategies in turns, so that all of them have a part in the first executions.
///
/// # Errors
/// The name, if there is no such strategy.
pub(super) fn in_turns(
    name: &str,
    seed: u64,
    executions: u64,
    sets: &Arc<AtomicSets>,
) -> Result<Portfolio, String> {
    let budget = Budget::executions(executions);
    if name != "auto" {
        return grouped(name, seed, budget, sets);
    }
    let members = turns(|_| true, seed, executions);
    Ok(Portfolio::new(vec![(budget, members)]))
}

/// The strategies that take turns, of those whose names are wanted.
fn turns(wanted: impl Fn(&str) -> bool, seed: u64, executions: u64) -> Vec<Member> {
    (TURNS.iter().filter(|(name, _)| wanted(name)))
        .filter_map(|&(name, weight)| member(name, weight, seed, executions))
        .collect()
}

/// The strategies that take turns under `auto`, without the one that plans its executions: planning one of an execution
/// of a thousand steps takes longer than running dozens.
#[must_use]
pub(super) fn unplanned(seed: u64, budget: Budget) -> Portfolio {
    let members = turns(|name| name != "pcr", seed, budget.executions);
    Portfolio::new(vec![(budget, members)])
}

/// Depth-first, with at most this many preemptions; where one is enough, in turns with the executions that have one
/// where it may make a difference.
#[must_use]
pub(super) fn bounded(preemptions: u32, budget: Budget, model: MemoryModel) -> Portfolio {
    let all = Member {
        name: "dfs",
        strategy: Box::new(Dfs::new(Some(preemptions)).under(model)),
        weight: 1,
        exhaustive: false,
    };
    let once = (preemptions == 1 && model == MemoryModel::Sc)
        .then(|| member("switch-once", 1, 0, budget.executions));
    let members = once.flatten().into_iter().chain([all]).collect();
    Portfolio::new(vec![(budget, members)])
}

/// As [`named`], under RC11: `dpor` is every execution graph once, `auto` is that and then sampling, and strategies
/// that pick threads take older writes at random.
///
/// # Errors
/// The name, if there is no such strategy.
pub(super) fn weak(name: &str, seed: u64, budget: Budget) -> Result<Portfolio, String> {
    let exhaustive = |budget: Budget| {
        let only = Member {
            name: "graphs",
            strategy: Box::new(Graphs::new()),
            weight: 1,
            exhaustive: true,
        };
        (budget, vec![only])
    };
    let sampled = |budget: Budget, most: u64| {
        let members = WEAK_MIX.iter();
        let members = members.filter_map(|&(name, weight)| {
            let member = member(name, weight, seed, most)?;
            Some(stale(member, seed))
        });
        let first = std::iter::once(communications(seed, most));
        (budget, first.chain(members).collect::<Vec<_>>())
    };
    let stages = match name {
        "auto" => vec![
            exhaustive(budget.part(100, EXHAUSTIVE_TIME)),
            sampled(
                budget.part(100 - EXHAUSTIVE_TIME, 100 - EXHAUSTIVE_TIME),
                budget.executions.saturating_mul(2),
            ),
        ],
        "dpor" => vec![exhaustive(budget)],
        "portfolio" => vec![sampled(budget, budget.executions)],
        _ => {
            let only = member(name, 1, seed, budget.executions).ok_or_else(|| name.to_owned())?;
            let only = if name == "dfs" {
                let strategy = Dfs::new(Some(DFS_BOUND)).under(MemoryModel::Rc11);
                Member {
                    strategy: Box::new(strategy),
                    ..only
                }
            } else {
                stale(only, seed)
            };
            vec![(budget, vec![only])]
        }
    };
    Ok(Portfolio::new(stages))
}

/// As [`in_turns`], under RC11.
///
/// # Errors
/// The name, if there is no such strategy.
pub(super) fn weak_in_turns(name: &str, seed: u64, executions: u64) -> Result<Portfolio, String> {
    let budget = Budget::executions(executions);
    if name != "auto" {
        return weak(name, seed, budget);
    }
    let graphs = Member {
        name: "graphs",
        strategy: Box::new(Graphs::new()),
        weight: 4,
        exhaustive: true,
    };
    let members = WEAK_MIX.iter();
    let members = members.filter_map(|&(name, weight)| {
        let member = member(name, weight, seed, executions)?;
        Some(stale(member, seed))
    });
    let first = [graphs, communications(seed, executions)];
    let members = first.into_iter().chain(members).collect();
    Ok(Portfolio::new(vec![(budget, members)]))
}

/// Few reads that communicate.
fn communications(seed: u64, executions: u64) -> Member {
    Member {
        name: "pctwm",
        strategy: Box::new(Communications::new(seed, executions)),
        weight: 4,
        exhaustive: false,
    }
}

/// The same, taking older writes at random.
fn stale(member: Member, seed: u64) -> Member {
    Member {
        strategy: Box::new(Stale::new(member.strategy, seed)),
        ..member
    }
}
