//! Random operations, against the collections and the sorts of the standard library.

use std::collections::{BTreeMap, BTreeSet};

use super::{SortedMap, SortedSet, sort, sort_by, sort_by_key};
use crate::rng::Rng;

#[test]
fn a_map_does_what_a_b_tree_does() {
    let mut random = Rng::new(1);
    for _ in 0..200 {
        let (mut map, mut tree) = (SortedMap::new(), BTreeMap::new());
        for step in 0..100 {
            let key = random.below(20);
            match random.below(4) {
                0 => {
                    *map.get_or_default(key) += step;
                    *tree.entry(key).or_default() += step;
                }
                1 => assert_eq!(map.get_mut(&key), tree.get_mut(&key)),
                _ => assert_eq!(map.insert(key, step), tree.insert(key, step)),
            }
            assert_eq!(map.contains_key(&key), tree.contains_key(&key));
            assert_eq!(map.get(&key), tree.get(&key));
            assert!(map.iter().eq(tree.iter()));
            let last = key + random.below(20);
            assert!(map.range(key..=last).eq(tree.range(key..=last)));
        }
        assert_eq!((map.len(), map.is_empty()), (tree.len(), tree.is_empty()));
        let pairs: Vec<_> = (0..50)
            .map(|at| (random.below(30), at))
            .chain(map)
            .collect();
        let map: SortedMap<_, _> = pairs.iter().copied().collect();
        assert!(
            map.into_iter()
                .eq(pairs.into_iter().collect::<BTreeMap<_, _>>())
        );
    }
}

#[test]
fn an_empty_range_of_a_map_has_no_entries() {
    let map: SortedMap<u32, ()> = [(1, ()), (5, ())].into_iter().collect();
    #[expect(
        clippy::reversed_empty_ranges,
        reason = "a B-tree panics here, a look-up need not"
    )]
    let reversed = map.range(4..=2).count();
    assert_eq!(reversed, 0);
}

#[test]
fn a_set_does_what_a_b_tree_does() {
    let mut random = Rng::new(2);
    let (mut last_set, mut last_tree) = (SortedSet::new(), BTreeSet::new());
    for _ in 0..200 {
        let (mut set, mut tree) = (SortedSet::new(), BTreeSet::new());
        for _ in 0..40 {
            let value = random.below(20);
            match random.below(3) {
                0 => assert_eq!(set.remove(&value), tree.remove(&value)),
                _ => assert_eq!(set.insert(value), tree.insert(value)),
            }
            assert_eq!(set.contains(&value), tree.contains(&value));
            assert!(set.iter().eq(tree.iter()));
            assert_eq!((set.first(), set.last()), (tree.first(), tree.last()));
        }
        assert!(set.difference(&last_set).eq(tree.difference(&last_tree)));
        assert_eq!(set.is_subset(&last_set), tree.is_subset(&last_tree));
        (last_set, last_tree) = (set, tree);
    }
}

#[test]
fn a_sort_is_that_of_the_standard_library_and_stable() {
    let mut random = Rng::new(3);
    for length in (0..40).chain([1_000]) {
        let values: Vec<(u32, String)> = (0..length)
            .map(|at| (random.below(10), at.to_string()))
            .collect();
        let (mut ours, mut theirs) = (values.clone(), values.clone());
        sort_by_key(&mut ours, |it| it.0);
        theirs.sort_by_key(|it| it.0);
        assert_eq!(ours, theirs);
        let (mut ours, mut theirs) = (values.clone(), values.clone());
        sort_by(&mut ours, |one, other| other.0.cmp(&one.0));
        theirs.sort_by_key(|it| std::cmp::Reverse(it.0));
        assert_eq!(ours, theirs);
        let (mut ours, mut theirs) = (values.clone(), values);
        sort(&mut ours);
        theirs.sort();
        assert_eq!(ours, theirs);
    }
}
