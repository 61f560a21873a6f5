//! Numbers as bytes, seven bits in each, lowest first: small numbers are short.

/// Appends a number.
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number from the front; `None` if the bytes end before it does, or if it is none of 64 bits.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7F);
        number |= bits << shift;
        if bits << shift >> shift != bits {
            return None;
        }
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{put_number, take_number};

    #[test]
    fn a_number_comes_back_and_leaves_what_follows() {
        for number in [
            0,
            1,
            127,
            128,
            300,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ] {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            bytes.push(9);
            let mut rest = bytes.as_slice();
            assert_eq!(take_number(&mut rest), Some(number));
            assert_eq!(rest, [9]);
        }
    }

    #[test]
    fn what_is_cut_short_or_too_large_is_no_number() {
        for bytes in [
            &[][..],
            &[0x80],
            &[0xFF; 12],
            &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
        ] {
            assert_eq!(take_number(&mut &*bytes), None, "{bytes:?}");
        }
    }
}
