//! Messages as lines: JSON-RPC 2.0, one message on each.

use std::io::{self, BufRead};

use serde_json::{Value, json};

/// Most bytes of a line. What tools take is far shorter.
const LONGEST: usize = 1 << 20;

/// No JSON.
pub(super) const PARSE: i64 = -32700;
/// No message, or one that may not come now.
pub(super) const INVALID: i64 = -32600;
/// No such method.
pub(super) const METHOD: i64 = -32601;
/// Wrong parameters.
pub(super) const PARAMETERS: i64 = -32602;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Without its end.
    Text(Vec<u8>),
    /// It was passed over.
    TooLong,
}

/// The next line; `None` at the end. What is before the end without a line break is a line, too.
pub(super) fn next_line(source: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let (mut any, mut long) = (false, false);
    loop {
        let available = match source.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        long |= line.len() + part.len() > LONGEST;
        if !long {
            line.extend_from_slice(part);
        }
        let (used, is_end) = (
            part.len() + usize::from(end.is_some()),
            available.is_empty(),
        );
        any |= !is_end;
        source.consume(used);
        if end.is_some() || is_end {
            return Ok(match (any, long) {
                (false, _) => None,
                (true, true) => Some(Line::TooLong),
                (true, false) => Some(Line::Text(line)),
            });
        }
    }
}

/// A message that can be answered or followed.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Wants an answer with its id.
    Request(Value, String, Value),
    /// Wants none.
    Notification(String, Value),
    /// An answer to something; this server asks nothing.
    Answer,
}

/// Why a line is no message.
#[derive(Debug, PartialEq)]
pub(super) struct Refused {
    /// Null if unknown.
    pub(super) id: Value,
    pub(super) code: i64,
    pub(super) why: String,
}

/// Reads a line.
pub(super) fn read(line: &[u8]) -> Result<Message, Refused> {
    let refused = |id: Value, code, why: &str| Refused {
        id,
        code,
        why: why.to_owned(),
    };
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| refused(Value::Null, PARSE, &format!("this is no JSON: {error}")))?;
    let Value::Object(mut fields) = value else {
        let why = "a message is an object; several in one line are not supported";
        return Err(refused(Value::Null, INVALID, why));
    };
    let id = fields.remove("id");
    let known_id = match &id {
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => id.clone(),
        _ => Value::Null,
    };
    let invalid = |why: &str| refused(known_id.clone(), INVALID, why);
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc` has to be \"2.0\""));
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        None if fields.contains_key("result") || fields.contains_key("error") => {
            return Ok(Message::Answer);
        }
        _ => return Err(invalid("`method` has to be a text")),
    };
    let params = fields.remove("params").unwrap_or_else(|| json!({}));
    if !params.is_object() {
        let code = if id.is_some() { PARAMETERS } else { INVALID };
        return Err(refused(known_id, code, "`params` has to be an object"));
    }
    match id {
        None => Ok(Message::Notification(method, params)),
        Some(_) if known_id.is_null() => Err(invalid("`id` has to be a text or a whole number")),
        Some(id) => Ok(Message::Request(id, method, params)),
    }
}

/// An answer.
pub(super) fn result(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// A refusal.
pub(super) fn error(refused: &Refused) -> String {
    json!({"jsonrpc": "2.0", "id": refused.id, "error": {"code": refused.code, "message": refused.why}}).to_string()
}

/// A message that wants no answer.
pub(super) fn notification(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_a_cut_one_is_one() {
        let long = "x".repeat(LONGEST + 1);
        let text = format!("a\n\n{long}\nb\r\ncut");
        let mut source = io::BufReader::with_capacity(7, text.as_bytes());
        let mut all = Vec::new();
        while let Some(line) = next_line(&mut source).unwrap() {
            all.push(line);
        }
        let text = |text: &str| Line::Text(text.as_bytes().to_vec());
        assert_eq!(
            all,
            [text("a"), text(""), Line::TooLong, text("b\r"), text("cut")]
        );
    }

    #[test]
    fn what_is_no_message_is_refused_with_its_id_if_that_is_known() {
        let code = |line: &str| {
            let refused = read(line.as_bytes()).unwrap_err();
            (refused.code, refused.id)
        };
        for (line, expected) in [
            ("", (PARSE, Value::Null)),
            ("{\"jsonrpc\":\"2.0\",\"id\":1", (PARSE, Value::Null)),
            ("\u{feff}", (PARSE, Value::Null)),
            ("[]", (INVALID, Value::Null)),
            ("3", (INVALID, Value::Null)),
            (r#"{"id":7,"method":"ping"}"#, (INVALID, json!(7))),
            (
                r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#,
                (INVALID, json!("a")),
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                (INVALID, Value::Null),
            ),
            (
                r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
                (INVALID, Value::Null),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
                (INVALID, json!(1)),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
                (PARAMETERS, json!(1)),
            ),
        ] {
            assert_eq!(code(line), expected, "{line}");
        }
        assert_eq!(read(b"\xff\xfe").unwrap_err().code, PARSE);
        let deep = "[".repeat(100_000);
        assert_eq!(read(deep.as_bytes()).unwrap_err().code, PARSE);
    }

    #[test]
    fn requests_notifications_and_answers_are_told_apart() {
        let read = |line: &str| read(line.as_bytes()).unwrap();
        let request = read(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#);
        assert_eq!(
            request,
            Message::Request(json!("a"), "ping".to_owned(), json!({}))
        );
        let notification = read(r#"{"jsonrpc":"2.0","method":"x","params":{"y":1}}"#);
        assert_eq!(
            notification,
            Message::Notification("x".to_owned(), json!({"y": 1}))
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            Message::Answer
        );
    }
}
