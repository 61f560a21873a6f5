//! The real binary on copies of subject crates: findings, exit status, files, JSON lines.
//! What takes long is in `tests/long`.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "shared with other test targets")]
mod support;

mod agents;
mod aliases;
mod allowed;
mod analyze;
mod applications;
mod as_cargo;
mod bad_input;
#[cfg(target_os = "linux")]
mod budgets;
mod cache;
#[cfg(target_os = "linux")]
mod called_back;
mod callers_code;
#[cfg(unix)]
mod campaign_state;
mod claims;
mod complete;
mod contract;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod debugger;
mod definite_first;
mod documentation;
#[cfg(target_os = "linux")]
mod draws;
mod editors;
#[cfg(target_os = "linux")]
mod everyday;
#[cfg(target_os = "linux")]
mod files;
mod filled;
mod flaky;
mod hints;
#[cfg(unix)]
mod injection;
mod interrupt;
mod keys;
mod late_and_chance;
mod left_to_tasks;
mod levels;
mod lock_libraries;
mod log;
mod measured;
mod misbehaving_subjects;
mod names;
#[cfg(target_os = "linux")]
mod outside_waits;
#[cfg(target_os = "linux")]
mod own_panics;
mod passes_as_it_is;
mod places;
mod polling;
#[cfg(target_os = "linux")]
mod protocol;
mod replay_and_emit;
mod returned;
#[cfg(target_os = "linux")]
mod standard_streams;
mod text_forms;
