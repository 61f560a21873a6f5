//! What the environment says to a check. Read once, when it begins.

use std::time::Duration;

const BUDGET: &str = "CONTEST_BUDGET";
const SEED: &str = "CONTEST_SEED";
pub(super) use crate::model::environment::REPLAY;

/// What goes before what the test says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Environment {
    pub(super) budget: Option<Duration>,
    pub(super) seed: Option<u64>,
    pub(super) replay: Option<String>,
}

impl Environment {
    /// # Panics
    /// If a variable is not what it should be: a run that ignores it would not be the intended one.
    #[track_caller]
    pub(super) fn read() -> Self {
        let variable = |name| {
            std::env::var(name)
                .ok()
                .filter(|text| !text.trim().is_empty())
        };
        Self {
            budget: variable(BUDGET).map(|text| {
                duration(text.trim()).unwrap_or_else(|| {
                    panic!("contest: {BUDGET}={text} is no time; write `30s`, `500ms` or `2m`")
                })
            }),
            seed: variable(SEED).map(|text| {
                text.trim()
                    .parse()
                    .unwrap_or_else(|_| panic!("contest: {SEED}={text} is no number"))
            }),
            replay: crate::model::environment::replay(),
        }
    }
}

/// `30s`, `500ms`, `2m`, `1.5`; seconds if there is no unit.
fn duration(text: &str) -> Option<Duration> {
    let digits = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(number * factor).ok()
}

#[cfg(test)]
mod tests {
    use super::duration;
    use std::time::Duration;

    #[test]
    fn times_have_units_and_what_is_none_is_refused() {
        assert_eq!(duration("30s"), Some(Duration::from_secs(30)));
        assert_eq!(duration("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Some(Duration::from_secs(120)));
        assert_eq!(duration("1.5"), Some(Duration::from_millis(1500)));
        for none in ["", "s", "3 weeks", "-1s", "1.2.3s"] {
            assert_eq!(duration(none), None, "{none}");
        }
    }
}
