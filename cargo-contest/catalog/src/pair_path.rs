//! Paths of types that are made together: `flume::{Sender, Receiver}`.

/// The path of a subject of these types: `flume::{Sender, Receiver}`.
#[must_use]
pub fn pair_path(paths: &[&str]) -> String {
    let Some(first) = paths.first() else {
        return String::new();
    };
    let module = first.rsplit_once("::").map_or(*first, |(module, _)| module);
    let same = |other: &&str| {
        let both = module.split("::").zip(other.split("::"));
        both.take_while(|(left, right)| left == right).count()
    };
    let segments = paths.iter().map(same).min().unwrap_or(0);
    let lengths = module.split("::").take(segments).map(|it| it.len() + 2);
    let common: usize = lengths.sum();
    let (front, _) = first.split_at(common.min(first.len()));
    let rest = paths.iter().map(|it| it.get(common..).unwrap_or(it));
    format!("{front}{{{}}}", rest.collect::<Vec<_>>().join(", "))
}

/// Paths of the ends in the path of a pair; none in another path. What follows the pair is no part of an end:
/// `flume::{Sender, Receiver}<Unsent>`.
#[must_use]
pub fn ends(path: &str) -> Vec<String> {
    let inside = path
        .split_once('{')
        .and_then(|(front, rest)| Some((front, rest.rsplit_once('}')?.0)));
    inside.map_or_else(Vec::new, |(front, inside)| {
        let ends = inside.split(", ");
        ends.map(|end| format!("{front}{end}")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_pair_has_those_of_its_ends() {
        let pair = |first, second| {
            let path = pair_path(&[first, second]);
            assert_eq!(ends(&path), [first, second]);
            path
        };
        assert_eq!(pair_path(&["a::b::X", "a::Y", "a::Y"]), "a::{b::X, Y, Y}");
        assert_eq!(
            pair("flume::Sender", "flume::Receiver"),
            "flume::{Sender, Receiver}"
        );
        assert_eq!(
            pair("a::spsc::Writer", "a::spsc_reader::Reader"),
            "a::{spsc::Writer, spsc_reader::Reader}"
        );
        assert!(ends("dashmap::DashMap").is_empty());
    }
}
