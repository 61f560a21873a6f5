//! `Debug` output, cut at a limit.

use std::fmt::{self, Debug, Write};

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

/// `{:?}` in canonical form.
pub(super) fn debug<T: Debug + ?Sized>(value: &T) -> String {
    let mut out = Bounded(String::new());
    if write!(out, "{value:?}").is_err() {
        out.0.push('…');
    }
    super::canonical::canonical(out.0)
}
