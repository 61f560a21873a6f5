//! `verify_fix`: the interleaving of a finding again, then other interleavings and other tests of the same subject.

use contest_data::finding::FindingKind;
use contest_data::token::Token;
use serde_json::{Value, json};

use super::answer::Answer;
use super::call::{Answered, Call};
use super::child::Ran;
use super::findings::{explored, findings, not_explored, without_token};
use super::known::Scope;
use super::replayed::Replayed;
use contest_catalog::subject_catalog::SCENARIO;

/// Says whether the bug is gone, and what was explored.
pub(super) fn verify_fix(call: &Call<'_>) -> Answered {
    let known = call.known(call.text("finding").unwrap_or_default())?;
    let scope = call.scope(Some(&known))?;
    let token = Token::decode(&known.token).map_err(|error| {
        Answer::error(
            &error.to_string(),
            "give the name of a finding, or its whole token",
        )
    })?;
    let replay = call.run(&scope, &["replay", "--", &known.token], 0);
    let same_schedule = match &replay {
        Ok(ran) => {
            let replayed = Replayed::of(ran)?;
            if replayed.shows {
                let facts = json!({
                    "verdict": "not-fixed",
                    "same_interleaving": "the bug shows again",
                    "kind": replayed.kind,
                    "message": replayed.message,
                    "next": "`explain` the finding, change the code again, then `verify_fix`",
                });
                return Ok(Answer::new(facts, "", Vec::new()));
            }
            match replayed.diverged {
                Value::Null => "the bug does not show".into(),
                diverged => format!(
                    "the bug does not show, and the code does other steps than the token recorded: {}",
                    diverged.as_str().unwrap_or_default()
                ),
            }
        }
        // What the token calls may be gone with the change.
        Err(error) if of_token(error) => format!(
            "it cannot be run with the code as it is: {}",
            error.facts["error"].as_str().unwrap_or_default()
        ),
        Err(error) => return Err(error.clone()),
    };
    let ran = same_subject(call, &scope, &token)?;
    Ok(verdict(call, &scope, &token, &ran, &same_schedule))
}

/// True if the token was refused, and not the code.
fn of_token(error: &Answer) -> bool {
    let why = error.facts.get("error").and_then(Value::as_str);
    why.is_some_and(|it| it.contains("token"))
}

/// Explores the test, the scenario or the type of the token.
fn same_subject(call: &Call<'_>, scope: &Scope, token: &Token) -> Result<Ran, Answer> {
    let seconds = call.seconds(20);
    let budget = format!("--budget={seconds}s");
    let of_test = format!("--test-budget={seconds}s");
    if let Some((_, test)) = token.own_test() {
        // Two tests that meet have no name of their own.
        if token.kind == FindingKind::Interference {
            return call.run(scope, &["test", &budget], seconds);
        }
        let command = ["test", &budget, &of_test, test, "--", "--exact"];
        return call.run(scope, &command, seconds);
    }
    match token.subject.strip_prefix(SCENARIO) {
        Some(scenario) => call.run(scope, &["try", &budget, "--", scenario], seconds),
        None => {
            let name = token.subject_name.as_str();
            call.run(scope, &["run", &budget, "--no-emit", "--", name], seconds)
        }
    }
}

fn verdict(
    call: &Call<'_>,
    scope: &Scope,
    token: &Token,
    ran: &Ran,
    same_schedule: &str,
) -> Answer {
    let found = findings(ran, scope, &mut call.memory());
    let is_same = |it: &&Value| it["kind"] == token.kind.name();
    let explored = explored(ran);
    let executions = explored["executions"].as_u64().unwrap_or(0);
    let also = without_token(ran);
    let (verdict, next) = if found.iter().any(|it| is_same(&it)) {
        let next = "the same kind shows in another interleaving or test: `explain` it";
        ("not-fixed", next)
    } else if !found.is_empty() {
        let next = "that bug did not show, others did: `explain` them";
        ("gone-but-others-found", next)
    } else if !also.is_empty() {
        (
            "unclear",
            "no interleaving fails alone, and yet not all is well: look at `also`",
        )
    } else if executions == 0 {
        ("unclear", "nothing was run: `list` says what can be tested")
    } else {
        let next = "what was not run was not checked; more `seconds` explore more";
        ("gone-in-what-was-explored", next)
    };
    let mut facts = json!({
        "verdict": verdict,
        "same_interleaving": same_schedule,
        "explored": explored,
        "not_explored": not_explored(ran),
        "next": next,
    });
    if !also.is_empty() {
        facts["also"] = also.into();
    }
    Answer::new(facts, "findings", found)
}
