//! Kernels of GoBench: those of one project are found, and their twins pass.

use crate::support::Subject;

#[test]
#[ignore = "it builds all kernels twice, which takes minutes: run every week"]
fn kernels_of_gobench_are_found_and_their_twins_pass() {
    let subject = Subject::copy("faulty/goker");
    // Locks, channels, `select!`, time and data races. Those that are not whole take their time, on a busy machine too.
    let arguments = ["test", "istio::", "--message-format", "json"];
    let time = ["--test-budget", "2s"];
    let run = subject.contest(&[&arguments[..], &time].concat()).status(1);
    let tests = run.with_reason("test");
    assert_eq!(tests.len(), 7);
    for test in tests {
        assert_eq!(test["result"], "fails-sometimes", "{test:#}");
    }
    let twins = ["--features", "mended", "--test-budget", "300ms"];
    let run = subject.contest(&[&arguments[..], &twins].concat());
    for test in run.status(0).with_reason("test") {
        assert_eq!(test["result"], "ok", "{test:#}");
    }
}
