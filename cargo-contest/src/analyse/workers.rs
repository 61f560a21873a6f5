//! The steps of the stage on several threads: each keeps the syntax trees of the files it has read and walks their bodies; tables and
//! traces go to the thread that started them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::SourcePackage;
use super::analysis::Analysis;
use super::cfg_attributes::CfgSet;
use super::collect::{Body, Collected};
use super::effect::{Effect, Trace};
use super::fixpoint::summaries;
use super::index::Index;
use super::macro_rules::MacroTable;
use super::source_tree::{FileTask, Found, Reading, SourcePart};
use super::walk::{Surroundings, walk};
use crate::skipped::Skipped;

/// Deeply nested code needs a deep stack: parsers recurse.
const STACK: usize = 64 << 20;
/// Rounds of reading and expanding; each follows modules one level down.
const MOST_ROUNDS: usize = 64;
/// Files of one package.
const MOST_FILES: usize = 20_000;

enum Order {
    /// Reads files of the queue until it is empty.
    Read,
    /// Learns macros and expands what waits for them.
    Expand(Arc<Vec<(String, String)>>),
    /// Nothing more is to come: what waits is left out.
    GiveUp,
    /// Makes tables.
    Collect,
    /// Walks the own bodies; the number of the first.
    Walk(u32, Arc<Index>),
}

enum Answer {
    Found(Found),
    Collected(Box<Index>),
    Walked(u32, Vec<Trace>),
}

type Queue = Arc<Mutex<VecDeque<FileTask>>>;

/// Runs all steps.
pub(super) fn run(package: &SourcePackage) -> Analysis {
    let start = Instant::now();
    let count = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(8);
    let queue: Queue = Arc::default();
    let reading = Reading {
        cfg: CfgSet {
            features: package.features.clone(),
            build_script: package.directory.join("build.rs").is_file(),
        },
        package: package.directory.clone(),
    };
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..count {
            let (to, orders) = channel();
            let (answers, from) = channel();
            let (queue, reading) = (queue.clone(), reading.clone());
            let spawned = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, move || work(&orders, &answers, &queue, &reading));
            if spawned.is_ok() {
                workers.push((to, from));
            }
        }
        let mut analysis = steps(package, &Workers(workers), &queue);
        analysis.elapsed = start.elapsed();
        analysis
    })
}

struct Workers(Vec<(Sender<Order>, Receiver<Answer>)>);

impl Workers {
    /// The same order for all; their answers, in order.
    fn all(&self, order: impl Fn(usize) -> Order) -> Vec<Answer> {
        for (n, (to, _)) in self.0.iter().enumerate() {
            // A worker that is gone answers nothing.
            let _ = to.send(order(n));
        }
        self.0
            .iter()
            .filter_map(|(_, from)| from.recv().ok())
            .collect()
    }

    fn found(&self, order: impl Fn(usize) -> Order, total: &mut Found) {
        for answer in self.all(order) {
            if let Answer::Found(found) = answer {
                total.files.extend(found.files);
                total.macros.extend(found.macros);
                total.expanded += found.expanded;
                total.lines += found.lines;
                total.skipped.extend(found.skipped);
            }
        }
    }
}

fn steps(package: &SourcePackage, workers: &Workers, queue: &Queue) -> Analysis {
    let mut total = Found::default();
    let mut files = 0;
    let directory = package.root.parent().map(PathBuf::from).unwrap_or_default();
    let mut next = vec![FileTask {
        path: package.root.clone(),
        module: String::new(),
        directory,
    }];
    for _ in 0..MOST_ROUNDS {
        files += next.len();
        if files > MOST_FILES {
            total.skipped.push(Skipped::new(
                "modules",
                format!("more than {MOST_FILES} files"),
            ));
            break;
        }
        queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(next.drain(..));
        let mut round = Found::default();
        workers.found(|_| Order::Read, &mut round);
        let macros = Arc::new(std::mem::take(&mut round.macros));
        workers.found(|_| Order::Expand(macros.clone()), &mut round);
        // Expansions may define macros that others wait for.
        while round.expanded > 0 && !round.macros.is_empty() {
            round.expanded = 0;
            let macros = Arc::new(std::mem::take(&mut round.macros));
            workers.found(|_| Order::Expand(macros.clone()), &mut round);
        }
        next = round.files;
        total.lines += round.lines;
        total.skipped.extend(round.skipped);
        if next.is_empty() {
            break;
        }
    }
    workers.found(|_| Order::GiveUp, &mut total);

    let mut index = Index {
        edition_2024: package.edition.as_str() >= "2024",
        ..Index::default()
    };
    let mut bases = Vec::new();
    for answer in workers.all(|_| Order::Collect) {
        if let Answer::Collected(part) = answer {
            bases.push(index.merge(*part));
        }
    }
    index.link();
    let index = Arc::new(index);
    let mut traces = vec![Trace::default(); index.functions.len()];
    for answer in workers.all(|n| Order::Walk(bases.get(n).copied().unwrap_or(0), index.clone())) {
        if let Answer::Walked(base, walked) = answer {
            for (trace, at) in walked.into_iter().zip(base as usize..) {
                if let Some(slot) = traces.get_mut(at) {
                    *slot = trace;
                }
            }
        }
    }
    let summaries = summaries(&traces, &index.names);
    let index = Arc::unwrap_or_clone(index);
    let mut analysis = Analysis::new(index, summaries, traces);
    analysis.files = files;
    analysis.lines = total.lines;
    analysis.skipped = total.skipped;
    analysis
}

/// One thread.
fn work(orders: &Receiver<Order>, answers: &Sender<Answer>, queue: &Queue, reading: &Reading) {
    let mut part = SourcePart::default();
    let mut macros = MacroTable::default();
    let mut bodies: Vec<Body> = Vec::new();
    while let Ok(order) = orders.recv() {
        let mut found = Found::default();
        let answer = match order {
            Order::Read => {
                loop {
                    let task = queue
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .pop_front();
                    let Some(task) = task else { break };
                    part.read(&task, reading, &mut found);
                }
                Answer::Found(found)
            }
            Order::Expand(new) => {
                for (name, text) in new.iter() {
                    macros.add(name.clone(), text.clone());
                }
                part.expand(&macros, reading, &mut found);
                Answer::Found(found)
            }
            Order::GiveUp => {
                part.give_up(&mut found);
                Answer::Found(found)
            }
            Order::Collect => {
                let mut collected = Collected::default();
                for module in std::mem::take(&mut part.modules) {
                    collected.add(module, &reading.cfg);
                }
                bodies = collected.bodies;
                Answer::Collected(Box::new(collected.index))
            }
            Order::Walk(base, index) => {
                let surroundings = Surroundings {
                    index: &index,
                    macros: &macros,
                    cfg: &reading.cfg,
                };
                let walked = bodies
                    .iter()
                    .zip(base as usize..)
                    .map(|(body, number)| one(surroundings, body, number))
                    .collect();
                Answer::Walked(base, walked)
            }
        };
        if answers.send(answer).is_err() {
            return;
        }
    }
}

/// One body; a bug of the walk costs the summary of one function, not the analysis.
fn one(surroundings: Surroundings<'_>, body: &Body, number: usize) -> Trace {
    let function = &surroundings.index.functions[number];
    catch_unwind(AssertUnwindSafe(|| walk(surroundings, function, body))).unwrap_or_else(|_| {
        Trace {
            effects: vec![Effect::Inexact {
                why: "could not be analysed: a bug of this tool".to_string(),
                line: 0,
            }],
            ..Trace::default()
        }
    })
}
