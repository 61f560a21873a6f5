//! What the locks are made of.

#[cfg(not(contest_stand_in))]
pub(super) use crate::raw_lock as locks;
#[cfg(not(contest_stand_in))]
pub(super) use crate::sync::{Once, atomic};
#[cfg(contest_stand_in)]
pub(super) use ::std::__locks as locks;
#[cfg(contest_stand_in)]
pub(super) use ::std::sync::{Once, atomic};
