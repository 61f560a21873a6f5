//! Text of crates under test (names, values, panic messages) on its way to a reader: characters that would act instead
//! of being seen are written as escapes.

use std::borrow::Cow;

use contest_data::finding::{Finding, InterleavingStep};

/// A text in which control characters, marks that reorder or hide text, and line separators are escaped as in Rust:
/// `\u{202e}`. Line breaks and tabs stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if acts(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// A finding whose texts are [`visible`].
#[must_use]
pub fn finding_as_seen(finding: &Finding) -> Cow<'_, Finding> {
    let mut texts = std::iter::once(&finding.message)
        .chain([&finding.subject])
        .chain(&finding.details)
        .chain(&finding.prefix)
        .chain(finding.threads.iter().flatten())
        .chain(&finding.thread_names)
        .chain(&finding.locations);
    let steps = steps_as_seen(&finding.interleaving);
    let harmless = matches!(steps, Cow::Borrowed(_)) && !texts.any(|text| text.chars().any(acts));
    if harmless {
        return Cow::Borrowed(finding);
    }
    let mut seen = finding.clone();
    seen.interleaving = steps.into_owned();
    let texts = std::iter::once(&mut seen.message)
        .chain([&mut seen.subject])
        .chain(&mut seen.details)
        .chain(&mut seen.prefix)
        .chain(seen.threads.iter_mut().flatten())
        .chain(&mut seen.thread_names)
        .chain(&mut seen.locations);
    for text in texts {
        *text = visible(text).into_owned();
    }
    Cow::Owned(seen)
}

/// Steps whose texts are [`visible`].
#[must_use]
pub fn steps_as_seen(steps: &[InterleavingStep]) -> Cow<'_, [InterleavingStep]> {
    let act = |text: &String| text.chars().any(acts);
    let harmless = |step: &InterleavingStep| {
        let more = [&step.result, &step.caller];
        !act(&step.event) && !act(&step.location) && !more.into_iter().flatten().any(act)
    };
    if steps.iter().all(harmless) {
        return Cow::Borrowed(steps);
    }
    let mut seen = steps.to_vec();
    for step in &mut seen {
        step.event = visible(&step.event).into_owned();
        step.location = visible(&step.location).into_owned();
        step.caller = step
            .caller
            .as_deref()
            .map(|text| visible(text).into_owned());
        step.result = step
            .result
            .as_deref()
            .map(|text| visible(text).into_owned());
    }
    Cow::Owned(seen)
}

/// True for a character that acts on what is around it: terminal escapes, and the marks of bidirectional text and of no
/// width (Unicode, Bidi_Control and Default_Ignorable_Code_Point; joiners included, which hide in names).
pub(super) fn acts(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_is_written_out_and_everything_else_stays() {
        for (text, expected) in [
            ("a.push(1)\n\tb", "a.push(1)\n\tb"),
            ("größer 中 é", "größer 中 é"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("\u{202e}cba", "\\u{202e}cba"),
            ("a\u{200b}b\r\0\u{9b}", "a\\u{200b}b\\u{d}\\u{0}\\u{9b}"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
