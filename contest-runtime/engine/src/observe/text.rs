//! `Debug` output, cut at a limit.

use std::fmt::{self, Debug, Write};

use crate::execution::active;
use contest_data::trace::ThreadIndex;

/// Longest text kept, in bytes. Longer values are compared by their beginning.
const LONGEST: usize = 2_000;

struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = LONGEST - self.0.len();
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        let end = (0..=room)
            .rev()
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(0);
        self.0.push_str(&text[..end]);
        // Ends the formatting: a value that prints for ever must not hang the execution.
        Err(fmt::Error)
    }
}

/// `{:?}` in canonical form. A value that looks at shared state to show itself (a handle of the object, an `Arc` of an
/// atomic) shows what happens to be there later, not what the call returned: while other threads run, only its variant
/// is kept, and locks that are not inside of the value are not taken.
pub(super) fn debug<T: Debug + ?Sized>(value: &T) -> String {
    // The main thread looks when the others have ended.
    let beside_others = active().filter(|active| active.current() != ThreadIndex::MAIN);
    let begin = std::ptr::from_ref(value).cast::<u8>().addr();
    let memory = begin..begin + size_of_val(value);
    let look = beside_others.map(|active| active.look(memory));
    let mut out = Bounded(String::new());
    if write!(out, "{value:?}").is_err() {
        out.0.push('…');
    }
    if let (Some(active), Some(look)) = (beside_others, look)
        && active.looked_at_shared(look)
    {
        return variant(&out.0);
    }
    super::canonical::canonical(out.0)
}

/// `Ok(Permit { .. })` of `Ok(Permit { permits: 1, semaphore: .. })`.
pub fn variant(text: &str) -> String {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !name.starts_with(char::is_uppercase) {
        // A number, a text, a list: all of it is the value.
        return "..".to_owned();
    }
    if let Some(inside) = rest.strip_prefix('(') {
        return match name {
            "Some" | "Ok" | "Err" => format!("{name}({})", variant(inside)),
            _ => format!("{name}(..)"),
        };
    }
    if rest.trim_start().starts_with('{') {
        return format!("{name} {{ .. }}");
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::variant;

    #[test]
    fn only_the_variant_of_a_value_is_kept() {
        let cases = [
            ("Ok(Permit { permits: 1 })", "Ok(Permit { .. })"),
            ("Some(Err(Guard(3)))", "Some(Err(Guard(..)))"),
            ("None", "None"),
            ("[1, 2]", ".."),
            ("17", ".."),
            ("Some(17)", "Some(..)"),
            ("Ok(None)", "Ok(None)"),
            ("true", ".."),
        ];
        for (text, expected) in cases {
            assert_eq!(variant(text), expected);
        }
    }
}
