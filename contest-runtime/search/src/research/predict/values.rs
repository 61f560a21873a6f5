//! The values of the variables at the beginning of the model, and which of them do not add up.

use super::rules::draft::Draft;
use crate::coverage::{Contents, access_of};
use contest_data::trace::ObjectId;

/// By object.
#[derive(Clone, Debug)]
pub(super) struct Values {
    initial: Vec<Option<u64>>,
    opaque: Vec<bool>,
}

impl Values {
    /// Follows the trace.
    pub(super) fn of(draft: &mut Draft<'_>, contents: Contents) -> Self {
        let objects = draft.record.objects.len();
        let mut current: Vec<Option<u64>> = vec![None; objects];
        let mut values = Self {
            initial: vec![None; objects],
            opaque: vec![false; objects],
        };
        let mut written = vec![false; objects];
        for (position, event) in draft.record.events.iter().enumerate() {
            if position as u32 == draft.begin {
                values.initial.copy_from_slice(&current);
            }
            let Some((object, reads, writes, true)) = access_of(event, contents) else {
                continue;
            };
            let index = object.0 as usize;
            let in_model = position as u32 >= draft.begin;
            if in_model && draft.is_cut(position as u32) {
                // Later accesses cannot be distinguished from changes by unseen code; they are cut off too, or do not
                // read this.
                if writes {
                    current[index] = None;
                    written[index] = true;
                }
                continue;
            }
            if reads {
                match current[index] {
                    Some(value)
                        if value != event.read
                            && in_model
                            && draft.relevant[index]
                            && !values.opaque[index] =>
                    {
                        values.opaque[index] = true;
                        draft.cuts.opaque += 1;
                    }
                    None if in_model && !written[index] => values.initial[index] = Some(event.read),
                    _ => {}
                }
                current[index] = Some(event.read);
            }
            // A store records the value it replaced.
            if writes && !reads && in_model && current[index].is_none() && !written[index] {
                values.initial[index] = Some(event.read);
            }
            if writes {
                current[index] = Some(event.wrote);
                written[index] |= in_model;
            }
        }
        values
    }

    /// Value at the beginning of the model, if known.
    pub(super) fn initial(&self, object: ObjectId) -> Option<u64> {
        self.initial.get(object.0 as usize).copied().flatten()
    }

    /// True if some read did not return what was written last.
    pub(super) fn is_opaque(&self, object: ObjectId) -> bool {
        self.opaque.get(object.0 as usize).copied().unwrap_or(false)
    }
}
