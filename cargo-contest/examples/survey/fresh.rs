//! A random sample of crates whose findings were not judged before. The seed decides which.

use contest_data::rng::Rng;

use crate::subjects::Subject;

/// What can be drawn: a name, features with `+`, and the day on which its findings were judged.
const CANDIDATES: &str = include_str!("candidates.txt");

/// So many of those without a day, or all of them, in an order that the seed decides.
pub(crate) fn drawn(count: usize, seed: u64) -> Vec<Subject> {
    let lines = CANDIDATES.lines().filter(|it| !it.starts_with('#'));
    let mut left: Vec<Subject> = lines.filter_map(unread).collect();
    let mut rng = Rng::new(seed);
    let mut drawn = Vec::new();
    while drawn.len() < count && !left.is_empty() {
        let place = rng.below(left.len() as u32);
        drawn.push(left.swap_remove(place as usize));
    }
    drawn
}

/// The crate of a line, unless its findings were judged.
fn unread(line: &'static str) -> Option<Subject> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let mut features = Vec::new();
    for word in words {
        features.extend(word.strip_prefix('+')?.split(','));
    }
    Some(Subject { name, features })
}
