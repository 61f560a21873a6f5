//! The memory that two accesses have in common.

use super::frame::Origin;
use super::race::Place;

/// Some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Touched {
    /// How many.
    pub size: usize,
    /// Where they are.
    pub within: Within,
    /// The field that they are, as debug information names it: `Inner.head`. `None` if it is not known.
    pub field: Option<&'static str>,
}

/// What bytes are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Within {
    /// Somewhere: an address, which means nothing outside of the process, or another number that stands for a location.
    Address(usize),
    /// A block of the heap.
    Block {
        /// How far from its beginning.
        offset: usize,
        /// Its requested size.
        size: usize,
        /// Where it was allocated; an empty stack if that was not noted.
        allocated: Place,
    },
}

impl Touched {
    /// Bytes from an address on.
    #[must_use]
    pub fn at(address: usize, size: usize) -> Self {
        Self {
            size,
            within: Within::Address(address),
            field: None,
        }
    }

    /// As in reports: `` `Inner.head`, 8 bytes at offset 16 of a block of 40, allocated at src/lib.rs:10:5 ``. `None`
    /// if nothing is known.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let bytes = match self.size {
            1 => "1 byte".to_owned(),
            more => format!("{more} bytes"),
        };
        let field = self.field.map(|field| format!("`{field}`, "));
        match self.within {
            Within::Address(_) => field.map(|field| format!("{field}{bytes}")),
            Within::Block {
                offset,
                size,
                allocated,
            } => {
                let field = field.unwrap_or_default();
                // What the test itself makes is the object under test.
                let made = allocated
                    .telling_frame()
                    .filter(|frame| frame.origin() != Origin::Driver);
                let allocated = match made {
                    Some(frame) if !frame.location.is_empty() => {
                        format!(", allocated at {}", frame.location)
                    }
                    _ => String::new(),
                };
                Some(format!(
                    "{field}{bytes} at offset {offset} of a block of {size}{allocated}"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_shown_as_offsets_in_their_block_and_never_as_addresses() {
        assert_eq!(Touched::at(0x1234, 8).text(), None);
        let mut touched = Touched {
            size: 8,
            within: Within::Block {
                offset: 16,
                size: 40,
                allocated: Place::Stack(&[]),
            },
            field: None,
        };
        let place = "8 bytes at offset 16 of a block of 40";
        assert_eq!(touched.text().as_deref(), Some(place));
        touched.field = Some("Inner.head");
        let named = format!("`Inner.head`, {place}");
        assert_eq!(touched.text(), Some(named));
    }
}
