//! `cargo contest debug`: as a debug adapter's client uses it, and at a terminal.

use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Run, Subject, run_reading, tool};

/// False, and said, where there is none.
fn gdb_is_there() -> bool {
    let found = Command::new("gdb").arg("--version").output();
    let found = found.is_ok_and(|it| it.status.success());
    // There it is installed.
    assert!(found || std::env::var_os("CI").is_none(), "there is no gdb");
    if !found {
        eprintln!("skipped: there is no gdb");
    }
    found
}

fn token(subject: &Subject) -> String {
    let run = subject.contest(&[
        "--message-format",
        "json",
        "--budget",
        "3s",
        "--no-emit",
        "--fail-fast",
    ]);
    let finding = &run.status(1).with_reason("finding")[0];
    finding["schedule"].as_str().unwrap().to_owned()
}

/// The number of the first line with this text.
fn line(subject: &Subject, text: &str) -> u64 {
    let source = subject.read("src/lib.rs");
    source.lines().position(|it| it.contains(text)).unwrap() as u64 + 1
}

fn with_input(subject: &Subject, arguments: &[&str], input: &str) -> Run {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input.as_bytes()).unwrap();
    file.rewind().unwrap();
    let mut command = tool();
    command
        .arg("contest")
        .args(arguments)
        .current_dir(&subject.directory);
    run_reading(command, file.into())
}

struct Client {
    adapter: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    sent: u64,
    /// Events that nobody has waited for.
    events: Vec<Value>,
}

impl Client {
    fn new(subject: &Subject) -> Self {
        let mut command = tool();
        command
            .args(["contest", "debug", "--dap"])
            .current_dir(&subject.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut adapter = command.spawn().unwrap();
        Self {
            input: adapter.stdin.take().unwrap(),
            output: BufReader::new(adapter.stdout.take().unwrap()),
            adapter,
            sent: 0,
            events: Vec::new(),
        }
    }

    fn say(&mut self, body: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut head = String::new();
            assert_ne!(
                self.output.read_line(&mut head).unwrap(),
                0,
                "the adapter has ended"
            );
            match head.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if head.trim().is_empty() => break,
                None => panic!("{head}"),
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The whole response.
    #[track_caller]
    fn respond(&mut self, command: &str, arguments: Value) -> Value {
        self.sent += 1;
        let request = json!({"seq": self.sent, "type": "request", "command": command, "arguments": arguments});
        self.say(&request.to_string());
        loop {
            let message = self.hear();
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], self.sent, "{message}");
                return message;
            }
            self.events.push(message);
        }
    }

    #[track_caller]
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.respond(command, arguments);
        assert_eq!(response["success"], true, "{response}");
        response["body"].clone()
    }

    #[track_caller]
    fn refused(&mut self, command: &str, arguments: Value) -> String {
        let response = self.respond(command, arguments);
        assert_eq!(response["success"], false, "{response}");
        response["message"].as_str().unwrap().to_owned()
    }

    /// The body of the next event of this name.
    fn event(&mut self, name: &str) -> Value {
        loop {
            let known = self.events.iter().position(|it| it["event"] == name);
            let message = match known {
                Some(index) => return self.events.remove(index)["body"].clone(),
                None => self.hear(),
            };
            self.events.push(message);
        }
    }

    /// Has it go on, and waits until it stops.
    #[track_caller]
    fn go_on(&mut self, command: &str, arguments: Value) -> Value {
        self.ask(command, arguments);
        self.event("stopped")
    }

    /// The line where each thread is, by its name without what it does next.
    fn lines(&mut self) -> Vec<(String, u64)> {
        let threads = self.ask("threads", json!({}))["threads"].clone();
        let threads = threads.as_array().unwrap().clone();
        let mut lines = Vec::new();
        for thread in threads {
            let name = thread["name"].as_str().unwrap().split(',').next().unwrap();
            let stack = self.ask("stackTrace", json!({"threadId": thread["id"]}));
            let line = stack["stackFrames"][0]["line"].as_u64().unwrap();
            lines.push((name.to_owned(), line));
        }
        lines
    }

    /// Ends it; it has to.
    fn disconnect(mut self) {
        self.ask("disconnect", json!({}));
        let begun = Instant::now();
        while self.adapter.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.adapter.kill();
        let _ = self.adapter.wait();
    }
}

#[test]
fn a_client_steps_both_threads_of_a_deadlock_and_reads_a_field() {
    if !gdb_is_there() {
        return;
    }
    let subject = Subject::copy("faulty/abba");
    let token = token(&subject);
    let source = subject.directory.join("src/lib.rs");
    let spend = line(&subject, "let mut savings");
    let save = spend + line(&subject, "pub fn save") - line(&subject, "pub fn spend");

    let mut client = Client::new(&subject);
    client.ask("initialize", json!({"adapterID": "contest"}));
    assert!(
        client
            .refused("threads", json!({}))
            .contains("comes after `launch`")
    );
    assert!(
        client
            .refused("launch", json!({"token": "nonsense"}))
            .contains("token")
    );
    client.ask("launch", json!({"token": token}));
    client.event("initialized");
    // The second lock of each.
    let places = json!([{"line": spend + 1}, {"line": save + 1}, {"line": 4000}]);
    let set = client.ask(
        "setBreakpoints",
        json!({"source": {"path": source}, "breakpoints": places}),
    );
    let verified = set["breakpoints"].as_array().unwrap().iter();
    let verified: Vec<bool> = verified.map(|it| it["verified"] == true).collect();
    assert_eq!(verified, [true, true, false]);
    client.ask("setExceptionBreakpoints", json!({"filters": ["panics"]}));

    let stopped = client.go_on("configurationDone", json!({}));
    assert_eq!(stopped["reason"], "breakpoint", "{stopped}");
    let first = stopped["threadId"].clone();
    let stack = client.ask("stackTrace", json!({"threadId": first}));
    let frame = &stack["stackFrames"][0];
    assert_eq!(frame["source"]["path"], json!(source), "{stack}");
    let scopes = client.ask("scopes", json!({"frameId": frame["id"]}));
    let reference = &scopes["scopes"][0]["variablesReference"];
    let locals = client.ask("variables", json!({"variablesReference": reference}));
    let named = |all: &Value, name: &str| {
        let found = all["variables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}: {all}")).clone()
    };
    let object = named(&locals, "self");
    let fields = client.ask(
        "variables",
        json!({"variablesReference": object["variablesReference"]}),
    );
    // What the lock holds.
    assert_eq!(named(&fields, "savings")["value"], "0", "{fields}");
    let sum = json!({"expression": "amount + 41", "frameId": frame["id"]});
    assert!(client.ask("evaluate", sum)["result"].is_string());

    // The other thread comes to its second lock too; then none can go on.
    let second = client.go_on("continue", json!({"threadId": first}));
    assert_eq!(second["reason"], "breakpoint", "{second}");
    assert_ne!(second["threadId"], first);
    let over = client.go_on("next", json!({"threadId": first}));
    assert_eq!(over["text"], "the execution is over: deadlock");
    let lines = client.lines();
    let mut waiting: Vec<u64> = lines
        .iter()
        .filter(|it| it.0 != "main")
        .map(|it| it.1)
        .collect();
    waiting.sort_unstable();
    assert_eq!(waiting, [spend + 1, save + 1], "{lines:?}");

    // Back by the same schedule, to where one of them could still go on.
    let back = client.go_on("stepBack", json!({"threadId": first}));
    assert!(
        back["text"]
            .as_str()
            .unwrap()
            .starts_with("scheduling point"),
        "{back}"
    );
    assert_ne!(client.lines(), lines);
    client.go_on("restart", json!({}));
    let begun = client.lines();
    let number = second["threadId"].as_u64().unwrap();
    let stepped = client.go_on("next", json!({"threadId": number}));
    assert_ne!(client.lines(), begun, "{stepped}");
    client.disconnect();
}

#[test]
fn a_program_that_goes_round_for_ever_is_paused() {
    if !gdb_is_there() {
        return;
    }
    let subject = Subject::copy("faulty/endless_loop");
    let run = subject.contest(&[
        "--message-format",
        "json",
        "--budget",
        "60s",
        "--no-emit",
        "--fail-fast",
    ]);
    let token = run.status(1).with_reason("finding")[0]["schedule"].clone();
    let mut client = Client::new(&subject);
    client.ask("initialize", json!({}));
    client.ask("launch", json!({"token": token}));
    client.event("initialized");
    // Panics of the driver before the test are none.
    client.ask("setExceptionBreakpoints", json!({"filters": ["panics"]}));
    client.ask("configurationDone", json!({}));
    // VS Code asks this before the first stop, and shows a person what is refused.
    client.ask("threads", json!({}));
    let entry = client.event("stopped");
    assert_eq!(entry["reason"], "entry", "{entry}");
    let known = client.ask("threads", json!({}));
    // What would run it is no expression.
    for command in ["continue", "cont", "ru", "py gdb.execute('c')"] {
        let typed = json!({"expression": command, "context": "repl"});
        assert!(client.refused("evaluate", typed).contains("would run"));
    }
    client.ask("continue", json!({"threadId": entry["threadId"]}));
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(client.ask("threads", json!({})), known);
    let expression = json!({"expression": "1"});
    assert!(
        client
            .refused("evaluate", expression)
            .contains("the program runs")
    );
    client.ask("pause", json!({"threadId": entry["threadId"]}));
    let paused = client.event("stopped");
    assert_eq!(paused["reason"], "pause", "{paused}");
    let (first, last) = (
        line(&subject, "let mut round"),
        line(&subject, "self.visits.fetch_add"),
    );
    let lines = client.lines();
    assert!(
        lines.iter().any(|it| (first..last).contains(&it.1)),
        "{lines:?}"
    );
    assert!(client.refused("pause", json!({})).contains("nothing runs"));
    client.disconnect();
}

#[test]
fn what_a_client_does_wrong_ends_nothing() {
    let subject = Subject::copy("faulty/abba");
    let mut client = Client::new(&subject);
    client.say("{");
    let said = client.event("output");
    assert!(
        said["output"].as_str().unwrap().contains("no JSON"),
        "{said}"
    );
    client.say("[1, 2]");
    let said = client.event("output");
    assert!(
        said["output"].as_str().unwrap().contains("no `seq`"),
        "{said}"
    );
    assert!(
        client
            .refused("configurationDone", json!({}))
            .contains("after `launch`")
    );
    assert!(
        client
            .refused("launch", json!({"token": 7}))
            .contains("not understood")
    );
    assert!(client.refused("launch", json!({})).contains("no `token`"));
    assert!(client.refused("attach", json!({})).contains("`launch`"));
    assert!(
        client
            .refused("a\u{1b}[31mb", json!({}))
            .contains("a\\u{1b}[31mb")
    );
    client.disconnect();

    // Where messages begin cannot be told: one line, and the end.
    let run = with_input(&subject, &["debug", "--dap"], "hello\n").status(2);
    assert!(
        run.stderr.contains("not the Debug Adapter Protocol"),
        "{}",
        run.stderr
    );
    // A client that goes away in the middle of a message.
    with_input(
        &subject,
        &["debug", "--dap"],
        "Content-Length: 100\r\n\r\n{",
    )
    .status(0);
    let run = subject.contest(&["debug"]).status(2);
    assert!(run.stderr.contains("name the token"), "{}", run.stderr);
}

#[test]
fn a_person_sees_where_each_thread_is() {
    if !gdb_is_there() {
        return;
    }
    let subject = Subject::copy("faulty/abba");
    let token = token(&subject);
    let commands =
        "continue\ncontest bt 1\ncontest on 2 info args\ncontest back\ncontest nonsense\n";
    let run = with_input(&subject, &["debug", &token], commands).status(0);
    let spend = line(&subject, "let mut savings") + 1;
    for expected in [
        "* thread ".to_owned(),
        "the execution is over, deadlock".to_owned(),
        format!("  thread 1, next `lock`: src/lib.rs:{spend} in"),
        format!("src/lib.rs:{spend}"),
        "amount = ".to_owned(),
        "scheduling point ".to_owned(),
        "contest nonsense is not known".to_owned(),
    ] {
        let all = format!("{}\n{}", run.stdout, run.stderr);
        assert!(all.contains(&expected), "{expected}\n{all}");
    }

    let run = subject
        .contest(&["debug", &token, "--gdb", "no-such-gdb"])
        .status(70);
    assert!(run.stderr.contains("install gdb"), "{}", run.stderr);
}
