//! The file for a finding in a test that the crate has: the schedule, kept beside the test.

use contest_data::finding::Finding;

use super::emitted_test::{bug_line, one_line, with_hash};
use super::token_in_file::CONSTANT;

/// The file; `executable` is that of the test: `lib`, `test queue`.
pub(super) fn source(name: &str, finding: &Finding, executable: &str, package: &str) -> String {
    let test = &finding.subject;
    let body = format!(
        "\
{bug}//! Found by cargo-contest in {package}: {kind}.
//!
//! {message}
//!
//! `cargo contest test` runs the test `{test}` of `{executable}` under the schedule below, the same way every time.
//! Plain `cargo test` leaves this file out: it runs the test itself, which passes there in most interleavings.

/// The schedule that shows it.
#[allow(dead_code)] // read by `cargo contest test`
const {CONSTANT}: &str = \"{schedule}\";

#[test]
#[ignore = \"one schedule of `{test}`: `cargo contest test` runs it\"]
fn {name}() {{}}
",
        bug = bug_line(finding),
        kind = finding.kind,
        message = one_line(&finding.message),
        schedule = finding.schedule,
    );
    with_hash(&body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::emitted_test::{is_about, is_untouched};
    use crate::emit::token_in_file::token_of;
    use contest_data::finding::FindingKind;

    #[test]
    fn the_file_holds_the_schedule_and_is_no_test_of_its_own() {
        let finding = Finding {
            subject: "queue::tests::both".to_owned(),
            schedule: "contest1-AbC".to_owned(),
            fingerprint: "panic queue::tests::both src/lib.rs:1".to_owned(),
            ..Finding::new(FindingKind::Panic, "left\n  right")
        };
        let file = source("contest_queue_both_panic_1", &finding, "lib", "queue 1.0.0");
        assert!(is_untouched(&file) && is_about(&file, &finding));
        assert_eq!(token_of(&file).as_deref(), Some("contest1-AbC"));
        syn::parse_file(&file).unwrap();
        assert!(file.contains("#[ignore"));
    }
}
