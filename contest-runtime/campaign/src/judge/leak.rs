//! Memory without an owner in the end, although everything was dropped: a bug if no serial order of the calls leaves
//! such blocks.
//!
//! What a type leaves behind one call after another it does by design or for want of care, but not for want of
//! synchronisation. Blocks are distinguished by size: those of a size that a serial order leaves too are not counted,
//! and there must be more blocks than in any serial order, because a vector may have grown to another size. A block to
//! which another one of them leads is not counted either: what an object holds that is lost in any order, an entry of
//! its list, say, is not a loss of its own (direct and indirect leaks of `LeakSanitizer`).

use super::cancelled;
use super::history::History;
use super::judgement::Judge;
use super::race::stack;
use super::serial_outcomes::RunSerially;
use super::verdict::{Suspicion, Verdict};
use contest_data::finding::FindingKind;
use contest_data::sorted::SortedSet;
use contest_data::test::CallName;
use contest_data::trace::{Ending, Place, Unowned};

/// Blocks that are described.
const MOST_BLOCKS: usize = 4;

/// Judges what the execution left behind; `None` if it left nothing.
pub(super) fn judge(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Option<Verdict> {
    if history.unowned.is_empty() {
        return None;
    }
    if history.background_steps || history.settling > 0 || judge.outcomes.background_steps() {
        return Some(Verdict::Unjudged("memory left beside background threads"));
    }
    // Without a cancelled call the others may leave what they do not leave beside the whole of it.
    let rest = cancelled::without_cancelled(judge, history, run);
    let rest = rest.iter().flat_map(|rest| &rest.outcomes.runs);
    let all: Vec<&History> = (judge.outcomes.all().chain(rest))
        .map(|run| &run.history)
        .collect();
    // An order that hangs has nothing to drop, and where a call panics, what is left is not looked at.
    let comes_to_its_end =
        |run: &&History| run.ending == Ending::Finished && run.first_panic.is_none();
    if !all.is_empty() && !all.iter().any(comes_to_its_end) {
        return Some(Verdict::Unjudged(
            "memory left, and every serial order hangs or panics",
        ));
    }
    let most = all.iter().map(|run| lost(run).count()).max();
    let sizes: SortedSet<usize> = (all.iter().flat_map(|run| &run.unowned))
        .map(|(block, _)| block.size)
        .collect();
    let new = || lost(history).filter(|(block, _)| !sizes.contains(&block.size));
    let Some(most) = most else {
        return Some(Verdict::Unjudged("calls that did not run"));
    };
    if lost(history).count() <= most || new().next().is_none() {
        return Some(Verdict::Excused("leaks memory in a serial order too"));
    }
    let mut locations = Vec::new();
    for (block, _) in new() {
        let location = location(block);
        if !location.is_empty() && !locations.contains(&location) {
            locations.push(location);
        }
    }
    let mut calls: Vec<CallName> = new().filter_map(|(_, call)| *call).collect();
    calls.dedup();
    let count = new().count();
    let bytes: usize = new().map(|(block, _)| block.size).sum();
    let (blocks, are) = match count {
        1 => ("1 block".to_owned(), "is"),
        more => (format!("{more} blocks"), "are"),
    };
    let first = new().next().map(|block| allocation(judge, block));
    Some(Verdict::Suspect(Box::new(Suspicion {
        kind: FindingKind::Leak,
        rests_on_order: false,
        only_reads: false,
        message: format!(
            "memory leak: {blocks} ({bytes} bytes) {are} without an owner after everything was dropped{}",
            first.unwrap_or_default()
        ),
        details: details(judge, new(), most),
        locations,
        calls,
    })))
}

/// The blocks to which nothing leads at all.
fn lost(history: &History) -> impl Iterator<Item = &(Unowned, Option<CallName>)> {
    history.unowned.iter().filter(|(block, _)| !block.held)
}

fn location(block: &Unowned) -> String {
    block
        .allocated
        .map_or_else(String::new, |made| made.place.location())
}

/// Where the block comes from.
fn allocation(judge: &Judge<'_>, (block, call): &(Unowned, Option<CallName>)) -> String {
    let by = call.map_or_else(String::new, |call| format!(" in {}", judge.text(call)));
    let at = match location(block) {
        at if at.is_empty() => at,
        at => format!(" at {at}"),
    };
    if by.is_empty() && at.is_empty() {
        return String::new();
    }
    format!(", allocated{by}{at}")
}

fn details<'h>(
    judge: &Judge<'_>,
    new: impl Iterator<Item = &'h (Unowned, Option<CallName>)>,
    most: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, block) in new.enumerate() {
        if index == MOST_BLOCKS {
            lines.push("and more blocks".to_owned());
            break;
        }
        let size = block.0.size;
        lines.push(format!("{size} bytes{}", allocation(judge, block)));
        if let Some(made) = block.0.allocated
            && let Place::Stack(frames) = made.place
        {
            lines.extend(stack(frames));
        }
    }
    let orders = judge.outcomes.runs.len();
    lines.push(match most {
        0 => format!("none of the {orders} serial orders of the calls leaves anything behind"),
        _ => format!(
            "the {orders} serial orders of the calls leave at most {most} blocks behind, of other sizes"
        ),
    });
    lines
}
