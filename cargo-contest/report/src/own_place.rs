//! Where a finding is in code of the user's own: the place at which an editor or a page shows it.

use std::rc::Rc;

use contest_data::finding::Finding;

use super::source_files::{Place, SourceFile, SourceFiles};
use super::turning_points::places_of;

/// A line that is there.
#[derive(Clone, Debug)]
pub(super) struct OwnPlace {
    /// The file that the line is in.
    pub(super) file: Rc<SourceFile>,
    /// Counting from 1.
    pub(super) line: u32,
    /// Counting from 1; 0 if unknown.
    pub(super) column: u32,
}

impl OwnPlace {
    /// Of a location, if its line is there and in a file for which `is_own` holds.
    pub(super) fn of(
        location: &str,
        sources: &SourceFiles,
        is_own: impl Fn(&SourceFile) -> bool,
    ) -> Option<Self> {
        let place = Place::parse(location)?;
        let file = sources.file(place.file).filter(|it| is_own(it))?;
        let line = usize::try_from(place.line).ok()?.checked_sub(1)?;
        file.text.lines().nth(line)?;
        Some(Self {
            line: place.line,
            column: place.column,
            file,
        })
    }
}

/// The place of a finding to look at first. What is in another crate is where the user's code called it.
pub(super) fn first_own_place(
    finding: &Finding,
    sources: &SourceFiles,
    is_own: impl Fn(&SourceFile) -> bool + Copy,
) -> Option<OwnPlace> {
    let own = |location: &str| OwnPlace::of(location, sources, is_own);
    let callers = |location: &str| {
        let mut steps = finding.interleaving.iter();
        steps.find_map(|it| own(it.caller.as_deref().filter(|_| it.location == location)?))
    };
    let places = places_of(finding);
    let near = (places.iter()).find_map(|it| own(it).or_else(|| callers(it)));
    // What a thread did last leads nearest to what is wrong.
    let steps = || finding.interleaving.iter().rev();
    near.or_else(|| steps().find_map(|it| own(it.caller.as_deref().unwrap_or(&it.location))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::deadlock;

    fn place_of(finding: &Finding) -> Option<String> {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(scratch.path().join("src")).unwrap();
        std::fs::write(scratch.path().join("src/lib.rs"), "\n".repeat(15)).unwrap();
        let sources = SourceFiles::new(&[scratch.path()], None);
        first_own_place(finding, &sources, |_| true).map(|it| format!("{}:{}", it.line, it.column))
    }

    #[test]
    fn it_is_the_first_place_whose_line_is_there() {
        assert_eq!(place_of(&deadlock()).as_deref(), Some("11:28"));
        let mut shorter = deadlock();
        shorter.locations = vec!["src/lib.rs:99:1".to_owned(), "src/lib.rs:12:1".to_owned()];
        assert_eq!(place_of(&shorter).as_deref(), Some("12:1"));
    }

    #[test]
    fn of_a_place_in_another_crate_it_is_where_that_was_called() {
        let mut elsewhere = deadlock();
        for step in &mut elsewhere.interleaving {
            step.caller = Some(step.location.replace(":11:", ":3:").replace(":21:", ":4:"));
            step.location = step.location.replace("src/", "flume-0.12.0/src/");
        }
        for place in &mut elsewhere.locations {
            *place = place.replace("src/", "flume-0.12.0/src/");
        }
        assert_eq!(place_of(&elsewhere).as_deref(), Some("3:28"));
        elsewhere.locations.clear();
        for step in &mut elsewhere.interleaving {
            step.facts = None;
        }
        assert_eq!(place_of(&elsewhere).as_deref(), Some("3:28"));
        elsewhere.interleaving.clear();
        assert_eq!(place_of(&elsewhere), None);
    }
}
