//! The frames of a printed backtrace that a reader of a report can do something with: code under test, innermost first.

use contest_data::trace::{Origin, origin};

/// More than these are no help.
const MOST_FRAMES: usize = 64;

/// One line a frame: `crate::function at src/lib.rs:10:5`. Frames of the standard library, of the engine and of the
/// driver are left out, unless there is nothing else. Frames that repeat are written once, with a count.
pub fn worth_showing(backtrace: &str) -> Vec<String> {
    let frames = frames(backtrace);
    let of_code: Vec<_> = frames.iter().filter(|frame| frame.is_code()).collect();
    if of_code.is_empty() {
        return lines(frames.iter());
    }
    lines(of_code.into_iter())
}

#[derive(Debug, PartialEq, Eq)]
struct Frame<'a> {
    function: &'a str,
    /// Empty if unknown.
    location: &'a str,
}

impl Frame<'_> {
    fn is_code(&self) -> bool {
        !self.location.is_empty() && origin(self.function, self.location) == Origin::UnderTest
    }
}

/// `  3: function` on one line, `at file:line:column` on the next.
fn frames(backtrace: &str) -> Vec<Frame<'_>> {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    for line in backtrace.lines().map(str::trim) {
        if let Some(location) = line.strip_prefix("at ") {
            if let Some(frame) = frames.last_mut() {
                frame.location = location;
            }
        } else if let Some((number, function)) = line.split_once(": ")
            && number.bytes().all(|digit| digit.is_ascii_digit())
        {
            frames.push(Frame {
                function,
                location: "",
            });
        }
    }
    frames
}

fn lines<'a>(frames: impl Iterator<Item = &'a Frame<'a>>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut last: Option<&Frame<'_>> = None;
    let mut repeats = 0;
    let note = |lines: &mut Vec<String>, repeats: &mut u32| {
        if *repeats > 0 {
            lines.push(format!("(and {repeats} more like this)"));
            *repeats = 0;
        }
    };
    for frame in frames {
        if last == Some(frame) {
            repeats += 1;
            continue;
        }
        note(&mut lines, &mut repeats);
        if lines.len() >= MOST_FRAMES {
            lines.push("(and more)".to_owned());
            return lines;
        }
        lines.push(match frame.location {
            "" => frame.function.to_owned(),
            location => format!("{} at {location}", frame.function),
        });
        last = Some(frame);
    }
    note(&mut lines, &mut repeats);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKTRACE: &str = "   0: contest::driver::crash::on_signal
             at ./src/driver/crash.rs:89:48
   1: <unknown>
   2: __GI_abort
             at ./stdlib/abort.c:79:7
   3: <alloc::vec::Vec<T> as core::iter::Extend<T>>::extend
             at /rustc/5980/library/alloc/src/vec/mod.rs:1:1
   4: queue::grow
             at src/lib.rs:7:9
   5: queue::grow
             at src/lib.rs:8:9
   6: queue::grow
             at src/lib.rs:8:9
   7: queue::grow
             at src/lib.rs:8:9
   8: <queue::Queue as core::ops::Drop>::drop
             at src/lib.rs:20:5
   9: {closure#0}
             at ./target/contest/runtime-1/contest-runtime/src/assemble/run_test.rs:163:24
  10: main
  11: _start
";

    #[test]
    fn only_code_under_test_is_shown_and_repeats_are_counted() {
        assert_eq!(
            worth_showing(BACKTRACE),
            [
                "queue::grow at src/lib.rs:7:9",
                "queue::grow at src/lib.rs:8:9",
                "(and 2 more like this)",
                "<queue::Queue as core::ops::Drop>::drop at src/lib.rs:20:5",
            ]
        );
    }

    #[test]
    fn without_any_code_everything_is_shown() {
        let nothing_known = "   0: <unknown>\n   1: _start\n";
        assert_eq!(worth_showing(nothing_known), ["<unknown>", "_start"]);
    }

    #[test]
    fn a_stack_of_many_different_frames_is_cut_and_says_so() {
        // Just over the limit: splitting text is slow under an interpreter.
        let deep: String = (0..MOST_FRAMES + 2)
            .map(|number| format!("{number}: f{number}\n  at src/lib.rs:{number}:1\n"))
            .collect();
        let lines = worth_showing(&deep);
        assert_eq!(lines.len(), MOST_FRAMES + 1);
        assert_eq!(lines.last().map(String::as_str), Some("(and more)"));
    }
}
