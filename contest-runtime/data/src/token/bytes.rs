//! Numbers, texts and lists as bytes.

use crate::trace::number::{put_number, take_number};

/// Appends values to bytes.
#[derive(Debug)]
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    pub(super) fn number(&mut self, number: u64) {
        put_number(&mut self.0, number);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|it| item(self, it));
    }
}

/// Takes them off again; `None` where the bytes do not fit.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn number(&mut self) -> Option<u64> {
        take_number(&mut self.0)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let length = usize::try_from(self.number()?).ok()?;
        // Every item takes a byte at least: a length beyond that is no reason to allocate.
        let mut items = Vec::with_capacity(length.min(self.0.len()));
        for _ in 0..length {
            items.push(item(self)?);
        }
        Some(items)
    }
}
