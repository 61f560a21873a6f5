//! Executions written down by hand or drawn at random. The name of a method stands for the place in the source.

use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use contest_data::limits::Limits;
use contest_data::rng::Rng;
use contest_data::trace::{Action, Event, ExecutionRecord, ObjectId, ThreadIndex, Update};
use contest_engine::execution::Engine;
use contest_search::explore::Random;

/// One access of a trace: thread, `R`, `W` or `U` (both), variable, value read, value written, name of the place.
pub type Line = (u16, char, u32, u64, u64, &'static str);

/// The execution in which these accesses are executed in this order, all in the first call of their threads.
pub fn record(lines: &[Line]) -> ExecutionRecord {
    let threads = 1 + lines.iter().map(|line| line.0).max().unwrap_or(0);
    let objects = 1 + lines.iter().map(|line| line.2).max().unwrap_or(0);
    let mut executed = vec![0; usize::from(threads)];
    let events = lines
        .iter()
        .map(|&(thread, kind, variable, read, wrote, name)| {
            let index = executed[usize::from(thread)];
            executed[usize::from(thread)] += 1;
            Event {
                thread: ThreadIndex(thread),
                index,
                call: Some(0),
                action: match kind {
                    'R' => Action::Load(Relaxed),
                    'W' => Action::Store(Relaxed),
                    _ => Action::Rmw(Relaxed, Update::Conditional),
                },
                object: ObjectId(variable),
                second: ObjectId::NONE,
                location: Location::caller(),
                name,
                read,
                wrote,
            }
        })
        .collect::<Vec<_>>();
    // From the engine, so that this does not list what a record has.
    let mut record = Engine::new(Limits::default())
        .run(&mut Random::new(0, 1), || ())
        .clone();
    record.steps = events.len() as u32;
    record.events = events;
    record.objects = vec!["AtomicU64"; objects as usize];
    record.pending = vec![None; usize::from(threads)];
    record.threads = threads;
    record
}

/// Names of places.
pub const PLACES: [&str; 24] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
    "t", "u", "v", "w", "x",
];

/// Random accesses of the threads in a random order, with the values they then read.
pub fn random_lines(rng: &mut Rng, threads: u16, length: u32, variables: u32) -> Vec<Line> {
    let mut memory = vec![0; variables as usize];
    (0..length)
        .map(|_| {
            let thread = 1 + rng.below(u32::from(threads)) as u16;
            let variable = rng.below(variables);
            let cell = &mut memory[variable as usize];
            let read = *cell;
            let wrote = u64::from(1 + rng.below(3));
            let kind = ['R', 'R', 'W', 'W', 'U'][rng.below(5) as usize];
            if kind != 'R' {
                *cell = wrote;
            }
            let place = PLACES[rng.below(8) as usize + 8 * usize::from(thread % 3)];
            (thread, kind, variable, read, wrote, place)
        })
        .collect()
}
