//! An object and others that know it, and calls that change several of them.

use contest::sync::{Condvar, Mutex};
use contest_data::finding::FindingKind;
use contest_data::subject::{Call, EndUse, Needs, Operation, Receiver, Response, Subject};

use crate::subjects::{new, object, operation};
use crate::support::{campaign, settings};

/// A bus with two subscribers. What is published is there for one after the other.
#[derive(Default)]
struct Bus<const LOSES: bool> {
    first: Mutex<Vec<u32>>,
    second: Mutex<Vec<u32>>,
    published: Condvar,
}

impl<const LOSES: bool> Bus<LOSES> {
    fn publish(&self, event: u32) {
        for subscriber in [&self.first, &self.second] {
            if LOSES {
                let mut events = subscriber.lock().unwrap().clone();
                events.push(event);
                *subscriber.lock().unwrap() = events;
            } else {
                subscriber.lock().unwrap().push(event);
            }
            self.published.notify_all();
        }
    }

    fn wait_for_first(&self) -> u32 {
        let events = self.first.lock().unwrap();
        let mut events = self
            .published
            .wait_while(events, |it| it.is_empty())
            .unwrap();
        events.remove(0)
    }
}

const fn of_end(
    end: u8,
    name: &'static str,
    text: &'static str,
    call: fn(&Call<'_>) -> Response,
) -> Operation {
    Operation {
        receiver: Receiver::End(EndUse {
            end,
            needs: Needs::Shared,
        }),
        ..operation(name, text, &[], call)
    }
}

macro_rules! subject {
    ($type:ty, $first:expr) => {
        [Subject {
            name: "(Bus, Subscriber, Subscriber)",
            path: "Bus",
            constructors: &[new::<$type>("bus()")],
            operations: &[
                of_end(0, "publish", "{s}.0.publish(1)", |call| {
                    contest::observe!(object::<$type>(call).publish(1))
                }),
                $first,
                of_end(2, "second", "{s}.2.drain()", |call| {
                    contest::observe!(std::mem::take(
                        &mut *object::<$type>(call).second.lock().unwrap()
                    ))
                }),
            ],
            state: None,
        }]
    };
}

/// Takes what the first subscriber has.
const fn drain<const LOSES: bool>() -> Operation {
    of_end(1, "drain", "{s}.1.drain()", |call| {
        contest::observe!(std::mem::take(
            &mut *object::<Bus<LOSES>>(call).first.lock().unwrap()
        ))
    })
}

/// Waits until the first subscriber has something.
const WAIT: Operation = of_end(1, "wait", "{s}.1.wait()", |call| {
    contest::observe!(object::<Bus<false>>(call).wait_for_first())
});

static KEEPS: [Subject; 1] = subject!(Bus<false>, drain::<false>());
static WAITS: [Subject; 1] = subject!(Bus<false>, WAIT);
static LOSES: [Subject; 1] = subject!(Bus<true>, drain::<true>());

#[test]
fn a_call_that_changes_several_objects_need_not_be_one_step() {
    let heard = campaign(&KEEPS, &settings(2_000));
    assert_eq!(heard.kinds(), [FindingKind::TornRead], "{}", heard.text());
    let details = &heard.findings[0].details;
    assert!(
        details[0].contains("right beside the first one"),
        "{details:?}"
    );
}

#[test]
fn nor_if_a_call_on_one_of_them_waits_for_it() {
    let heard = campaign(&WAITS, &settings(2_000));
    let kinds = heard.kinds();
    let all_torn = kinds.iter().all(|kind| *kind == FindingKind::TornRead);
    assert!(!kinds.is_empty() && all_torn, "{}", heard.text());
}

#[test]
fn what_is_wrong_at_one_of_them_is_an_error() {
    let heard = campaign(&LOSES, &settings(2_000));
    let is_error = |kind| heard.kinds().contains(&kind);
    assert!(is_error(FindingKind::NonLinearizable), "{}", heard.text());
}
