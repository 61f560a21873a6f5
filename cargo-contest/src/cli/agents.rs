//! Variables of the environment by which programs make themselves known that run commands and read what these print. If
//! one of them is set, and the user chose no format, the output is for such a reader.

use std::ffi::OsString;

/// The variables. The first two are for all such programs, the others each for one of them; a program that is missing
/// here can set `AGENT=1`, or give `--message-format agent`.
const VARIABLES: [&str; 15] = [
    "AGENT",
    "AI_AGENT",
    "AUGMENT_AGENT",
    "CLAUDECODE",
    "CLINE_ACTIVE",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "COPILOT_AGENT",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "GOOSE_TERMINAL",
    "OPENCODE",
    "QWEN_CODE",
];

/// Values that say no.
const OFF: [&str; 3] = ["", "0", "false"];

/// The first variable that is set, as `variable` reads them.
pub(super) fn agent(variable: impl Fn(&str) -> Option<OsString>) -> Option<&'static str> {
    let is_set = |name: &&str| variable(name).is_some_and(|it| OFF.iter().all(|off| it != **off));
    VARIABLES.into_iter().find(|name| is_set(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_says_no_is_as_none() {
        let set = |name: &'static str, value: &'static str| {
            agent(move |asked| (asked == name).then(|| value.into()))
        };
        assert_eq!(set("CLAUDECODE", "1"), Some("CLAUDECODE"));
        assert_eq!(set("AGENT", "goose"), Some("AGENT"));
        for value in OFF {
            assert_eq!(set("AGENT", value), None);
        }
        assert_eq!(set("HOME", "1"), None);
    }
}
