use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use super::*;

/// A session, and what it says.
fn session() -> (Session, Receiver<String>) {
    let (sender, said) = mpsc::channel();
    let session = Session::new(move |line: &str| sender.send(line.to_owned()).is_ok());
    (session, said)
}

/// What is said to a line, if anything is at once.
fn said(session: &mut Session, said: &Receiver<String>, line: &str) -> Option<Value> {
    session.take(line.as_bytes());
    let answer = said.try_recv().ok()?;
    assert!(said.try_recv().is_err());
    Some(serde_json::from_str(&answer).unwrap())
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

#[test]
fn a_revision_is_agreed_on_and_tools_are_listed() {
    let (mut session, lines) = session();
    let answer = said(&mut session, &lines, INITIALIZE).unwrap();
    assert_eq!(answer["id"], 0);
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["serverInfo"]["name"], "cargo-contest");
    assert!(answer["result"]["capabilities"]["tools"].is_object());
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(said(&mut session, &lines, initialized), None);
    let list = r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#;
    let list = said(&mut session, &lines, list).unwrap();
    let names = list["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap());
    let names: Vec<&str> = names.collect();
    assert_eq!(
        names,
        [
            "list",
            "explore",
            "test",
            "explain",
            "replay",
            "verify_fix",
            "orderings",
            "more"
        ]
    );
    assert_eq!(
        said(
            &mut session,
            &lines,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        )
        .unwrap()["result"],
        json!({})
    );
    assert_eq!(said(&mut session, &lines, " \r"), None);

    let other = session_of("1999-01-01");
    assert_eq!(other["result"]["protocolVersion"], REVISIONS[0]);
}

fn session_of(revision: &str) -> Value {
    let (mut session, lines) = session();
    said(
        &mut session,
        &lines,
        &INITIALIZE.replace("2025-06-18", revision),
    )
    .unwrap()
}

#[test]
fn what_comes_out_of_order_or_is_unknown_is_an_error_and_the_session_goes_on() {
    let (mut session, lines) = session();
    let mut code = |line: &str| said(&mut session, &lines, line).unwrap()["error"]["code"].clone();
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    assert_eq!(code(list), INVALID);
    assert_eq!(
        code(&INITIALIZE.replace(r#""2025-06-18""#, "7")),
        PARAMETERS
    );
    assert_eq!(code(INITIALIZE), Value::Null);
    assert_eq!(code(INITIALIZE), INVALID);
    for (request, expected) in [
        (r#""method":"nothing""#, METHOD),
        (r#""method":"resources/list""#, METHOD),
        (
            r#""method":"tools/list","params":{"cursor":"x"}"#,
            PARAMETERS,
        ),
        (r#""method":"tools/call""#, PARAMETERS),
        (r#""method":"tools/call","params":{"name":7}"#, PARAMETERS),
        (
            r#""method":"tools/call","params":{"name":"rm"}"#,
            PARAMETERS,
        ),
        (
            r#""method":"tools/call","params":{"name":"list","arguments":[]}"#,
            PARAMETERS,
        ),
    ] {
        assert_eq!(
            code(&format!(r#"{{"jsonrpc":"2.0","id":1,{request}}}"#)),
            expected,
            "{request}"
        );
    }
    assert_eq!(code("{"), message::PARSE);
    session.too_long();
    assert!(lines.try_recv().unwrap().contains("mebibyte"));
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":[]}}}"#;
    assert_eq!(said(&mut session, &lines, cancelled), None);
    assert_eq!(
        said(
            &mut session,
            &lines,
            r#"{"jsonrpc":"2.0","method":"notifications/nothing"}"#
        ),
        None
    );
    assert!(said(&mut session, &lines, list).unwrap()["result"].is_object());
}

#[test]
fn wrong_arguments_are_a_result_that_says_how_they_are_written() {
    let (mut session, lines) = session();
    said(&mut session, &lines, INITIALIZE);
    let mut call = |tool: &str, arguments: &str| {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        );
        session.take(line.as_bytes());
        let answer = lines.recv_timeout(Duration::from_secs(60)).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (result["isError"].as_bool().unwrap(), text)
    };
    for (tool, arguments, part) in [
        ("explore", r#"{"typ":["A"]}"#, "there is no argument `typ`"),
        (
            "explore",
            r#"{"types":["--manifest-path=/x"]}"#,
            "begins with `-`",
        ),
        ("explore", r#"{"seconds":1000000}"#, "from 1 to 600"),
        (
            "explore",
            r#"{"scenario":"x | y","types":["A"]}"#,
            "exclude each other",
        ),
        (
            "list",
            r#"{"directory":"/no/such"}"#,
            "there is no directory /no/such",
        ),
        ("replay", "{}", "`finding` is missing"),
        ("replay", r#"{"finding":"f7"}"#, "no finding `f7`"),
        ("verify_fix", r#"{"finding":"contest1-nothing"}"#, "token"),
        ("explain", r#"{"kind":"typo"}"#, "deadlock"),
        ("more", r#"{"cursor":"a1.2"}"#, "no answer with this cursor"),
    ] {
        let (is_error, text) = call(tool, arguments);
        assert!(
            is_error && text.contains(part),
            "{tool} {arguments}: {text}"
        );
    }
    let (is_error, text) = call("explain", r#"{"kind":"deadlock"}"#);
    assert!(!is_error && text.contains("remedies"), "{text}");
    let (is_error, text) = call("explain", "{}");
    assert!(!is_error && text.contains("lost-wakeup"), "{text}");
}
