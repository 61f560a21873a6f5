//! What the search tries, and what that shows.

use contest_data::orderings::OrderingChange;

/// What a trial showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Nothing is wrong, and everything was explored.
    Clean,
    /// Nothing is wrong in what was explored, which is not everything: why.
    Unfinished(String),
    /// A bug.
    Bug,
    /// The time is over: it was not run, or not to its end.
    NoTime,
}

/// Runs tests with other orderings than those of the source.
pub trait Trials {
    /// Why a trial could not be run at all.
    type Error;

    /// How many tests are known that showed a bug in some trial.
    fn known_bugs(&self) -> usize;

    /// Explores one of these tests.
    ///
    /// # Errors
    /// If it cannot be run.
    fn known_bug(
        &mut self,
        number: usize,
        changes: &[OrderingChange],
    ) -> Result<Shown, Self::Error>;

    /// Explores all tests of the bound, to the first bug. The test that shows it is known from then on.
    ///
    /// # Errors
    /// If they cannot be run.
    fn all_tests(&mut self, changes: &[OrderingChange]) -> Result<Shown, Self::Error>;
}

/// Runs the tests that have shown bugs so far, the last one first: it is the likeliest to show one again.
pub(super) fn known_bugs<T: Trials>(
    trials: &mut T,
    changes: &[OrderingChange],
) -> Result<Shown, T::Error> {
    let mut all = Shown::Clean;
    for number in (0..trials.known_bugs()).rev() {
        match trials.known_bug(number, changes)? {
            Shown::Clean => {}
            unfinished @ Shown::Unfinished(_) => all = unfinished,
            end => return Ok(end),
        }
    }
    Ok(all)
}
