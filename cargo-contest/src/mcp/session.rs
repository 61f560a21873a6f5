//! Who may say what when: the handshake, the tools, cancellation.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::{Map, Value, json};

use super::call::Call;
use super::calls;
use super::known::Memory;
use super::message::{self, INVALID, METHOD, Message, PARAMETERS, Refused};
use super::schema;
use super::tools;

/// Revisions of the protocol that this server can be asked for, the newest first.
const REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// Most calls at the same time: each runs processes on all cores.
const MOST_CALLS: usize = 4;

/// Writes a line to the client; false if the client has closed its end.
type Write = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// What calls on threads of their own share.
struct Shared {
    write: Write,
    closed: AtomicBool,
    memory: Mutex<Memory>,
    /// Calls that are to be answered, by the text of their ids.
    running: Mutex<BTreeMap<String, Arc<AtomicBool>>>,
}

impl Shared {
    fn say(&self, line: &str) {
        if !(self.write)(line) {
            self.closed.store(true, Ordering::SeqCst);
        }
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<String, Arc<AtomicBool>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server's side of a connection.
pub(super) struct Session {
    shared: Arc<Shared>,
    is_open: bool,
    threads: Vec<JoinHandle<()>>,
}

impl Session {
    /// Says its lines with this.
    pub(super) fn new(write: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self {
            shared: Arc::new(Shared {
                write: Box::new(write),
                closed: AtomicBool::new(false),
                memory: Mutex::default(),
                running: Mutex::default(),
            }),
            is_open: false,
            threads: Vec::new(),
        }
    }

    /// True if the client has closed its end.
    pub(super) fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::SeqCst)
    }

    /// Ends all calls, and what they run.
    pub(super) fn end(self) {
        for (_, stop) in std::mem::take(&mut *self.shared.running()) {
            stop.store(true, Ordering::SeqCst);
        }
        for thread in self.threads {
            let _ = thread.join();
        }
    }

    /// Answers a line that was too long to be kept.
    pub(super) fn too_long(&mut self) {
        self.refuse(Refused {
            id: Value::Null,
            code: INVALID,
            why: "a message of more than a mebibyte was passed over".to_owned(),
        });
    }

    /// Takes a line in.
    pub(super) fn take(&mut self, line: &[u8]) {
        // Blank lines are between messages.
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match message::read(line) {
            Ok(Message::Request(id, method, params)) => self.request(&id, &method, &params),
            Ok(Message::Notification(method, params)) => self.notification(&method, &params),
            Ok(Message::Answer) => {}
            Err(refused) => self.refuse(refused),
        }
    }

    fn refuse(&self, refused: Refused) {
        self.shared.say(&message::error(&refused));
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) {
        let answer = match method {
            "ping" => Ok(json!({})),
            "initialize" => self.initialize(params),
            _ if !self.is_open => Err((
                INVALID,
                "the first request has to be `initialize`".to_owned(),
            )),
            "tools/list" => match params.get("cursor") {
                None | Some(Value::Null) => Ok(json!({"tools": tools::all()})),
                Some(_) => Err((
                    PARAMETERS,
                    "the list of tools has one page, without a cursor".to_owned(),
                )),
            },
            "tools/call" => match self.call(id, params) {
                Ok(()) => return,
                Err(refused) => Err(refused),
            },
            _ => Err((METHOD, format!("there is no method `{}`", short(method)))),
        };
        match answer {
            Ok(answer) => self.shared.say(&message::result(id, &answer)),
            Err((code, why)) => self.refuse(Refused {
                id: id.clone(),
                code,
                why,
            }),
        }
    }

    fn initialize(&mut self, params: &Value) -> Result<Value, (i64, String)> {
        if self.is_open {
            return Err((INVALID, "this connection is initialised already".to_owned()));
        }
        let Some(wanted) = params["protocolVersion"].as_str() else {
            return Err((PARAMETERS, "`protocolVersion` has to be a text".to_owned()));
        };
        let agreed = REVISIONS.iter().find(|it| **it == wanted);
        self.is_open = true;
        Ok(json!({
            "protocolVersion": agreed.unwrap_or(&REVISIONS[0]),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "cargo-contest", "version": env!("CARGO_PKG_VERSION")},
            "instructions": tools::INSTRUCTIONS,
        }))
    }

    fn notification(&mut self, method: &str, params: &Value) {
        if method == "notifications/cancelled"
            && let Some(stop) = self
                .shared
                .running()
                .remove(&params["requestId"].to_string())
        {
            stop.store(true, Ordering::SeqCst);
        }
    }

    /// Begins a call on a thread of its own, which answers it.
    fn call(&mut self, id: &Value, params: &Value) -> Result<(), (i64, String)> {
        let Some(name) = params["name"].as_str() else {
            return Err((PARAMETERS, "`name` has to be a text".to_owned()));
        };
        let Some(tool) = tools::schema(name) else {
            return Err((PARAMETERS, format!("there is no tool `{}`", short(name))));
        };
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err((PARAMETERS, "`arguments` has to be an object".to_owned())),
        };
        if let Err(why) = schema::check(&tool, &arguments) {
            self.shared.say(&message::result(id, &content(&Err(why))));
            return Ok(());
        }
        self.threads.retain(|it| !it.is_finished());
        let key = id.to_string();
        let stop = Arc::new(AtomicBool::new(false));
        {
            let mut running = self.shared.running();
            if running.contains_key(&key) {
                return Err((
                    INVALID,
                    "a call with this id is not answered yet".to_owned(),
                ));
            }
            if self.threads.len() >= MOST_CALLS {
                let why =
                    format!("{MOST_CALLS} calls are running; wait for one of them, or cancel it");
                drop(running);
                self.shared.say(&message::result(id, &content(&Err(why))));
                return Ok(());
            }
            running.insert(key.clone(), Arc::clone(&stop));
        }
        let (shared, id, name) = (Arc::clone(&self.shared), id.clone(), name.to_owned());
        let token = params["_meta"]["progressToken"].clone();
        self.threads.push(thread::spawn(move || {
            let done = AtomicU64::new(0);
            let progress = |text: &str| {
                if !token.is_null() && !stop.load(Ordering::SeqCst) {
                    let number = done.fetch_add(1, Ordering::SeqCst) + 1;
                    let params =
                        json!({"progressToken": token, "progress": number, "message": text});
                    shared.say(&message::notification("notifications/progress", &params));
                }
            };
            let call = Call {
                arguments: &arguments,
                memory: &shared.memory,
                stop: &stop,
                progress: &progress,
            };
            let answer = catch_unwind(AssertUnwindSafe(|| calls::call(&name, &call)));
            let answer = answer
                .unwrap_or_else(|_| Err("a bug of cargo-contest: the call failed".to_owned()));
            // What was cancelled is not answered.
            if shared.running().remove(&key).is_some() {
                shared.say(&message::result(&id, &content(&answer)));
            }
        }));
        Ok(())
    }
}

/// An answer as the result of a tool.
fn content(answer: &Result<Value, String>) -> Value {
    match answer {
        Ok(facts) => json!({
            "content": [{"type": "text", "text": facts.to_string()}],
            "structuredContent": facts,
            "isError": false,
        }),
        Err(why) => json!({"content": [{"type": "text", "text": why}], "isError": true}),
    }
}

/// The beginning of a name that may be anything.
fn short(name: &str) -> String {
    name.chars().take(60).collect()
}

#[cfg(test)]
mod tests;
