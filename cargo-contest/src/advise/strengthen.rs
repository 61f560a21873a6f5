//! The smallest sets of stronger orderings, or of fences, that remove the bugs of a type.

use contest_catalog::ordering_advice::{Repair, Repairs};
use contest_data::orderings::{AtomicPlace, OrderingChange};

use super::candidates::{between, fenced, strongest};
use super::trials::{Shown, Trials, known_bugs};

/// Most places of a set that is searched for; a larger one is only what is left when places are taken out of all.
const LARGEST: usize = 3;
/// Most sets of one size that are confirmed.
const MOST_SETS: usize = 8;

struct Search<'t, T: Trials> {
    trials: &'t mut T,
    count: u64,
    out_of_time: bool,
}

impl<T: Trials> Search<'_, T> {
    /// True if no test that is known to show a bug shows one.
    fn removes_known(&mut self, changes: &[OrderingChange]) -> Result<bool, T::Error> {
        self.count += 1;
        Ok(match known_bugs(self.trials, changes)? {
            Shown::Clean | Shown::Unfinished(_) => true,
            Shown::Bug => false,
            Shown::NoTime => {
                self.out_of_time = true;
                false
            }
        })
    }

    /// The set with weaker orderings where these do as well, and what all tests show of it; `None` if it does not
    /// remove every bug.
    fn confirm(&mut self, mut set: Vec<OrderingChange>) -> Result<Option<Repair>, T::Error> {
        loop {
            if !self.removes_known(&set)? {
                return Ok(None);
            }
            let strongest = set.clone();
            for at in 0..set.len() {
                for weaker in between(&strongest[at]) {
                    let mut other = set.clone();
                    other[at] = weaker;
                    if self.removes_known(&other)? {
                        set = other;
                        break;
                    }
                }
            }
            if self.out_of_time {
                return Ok(None);
            }
            self.count += 1;
            let unfinished = match self.trials.all_tests(&set)? {
                Shown::Clean => None,
                Shown::Unfinished(why) => Some(why),
                // One more test is known to show a bug.
                Shown::Bug => {
                    set = strongest;
                    continue;
                }
                Shown::NoTime => {
                    self.out_of_time = true;
                    return Ok(None);
                }
            };
            return Ok(Some(Repair {
                changes: set,
                unfinished,
            }));
        }
    }
}

/// Searches sets of these places by their size. At least one test is known to show a bug.
///
/// # Errors
/// If a trial cannot be run.
pub fn strengthen<T: Trials>(trials: &mut T, places: &[AtomicPlace]) -> Result<Repairs, T::Error> {
    let mut search = Search {
        trials,
        count: 0,
        out_of_time: false,
    };
    let mut out = Repairs::default();
    let all: Vec<OrderingChange> = places.iter().filter_map(strongest).collect();
    let everything = search.removes_known(&all)?;
    if !everything {
        out.other_cause = !search.out_of_time;
    } else {
        out = by_size(&mut search, &all, LARGEST, |_| true)?;
        if out.sets.is_empty() && !search.out_of_time {
            out.sets = what_is_left(&mut search, all.clone())?
                .into_iter()
                .collect();
        }
        let largest = out.sets.first().map_or(LARGEST, |set| set.changes.len());
        let fences = places.iter().filter_map(fenced);
        let single: Vec<OrderingChange> = all.into_iter().chain(fences).collect();
        let has_fence =
            |set: &[OrderingChange]| set.iter().any(|change| change.fence_before.is_some());
        if !search.out_of_time {
            let fenced = by_size(&mut search, &single, largest.min(LARGEST), has_fence)?;
            out.with_fences = fenced.sets;
            out.more |= fenced.more;
        }
    }
    out.trials = search.count;
    out.out_of_time = search.out_of_time;
    out.more |= search.out_of_time;
    Ok(out)
}

/// The sets of the smallest size for which there are any that are wanted.
fn by_size<T: Trials>(
    search: &mut Search<'_, T>,
    single: &[OrderingChange],
    largest: usize,
    wanted: impl Fn(&[OrderingChange]) -> bool,
) -> Result<Repairs, T::Error> {
    let mut out = Repairs {
        smallest: true,
        ..Repairs::default()
    };
    for size in 1..=largest.min(single.len()) {
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            let set: Vec<OrderingChange> = chosen.iter().map(|&at| single[at].clone()).collect();
            let mut pairs = set.iter().enumerate();
            let twice = pairs.any(|(at, one)| set[..at].iter().any(|it| it.place == one.place));
            if !twice
                && wanted(&set)
                && search.removes_known(&set)?
                && let Some(repair) = search.confirm(set)?
            {
                out.sets.push(repair);
            }
            if search.out_of_time {
                out.smallest = !out.sets.is_empty();
                return Ok(out);
            }
            let is_last = !next_choice(&mut chosen, single.len());
            if out.sets.len() == MOST_SETS && !is_last {
                out.more = true;
                return Ok(out);
            }
            if is_last {
                break;
            }
        }
        if !out.sets.is_empty() {
            return Ok(out);
        }
    }
    out.smallest = false;
    Ok(out)
}

/// The next choice of as many out of `of`, in lexical order; false if that was the last one.
fn next_choice(chosen: &mut [usize], of: usize) -> bool {
    let size = chosen.len();
    let Some(at) = (0..size).rev().find(|&at| chosen[at] < of - (size - at)) else {
        return false;
    };
    chosen[at] += 1;
    for later in at + 1..size {
        chosen[later] = chosen[later - 1] + 1;
    }
    true
}

/// Takes one place after another out of all of them, as long as the rest removes every bug.
fn what_is_left<T: Trials>(
    search: &mut Search<'_, T>,
    all: Vec<OrderingChange>,
) -> Result<Option<Repair>, T::Error> {
    let mut set = all;
    let mut at = 0;
    while at < set.len() {
        let mut fewer = set.clone();
        fewer.remove(at);
        if search.removes_known(&fewer)? {
            set = fewer;
        } else {
            at += 1;
        }
        if search.out_of_time {
            return Ok(None);
        }
    }
    search.confirm(set)
}
