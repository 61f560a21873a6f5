//! Programs that are started.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use faulty_reported_tests::ms;

mod broken {
    use super::*;

    // rust-works/succinctly#2076: the child may be gone before its input is written.
    #[test]
    fn the_clerk_takes_the_papers() {
        let mut clerk = Command::new("sh");
        let clerk = clerk.args(["-c", "sleep 0.3"]).stdin(Stdio::piped()).spawn();
        let mut clerk = clerk.unwrap();
        let written = clerk.stdin.take().unwrap().write_all(b"papers");
        assert!(clerk.wait().unwrap().success());
        written.unwrap();
    }

    // vectordotdev/vector#5101: so long is enough for a child to start and to end.
    #[test]
    fn the_child_has_ended() {
        let mut child = Command::new("true").spawn().unwrap();
        thread::sleep(ms(300));
        let ended = child.try_wait().unwrap();
        child.wait().unwrap();
        assert!(ended.is_some());
    }
}

mod mended {
    use super::*;

    #[test]
    fn the_clerk_takes_the_papers() {
        let mut clerk = Command::new("sh");
        let clerk = clerk.args(["-c", "cat > /dev/null"]).stdin(Stdio::piped()).spawn();
        let mut clerk = clerk.unwrap();
        clerk.stdin.take().unwrap().write_all(b"papers").unwrap();
        assert!(clerk.wait().unwrap().success());
    }

    #[test]
    fn the_child_has_ended() {
        let mut child = Command::new("true").spawn().unwrap();
        assert!(child.wait().unwrap().success());
    }
}
