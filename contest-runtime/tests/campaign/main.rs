//! Whole campaigns over small subjects that stand here as the tables a generated driver would hold.

mod again;
mod faulty;
mod subjects;
mod support;
mod visits;
