//! One call of a tool: its arguments, what the session remembers, and runs of this tool for it.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::child::{self, End, Ran};
use super::known::{Known, Memory, Scope};
use super::tools::MOST_SECONDS;
use crate::cli::exit_code::ExitCode;

/// Time for all that is no exploration: the first run builds a runtime.
const BUILDING: Duration = Duration::from_mins(15);

/// One call of a tool.
pub(super) struct Call<'a> {
    pub(super) arguments: &'a Map<String, Value>,
    pub(super) memory: &'a Mutex<Memory>,
    pub(super) stop: &'a AtomicBool,
    /// Gets a sentence for each step.
    pub(super) progress: &'a dyn Fn(&str),
}

/// An answer, or why there is none.
pub(super) type Answered = Result<Answer, Answer>;

impl Call<'_> {
    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let list = self.arguments.get(name).and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.arguments.get(name) == Some(&Value::Bool(true))
    }

    pub(super) fn seconds(&self, default: u64) -> u64 {
        let seconds = self.arguments.get("seconds").and_then(Value::as_u64);
        seconds.unwrap_or(default).clamp(1, MOST_SECONDS)
    }

    /// Where and how: as the arguments say, else as it was found.
    pub(super) fn scope(&self, known: Option<&Known>) -> Result<Scope, Answer> {
        let found = known.map(|it| it.scope.clone()).unwrap_or_default();
        let mut options = Vec::new();
        if let Some(package) = self.text("package") {
            options.push(format!("--package={package}"));
        }
        let features = self.texts("features");
        if !features.is_empty() {
            options.push(format!("--features={}", features.join(",")));
        }
        if self.is_set("internal") {
            options.push("--internal".to_owned());
        }
        if options.is_empty() {
            options = found.options;
        }
        let directory = match self.text("directory") {
            Some(directory) => PathBuf::from(directory),
            None if found.directory.as_os_str().is_empty() => {
                std::env::current_dir().unwrap_or_default()
            }
            None => found.directory,
        };
        if directory.is_dir() {
            return Ok(Scope { directory, options });
        }
        let why = format!("there is no directory {}", directory.display());
        Err(Answer::error(
            &why,
            "give the `directory` of the package as an absolute path",
        ))
    }

    /// Runs this tool, which has so long to explore.
    pub(super) fn run(&self, scope: &Scope, command: &[&str], seconds: u64) -> Result<Ran, Answer> {
        let (name, rest) = command.split_first().unwrap_or((&"run", &[]));
        let own = std::iter::once((*name).to_owned()).chain(scope.options.iter().cloned());
        let all: Vec<String> = own.chain(rest.iter().map(|it| (*it).to_owned())).collect();
        let most = Duration::from_secs(2 * seconds) + BUILDING;
        let ran = child::run(&all, &scope.directory, most, self.stop, self.progress);
        let ran = ran.map_err(|why| Answer::error(&why, "install cargo-contest again"))?;
        match failure(&ran) {
            Some(error) => Err(error),
            None => Ok(ran),
        }
    }

    /// The finding of this name, or one of which only the token is known.
    pub(super) fn known(&self, which: &str) -> Result<Known, Answer> {
        if let Some(known) = self.memory().known(which) {
            return Ok(known.clone());
        }
        if which.len() < 12 {
            let why = format!("there is no finding `{which}` in this session");
            return Err(Answer::error(
                &why,
                "give the name of an answer such as `f1`, or a whole token",
            ));
        }
        Ok(Known {
            name: String::new(),
            token: which.to_owned(),
            finding: Value::Null,
            scope: Scope::default(),
        })
    }
}

/// Why a run has no result, if it has none.
fn failure(ran: &Ran) -> Option<Answer> {
    let status = match ran.end {
        End::Status(status) => status,
        End::TooLong => {
            let mend = "the code may take long to build: run `cargo contest` once in a terminal, then call again";
            return Some(Answer::error("it took too long and was ended", mend));
        }
        End::Stopped => return Some(Answer::error("it was cancelled", "call it again")),
    };
    let is = |code: ExitCode| status == Some(code as i32);
    let mend = if is(ExitCode::Clean) || is(ExitCode::Findings) {
        return None;
    } else if is(ExitCode::Usage) {
        "mend the arguments as the error says; `list` names what can be tested"
    } else if is(ExitCode::BuildFailed) {
        "mend what the compiler says, then call again"
    } else if is(ExitCode::NothingToTest) {
        "`list` says what is left out and why; `internal` tests types that are not public; `test` explores existing tests"
    } else {
        "call it again; if it stays so, this is a bug of cargo-contest"
    };
    Some(Answer::error(&error_in(&ran.said), mend))
}

/// From the first error on; before it is what came of the run until then.
fn error_in(said: &str) -> String {
    let said = format!("\n{said}");
    let begin = said.find("\nerror: ").unwrap_or(0);
    let text = said[begin..].trim();
    match text {
        "" => "it ended without saying why".to_owned(),
        text => text.to_owned(),
    }
}
