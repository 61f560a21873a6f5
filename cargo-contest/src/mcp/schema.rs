//! Arguments of tools held against the schema that the list of tools has: the part of JSON Schema that is used there.

use serde_json::{Map, Value};

/// A text that could be taken for an option of the command line does not match.
pub(super) const NO_OPTION: &str = "^[^-]";

/// What is wrong with the arguments, and how they are written.
pub(super) fn check(schema: &Value, arguments: &Map<String, Value>) -> Result<(), String> {
    let properties = schema["properties"].as_object();
    let names = properties.into_iter().flatten().map(|it| it.0.as_str());
    let names: Vec<&str> = names.collect();
    for (name, value) in arguments {
        let property = &schema["properties"][name];
        if property.is_null() {
            let all = names.join("`, `");
            return Err(format!("there is no argument `{name}`; there are `{all}`"));
        }
        if let Err(why) = check_one(property, value) {
            let about = property["description"].as_str().unwrap_or_default();
            return Err(format!("`{name}` {why}. It is: {about}"));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            let about = schema["properties"][name]["description"].as_str();
            let about = about.unwrap_or_default();
            return Err(format!("`{name}` is missing. It is: {about}"));
        }
    }
    Ok(())
}

fn check_one(schema: &Value, value: &Value) -> Result<(), String> {
    let bound = |name: &str| schema[name].as_u64();
    match schema["type"].as_str() {
        Some("string") => {
            let text = value.as_str().ok_or("has to be a text")?;
            let length = text.chars().count() as u64;
            if bound("minLength").is_some_and(|least| length < least) {
                return Err("is empty".to_owned());
            }
            if let Some(most) = bound("maxLength").filter(|most| length > *most) {
                return Err(format!("has more than {most} characters"));
            }
            if schema["pattern"] == NO_OPTION && text.starts_with('-') {
                return Err("begins with `-`, as only options do".to_owned());
            }
            let all: Vec<&str> = (schema["enum"].as_array().into_iter().flatten())
                .filter_map(Value::as_str)
                .collect();
            if !all.is_empty() && !all.contains(&text) {
                return Err(format!("has to be one of `{}`", all.join("`, `")));
            }
            Ok(())
        }
        Some("integer") => {
            let (least, most) = (
                bound("minimum").unwrap_or(0),
                bound("maximum").unwrap_or(u64::MAX),
            );
            let fits = value
                .as_u64()
                .is_some_and(|it| (least..=most).contains(&it));
            let why = || format!("has to be a whole number from {least} to {most}");
            fits.then_some(()).ok_or_else(why)
        }
        Some("boolean") => value
            .as_bool()
            .map(drop)
            .ok_or_else(|| "has to be true or false".to_owned()),
        Some("array") => {
            let items = value.as_array().ok_or("has to be a list")?;
            if let Some(most) = bound("maxItems").filter(|most| items.len() as u64 > *most) {
                return Err(format!("has more than {most} entries"));
            }
            items
                .iter()
                .try_for_each(|it| check_one(&schema["items"], it))
        }
        _ => Err("cannot be checked".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_refused_as_any_reader_of_the_schema_would() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": NO_OPTION, "description": "a name"},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "seconds": {"type": "integer", "minimum": 1, "maximum": 9},
                "types": {"type": "array", "items": {"type": "string", "pattern": NO_OPTION}, "maxItems": 2},
                "deep": {"type": "boolean"},
            },
            "required": ["name"],
            "additionalProperties": false,
        });
        let other = jsonschema::validator_for(&schema).unwrap();
        for (arguments, fits) in [
            (json!({"name": "x"}), true),
            (
                json!({"name": "größe", "kind": "b", "seconds": 9, "types": ["a", "b"], "deep": true}),
                true,
            ),
            (json!({}), false),
            (json!({"name": ""}), false),
            (json!({"name": "123456"}), false),
            (json!({"name": "-x"}), false),
            (json!({"name": 1}), false),
            (json!({"name": null}), false),
            (json!({"name": "x", "kind": "c"}), false),
            (json!({"name": "x", "seconds": 0}), false),
            (json!({"name": "x", "seconds": 10}), false),
            (json!({"name": "x", "seconds": 1.5}), false),
            (json!({"name": "x", "seconds": -1}), false),
            (json!({"name": "x", "seconds": "1"}), false),
            (json!({"name": "x", "types": "a"}), false),
            (json!({"name": "x", "types": ["a", "b", "c"]}), false),
            (json!({"name": "x", "types": ["-a"]}), false),
            (json!({"name": "x", "types": [1]}), false),
            (json!({"name": "x", "deep": 1}), false),
            (json!({"name": "x", "more": 1}), false),
        ] {
            let ours = check(&schema, arguments.as_object().unwrap());
            assert_eq!(ours.is_ok(), fits, "{arguments}: {ours:?}");
            assert_eq!(other.is_valid(&arguments), fits, "{arguments}");
        }
        let missing = check(&schema, &Map::new()).unwrap_err();
        assert_eq!(missing, "`name` is missing. It is: a name");
    }
}
