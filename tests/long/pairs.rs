//! Ends that are made together: `channel() -> (Sender, Receiver)`.

use std::time::Duration;

use crate::support::Subject;

#[test]
fn a_receiver_that_is_not_notified_of_the_end_waits_forever_and_the_emitted_test_shows_it() {
    let copy = Subject::copy("faulty/channel_ends");
    // A while longer, for there are no others.
    let options = ["Receiver", "--message-format", "json", "--emit"];
    let longer = Duration::from_secs(1);
    let run = copy.contest_until(&options, longer, |findings| !findings.is_empty());
    let run = run.status(1);
    assert_eq!(run.kinds(), ["deadlock"], "{}", run.stderr);
    let findings = run.with_reason("finding");
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let threads = findings[0]["threads"].to_string();
    assert!(threads.contains("a.1.recv()"), "{threads}");
    assert!(threads.contains("drop(a.0)"), "{threads}");

    let test = "contest_sender_receiver_deadlock_1";
    let compiled = copy.cargo(&["test", "--no-run", "--test", test]);
    let text = copy.read(&format!("tests/{test}.rs"));
    assert_eq!(compiled.status, 0, "{}\n{text}", compiled.stderr);
    assert!(
        !compiled.stderr.contains("warning"),
        "{}\n{text}",
        compiled.stderr
    );
    copy.contest(&["test"]).status(1);
    let mended = Subject::copy("correct/channel_ends").read("src/lib.rs");
    copy.write("src/lib.rs", &mended);
    copy.contest(&["test"]).status(0);
}

#[test]
fn a_channel_whose_ends_go_to_threads_of_their_own_is_clean() {
    let copy = Subject::copy("correct/channel_ends");
    let list = copy.contest(&["list"]).status(0);
    for call in [
        "channel()",
        "a.0.send(1)",
        "a.1.recv()",
        "a.1.into_rest()",
        "drop(a.1)",
    ] {
        assert!(list.stdout.contains(call), "{call}: {}", list.stdout);
    }
    // An end is not said to be left out for what it is alone.
    assert!(!list.stdout.contains("not Sync"), "{}", list.stdout);

    let run = copy
        .contest(&["--message-format", "json", "--budget", "2s"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["types"], 1, "{summary}");
    // `send` and dropping the sender; `recv`, `received`, `into_rest` and dropping the receiver.
    assert_eq!(summary["operations"], 6, "{summary}");
    // Each of one end with each of the other; of one end, only `send` with itself.
    assert_eq!(summary["coverage"]["pairs"], 9, "{summary}");
    copy.check_analysis();
}
