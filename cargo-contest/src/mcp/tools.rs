//! The tools: names, what they are for, and the schemas of their arguments. What they do is in `calls` and `verify`.

use serde_json::{Map, Value, json};

use super::schema::NO_OPTION;

/// Most seconds of exploration that can be asked for.
pub(super) const MOST_SECONDS: u64 = 600;

/// What a client tells its model first.
pub(super) const INSTRUCTIONS: &str = "Finds concurrency bugs in Rust crates by running the real code under a \
    scheduler of its own. `explore` types or a scenario, or `test` the tests that exist; each finding has a short name \
    such as f1. `explain` says what happened, in which order, at which lines. After a change, `verify_fix` says whether \
    that bug is gone and what was explored. Nothing found means nothing in what was explored. The first call on a \
    machine builds a runtime, which takes minutes.";

/// The list of tools, as the protocol has it.
pub(super) fn all() -> Vec<Value> {
    vec![
        tool(
            "list",
            "What can be tested: types with their operations and constructors, and what is left out with the reason",
            &[],
            [types(
                "Only types whose path ends with this, e.g. `Counter` or `queue::Bounded`",
            )],
        ),
        tool(
            "explore",
            "Find concurrency bugs: generate concurrent tests of types and explore their interleavings, or explore one \
             scenario. Answers findings with their tokens, and what was explored and what was not",
            &[],
            [
                types("Only types whose path ends with this [default: all types of the package]"),
                (
                    "scenario",
                    json!({"type": "string", "minLength": 1, "maxLength": 4000, "pattern": NO_OPTION,
                           "description": "Explore these calls only, e.g. `let q = Queue::new(1); q.push(1) | q.push(2); q.pop()`: \
                                           `let` statements that make what all threads share, then the calls of each thread, `;` \
                                           between calls, `|` between threads"}),
                ),
                (
                    "stop_at_first",
                    json!({"type": "boolean", "description": "End at the first finding, so that the answer comes soon"}),
                ),
                seconds(20),
            ],
        ),
        tool(
            "test",
            "Run the tests that the package has, each in many interleavings: finds tests that fail sometimes, \
             deadlocks, data races",
            &[],
            [
                (
                    "filter",
                    json!({"type": "string", "minLength": 1, "maxLength": 300, "pattern": NO_OPTION,
                           "description": "Only tests whose name contains this [default: all]"}),
                ),
                seconds(60),
            ],
        ),
        tool(
            "explain",
            "What happened in a finding: which threads did what in which order at which lines, and why that is wrong; \
             or what a kind of finding means and how it is mended",
            &[],
            [
                finding(),
                (
                    "kind",
                    json!({"type": "string", "minLength": 1, "maxLength": 40, "pattern": NO_OPTION,
                           "description": "A kind of finding instead, e.g. `deadlock`"}),
                ),
            ],
        ),
        tool(
            "replay",
            "Run the interleaving of a finding again: says whether the bug shows, with each step",
            &["finding"],
            [finding()],
        ),
        tool(
            "verify_fix",
            "After a change: run the interleaving of a finding again, then explore the same type, test or scenario. Says \
             whether the bug is gone, and what was explored",
            &["finding"],
            [finding(), seconds(20)],
        ),
        tool(
            "orderings",
            "Which orderings of atomic operations are too weak, with the smallest sets of stronger ones that remove what \
             is found, or stronger than small tests need",
            &[],
            [
                types("Only types whose path ends with this [default: all types of the package]"),
                seconds(60),
            ],
        ),
        json!({
            "name": "more",
            "description": "The next part of a long answer",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "cursor": {"type": "string", "minLength": 1, "maxLength": 40, "description": "`more_with` of the answer"}
                },
                "required": ["cursor"],
                "additionalProperties": false,
            },
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        }),
    ]
}

/// The schema of a tool's arguments.
pub(super) fn schema(name: &str) -> Option<Value> {
    let mut all = all().into_iter();
    let tool = all.find(|it| it["name"] == name)?;
    Some(tool["inputSchema"].clone())
}

/// A tool that runs this one in a package.
fn tool<const N: usize>(
    name: &str,
    description: &str,
    required: &[&str],
    own: [(&str, Value); N],
) -> Value {
    let text = |most: u64, description: &str| json!({"type": "string", "minLength": 1, "maxLength": most, "pattern": NO_OPTION, "description": description});
    let places = [
        (
            "directory",
            text(
                4_000,
                "Directory of the package [default: that of the finding, else the server's]",
            ),
        ),
        ("package", text(200, "Another package of its graph")),
        (
            "features",
            json!({"type": "array", "maxItems": 50, "items": text(200, "a feature"), "description": "Features to enable"}),
        ),
        (
            "internal",
            json!({"type": "boolean", "description": "Test types that are not public, too"}),
        ),
    ];
    let properties: Map<String, Value> = (own.into_iter().chain(places))
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    json!({
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        },
        "annotations": {"destructiveHint": false, "openWorldHint": false},
    })
}

fn types(description: &str) -> (&'static str, Value) {
    let one = json!({"type": "string", "minLength": 1, "maxLength": 500, "pattern": NO_OPTION});
    (
        "types",
        json!({"type": "array", "maxItems": 50, "items": one, "description": description}),
    )
}

fn seconds(default: u64) -> (&'static str, Value) {
    let text = format!("Seconds of exploration, building not counted [default: {default}]");
    (
        "seconds",
        json!({"type": "integer", "minimum": 1, "maximum": MOST_SECONDS, "description": text}),
    )
}

fn finding() -> (&'static str, Value) {
    (
        "finding",
        json!({"type": "string", "minLength": 1, "maxLength": 20_000, "pattern": NO_OPTION,
               "description": "The finding: its short name in this session, e.g. `f1`, or its token"}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_schema_that_is_one_and_names_of_its_own() {
        let all = all();
        let mut names: Vec<&str> = all.iter().filter_map(|it| it["name"].as_str()).collect();
        for tool in &all {
            let schema = &tool["inputSchema"];
            assert!(jsonschema::meta::is_valid(schema), "{schema}");
            assert!(tool["description"].as_str().unwrap().len() < 300, "{tool}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        assert!(schema("explore").is_some() && schema("nothing").is_none());
        assert!(INSTRUCTIONS.len() < 1_000);
    }
}
