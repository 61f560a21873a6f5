//! Canonical text of values: what depends on addresses, thread identity or time is erased.

/// Fewest hexadecimal digits of what is taken for an address: smaller numbers are data.
const ADDRESS_DIGITS: usize = 6;

/// Erases addresses (numbered by first use within the text), thread ids, instants and spans of time.
#[must_use]
pub(super) fn canonical(text: String) -> String {
    let suspicious = text.contains("0x")
        || text.contains("ThreadId(")
        || text.contains("Instant")
        || text.contains("SystemTime")
        || has_duration(&text);
    if suspicious { rewrite(&text) } else { text }
}

/// Message of a panic without what differs from run to run: digits become `#`.
#[must_use]
pub fn stripped(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        if let Some((_, after)) = address(rest) {
            out.push('#');
            rest = after;
        } else if first.is_ascii_digit() {
            out.push('#');
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

fn rewrite(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut addresses: Vec<&str> = Vec::new();
    let mut rest = text;
    let mut in_word = false;
    while let Some(first) = rest.chars().next() {
        if !in_word {
            if let Some((digits, after)) = address(rest) {
                let number = addresses
                    .iter()
                    .position(|known| *known == digits)
                    .unwrap_or_else(|| {
                        addresses.push(digits);
                        addresses.len() - 1
                    });
                out.push_str("0x#");
                out.push_str(&(number + 1).to_string());
                rest = after;
                continue;
            }
            if let Some(after) = rest.strip_prefix("ThreadId(") {
                out.push_str("ThreadId(_");
                rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
                in_word = false;
                continue;
            }
            if let Some((name, after)) = time_point(rest) {
                out.push_str(name);
                rest = after;
                continue;
            }
            if let Some(after) = duration(rest) {
                out.push_str("<time>");
                rest = after;
                continue;
            }
        }
        in_word = first.is_alphanumeric() || first == '_';
        out.push(first);
        rest = &rest[first.len_utf8()..];
    }
    out
}

/// `0x7ffe12345678`: its digits and what follows.
fn address(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix("0x")?;
    let end = digits
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(digits.len());
    (end >= ADDRESS_DIGITS).then(|| digits.split_at(end))
}

/// `Instant { tv_sec: 1, tv_nsec: 5 }`: its name and what follows.
fn time_point(text: &str) -> Option<(&str, &str)> {
    ["Instant", "SystemTime"].into_iter().find_map(|name| {
        let after = text.strip_prefix(name)?.trim_start();
        let (_, after) = after
            .strip_prefix('{')
            .or_else(|| after.strip_prefix('('))?
            .split_once(['}', ')'])?;
        Some((name, after))
    })
}

/// `1.5ms`, as `Duration` prints itself: what follows.
fn duration(text: &str) -> Option<&str> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let after = ["ns", "µs", "ms", "s"]
        .into_iter()
        .find_map(|unit| after.strip_prefix(unit))?;
    (!after.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some(after)
}

fn has_duration(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_digit() && matches!(pair[1], b's' | b'm' | b'n' | 0xC2))
}
