//! Processes that tests start, and what they wait for outside the process.

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        command
    }

    fn piped(mut command: Command) -> Child {
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    #[test]
    fn output() {
        let output = Command::new("echo").arg("hello").output().unwrap();
        assert_eq!(output.stdout, b"hello\n");
    }

    #[test]
    fn output_on_two_pipes_after_a_while() {
        let output = shell("sleep 0.1; echo out; echo err >&2").output().unwrap();
        assert_eq!((&*output.stdout, &*output.stderr), (&b"out\n"[..], &b"err\n"[..]));
    }

    #[test]
    fn to_a_child_and_back() {
        let mut child = piped(Command::new("cat"));
        child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        assert_eq!(child.wait_with_output().unwrap().stdout, b"x");
    }

    #[test]
    fn more_than_a_pipe_holds() {
        let mut child = piped(Command::new("cat"));
        let mut input = child.stdin.take().unwrap();
        let writer = thread::spawn(move || input.write_all(&[b'x'; 300_000]).unwrap());
        assert_eq!(child.wait_with_output().unwrap().stdout.len(), 300_000);
        writer.join().unwrap();
    }

    #[test]
    fn status() {
        assert!(shell("sleep 0.05").status().unwrap().success());
        assert!(!shell("exit 3").status().unwrap().success());
    }

    #[test]
    fn polled_with_a_deadline() {
        let mut child = shell("sleep 0.2").spawn().unwrap();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed().as_secs() < 10, "it takes for ever");
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn waited_for_by_another_thread() {
        let mut child = shell("sleep 0.1").spawn().unwrap();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait().unwrap().success()));
        assert!(receiver.recv_timeout(Duration::from_secs(20)).unwrap());
    }

    #[test]
    fn lines_come_in_time() {
        let mut child = piped(shell("sleep 0.1; echo one; sleep 0.1; echo two"));
        let mut out = child.stdout.take().unwrap();
        let (sender, receiver) = mpsc::channel();
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4];
            while out.read_exact(&mut bytes).is_ok() {
                sender.send(bytes).unwrap();
            }
        });
        let next = || receiver.recv_timeout(Duration::from_secs(10));
        assert_eq!(next().unwrap(), *b"one\n");
        assert_eq!(next().unwrap(), *b"two\n");
        assert!(next().is_err());
        reader.join().unwrap();
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn a_child_that_cannot_be_started() {
        assert!(Command::new("/there/is/no/such/program").output().is_err());
        assert!(Command::new("sh").arg("-c").arg("exit").current_dir("/nowhere").output().is_err());
    }

    #[test]
    fn killed() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn the_lock_of_a_file() {
        let directory = std::env::temp_dir().join(format!("contest-lock-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("lock");
        let held = File::create(&path).unwrap();
        held.lock().unwrap();
        let other = File::open(&path).unwrap();
        let waiter = thread::spawn(move || other.lock().unwrap());
        thread::sleep(Duration::from_millis(1));
        held.unlock().unwrap();
        waiter.join().unwrap();
        // A child has it for a while.
        let mut locker = shell("exec 9<lock; flock 9; echo locked; sleep 0.1");
        locker.current_dir(&directory).stdout(Stdio::piped());
        let mut child = locker.spawn().unwrap();
        let mut line = [0; 7];
        child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
        held.lock().unwrap();
        assert!(child.wait().unwrap().success());
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn this_executable_again() {
        let mut again = Command::new(std::env::current_exe().unwrap());
        let output = again.args(["--list"]).output().unwrap();
        let list = String::from_utf8(output.stdout).unwrap();
        assert!(list.contains("this_executable_again: test"), "{list}");
    }
}
