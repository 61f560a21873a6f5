//! What each tool does: a command line of this tool for its arguments, and an answer from the lines of the run.

use contest_data::finding::FindingKind;
use serde_json::{Value, json};

use super::answer::Answer;
use super::call::{Answered, Call};
use super::child::Ran;
use super::findings::{alone, explored, findings, not_explored, steps, token, what, without_token};
use super::known::Scope;
use super::replayed::Replayed;
use super::verify;
use crate::cli::values::parse_kind;
use contest_report::explain;

/// What a tool answers to arguments that fit its schema.
pub(super) fn call(tool: &str, call: &Call<'_>) -> Result<Value, String> {
    let answer = match tool {
        "list" => call.list(),
        "explore" => call.explore(),
        "test" => call.test(),
        "explain" => call.explain(),
        "replay" => call.replay(),
        "orderings" => call.orderings(),
        "verify_fix" => verify::verify_fix(call),
        "more" => return call.more(),
        _ => Err(Answer::error(
            "there is no such tool",
            "call one of the list of tools",
        )),
    };
    let answer = answer.unwrap_or_else(|error| error);
    let is_error = answer.is_error;
    let part = call.memory().first_part(answer);
    if is_error {
        Err(part.to_string())
    } else {
        Ok(part)
    }
}

impl Call<'_> {
    fn list(&self) -> Answered {
        let scope = self.scope(None)?;
        let types = self.texts("types");
        let command = with_rest(&["list", "--"], &types);
        let ran = self.run(&scope, &command, 0)?;
        let types = ran.with_reason("subject").map(|it| {
            let left_out = it["left_out"].as_array().map_or(0, Vec::len);
            json!({"type": it["type"], "operations": it["calls"], "made_with": it["constructors"],
                   "left_out": left_out, "package": it["package"]})
        });
        let left_out = ran.with_reason("left-out");
        let left_out = left_out.map(|it| json!({"left_out": it["item"], "why": it["why"]}));
        let all = types.chain(left_out).collect();
        let next = "`explore` tests these types; `test` explores the tests of the package";
        Ok(Answer::new(json!({"next": next}), "types", all))
    }

    fn explore(&self) -> Answered {
        let scope = self.scope(None)?;
        let types = self.texts("types");
        let seconds = self.seconds(20);
        let budget = format!("--budget={seconds}s");
        let ran = match self.text("scenario") {
            Some(_) if !types.is_empty() => {
                let why = "`types` and `scenario` exclude each other";
                return Err(Answer::error(why, "give one of them"));
            }
            Some(scenario) => self.run(&scope, &["try", &budget, "--", scenario], seconds)?,
            None => {
                let first = self.is_set("stop_at_first").then_some("--fail-fast");
                let command = ["run", &budget, "--no-emit"].into_iter().chain(first);
                let command: Vec<&str> = command.chain(["--"]).collect();
                self.run(&scope, &with_rest(&command, &types), seconds)?
            }
        };
        let mut answer = self.found(&ran, &scope);
        let outcomes = ran.with_reason("outcome");
        let outcomes: Vec<Value> = outcomes
            .map(|it| json!({"results": it["results"], "judgement": it["judgement"], "bug": it["bug"]}))
            .collect();
        if !outcomes.is_empty() {
            answer.facts.insert("outcomes".to_owned(), outcomes.into());
        }
        Ok(answer)
    }

    fn test(&self) -> Answered {
        let scope = self.scope(None)?;
        let seconds = self.seconds(60);
        let budget = format!("--budget={seconds}s");
        let filter = self.text("filter").map(str::to_owned);
        let command = with_rest(&["test", &budget], filter.as_slice());
        let ran = self.run(&scope, &command, seconds)?;
        Ok(self.found(&ran, &scope))
    }

    /// Findings, with what was explored and what was not.
    fn found(&self, ran: &Ran, scope: &Scope) -> Answer {
        let findings = findings(ran, scope, &mut self.memory());
        let also = without_token(ran);
        let next = match (findings.is_empty(), also.is_empty()) {
            (false, _) => "`explain` a finding by its name; after a change, `verify_fix` it",
            (true, true) => {
                "nothing was found in what was explored; what was not run was not checked"
            }
            (true, false) => {
                "look at `also`: it shows without an interleaving that could be replayed"
            }
        };
        let mut facts = json!({
            "found": findings.len(),
            "explored": explored(ran),
            "not_explored": not_explored(ran),
            "next": next,
        });
        for (name, list) in [("also", also), ("fails_without_concurrency", alone(ran))] {
            if !list.is_empty() {
                facts[name] = list.into();
            }
        }
        Answer::new(facts, "findings", findings)
    }

    fn explain(&self) -> Answered {
        let kind = match (self.text("finding"), self.text("kind")) {
            (Some(which), _) => return self.explain_finding(which),
            (None, Some(kind)) => kind,
            (None, None) => {
                let kinds = explain::all().iter().map(|it| {
                    let first = it.meaning.split_inclusive(". ").next();
                    json!({"kind": it.kind.name(), "meaning": first})
                });
                return Ok(Answer::new(json!({}), "kinds", kinds.collect()));
            }
        };
        let mend = "call `explain` without arguments for the list of kinds";
        let kind = parse_kind(kind).map_err(|why| Answer::error(&why, mend))?;
        let mut facts = about(kind);
        facts["example"] = explain::of(kind).map(|it| it.example).into();
        Ok(Answer::new(facts, "", Vec::new()))
    }

    fn explain_finding(&self, which: &str) -> Answered {
        let known = self.known(which)?;
        if known.finding.is_null() {
            return self.replay();
        }
        let mut facts = what(&known.finding);
        facts["finding"] = known.name.into();
        facts["why"] = known.finding["details"].clone();
        facts["look_at"] = known.finding["locations"].clone();
        if let Some(name) = known.finding["kind"].as_str()
            && let Ok(kind) = parse_kind(name)
        {
            facts["about_this_kind"] = about(kind);
        }
        facts["token"] = token(&known.finding);
        facts["next"] = "change the code, then `verify_fix` this finding".into();
        let order = steps(&known.finding["interleaving"], &known.scope.directory);
        Ok(Answer::new(facts, "order", order))
    }

    fn replay(&self) -> Answered {
        let known = self.known(self.text("finding").unwrap_or_default())?;
        let scope = self.scope(Some(&known))?;
        let ran = self.run(&scope, &["replay", "--", &known.token], 0)?;
        let replayed = Replayed::of(&ran)?;
        let next = match replayed.shows {
            true => "change the code, then `verify_fix` this finding",
            false => "this says nothing about other interleavings: `verify_fix` explores them",
        };
        let mut facts = json!({
            "bug_shows": replayed.shows,
            "kind": replayed.kind,
            "message": replayed.message,
            "ending": replayed.ending,
            "differs_from_the_token": replayed.diverged,
            "next": next,
        });
        if let Some(kind) = replayed.kind.as_str()
            && let Ok(kind) = parse_kind(kind)
        {
            facts["about_this_kind"] = about(kind);
        }
        let order = steps(&replayed.interleaving, &scope.directory);
        Ok(Answer::new(facts, "order", order))
    }

    fn orderings(&self) -> Answered {
        let scope = self.scope(None)?;
        let seconds = self.seconds(60);
        let budget = format!("--budget={seconds}s");
        let types = self.texts("types");
        let command = with_rest(&["orderings", &budget, "--"], &types);
        let ran = self.run(&scope, &command, seconds)?;
        let advice = ran.with_reason("orderings").map(|line| {
            let mut line = line.clone();
            if let Some(fields) = line.as_object_mut() {
                fields.remove("reason");
            }
            line
        });
        let facts = json!({"not_explored": not_explored(&ran)});
        Ok(Answer::new(facts, "types", advice.collect()))
    }

    fn more(&self) -> Result<Value, String> {
        let part = self.memory().part(self.text("cursor").unwrap_or_default());
        part.ok_or_else(|| {
            let mend = "call the tool again; the last answers of this session are kept";
            let error = Answer::error("there is no answer with this cursor", mend);
            Value::Object(error.facts).to_string()
        })
    }
}

/// What a kind means, and what is done about it.
fn about(kind: FindingKind) -> Value {
    let about = explain::of(kind);
    json!({
        "kind": kind.name(),
        "meaning": about.map(|it| it.meaning),
        "certainty": about.map(|it| it.certainty),
        "remedies": about.map(|it| it.remedies),
    })
}

fn with_rest<'a>(command: &[&'a str], rest: &'a [String]) -> Vec<&'a str> {
    let rest = rest.iter().map(String::as_str);
    command.iter().copied().chain(rest).collect()
}
