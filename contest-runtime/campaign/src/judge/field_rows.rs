//! Accesses of fields of annotated types, as rows of a table.

use contest_data::sorted::SortedMap;
use contest_data::trace::{ExecutionRecord, PlainAccess, ThreadIndex, ThreadSet};

/// What is shown of an execution's accesses, in order: those of fields that two threads besides the main one use and
/// one of them writes. Of the same accesses between two visible operations, the first.
pub(super) fn field_rows(record: &ExecutionRecord) -> Vec<(&PlainAccess, String)> {
    let all = || {
        let list = record.plain.list.iter();
        list.filter(|access| access.field.is_some() && access.thread != ThreadIndex::MAIN)
    };
    let mut users: SortedMap<usize, (ThreadSet, bool)> = SortedMap::new();
    for access in all() {
        let user = users.get_or_default(access.location);
        user.0.insert(access.thread);
        user.1 |= access.writes;
    }
    let mut rows: Vec<(&PlainAccess, &str)> = Vec::new();
    for access in all() {
        let (threads, written) = users[&access.location];
        if !written || !threads.has_several() {
            continue;
        }
        let (reads, writes) = ("read", "written");
        let last = rows
            .iter()
            .rev()
            .take_while(|(other, _)| other.step == access.step);
        let mut alike = last.filter(|(other, _)| {
            (other.thread, other.location, other.field)
                == (access.thread, access.location, access.field)
        });
        let what = if access.writes { writes } else { reads };
        if alike.any(|(_, known)| known.contains(what)) {
            continue;
        }
        // An update is a read and a write in one place.
        if let Some((last, known)) = rows.last_mut()
            && access.writes
            && *known == reads
            && (last.thread, last.step, last.location, last.place)
                == (access.thread, access.step, access.location, access.place)
        {
            *known = "read and written";
            continue;
        }
        rows.push((access, what));
    }
    let text = |(access, what): (&PlainAccess, &str)| {
        access
            .field
            .map_or_else(String::new, |field| format!("{field} {what}"))
    };
    rows.into_iter().map(|row| (row.0, text(row))).collect()
}
