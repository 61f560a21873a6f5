//! Crates that nobody has looked at before, drawn by a seed.

use crate::subjects::Subject;

/// What can be drawn: a name, features with `+`, and the day on which a run was read.
const CANDIDATES: &str = include_str!("candidates.txt");

/// So many of those without a day, or all of them, in an order that the seed decides.
pub(crate) fn drawn(count: usize, seed: u64) -> Vec<Subject> {
    let lines = CANDIDATES.lines().filter(|it| !it.starts_with('#'));
    let mut left: Vec<Subject> = lines.filter_map(unread).collect();
    let mut state = seed;
    let mut drawn = Vec::new();
    while drawn.len() < count && !left.is_empty() {
        state = split_mix(state);
        let place = state % left.len() as u64;
        drawn.push(left.swap_remove(place as usize));
    }
    drawn
}

/// The crate of a line, unless somebody has read a run of it.
fn unread(line: &'static str) -> Option<Subject> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let mut features = Vec::new();
    for word in words {
        features.extend(word.strip_prefix('+')?.split(','));
    }
    Some(Subject { name, features })
}

/// The next number of Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (OOPSLA 2014).
fn split_mix(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
