//! What is drawn by lot, and seldom comes out wrong.

use std::collections::{HashMap, HashSet};

use rand::Rng;
use rand::seq::SliceRandom;

mod broken {
    use super::*;

    // meawoppl/agent-portal#1133: codes from a small space.
    #[test]
    fn no_code_comes_twice() {
        let mut rng = rand::rng();
        let codes: HashSet<u32> = (0..10).map(|_| rng.random_range(0..30_000)).collect();
        assert_eq!(codes.len(), 10);
    }

    // divviup/janus#1729: two random numbers for two identifiers.
    #[test]
    fn two_identifiers_differ() {
        let (first, second): (u16, u16) = rand::random();
        assert_ne!(first % 2_048, second % 2_048);
    }

    // 0xMiden/protocol#2492: a small number that must not be 0.
    #[test]
    fn the_weight_is_no_zero() {
        let weight: u16 = rand::random();
        assert!(60_000 / (u32::from(weight) % 2_048) > 0);
    }

    // crossbeam-rs/crossbeam#477: a bound on how often lots fall.
    #[test]
    fn lots_fall_fairly() {
        let mut rng = rand::rng();
        let heads = (0..100).filter(|_| rng.random_bool(0.5)).count();
        assert!((34..=66).contains(&heads), "{heads}");
    }

    // databendlabs/databend#3953: a random seed, and an order that is to be another one.
    #[test]
    fn the_order_is_another_one() {
        let mut order: Vec<u32> = (0..6).collect();
        order.shuffle(&mut rand::rng());
        assert_ne!(order, [0, 1, 2, 3, 4, 5]);
    }

    // f-rustrated/EastGuard#10: the first ones of a map.
    #[test]
    fn the_news_reach_the_north() {
        let members: HashMap<u32, bool> = (0..60).map(|it| (it, it < 40)).collect();
        assert!(members.values().take(5).any(|north| *north));
    }
}

mod mended {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    #[test]
    fn no_code_comes_twice() {
        let mut rng = StdRng::seed_from_u64(7);
        let codes: HashSet<u32> = (0..10).map(|_| rng.random_range(0..30_000)).collect();
        assert_eq!(codes.len(), 10);
    }

    #[test]
    fn two_identifiers_differ() {
        let first: u16 = rand::random();
        let second = first.wrapping_add(1);
        assert_ne!(first % 2_048, second % 2_048);
    }

    #[test]
    fn the_weight_is_no_zero() {
        let weight: u16 = rand::random();
        assert!(60_000 / (u32::from(weight) % 2_048).max(1) > 0);
    }

    #[test]
    fn lots_fall_fairly() {
        let mut rng = StdRng::seed_from_u64(3);
        let heads = (0..100).filter(|_| rng.random_bool(0.5)).count();
        assert!((34..=66).contains(&heads), "{heads}");
    }

    #[test]
    fn the_order_is_another_one() {
        let mut order: Vec<u32> = (0..6).collect();
        order.shuffle(&mut rand::rng());
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn the_news_reach_the_north() {
        let members: HashMap<u32, bool> = (0..60).map(|it| (it, it < 40)).collect();
        assert_eq!(members.values().filter(|north| **north).count(), 40);
    }
}
