//! Which orderings of atomic operations a type needs: the smallest sets of stronger ones that remove its bugs, or those
//! that may be weaker. It only chooses what to try next; what a trial shows comes from [`Trials`].
//!
//! A stronger ordering takes behaviour away and adds none, under RC11 as in Lahav et al., "Repairing Sequential
//! Consistency in C/C++11" (PLDI 2017), section 4. So a set of stronger orderings that leaves a bug has no subset that
//! removes it, and each place can be weakened on its own once a set is found.

mod candidates;
mod strengthen;
#[cfg(test)]
mod tests;
mod trials;
mod weaken;

pub use candidates::{is_stronger, is_weaker, strongest};
pub use strengthen::strengthen;
pub use trials::{Shown, Trials};
pub use weaken::relax;
