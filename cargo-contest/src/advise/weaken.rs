//! Weaker orderings of a type without bugs.

use contest_catalog::ordering_advice::Relaxations;
use contest_data::orderings::AtomicPlace;

use super::candidates::weaker;
use super::trials::{Shown, Trials, known_bugs};

/// Tries each place in turn, from the weakest orderings on, and keeps what leaves every test complete and clean beside
/// what was kept before. What comes out cannot be weakened further at one place alone; with the places in another
/// order it may be another set.
///
/// # Errors
/// If a trial cannot be run.
pub fn relax<T: Trials>(trials: &mut T, places: &[AtomicPlace]) -> Result<Relaxations, T::Error> {
    let mut out = Relaxations::default();
    'places: for place in places {
        let candidates = weaker(place);
        if candidates.is_empty() {
            continue;
        }
        for candidate in candidates {
            let mut changes = out.accepted.clone();
            changes.push(candidate.clone());
            out.trials += 1;
            let mut shown = known_bugs(trials, &changes)?;
            if shown == Shown::Clean {
                shown = trials.all_tests(&changes)?;
            }
            match shown {
                Shown::Clean => {
                    out.accepted = changes;
                    continue 'places;
                }
                Shown::Bug | Shown::Unfinished(_) => {}
                Shown::NoTime => {
                    out.untried.push(place.clone());
                    continue 'places;
                }
            }
        }
        out.needed.push(place.clone());
    }
    Ok(out)
}
