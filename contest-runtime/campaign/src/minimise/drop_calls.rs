//! Fewer lanes, fewer calls, first alternatives instead of others: greedily, until nothing can be left out.

use super::{Reproduce, Reproduction};
use contest_data::test::{ConcurrentTest, TestCall};

/// The smallest test found that still shows the bug.
pub(crate) fn drop_calls(
    mut test: ConcurrentTest,
    mut found: Reproduction,
    run: &mut dyn Reproduce,
) -> (ConcurrentTest, Reproduction) {
    loop {
        let smaller = smaller(&test).into_iter().find_map(|candidate| {
            if !run.goes_on() {
                return None;
            }
            let found = run.reproduce(&candidate, None)?;
            Some((candidate, found))
        });
        match smaller {
            Some(better) => (test, found) = better,
            None => return (test, found),
        }
    }
}

/// Tests with one thing less, the largest steps first.
fn smaller(test: &ConcurrentTest) -> Vec<ConcurrentTest> {
    let mut all = Vec::new();
    if test.threads.len() > 2 {
        for lane in 0..test.threads.len() {
            let mut candidate = test.clone();
            candidate.threads.remove(lane);
            all.push(candidate);
        }
    }
    if test.prefix.len() > 1 {
        let mut candidate = test.clone();
        candidate.prefix.clear();
        all.push(candidate);
    }
    for index in (0..test.prefix.len()).rev() {
        let mut candidate = test.clone();
        candidate.prefix.remove(index);
        all.push(candidate);
    }
    for lane in 0..test.threads.len() {
        // Two lanes stay: what one thread shows alone is no bug of concurrency.
        if test.threads[lane].len() > 1 {
            for call in (0..test.threads[lane].len()).rev() {
                let mut candidate = test.clone();
                candidate.threads[lane].remove(call);
                all.push(candidate);
            }
        }
    }
    all.extend(fewer_objects(test));
    all.extend(plainer(test));
    all
}

/// Without the last object, if no call needs it.
fn fewer_objects(test: &ConcurrentTest) -> Option<ConcurrentTest> {
    let last = u8::try_from(test.objects.len().checked_sub(1)?).ok()?;
    // A choice may name an object: with two objects, any choice other than the first is taken for one.
    let needs = |call: &TestCall| call.object == last || call.choices.contains(&last);
    let mut calls = test.prefix.iter().chain(test.threads.iter().flatten());
    if last == 0 || calls.any(needs) {
        return None;
    }
    let mut candidate = test.clone();
    candidate.objects.pop();
    Some(candidate)
}

/// First alternatives instead of others, one at a time.
fn plainer(test: &ConcurrentTest) -> Vec<ConcurrentTest> {
    let mut all = Vec::new();
    for (index, object) in test.objects.iter().enumerate() {
        if object.constructor != 0 {
            let mut candidate = test.clone();
            candidate.objects[index].constructor = 0;
            candidate.objects[index].choices.clear();
            all.push(candidate);
        }
        for (choice, value) in object.choices.iter().enumerate() {
            if *value != 0 {
                let mut candidate = test.clone();
                candidate.objects[index].choices[choice] = 0;
                all.push(candidate);
            }
        }
    }
    let places = (0..test.prefix.len()).map(|call| (None, call)).chain(
        test.threads
            .iter()
            .enumerate()
            .flat_map(|(lane, calls)| (0..calls.len()).map(move |call| (Some(lane), call))),
    );
    for (lane, call) in places {
        let length = call_at(&mut test.clone(), lane, call).choices.len();
        for choice in 0..length {
            let mut candidate = test.clone();
            let value = &mut call_at(&mut candidate, lane, call).choices[choice];
            if *value != 0 {
                *value = 0;
                all.push(candidate);
            }
        }
    }
    all
}

fn call_at(test: &mut ConcurrentTest, lane: Option<usize>, call: usize) -> &mut TestCall {
    match lane {
        Some(lane) => &mut test.threads[lane][call],
        None => &mut test.prefix[call],
    }
}
