//! A place for one waker: `place.register(context.waker())`, look at the flag, return `Pending`; the other side sets
//! the flag, then `place.wake()`.
//!
//! One thread polls, as such places are for one task. A poll without a wake-up finds whether the flag is set, so a
//! lost wake-up shows without any serial order.

use contest_data::subject::{EndUse, Needs};

use super::super::operations::Operations;
use super::protocol::{
    FLAG, Protocol, beside, in_turn, is_own_method, of_object, operation, shown_in_turn,
};
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{OperationEntry, Passed, Returned, Taken};

const REGISTER: &str = "register";
const WAKE: &str = "wake";

/// What all threads do, and what one of them does.
const SHARED: Taken = Taken::End(EndUse {
    end: 0,
    needs: Needs::Shared,
});
const ALONE: Taken = Taken::End(EndUse {
    end: 1,
    needs: Needs::Alone,
});

pub(super) fn protocol(own: &Operations) -> Option<Protocol> {
    let named = |name: &str| {
        let mut all = own.found.iter();
        all.find(|it| it.name == name && is_own_method(it) && it.returned == Returned::Observe)
    };
    let register = named(REGISTER).filter(|it| takes_waker(it))?;
    let wake = named(WAKE).filter(|it| it.arguments.is_empty())?;
    let (compiled, text) = (of_object(&wake.expression), of_object(&wake.text));
    let set = [beside("set"), compiled.clone()];
    let shown = [beside("set"), text.clone()];
    let set = operation(
        wake,
        format!("set, {WAKE}"),
        in_turn(set),
        shown_in_turn(shown),
    );
    let only = operation(
        wake,
        WAKE.to_owned(),
        in_turn([compiled]),
        shown_in_turn([text]),
    );
    let shared = [set, only].map(|it| OperationEntry {
        taken: SHARED,
        ..it
    });
    let mut operations = vec![looks(register)];
    operations.extend(shared);
    Some(Protocol {
        beside: FLAG,
        operations,
    })
}

fn takes_waker(entry: &OperationEntry) -> bool {
    let [argument] = &entry.arguments[..] else {
        return false;
    };
    argument.passed == Passed::Reference
        && argument.type_expression.as_deref() == Some("std::task::Waker")
}

/// Is pending until the flag is set.
fn looks(register: &OperationEntry) -> OperationEntry {
    let with_waker = |call: &Expression| {
        of_object(call).fill(&|hole| match hole {
            Hole::Argument(_) => Some("context.waker()".into()),
            Hole::Object { .. } => None,
        })
    };
    let whole = |of_std: &str, registers: Expression, ready: &str, pending: &str| {
        Expression::Sequence(vec![
            format!("{of_std}poll_fn(|context| {{ ").into(),
            registers,
            "; if ".into(),
            beside("is_set"),
            format!(" {{ {ready} }} else {{ {pending} }} }})").into(),
        ])
    };
    let compiled = whole(
        "std::future::",
        with_waker(&register.expression),
        "std::task::Poll::Ready(())",
        "std::task::Poll::Pending",
    );
    let text = whole("", with_waker(&register.text), "Ready(())", "Pending");
    OperationEntry {
        taken: ALONE,
        returned: Returned::Future,
        polled: true,
        ..operation(register, format!("{REGISTER}, look"), compiled, text)
    }
}
