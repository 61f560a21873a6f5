//! An object that has made others, and calls that concern several of them.

use contest::sync::Mutex;
use contest_data::finding::FindingKind;
use contest_data::subject::{Call, EndUse, Needs, Operation, Receiver, Response, Subject};

use crate::subjects::{new, object, operation};
use crate::support::{campaign, settings};

/// A bus with two subscribers. What is published is there for one after the other.
#[derive(Default)]
struct Bus<const LOSES: bool> {
    first: Mutex<Vec<u32>>,
    second: Mutex<Vec<u32>>,
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
        }
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
    ($type:ty) => {
        [Subject {
            name: "(Bus, Subscriber, Subscriber)",
            path: "Bus",
            constructors: &[new::<$type>("bus()")],
            operations: &[
                of_end(0, "publish", "{s}.0.publish(1)", |call| {
                    contest::observe!(object::<$type>(call).publish(1))
                }),
                of_end(1, "first", "{s}.1.drain()", |call| {
                    contest::observe!(std::mem::take(
                        &mut *object::<$type>(call).first.lock().unwrap()
                    ))
                }),
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

static KEEPS: [Subject; 1] = subject!(Bus<false>);
static LOSES: [Subject; 1] = subject!(Bus<true>);

#[test]
fn a_call_that_concerns_several_objects_need_not_be_one_step() {
    let heard = campaign(&KEEPS, &settings(2_000));
    assert_eq!(heard.kinds(), [FindingKind::TornRead], "{}", heard.text());
    let details = &heard.findings[0].details;
    assert!(
        details[0].contains("right beside the one that made them"),
        "{details:?}"
    );
}

#[test]
fn what_is_wrong_at_one_of_them_is_an_error() {
    let heard = campaign(&LOSES, &settings(2_000));
    let is_error = |kind| heard.kinds().contains(&kind);
    assert!(is_error(FindingKind::NonLinearizable), "{}", heard.text());
}
