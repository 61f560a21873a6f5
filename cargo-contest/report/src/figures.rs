//! Counts and times as text.

use std::time::Duration;

/// `3 tests`.
pub(super) fn counted(n: u64, thing: &str) -> String {
    if n == 1 {
        format!("1 {thing}")
    } else {
        format!("{} {thing}s", count(n))
    }
}

/// With a comma between groups of three digits.
pub(super) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// As [`seconds`].
pub(super) fn milliseconds(ms: u64) -> String {
    seconds(Duration::from_millis(ms))
}

/// `12 ms`, `3.4 s`.
pub(super) fn seconds(time: Duration) -> String {
    if time.as_millis() < 1000 {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}
