use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use super::canonical::{canonical, stripped};

struct Opaque;

struct Guard<'a>(&'a str);

impl Deref for Guard<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        self.0
    }
}

/// Yields opaque items and counts the calls of `size_hint`.
struct Opaques(u32, Rc<RefCell<u32>>);

impl Iterator for Opaques {
    type Item = Opaque;
    fn next(&mut self) -> Option<Opaque> {
        self.0 = self.0.checked_sub(1)?;
        Some(Opaque)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        *self.1.borrow_mut() += 1;
        (0, None)
    }
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_value_is_observed_by_the_most_telling_way_it_has() {
    let owner = String::from("inner");
    assert_eq!(crate::observe!(()), text("()"));
    assert_eq!(crate::observe!(Some(1)), text("Some(1)"));
    assert_eq!(crate::observe!(Guard(&owner)), text("\"inner\""));
    assert_eq!(
        crate::observe!(Some(Guard(&owner))),
        text("Some(\"inner\")")
    );
    assert_eq!(crate::observe!(None::<Guard<'_>>), text("None"));
    assert_eq!(
        crate::observe!(Ok::<_, u8>(Guard(&owner))),
        text("Ok(\"inner\")")
    );
    assert_eq!(crate::observe!(Err::<Guard<'_>, u8>(3)), text("Err(3)"));
    assert_eq!(
        crate::observe!(Ok::<_, Opaque>(Guard(&owner))),
        text("Ok(\"inner\")")
    );
    assert_eq!(
        crate::observe!([1, 2].iter().map(|n| n + 1)),
        text("[2, 3]")
    );
    assert_eq!(
        crate::observe!([1, 2].iter().map(|_| Guard(&owner))),
        text("[\"inner\", \"inner\"]")
    );
    assert_eq!(
        crate::observe!(Some([1].iter().map(|n| n + 1))),
        text("Some([2])")
    );
    assert_eq!(crate::observe!(Err::<Opaque, _>(1)), text("Err(1)"));
    assert_eq!(crate::observe!(Some(Opaque)), text("Some(_)"));
    assert_eq!(crate::observe!(Ok::<Opaque, Opaque>(Opaque)), text("Ok(_)"));
    assert_eq!(crate::observe!(Opaque), None);
    assert_eq!(crate::observe!(&Opaque), None);
    assert_eq!(crate::observe!(Arc::new(Opaque)), None);
}

#[test]
fn a_guard_is_held_until_it_was_observed_and_not_longer() {
    let lock = Mutex::new(5);
    let held = crate::observe!(lock.lock().inspect(|_| assert!(lock.try_lock().is_err())));
    assert_eq!(held, text("Ok(5)"));
    assert!(lock.try_lock().is_ok());
}

#[test]
fn an_iterator_is_drained_to_a_limit_with_a_size_hint_at_each_step() {
    let hints = Rc::new(RefCell::new(0));
    assert_eq!(
        crate::observe!(Opaques(2, Rc::clone(&hints))),
        text("[_, _]")
    );
    assert_eq!(*hints.borrow(), 3);
    assert_eq!(
        crate::observe_iterator!(0..100_u8)
            .unwrap()
            .matches(',')
            .count(),
        16
    );
    assert_eq!(
        crate::observe_iterator!(Some(0..2_u8)),
        text("Some([0, 1])")
    );
    assert_eq!(crate::observe_iterator!(Opaque), None);
}

#[test]
fn a_future_is_run_to_its_end_also_when_it_wakes_itself() {
    let mut polls = 0;
    let future = std::future::poll_fn(|context| {
        polls += 1;
        if polls < 3 {
            context.waker().wake_by_ref();
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(polls)
        }
    });
    assert_eq!(crate::observe_future!(future, 0), text("3"));
}

#[test]
fn a_long_value_is_cut() {
    let long = crate::observe!("é".repeat(5_000)).unwrap();
    assert!(long.len() < 2_100 && long.ends_with('…'));
}

#[test]
fn what_differs_from_run_to_run_is_erased() {
    let erased = |before: &str, after: &str| assert_eq!(canonical(before.to_owned()), after);
    erased(
        "(0x7f00aa0010, 0x7f00aa0020, 0x7f00aa0010)",
        "(0x#1, 0x#2, 0x#1)",
    );
    erased("AtomicU8(0x1f)", "AtomicU8(0x1f)");
    erased("ThreadId(17)", "ThreadId(_)");
    erased(
        "E { at: Instant { tv_sec: 1, tv_nsec: 2 }, n: 1 }",
        "E { at: Instant, n: 1 }",
    );
    erased("[1.5ms, 20ns, 3µs, 4s]", "[<time>, <time>, <time>, <time>]");
    erased("v2s 3sx \"10 s\"", "v2s 3sx \"10 s\"");
    assert_eq!(
        stripped("index 17 out of range for 0x7f00aa0010"),
        "index # out of range for #"
    );
}

#[test]
fn maps_and_nested_values_are_observed_by_debug() {
    let map: HashMap<u8, u8> = [(1, 2)].into();
    assert_eq!(crate::observe!(&map), text("{1: 2}"));
}

#[test]
fn what_a_reference_leads_to_is_read_by_its_type() {
    use super::referent::*;
    use super::ways::Probe;
    macro_rules! way {
        ($value:expr) => {{
            let value = $value;
            let way = (&&&&&&&&&&Probe::of(&value)).referent();
            let sizes = way.bytes(&value).map(|(_, size)| size);
            (format!("{way:?}"), sizes)
        }};
    }
    let text = "a".to_owned();
    assert_eq!(way!(&1), ("OfPlain".to_owned(), [4, 0]));
    assert_eq!(way!(Some(&1)), ("OfOptionPlain".to_owned(), [4, 0]));
    assert_eq!(way!(Ok::<_, ()>(&1)), ("OfResultPlain".to_owned(), [4, 0]));
    assert_eq!(way!(&text), ("OfAll".to_owned(), [24, 1]));
    assert_eq!(way!(Some(&text)), ("OfOptionAll".to_owned(), [24, 1]));
    assert_eq!(way!(text.as_str()), ("OfText".to_owned(), [1, 0]));
    assert_eq!(way!(&[1, 2][..]), ("OfSlice".to_owned(), [8, 0]));
    let nothing = std::mem::MaybeUninit::<u8>::uninit();
    assert_eq!(way!(&nothing), ("OfUninit".to_owned(), [0, 0]));
    assert_eq!(
        way!(Ok::<&str, ()>("a")),
        ("OfResultText".to_owned(), [1, 0])
    );
    // There may be a cell in it.
    assert_eq!(
        way!(&std::cell::Cell::new(1)),
        ("OfNothing".to_owned(), [0, 0])
    );
    assert_eq!(way!(Some(1)), ("OfNothing".to_owned(), [0, 0]));
}
