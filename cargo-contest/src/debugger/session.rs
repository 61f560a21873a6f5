//! One client of the debug adapter, from `initialize` to `disconnect`.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::mpsc::Sender;

use serde_json::{Value, json};

use super::debugged::{Debugged, LaunchArguments};
use super::gdb::Gdb;
use super::message::Incoming;
use contest_build::workspace::child_process::interrupt;
use contest_drive::campaign::Interrupt;

/// Requests after which the program goes on.
const RESUMING: [&str; 8] = [
    "configurationDone",
    "continue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "reverseContinue",
    "restart",
];
/// Requests that gdb answers where the program is stopped.
const ASKING: [&str; 8] = [
    "threads",
    "stackTrace",
    "scopes",
    "variables",
    "evaluate",
    "setBreakpoints",
    "setFunctionBreakpoints",
    "setExceptionBreakpoints",
];

/// Who says something.
#[derive(Debug)]
pub(super) enum Said {
    ByClient(io::Result<Option<Incoming>>),
    /// `None` once it has ended.
    ByGdb(Option<String>),
}

type Build<'a> = &'a mut dyn FnMut(LaunchArguments) -> Result<Debugged, String>;

/// What was said so far.
pub(super) struct Session<'a> {
    program: &'a Path,
    build: Build<'a>,
    interrupt: &'a Interrupt,
    answers: Sender<Option<String>>,
    /// False once the client does not read any more.
    send: Box<dyn FnMut(&Value) -> bool + 'a>,
    sent: u64,
    /// Requests that gdb has not answered.
    asked: HashMap<u64, String>,
    gdb: Option<Gdb>,
    debugged: Option<Debugged>,
    /// The program, once it has stopped for the first time.
    process: Option<i64>,
    runs: bool,
    /// The threads, as they were where the program last stopped.
    threads: Value,
    is_over: bool,
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("gdb", &self.gdb)
            .field("runs", &self.runs)
            .finish_non_exhaustive()
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(
        program: &'a Path,
        build: Build<'a>,
        interrupt: &'a Interrupt,
        answers: Sender<Option<String>>,
        send: Box<dyn FnMut(&Value) -> bool + 'a>,
    ) -> Self {
        Self {
            program,
            build,
            interrupt,
            answers,
            send,
            sent: 0,
            asked: HashMap::new(),
            gdb: None,
            debugged: None,
            process: None,
            runs: false,
            threads: json!({"threads": []}),
            is_over: false,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes a message of the client.
    pub(super) fn take(&mut self, message: &Value) {
        if message["type"] == "response" {
            // The adapter asks nothing.
            return;
        }
        let (Some(seq), Some(command)) = (message["seq"].as_u64(), message["command"].as_str())
        else {
            return self.complain("a message has no `seq` or no `command`");
        };
        let done = self.done(seq, command, &message["arguments"]);
        let is_launched = command == "launch" && done.is_ok();
        match done {
            Ok(None) => {}
            Ok(Some(body)) => self.respond(seq, command, Ok(body)),
            Err(why) => self.respond(seq, command, Err(why)),
        }
        if is_launched {
            self.event("initialized", json!({}));
        }
    }

    /// Handles a request. The body of its response; `None` where gdb will send it.
    fn done(
        &mut self,
        seq: u64,
        command: &str,
        arguments: &Value,
    ) -> Result<Option<Value>, String> {
        match command {
            "initialize" => Ok(Some(capabilities())),
            "launch" if self.gdb.is_some() => Err("something is debugged already".to_owned()),
            "launch" => self.launch(arguments).map(|()| Some(json!({}))),
            "attach" => Err(
                "a schedule is started and not attached to: use `launch` with its token".to_owned(),
            ),
            "disconnect" | "terminate" => {
                self.is_over = true;
                self.gdb = None;
                Ok(Some(json!({})))
            }
            "pause" => match self.process {
                Some(process) if self.runs => {
                    interrupt(process);
                    Ok(Some(json!({})))
                }
                _ => Err("nothing runs".to_owned()),
            },
            _ if RESUMING.contains(&command) || ASKING.contains(&command) => {
                let Some(gdb) = &mut self.gdb else {
                    return Err(format!("`{command}` comes after `launch`"));
                };
                if self.runs && command == "threads" {
                    return Ok(Some(self.threads.clone()));
                }
                if self.runs {
                    return Err("the program runs: pause it first".to_owned());
                }
                let request = json!({"id": seq, "command": command, "arguments": arguments});
                gdb.ask(&request)
                    .map_err(|error| format!("gdb has ended: {error}"))?;
                self.asked.insert(seq, command.to_owned());
                self.runs = RESUMING.contains(&command);
                Ok(None)
            }
            _ => Err(format!("`{}` is not supported", command.escape_debug())),
        }
    }

    fn launch(&mut self, arguments: &Value) -> Result<(), String> {
        let arguments = serde_json::from_value(arguments.clone())
            .map_err(|error| format!("the arguments of `launch` are not understood: {error}"))?;
        self.output("console", "building the test for the debugger\n");
        let debugged = (self.build)(arguments)?;
        let gdb = Gdb::start(self.program, &debugged, self.interrupt)?;
        let answers = self.answers.clone();
        gdb.send_answers(answers)
            .map_err(|error| error.to_string())?;
        self.gdb = Some(gdb);
        self.debugged = Some(debugged);
        Ok(())
    }

    /// Takes a line of gdb.
    pub(super) fn answered(&mut self, line: Option<&str>) {
        let Some(line) = line else {
            for (id, command) in std::mem::take(&mut self.asked) {
                self.respond(id, &command, Err("gdb has ended".to_owned()));
            }
            if let Some(gdb) = self.gdb.take() {
                let text = format!("gdb has ended\n{}", gdb.said());
                self.output("important", &text);
                self.event("terminated", json!({}));
            }
            return;
        };
        let Ok(answer) = serde_json::from_str::<Value>(line) else {
            return self.complain("gdb said what is not understood");
        };
        if let Some(id) = answer["id"].as_u64() {
            let command = self.asked.remove(&id).unwrap_or_default();
            let result = match answer["ok"] == true {
                true => Ok(answer["body"].clone()),
                false => Err(answer["message"].as_str().unwrap_or_default().to_owned()),
            };
            if let (Ok(threads), "threads") = (&result, command.as_str()) {
                self.threads = threads.clone();
            }
            return self.respond(id, &command, result);
        }
        match answer["event"].as_str() {
            Some("process") => {
                let body = &answer["body"];
                self.process = body["systemProcessId"].as_i64();
                self.event("process", body.clone());
            }
            Some("stopped") => {
                self.runs = false;
                self.event("stopped", answer["body"].clone());
            }
            Some("ended") => {
                self.runs = false;
                let ending = self.debugged.as_ref().and_then(|it| it.driver.ending());
                let text = ending.unwrap_or_else(|| "the process has ended".to_owned());
                self.output("console", &format!("{text}\n"));
                self.event("exited", json!({"exitCode": 0}));
                self.event("terminated", json!({}));
            }
            Some(other) => self.event(other, answer["body"].clone()),
            None => {}
        }
    }

    /// Tells the client of what it sent, or gdb.
    pub(super) fn complain(&mut self, why: &str) {
        self.output("important", &format!("{why}\n"));
    }

    fn output(&mut self, category: &str, text: &str) {
        self.event("output", json!({"category": category, "output": text}));
    }

    fn event(&mut self, name: &str, body: Value) {
        self.put(json!({"type": "event", "event": name, "body": body}));
    }

    fn respond(&mut self, request: u64, command: &str, result: Result<Value, String>) {
        let mut message = json!({
            "type": "response",
            "request_seq": request,
            "command": command,
            "success": result.is_ok(),
        });
        match result {
            Ok(body) => message["body"] = body,
            Err(why) => {
                message["message"] = json!(why);
                message["body"] = json!({"error": {"id": 1, "format": "{why}", "variables": {"why": why}, "showUser": true}});
            }
        }
        self.put(message);
    }

    fn put(&mut self, mut message: Value) {
        self.sent += 1;
        message["seq"] = json!(self.sent);
        if !(self.send)(&message) {
            self.is_over = true;
        }
    }
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsFunctionBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "exceptionBreakpointFilters": [
            {
                "filter": "panics",
                "label": "Panics",
                "description": "Stop where a panic begins",
                "default": true,
            },
            {
                "filter": "points",
                "label": "Scheduling points",
                "description": "Stop before every visible operation: locks, atomics, channels, threads",
                "default": false,
            },
        ],
    })
}
