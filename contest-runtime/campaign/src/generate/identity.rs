//! When two tests are the same.

use std::hash::{Hash, Hasher};

use crate::generate::RandomCalls;
use contest_data::fast_hash::FastHash;
use contest_data::sorted;
use contest_data::test::{ConcurrentTest, TestCall};

/// Equal for tests that differ only in the order of their threads, or in which of two equal objects is which. Two
/// hashes of 64 bits: no two tests of a campaign are to be expected to have the same one, so that one is lost.
pub(crate) fn identity(calls: &RandomCalls, test: &ConcurrentTest) -> (u64, u64) {
    let own = hash(test, |call| call.clone());
    match test.objects.as_slice() {
        [one, other] if one == other => own.min(hash(test, |call| mirrored(call, calls))),
        _ => own,
    }
}

/// The same call with the two objects exchanged.
pub(crate) fn mirrored(call: &TestCall, calls: &RandomCalls) -> TestCall {
    let arguments = calls.operation(call.operation).arguments;
    let mut other = call.clone();
    other.object = 1 - call.object.min(1);
    for (choice, argument) in other.choices.iter_mut().zip(arguments) {
        if argument.object {
            *choice = 1 - (*choice).min(1);
        }
    }
    other
}

fn hash(test: &ConcurrentTest, change: impl Fn(&TestCall) -> TestCall) -> (u64, u64) {
    let mut lanes: Vec<(u64, u64)> = test
        .threads
        .iter()
        .map(|lane| both(&lane.iter().map(&change).collect::<Vec<_>>()))
        .collect();
    sorted::sort(&mut lanes);
    let prefix: Vec<TestCall> = test.prefix.iter().map(&change).collect();
    both(&(test.subject, &test.objects, prefix, lanes))
}

fn both(value: &impl Hash) -> (u64, u64) {
    let of = |salt: u64| {
        let mut hasher = FastHash::default();
        salt.hash(&mut hasher);
        value.hash(&mut hasher);
        hasher.finish()
    };
    (of(0), of(0x9E37_79B9_7F4A_7C15))
}
