//! Bytes as text for command lines and file names: Base 64 with the URL- and filename-safe alphabet, without padding
//! (RFC 4648, section 5).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The text for some bytes.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut bits = 0_usize;
        for position in 0..3 {
            bits = bits << 8 | usize::from(group.get(position).copied().unwrap_or_default());
        }
        for position in 0..=group.len() {
            let digit = bits >> (18 - 6 * position) & 0x3F;
            text.push(char::from(ALPHABET[digit]));
        }
    }
    text
}

/// The bytes that [`encode`] wrote as this text; `None` if it wrote no such text.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for digit in group {
            bits = bits << 6 | u32::from(value(*digit)?);
        }
        let unused = match group.len() {
            4 => 0,
            3 => 2,
            2 => 4,
            _ => return None,
        };
        if bits & ((1 << unused) - 1) != 0 {
            return None;
        }
        let whole = (bits >> unused).to_be_bytes();
        bytes.extend_from_slice(&whole[5 - group.len()..]);
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_standard_without_padding() {
        // RFC 4648, section 10.
        let vectors = [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in vectors {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn every_digit_is_read_as_it_is_written() {
        let bytes: Vec<u8> = (0..=255).chain([0xFB, 0xFF]).collect();
        let text = encode(&bytes);
        assert!(text.contains('-') && text.contains('_'), "{text}");
        assert_eq!(decode(&text), Some(bytes));
    }

    #[test]
    fn other_texts_are_refused() {
        // Foreign digits, padding, a digit too many, bits that mean nothing.
        for text in ["Zm9/", "Zg==", "Zm9vY", "Zh", "Zm9", "Z", "Zm 9"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
