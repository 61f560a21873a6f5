//! The 17 memory-access patterns (Park, Vuduc, Harrold: A unified approach for localizing non-deadlock concurrency
//! bugs, ICST 2012; the numbering is that of Zhao et al., Table 1, with its second row mended to a write and a read)
//! and the atomic-set patterns among them (Vaziri, Tip, Dolby, POPL 2006).

/// What an access does in its place in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// One of the 17, by its number from 1 to 17.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern(u8);

/// How the two accesses of the one thread and the two of the other lie in a pattern of length four. The first access is
/// of x by the first thread; x and y each have one access of either thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// x by 1, x by 2, y by 2, y by 1.
    Inside,
    /// x by 1, y by 2, x by 2, y by 1.
    Crossed,
    /// x by 1, y by 2, y by 1, x by 2.
    Alternating,
}

use Role::{Read as R, Write as W};

/// Roles in order, first thread or second, first variable or second, for patterns 1 to 17.
const TABLE: [&[(Role, u8, u8)]; 17] = [
    &[(R, 1, 0), (W, 2, 0)],
    &[(W, 1, 0), (R, 2, 0)],
    &[(W, 1, 0), (W, 2, 0)],
    &[(R, 1, 0), (W, 2, 0), (R, 1, 0)],
    &[(W, 1, 0), (W, 2, 0), (R, 1, 0)],
    &[(W, 1, 0), (R, 2, 0), (W, 1, 0)],
    &[(R, 1, 0), (W, 2, 0), (W, 1, 0)],
    &[(W, 1, 0), (W, 2, 0), (W, 1, 0)],
    &[(W, 1, 0), (W, 2, 0), (W, 2, 1), (W, 1, 1)],
    &[(W, 1, 0), (W, 2, 1), (W, 2, 0), (W, 1, 1)],
    &[(W, 1, 0), (W, 2, 1), (W, 1, 1), (W, 2, 0)],
    &[(W, 1, 0), (R, 2, 0), (R, 2, 1), (W, 1, 1)],
    &[(W, 1, 0), (R, 2, 1), (R, 2, 0), (W, 1, 1)],
    &[(R, 1, 0), (W, 2, 0), (W, 2, 1), (R, 1, 1)],
    &[(R, 1, 0), (W, 2, 1), (W, 2, 0), (R, 1, 1)],
    &[(R, 1, 0), (W, 2, 1), (R, 1, 1), (W, 2, 0)],
    &[(W, 1, 0), (R, 2, 1), (W, 1, 1), (R, 2, 0)],
];

/// Numbers of the atomic-set patterns of POPL 2006 for patterns 4 to 17; 0 for the three alternating ones, which came
/// later.
const ATOMIC_SET: [u8; 14] = [2, 4, 3, 1, 5, 6, 7, 0, 8, 9, 10, 11, 0, 0];

impl Pattern {
    /// The pattern of this number.
    #[must_use]
    pub fn new(number: u8) -> Option<Self> {
        (1..=17).contains(&number).then_some(Self(number))
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=17).map(Self)
    }

    /// From 1 to 17.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// Number of accesses: 2, 3 or 4.
    #[must_use]
    pub fn length(self) -> usize {
        self.steps().len()
    }

    /// Role, thread (1 or 2) and variable (0 or 1) of each access.
    #[must_use]
    pub fn steps(self) -> &'static [(Role, u8, u8)] {
        TABLE[usize::from(self.0) - 1]
    }

    /// Of two accesses of one variable by two threads.
    #[must_use]
    pub fn of_two(first: Role, second: Role) -> Option<Self> {
        match (first, second) {
            (R, W) => Some(Self(1)),
            (W, R) => Some(Self(2)),
            (W, W) => Some(Self(3)),
            (R, R) => None,
        }
    }

    /// Of three accesses of one variable, the second by another thread.
    #[must_use]
    pub(crate) fn of_three(first: Role, second: Role, third: Role) -> Option<Self> {
        match (first, second, third) {
            (R, W, R) => Some(Self(4)),
            (W, W, R) => Some(Self(5)),
            (W, R, W) => Some(Self(6)),
            (R, W, W) => Some(Self(7)),
            (W, W, W) => Some(Self(8)),
            _ => None,
        }
    }

    /// Of two accesses of x (roles in order) and two of y (roles in order): a write in each pair, and thread by thread
    /// the same role.
    #[must_use]
    pub(crate) fn of_four(shape: Shape, x: (Role, Role), y: (Role, Role)) -> Option<Self> {
        match (shape, x, y) {
            (Shape::Inside, (W, W), (W, W)) => Some(Self(9)),
            (Shape::Crossed, (W, W), (W, W)) => Some(Self(10)),
            (Shape::Alternating, (W, W), (W, W)) => Some(Self(11)),
            (Shape::Inside, (W, R), (R, W)) => Some(Self(12)),
            (Shape::Crossed, (W, R), (R, W)) => Some(Self(13)),
            (Shape::Inside, (R, W), (W, R)) => Some(Self(14)),
            (Shape::Crossed, (R, W), (W, R)) => Some(Self(15)),
            (Shape::Alternating, (R, W), (W, R)) => Some(Self(16)),
            (Shape::Alternating, (W, R), (R, W)) => Some(Self(17)),
            _ => None,
        }
    }

    /// True for the 14 that no serial order of two units of work shows (Hammer, Dolby, Vaziri, Tip, ICSE 2008): 4 to
    /// 17.
    #[must_use]
    pub(crate) fn is_atomic_set(self) -> bool {
        self.0 >= 4
    }

    /// Number among the 11 of Vaziri, Tip and Dolby.
    #[must_use]
    pub(crate) fn popl_number(self) -> Option<u8> {
        let number = *ATOMIC_SET.get(usize::from(self.0).checked_sub(4)?)?;
        (number != 0).then_some(number)
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, &(role, thread, variable)) in self.steps().iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            let letter = if role == R { 'R' } else { 'W' };
            let variable = if variable == 0 { 'x' } else { 'y' };
            write!(f, "{space}{letter}{thread}({variable})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recognised_is_what_the_table_says() {
        for pattern in Pattern::all() {
            let steps = pattern.steps();
            let roles: Vec<Role> = steps.iter().map(|step| step.0).collect();
            let again = match *roles {
                [a, b] => Pattern::of_two(a, b),
                [a, b, c] => Pattern::of_three(a, b, c),
                _ => {
                    let of = |variable| {
                        let mut roles = steps
                            .iter()
                            .filter(|step| step.2 == variable)
                            .map(|step| step.0);
                        (roles.next().unwrap(), roles.next().unwrap())
                    };
                    let threads: Vec<u8> = steps.iter().map(|step| step.1).collect();
                    let shape = if threads == [1, 2, 1, 2] {
                        Shape::Alternating
                    } else if steps[1].2 == 0 {
                        Shape::Inside
                    } else {
                        Shape::Crossed
                    };
                    Pattern::of_four(shape, of(0), of(1))
                }
            };
            assert_eq!(again, Some(pattern), "{pattern}");
        }
    }

    #[test]
    fn there_are_14_atomic_set_patterns_of_which_11_have_numbers() {
        let numbers: Vec<u8> = Pattern::all().filter_map(Pattern::popl_number).collect();
        assert_eq!(
            numbers
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len(),
            11
        );
        assert_eq!(
            Pattern::all()
                .filter(|pattern| pattern.is_atomic_set())
                .count(),
            14
        );
        assert_eq!(Pattern::new(7).unwrap().to_string(), "R1(x) W2(x) W1(x)");
        assert_eq!(Pattern::new(7).unwrap().popl_number(), Some(1));
    }

    #[test]
    fn an_order_of_two_units_is_listed_only_if_no_serial_order_shows_it() {
        // The conflict graph of the two units must have a cycle.
        for pattern in Pattern::all().filter(|pattern| pattern.is_atomic_set()) {
            let steps = pattern.steps();
            let mut forward = false;
            let mut backward = false;
            for (i, a) in steps.iter().enumerate() {
                for b in &steps[i + 1..] {
                    if a.1 != b.1 && a.2 == b.2 && (a.0 == W || b.0 == W) {
                        forward |= a.1 == 1;
                        backward |= a.1 == 2;
                    }
                }
            }
            assert!(forward && backward, "{pattern}");
        }
    }
}
