//! loom `tests/double_panic_in_drop.rs`.

use contest::alloc::Arc;
use contest::thread;
use contest_compat::loom::model::Builder;

#[test]
fn a_limit_that_is_reached_while_something_is_to_be_dropped_is_one_failure() {
    let failure = std::panic::catch_unwind(|| {
        let mut builder = Builder::new();
        builder.max_branches = 2;
        builder.check(|| {
            let _dropped_with_an_operation = Arc::new(());
            for _ in 0..3 {
                thread::yield_now();
            }
        });
    });
    let text = *failure.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("more than 2 visible operations"), "{text}");
}
