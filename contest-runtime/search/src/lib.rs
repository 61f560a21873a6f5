//! Search strategies: which interleaving of a test to run next.
//!
//! | room | what |
//! |---|---|
//! | [`coverage`] | what a set of executions has shown |
//! | `strategies` | DPOR, bounded search, samplers, portfolio, replay: what users get by default |
//! | [`research`] | the papers' baselines, with prediction of schedules; may be skipped on first reading |
//! | [`explore`] | strategies by name, and the exploration of one test |
//!
//! A room imports only those above it. A strategy sees a [`DecisionPoint`](contest_data::decision::DecisionPoint) as a
//! value, never a live thread. Internal: the public interface is the package `contest-runtime`.
#![cfg_attr(doc, doc = include_str!("../DESIGN.md"))]
#![forbid(unsafe_code)]

pub mod coverage;
pub mod explore;
pub mod research;
mod strategies;
