//! What the papers report for the original classes, on their machines: AutoConTest, Table 1; DepCon+, Tables II and
//! III. What PCR reports is beside its tables.

use std::fmt::Write as _;

use crate::subjects::Subject;

/// Number in the paper, its tool, time to the first fault and tests; the same of the tool it is compared with.
const PUBLISHED: [(&str, &str, &str, &str, &str); 25] = [
    (
        "A1",
        "AutoConTest",
        "22,438 ms, 7 tests",
        "ConTeGe*",
        "66,357 ms, 110 tests",
    ),
    (
        "A2",
        "AutoConTest",
        "28,967 ms, 3 tests",
        "ConTeGe*",
        "none in 1 h, 130 tests",
    ),
    (
        "A3",
        "AutoConTest",
        "64,506 ms, 17 tests",
        "ConTeGe*",
        "1,014,452 ms, 185 tests",
    ),
    (
        "A4",
        "AutoConTest",
        "35,075 ms, 1 tests",
        "ConTeGe*",
        "156,846 ms, 99 tests",
    ),
    (
        "A5",
        "AutoConTest",
        "45,141 ms, 3 tests",
        "ConTeGe*",
        "none in 1 h, 230 tests",
    ),
    (
        "A6",
        "AutoConTest",
        "29,588 ms, 1 tests",
        "ConTeGe*",
        "2,254,045 ms, 167 tests",
    ),
    (
        "C1",
        "DepCon+",
        "100 % of runs, 0:01:21, 188 tests",
        "CovCon",
        "40 % of runs, 0:36:15, 6,660 tests",
    ),
    (
        "C2",
        "DepCon+",
        "40 % of runs, 0:43:57, 2,810 tests",
        "CovCon",
        "40 % of runs, 0:52:36, 9,055 tests",
    ),
    (
        "C3",
        "DepCon+",
        "100 % of runs, 0:11:51, 1,221 tests",
        "CovCon",
        "20 % of runs, 0:56:00, 8,947 tests",
    ),
    (
        "C4",
        "DepCon+",
        "60 % of runs, 0:34:13, 2,617 tests",
        "CovCon",
        "100 % of runs, 0:10:38, 1,055 tests",
    ),
    (
        "C5",
        "DepCon+",
        "100 % of runs, 0:00:07, 18 tests",
        "CovCon",
        "100 % of runs, 0:00:34, 161 tests",
    ),
    (
        "C6",
        "DepCon+",
        "20 % of runs, 0:51:11, 1,174 tests",
        "CovCon",
        "20 % of runs, 0:54:52, 5,010 tests",
    ),
    (
        "C7",
        "DepCon+",
        "100 % of runs, 0:01:24, 255 tests",
        "CovCon",
        "100 % of runs, 0:03:03, 640 tests",
    ),
    (
        "C8",
        "DepCon+",
        "40 % of runs, 0:39:50, 5,860 tests",
        "CovCon",
        "0 % of runs, 1:00:00, 12,368 tests",
    ),
    (
        "C9",
        "DepCon+",
        "100 % of runs, 0:03:15, 438 tests",
        "CovCon",
        "100 % of runs, 0:09:52, 1,720 tests",
    ),
    (
        "C10",
        "DepCon+",
        "100 % of runs, 0:02:19, 370 tests",
        "CovCon",
        "100 % of runs, 0:15:56, 2,895 tests",
    ),
    (
        "C11",
        "DepCon+",
        "40 % of runs, 0:43:54, 4,113 tests",
        "CovCon",
        "20 % of runs, 0:57:56, 4,320 tests",
    ),
    (
        "C12",
        "DepCon+",
        "100 % of runs, 0:00:33, 116 tests",
        "CovCon",
        "100 % of runs, 0:07:47, 1,842 tests",
    ),
    (
        "C13",
        "DepCon+",
        "20 % of runs, 0:48:18, 2,622 tests",
        "CovCon",
        "0 % of runs, 1:00:00, 16,264 tests",
    ),
    (
        "C14",
        "DepCon+",
        "20 % of runs, 0:48:06, 2,609 tests",
        "CovCon",
        "0 % of runs, 1:00:00, 15,911 tests",
    ),
    (
        "C15",
        "DepCon+",
        "80 % of runs, 0:11:44, 222 tests",
        "CovCon",
        "80 % of runs, 0:26:54, 568 tests",
    ),
    (
        "C16",
        "DepCon+",
        "100 % of runs, 0:00:18, 22 tests",
        "CovCon",
        "0 % of runs, 1:00:00, 5,792 tests",
    ),
    (
        "C17",
        "DepCon+",
        "100 % of runs, 0:00:04, 11 tests",
        "CovCon",
        "0 % of runs, 1:00:00, 2,370 tests",
    ),
    (
        "C18",
        "DepCon+",
        "100 % of runs, 0:00:34, 45 tests",
        "CovCon",
        "0 % of runs, 1:00:00, 4,625 tests",
    ),
    (
        "C19",
        "DepCon+",
        "100 % of runs, 0:00:05, 34 tests",
        "CovCon",
        "0 % of runs, 1:00:00, 37,827 tests",
    ),
];

/// The first fault of this tool on the class with this number; empty if it is not in the tables.
pub(crate) fn of(id: &str, tool: &str) -> &'static str {
    let rows = PUBLISHED.iter().filter(|row| row.0 == id);
    let mut cells =
        rows.flat_map(|&(_, own, first, other, others)| [(own, first), (other, others)]);
    let found = cells.find(|(of, _)| *of == tool);
    found.map_or("", |(_, first)| first)
}

/// The rows of these types.
pub(crate) fn table(subjects: &[Subject]) -> String {
    let mut text = String::from(
        "\nReported in the papers for the original classes (one hour; ConTeGe* explores with AutoConTest's explorer)\n\n\
         | type | id | tool | first fault | compared with | first fault |\n|---|---|---|---|---|---|\n",
    );
    for subject in subjects {
        for (id, tool, own, other, others) in PUBLISHED {
            if subject.ids.split(' ').any(|of| of == id) {
                let name = subject.type_name;
                let _ = writeln!(
                    text,
                    "| {name} | {id} | {tool} | {own} | {other} | {others} |"
                );
            }
        }
    }
    text
}
