//! The order of a map's entries.

use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct Votes {
    by_name: HashMap<&'static str, u32>,
}

impl Votes {
    pub fn cast(&mut self, name: &'static str) {
        *self.by_name.entry(name).or_default() += 1;
    }

    pub fn winner(&self) -> Option<&'static str> {
        let winner = self.by_name.iter().max_by_key(|(_, votes)| **votes);
        winner.map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_wins() {
        let mut votes = Votes::default();
        votes.cast("Ada");
        votes.cast("Bo");
        // Wrong: which of two equal ones comes last depends on the keys of the hasher. Fix: compare the names too, or
        // use a `BTreeMap`.
        assert_eq!(votes.winner(), Some("Ada"));
    }
}
