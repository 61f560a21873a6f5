//! A finding on one screen: what is wrong, where, the test, why, the results, the next command.

use contest_data::finding::Finding;

use super::parts::{bar_line, head, note_line, places_of, test_of};
use crate::figures::counted;
use crate::source_files::SourceFiles;
use crate::trace_table::calls_table;
use crate::turning_points::TurningPoints;
use crate::visible::finding_as_seen;

/// Most lines of a finding, without the table of its interleaving; one more says that it is known.
pub(super) const MOST_LINES: usize = 24;
/// Most places with their lines of the source.
const MOST_PLACES: usize = 3;
/// Most notes.
const MOST_NOTES: usize = 4;
/// Most lines of what comes before the threads.
const MOST_BEFORE: usize = 8;

/// A part that may be cut.
struct Part {
    lines: Vec<String>,
    /// So many lines are kept at least.
    least: usize,
    /// So many at most.
    most: usize,
}

impl Part {
    fn new(lines: Vec<String>, least: usize) -> Self {
        let most = usize::MAX;
        Self { lines, least, most }
    }

    fn kept(&self, rows: usize) -> Vec<String> {
        if self.lines.len() <= rows {
            return self.lines.clone();
        }
        let mut lines = self.lines[..rows.saturating_sub(1)].to_vec();
        let more = counted((self.lines.len() - lines.len()) as u64, "more line");
        lines.push(bar_line(&format!("… {more}; -v shows all")));
        lines
    }
}

/// A bug, in at most [`MOST_LINES`] lines of `width` but for the command at the end. Unless its table `follows`, the
/// last line says how to see it.
#[must_use]
pub fn brief(
    finding: &Finding,
    emitted: Option<&str>,
    replay: &str,
    width: usize,
    follows: bool,
    sources: &SourceFiles,
) -> String {
    let finding = &*finding_as_seen(finding);
    let points = TurningPoints::of(finding);
    let mut heading = head(finding).lines().map(str::to_owned).collect::<Vec<_>>();
    let further = heading.split_off(1);
    let mut places = points.and_places_of(finding);
    places.truncate(MOST_PLACES);
    let places = places_of(&places, sources, width);
    let (objects, threads) = test_of(finding);
    let notes: Vec<String> = notes(finding, &points).collect();
    let results = match finding.threads.is_empty() {
        true => Vec::new(),
        false => calls_table(finding, width)
            .lines()
            .map(str::to_owned)
            .collect(),
    };
    let end = end(finding, emitted, replay, follows);
    let has_results = usize::from(!results.is_empty());
    let fixed = 1 + 1 + 1 + threads.len() + 2 * has_results + end.len();
    // Without the calls that come first, the others are not understood.
    let objects = Part {
        most: MOST_BEFORE,
        ..Part::new(objects, 4)
    };
    let parts = [
        objects,
        Part::new(further, 2),
        Part::new(places, 2),
        Part::new(notes, 2),
        // Its head, and what two calls have returned.
        Part::new(results, 4),
    ];
    let [objects, further, places, notes, results] =
        shared_out(parts, MOST_LINES.saturating_sub(fixed));
    let mut lines = heading;
    lines.extend(further);
    lines.extend(places);
    lines.push(bar_line(""));
    lines.extend(objects.into_iter().chain(threads));
    lines.push(bar_line(""));
    lines.extend(notes);
    if !results.is_empty() {
        lines.push(String::new());
        lines.extend(results);
        lines.push(String::new());
    }
    lines.extend(end);
    lines.join("\n") + "\n"
}

/// What each part keeps of `room` lines: its least, then what is left, the first parts first.
fn shared_out<const N: usize>(parts: [Part; N], room: usize) -> [Vec<String>; N] {
    let least = |part: &Part| part.lines.len().min(part.least);
    let mut left = room.saturating_sub(parts.iter().map(least).sum());
    parts.map(|part| {
        let wanted = part.lines.len().min(part.most);
        let more = wanted.saturating_sub(least(&part)).min(left);
        left -= more;
        part.kept(least(&part) + more)
    })
}

/// The first notes in lines; those on where calls were interrupted are not behind all others.
fn notes<'a>(finding: &'a Finding, points: &'a TurningPoints) -> impl Iterator<Item = String> + 'a {
    let of_points = points.notes.len().min(1);
    let all = finding.details.len() + points.notes.len();
    let details = match all <= MOST_NOTES {
        true => finding.details.len(),
        false => finding.details.len().min(MOST_NOTES - of_points),
    };
    let notes = finding.details[..details].iter().chain(&points.notes);
    let notes = notes.chain(&finding.details[details..]).take(MOST_NOTES);
    let left_out = all.saturating_sub(MOST_NOTES) as u64;
    let more = (left_out > 0).then(|| {
        let more = counted(left_out, "more note");
        note_line("note", &format!("{more}; -v shows all"))
    });
    let lines = notes.flat_map(|it| {
        note_line("note", it)
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    lines.chain(more)
}

/// How to see more of it, and how to see it again. The file of a test is shorter than a token.
fn end(finding: &Finding, emitted: Option<&str>, replay: &str, follows: bool) -> Vec<String> {
    let mut end = Vec::new();
    // The tests of a package are in it already; a file of `--emit` keeps the schedule.
    if let (Some(path), Some(_)) = (emitted, &finding.own_test) {
        end.push(note_line(
            "note",
            &format!("its schedule is kept in {path}"),
        ));
    }
    let (how, again) = match emitted.filter(|_| finding.own_test.is_none()) {
        Some(file) => ("replay it by its test, with", file),
        None => ("replay it with", finding.schedule.as_str()),
    };
    if !follows && !finding.interleaving.is_empty() {
        end.push(note_line(
            "help",
            "-v shows its interleaving, and so does a replay",
        ));
    }
    if !again.is_empty() {
        end.push(note_line("help", &format!("{how} `{replay} {again}`")));
    }
    end
}
