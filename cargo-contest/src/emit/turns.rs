//! Interleavings of futures as a test that needs no threads and no luck: one thread polls the calls in turns.

use std::fmt::Write as _;

use contest_data::finding::{Compared, Finding, FindingKind};
use contest_data::subject::FutureUse;
use contest_data::test::call_text::object_name;

use super::test_code::Code;

/// Most orders of the calls that are compared with.
const MOST_ORDERS: usize = 64;

/// True if the interleaving can be played by one thread, and played tells right from wrong.
pub(super) fn is_playable(finding: &Finding) -> bool {
    if finding.turns.is_none() {
        return false;
    }
    match finding.kind {
        FindingKind::Deadlock
        | FindingKind::LostWakeup
        | FindingKind::Panic
        | FindingKind::ReentrantWaker => true,
        FindingKind::Cancellation | FindingKind::NonLinearizable | FindingKind::TornRead => {
            hangs(finding) || compares(finding)
        }
        _ => false,
    }
}

/// True if something shows that results are wrong, and what the orders of the calls show can all be looked at.
pub(super) fn compares(finding: &Finding) -> bool {
    finding.compared != Compared::default() && orders(finding).len() <= MOST_ORDERS
}

/// True if a call of the interleaving does not end.
pub(super) fn hangs(finding: &Finding) -> bool {
    let mut steps = finding.interleaving.iter();
    steps.any(|step| step.result.as_deref() == Some("<hung>"))
}

/// The results that are to be compared: none where the bug is that a call does not return. What the results then show
/// may be right in other ways than one call after another.
fn compared(finding: &Finding) -> Compared {
    let fails = matches!(
        finding.kind,
        FindingKind::Panic | FindingKind::ReentrantWaker
    );
    if fails || hangs(finding) {
        return Compared::default();
    }
    finding.compared.clone()
}

/// The body of the test function.
pub(super) fn write_body(out: &mut String, finding: &Finding) {
    let compared = compared(finding);
    let lanes = finding.turns.as_ref().map(|it| &it.lanes[..]);
    let (none, some) = match finding.cancelled.len() {
        0 => ("", ""),
        _ => (", None", ", Some(left_out)"),
    };
    let _ = write!(
        out,
        "    within_time(|| {{
        // A number is a turn of that thread: up to its next `await` or call, or before it drops a result.
        let found = outcome(&Order::Turns(&{:?}){none});
        assert!(found.is_some(), \"a thread hangs: nothing wakes it\");
",
        lanes.unwrap_or_default()
    );
    if compared == Compared::default() {
        out.push_str("    });\n");
        return;
    }
    let cancelled = finding.cancelled.len();
    let kept = if cancelled == 0 {
        ""
    } else {
        ", each cancelled call left out or run to its end"
    };
    let _ = write!(
        out,
        "        // One call after another{kept}.
        let mut expected = Vec::new();
        for order in {orders:?} {{
{serial}        }}
        assert!(expected.contains(&found), \"found {{found:?}}; one call after another: {{expected:?}}\");
    }});
",
        orders = orders(finding),
        serial = match cancelled {
            0 => "            expected.push(outcome(&Order::Calls(&order)));\n".to_owned(),
            _ => format!(
                "            for left_out in 0..{} {{\n                expected.push(outcome(&Order::Calls(&order){some}));\n            }}\n",
                1_u32 << cancelled
            ),
        }
    );
}

/// Adds the function that plays the calls, and what it needs.
pub(super) fn write_helpers(out: &mut String, code: &Code<'_>) {
    let compared = compared(code.finding);
    let mut lanes = String::new();
    let mut number_cancelled = 0;
    for (lane, calls) in code.finding.test.threads.iter().enumerate() {
        lanes.push_str("        Lane::new(async {\n");
        for (number, call) in calls.iter().enumerate() {
            let Some((bindings, text)) = code.called(call, false) else {
                continue;
            };
            let _ = writeln!(lanes, "            stage.call({lane}).await;");
            let how = code.future_use(call);
            let is_shown = compared.results.contains(&(lane as u16, number as u16));
            let shows = |shown: &str| {
                let (thread, call) = (lane + 1, number + 1);
                format!(
                    "shown.borrow_mut().push(format!(\"thread {thread} call {call}: {{}}\", {shown}));"
                )
            };
            if how == FutureUse::PollInWake {
                let then = "(Shown(&result).text(), drops(&result))";
                let polled = code.polled_by_waker(&bindings, &text, then);
                let _ = writeln!(lanes, "            let result = {polled}.await;");
                if is_shown {
                    let _ = writeln!(lanes, "            {}", shows("result.0"));
                }
                lanes.push_str(
                    "            if result.1 {\n                end_turn().await;\n            }\n",
                );
                continue;
            }
            for binding in &bindings {
                let _ = writeln!(lanes, "            {binding}");
            }
            let of_call = code.finding.cancelled.iter();
            let mut of_call =
                of_call.filter(|it| (usize::from(it.lane), usize::from(it.call)) == (lane, number));
            if let Some(cancelled) = of_call.next() {
                let dropped = if how == FutureUse::Drop {
                    format!("{{ let _ = {text}; }}")
                } else {
                    format!("dropped_after({}, {text}).await", cancelled.polls.max(1))
                };
                let _ = write!(
                    lanes,
                    "            match left_out {{
                None => {dropped},
                Some(calls) if calls & {bit} == 0 => {{ let _ = {text}.await; }}
                Some(_) => {{}}
            }}
",
                    bit = 1_u32 << number_cancelled
                );
                number_cancelled += 1;
                continue;
            }
            let awaits = if code.returns_future(call) {
                ".await"
            } else {
                ""
            };
            let _ = writeln!(lanes, "            let result = {text}{awaits};");
            if is_shown {
                let _ = writeln!(lanes, "            {}", shows("Shown(&result).text()"));
            }
            lanes.push_str(
                "            stage.hold(&result).await;\n            { let _dropped = result; }\n",
            );
        }
        lanes.push_str("        }),\n");
    }
    let observers = observers(code, &compared);
    let _ = write!(
        out,
        "
/// What the calls and the objects show in this order; `None` if a thread hangs. Cancelled calls are dropped, or, one
/// call after another, left out or run to their end: a bit for each says which.
fn outcome(order: &Order<'_>{left_out}) -> Option<Vec<String>> {{
{runtime}{objects}{prefix}    let shown = std::cell::RefCell::new(Vec::<String>::new());
    let stage = Stage::new(order);
    let mut lanes = [
{lanes}    ];
    let ended = stage.play(&mut lanes);
    drop(lanes);
    if !ended {{
        return None;
    }}
    let mut shown = shown.into_inner();
    shown.sort();
{observers}    Some(shown)
}}
",
        left_out = match code.finding.cancelled.len() {
            0 => "",
            _ => ", left_out: Option<u32>",
        },
        runtime = code.entered("    "),
        objects = indented(&code.objects()),
        prefix = indented(&code.prefix()),
    );
    out.push_str(STAGE);
    if out.contains("dropped_after(") {
        out.push_str(DROPPED_AFTER);
    }
    if out.contains("Shown(") {
        out.push_str(SHOWN);
    }
}

/// What looks at the objects afterwards, and with what they end.
pub(super) fn observers(code: &Code<'_>, compared: &Compared) -> String {
    let mut observers = String::new();
    let endings = code.endings();
    let others = endings.iter().filter(|it| !compared.observers.contains(it));
    for call in compared.observers.iter().chain(others) {
        let Some((bindings, text)) = code.called(call, false) else {
            continue;
        };
        let text = if code.returns_future(call) {
            format!("block_on({text})")
        } else {
            text
        };
        let condition = match (code.takes_whole(call), object_name(call.object)) {
            (true, object) => {
                format!("if let Some({object}) = std::sync::Arc::into_inner({object}) ")
            }
            (false, _) => String::new(),
        };
        let look = match compared.observers.contains(call) {
            true => "let result = {text}; shown.push(Shown(&result).text());",
            false => "let _ = {text};",
        };
        let bound: String = bindings.iter().map(|it| format!("{it} ")).collect();
        let look = look.replace("{text}", &text);
        let _ = writeln!(observers, "    {condition}{{ {bound}{look} }}");
    }
    observers
}

/// A level less.
pub(super) fn indented(text: &str) -> String {
    text.replace("\n        ", "\n    ")
        .replacen("        ", "    ", 1)
}

/// Every order of the calls, as lanes.
pub(super) fn orders(finding: &Finding) -> Vec<Vec<usize>> {
    fn merge(left: &mut [usize], order: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if all.len() > MOST_ORDERS {
            return;
        }
        if left.iter().all(|it| *it == 0) {
            all.push(order.clone());
        }
        for lane in 0..left.len() {
            if left[lane] > 0 {
                left[lane] -= 1;
                order.push(lane);
                merge(left, order, all);
                order.pop();
                left[lane] += 1;
            }
        }
    }
    let mut left: Vec<usize> = finding.test.threads.iter().map(Vec::len).collect();
    let mut all = Vec::new();
    merge(&mut left, &mut Vec::new(), &mut all);
    all
}

const STAGE: &str = include_str!("stage.rs.in");

const DROPPED_AFTER: &str = "
/// Drops a future after so many polls, in a turn of its own.
async fn dropped_after<F: std::future::Future>(polls: u32, future: F) {
    let mut future = Some(Box::pin(future));
    let mut done = 0;
    std::future::poll_fn(|context| {
        if let Some(running) = future.as_mut().filter(|_| done < polls) {
            done += 1;
            if running.as_mut().poll(context).is_pending() {
                return std::task::Poll::Pending;
            }
        }
        future = None;
        std::task::Poll::Ready(())
    })
    .await
}
";

pub(super) const SHOWN: &str = "
/// The text of a value with `Debug`; of others nothing is shown.
struct Shown<'a, T>(&'a T);

impl<T: std::fmt::Debug> Shown<'_, T> {
    fn text(&self) -> String {
        format!(\"{:?}\", self.0)
    }
}

#[allow(dead_code)]
trait Unshown {
    fn text(&self) -> String {
        String::new()
    }
}

impl<T> Unshown for Shown<'_, T> {}
";
