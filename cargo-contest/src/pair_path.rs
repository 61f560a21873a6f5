//! Paths of pairs of types that are made together: `flume::{Sender, Receiver}`.

/// The path of the pair of these types: `flume::{Sender, Receiver}`.
#[must_use]
pub fn pair_path(first: &str, second: &str) -> String {
    let common = first
        .rsplit_once("::")
        .map_or(first, |(module, _)| module)
        .split("::")
        .zip(second.split("::"))
        .take_while(|(left, right)| left == right)
        .map(|(segment, _)| segment.len() + 2)
        .sum::<usize>();
    let (front, first) = first.split_at(common.min(first.len()));
    let second = second.get(common..).unwrap_or(second);
    format!("{front}{{{first}, {second}}}")
}

/// Paths of the ends in the path of a pair; none in another path.
#[must_use]
pub fn ends(path: &str) -> Vec<String> {
    let inside = path
        .split_once('{')
        .and_then(|(front, rest)| Some((front, rest.strip_suffix('}')?)));
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
            let path = pair_path(first, second);
            assert_eq!(ends(&path), [first, second]);
            path
        };
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
