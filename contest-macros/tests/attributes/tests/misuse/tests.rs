//! Tests that cannot be run.

#[contest::test]
struct NoFunction;

#[contest::test]
fn arguments(number: u32) {
    let _ = number;
}

#[contest::test]
async fn later() {}

#[contest::test]
#[test]
fn twice() {}

#[contest::test(fast)]
fn unknown() {}

#[contest::test(seed)]
fn no_value() {}

#[contest::test(exhaustive = true)]
fn a_value() {}

#[contest::test(budget = "soon")]
fn no_time() {}

#[contest::test(seed = 1, seed = 2)]
fn given_twice() {}

fn main() {
    let _ = NoFunction;
    arguments(1);
}
