//! `cargo contest mcp` as a client uses it: find, explain, mend, verify; and what clients do wrong.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Subject, tool};

/// Longer than any call takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Everything that the server starts has this variable, with a value of its own.
const MARK: &str = "TEST_CLIENT_MARK";

struct Client {
    server: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    mark: String,
    calls: u32,
}

impl Client {
    /// A server that has been started and not yet been spoken to.
    fn silent(subject: &Subject, mark: &str) -> Self {
        let mut command = tool();
        let mark = format!("{mark}-{}", std::process::id());
        command
            .args(["contest", "mcp"])
            .env(MARK, &mark)
            .current_dir(&subject.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut server = command.spawn().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            input: server.stdin.take(),
            server,
            lines,
            mark,
            calls: 0,
        }
    }

    fn new(subject: &Subject, mark: &str) -> Self {
        let mut client = Self::silent(subject, mark);
        let info = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
        client.say(&json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params}));
        assert_eq!(client.hear()["result"]["protocolVersion"], "2025-06-18");
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn say(&mut self, message: &Value) {
        self.say_line(&message.to_string());
    }

    fn say_line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    /// The next message.
    #[track_caller]
    fn hear(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn begin(&mut self, tool: &str, arguments: &Value) {
        self.calls += 1;
        let params =
            json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": self.calls}});
        let id = self.calls;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    /// What a tool answers, and whether that is an error.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: &Value) -> (Value, bool) {
        self.begin(tool, arguments);
        loop {
            let message = self.hear();
            if message["method"] == "notifications/progress" {
                assert_eq!(message["params"]["progressToken"], self.calls);
                continue;
            }
            assert_eq!(message["id"], self.calls, "{message}");
            let result = &message["result"];
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(text.len() < 10_000, "{text}");
            let answer = serde_json::from_str(text).unwrap_or(Value::from(text));
            return (answer, result["isError"].as_bool().unwrap());
        }
    }

    #[track_caller]
    fn answer(&mut self, tool: &str, arguments: &Value) -> Value {
        let (answer, is_error) = self.call(tool, arguments);
        assert!(!is_error, "{answer}");
        answer
    }

    /// Names of the processes that the server has started and that are still there.
    fn children(&self) -> Vec<String> {
        let wanted = format!("{MARK}={}", self.mark);
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let own = self.server.id().to_string();
        let marked = processes.filter_map(|process| {
            let environment = std::fs::read(process.path().join("environ")).ok()?;
            let mut variables = environment.split(|it| *it == 0);
            let is_marked = variables.any(|it| it == wanted.as_bytes());
            let is_own = process.file_name().to_string_lossy() == own;
            let name = std::fs::read_to_string(process.path().join("comm")).ok()?;
            (is_marked && !is_own).then_some(name)
        });
        marked.collect()
    }

    #[track_caller]
    fn no_children_soon(&self) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            if self.children().is_empty() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("{:?}", self.children());
    }

    /// Waits until a driver of the server runs.
    #[track_caller]
    fn until_it_explores(&self) {
        loop {
            let message = self.hear();
            let text = message["params"]["message"].as_str();
            let text = text.unwrap_or_else(|| panic!("{message}"));
            if text.starts_with("exploring: ") {
                break;
            }
        }
        // The tool, and a driver.
        while self.children().len() < 2 {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn a_deadlock_is_found_explained_and_its_fix_verified_in_six_calls() {
    let copy = Subject::copy("faulty/abba");
    let mut client = Client::new(&copy, "abba");
    let list = client.answer("list", &json!({}));
    assert_eq!(list["types"][0]["type"], "faulty_abba::Accounts", "{list}");

    let explore = json!({"types": ["Accounts"], "seconds": 60, "stop_at_first": true});
    let found = client.answer("explore", &explore);
    let finding = &found["findings"][0];
    assert_eq!(finding["kind"], "deadlock", "{found}");
    assert_eq!(finding["finding"], "f1");
    assert!(
        found["explored"]["executions"].as_u64() > Some(0),
        "{found}"
    );
    assert!(
        !found["not_explored"].as_array().unwrap().is_empty(),
        "{found}"
    );

    let explained = client.answer("explain", &json!({"finding": "f1"}));
    let order = explained["order"].as_array().unwrap();
    let locks = order
        .iter()
        .filter(|it| it["line"].as_str().is_some_and(|it| it.contains(".lock()")));
    assert_eq!(locks.count(), 4, "{explained}");
    assert!(
        explained["about_this_kind"]["remedies"].is_array(),
        "{explained}"
    );
    assert_eq!(explained["why"].as_array().unwrap().len(), 2, "{explained}");

    let token = finding["token"].as_str().unwrap();
    let again = client.answer("replay", &json!({"finding": token}));
    assert_eq!(
        (&again["bug_shows"], &again["kind"]),
        (&json!(true), &json!("deadlock"))
    );

    let before = client.answer("verify_fix", &json!({"finding": "f1", "seconds": 2}));
    assert_eq!(before["verdict"], "not-fixed", "{before}");

    let source = copy.read("src/lib.rs");
    let (first, second) = (
        "let mut checking = self.checking.lock().unwrap();",
        "let mut savings = self.savings.lock().unwrap();",
    );
    let crossed = format!("{first}\n        {second}");
    let mended = source.replace(&crossed, &format!("{second}\n        {first}"));
    assert_ne!(mended, source);
    copy.write("src/lib.rs", &mended);
    let after = client.answer("verify_fix", &json!({"finding": "f1", "seconds": 2}));
    assert_eq!(after["verdict"], "gone-in-what-was-explored", "{after}");
    assert!(
        after["explored"]["executions"].as_u64() > Some(0),
        "{after}"
    );
    assert!(client.calls <= 8);

    // Code that does not compile is a result that says so.
    copy.write("src/lib.rs", "pub fn f() -> u8 { \"x\" }\n");
    let (error, is_error) = client.call("explore", &json!({"seconds": 1}));
    assert!(
        is_error && error["error"].as_str().unwrap().contains("E0308"),
        "{error}"
    );
    assert!(error["mend"].is_string());
}

#[test]
fn tests_and_scenarios_are_explored_and_verified_as_what_they_are() {
    const MANIFEST: &str =
        "[package]\nname = \"counts\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    const SOURCE: &str = "use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

#[derive(Default)]
pub struct Counter(AtomicU8);

impl Counter {
    pub fn new() -> Self { Self::default() }
    pub fn add(&self) -> u8 { let old = self.0.load(SeqCst); self.0.store(old + 1, SeqCst); old }
}

#[test]
fn both_count() {
    let counter = Counter::new();
    std::thread::scope(|scope| { scope.spawn(|| counter.add()); counter.add(); });
    assert_eq!(counter.0.load(SeqCst), 2);
}
";
    let copy = Subject::with(
        "protocol-counts",
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE)],
    );
    let mut client = Client::new(&copy, "counts");
    let tests = client.answer("test", &json!({"filter": "both", "seconds": 60}));
    assert_eq!(tests["findings"][0]["test"], "both_count", "{tests}");
    assert_eq!(tests["also"][0]["result"], "fails-sometimes", "{tests}");
    let scenario = json!({"scenario": "let c = Counter::new(); c.add() | c.add()", "seconds": 60});
    let tried = client.answer("explore", &scenario);
    let wrong = tried["findings"].as_array().unwrap();
    assert_eq!(wrong[0]["kind"], "non-linearizable", "{tried}");
    assert!(tried["outcomes"].as_array().unwrap().len() >= 2, "{tried}");

    copy.write(
        "src/lib.rs",
        &SOURCE.replace(
            "let old = self.0.load(SeqCst); self.0.store(old + 1, SeqCst); old",
            "self.0.fetch_add(1, SeqCst)",
        ),
    );
    for name in ["f1", "f2"] {
        let fixed = client.answer("verify_fix", &json!({"finding": name, "seconds": 10}));
        assert_eq!(
            fixed["verdict"], "gone-in-what-was-explored",
            "{name}: {fixed}"
        );
    }
}

#[test]
fn a_call_that_is_cancelled_is_not_answered_and_a_client_that_goes_away_ends_all() {
    let copy = Subject::copy("correct/rwlock_map");
    let mut client = Client::new(&copy, "cancelled");
    client.begin("explore", &json!({"seconds": 600}));
    client.until_it_explores();
    client.say(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    client.no_children_soon();
    client.say(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}));
    loop {
        let message = client.hear();
        assert_ne!(message["id"], 1, "{message}");
        if message["id"] == "p" {
            break;
        }
    }

    client.begin("explore", &json!({"seconds": 600}));
    client.until_it_explores();
    client.input = None;
    assert!(client.server.wait().unwrap().success());
    client.no_children_soon();

    // A server that is killed cannot end anything.
    let mut killed = Client::new(&copy, "killed");
    killed.begin("explore", &json!({"seconds": 600}));
    killed.until_it_explores();
    killed.server.kill().unwrap();
    killed.no_children_soon();
}

#[test]
fn no_input_ends_the_server_and_each_is_answered() {
    let copy = Subject::empty();
    let mut client = Client::silent(&copy, "bad");
    let code = |client: &mut Client, line: &str| {
        client.say_line(line);
        client.hear()["error"]["code"].as_i64()
    };
    for (line, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"#, -32700),
        ("\u{1b}[31m", -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (
            &format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
                "x".repeat(2 << 20)
            ),
            -32600,
        ),
    ] {
        assert_eq!(code(&mut client, line), Some(expected), "{:.80}", line);
    }
    client
        .input
        .as_mut()
        .unwrap()
        .write_all(b"\xff\xfe\0\n")
        .unwrap();
    assert_eq!(client.hear()["error"]["code"], -32700);
    let initialize = r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    assert_eq!(code(&mut client, initialize), None);
    assert_eq!(code(&mut client, initialize), Some(-32600));
    assert_eq!(
        code(
            &mut client,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sh"}}"#
        ),
        Some(-32602)
    );
    assert_eq!(
        code(
            &mut client,
            r#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#
        ),
        Some(-32601)
    );
    // No package is there.
    let (error, is_error) = client.call("list", &json!({}));
    assert!(
        is_error && error["error"].as_str().unwrap().contains("Cargo.toml"),
        "{error}"
    );
    // A message that is cut by the end of the input.
    client
        .input
        .as_mut()
        .unwrap()
        .write_all(b"{\"jsonrpc\"")
        .unwrap();
    client.input = None;
    assert_eq!(client.hear()["error"]["code"], -32700);
    assert!(client.server.wait().unwrap().success());
}
