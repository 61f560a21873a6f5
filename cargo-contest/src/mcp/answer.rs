//! What a tool answers: a few facts and a list, in parts of a bounded length.

use serde_json::{Map, Value, json};

/// Most bytes of a part.
const MOST: usize = 8 << 10;
/// Most bytes of the facts, and of an entry of the list: a part has both.
const MOST_OF_EACH: usize = MOST / 2;
/// Most entries of a list and characters of a text: the first that lead to few enough bytes.
const CUTS: [(usize, usize); 5] = [(60, 4_000), (40, 1_200), (12, 400), (5, 150), (2, 60)];

/// Facts and a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// The facts.
    pub(super) facts: Map<String, Value>,
    /// The name of the list.
    pub(super) list: &'static str,
    /// The list.
    pub(super) items: Vec<Value>,
    /// It says why nothing was done, and what to do about that.
    pub(super) is_error: bool,
}

impl Answer {
    /// Of facts, which have to be an object.
    pub(super) fn new(facts: Value, list: &'static str, items: Vec<Value>) -> Self {
        let facts = match facts {
            Value::Object(facts) => facts,
            _ => Map::new(),
        };
        Self {
            facts,
            list,
            items,
            is_error: false,
        }
    }

    /// Why nothing was done, and what to do about that.
    pub(super) fn error(why: &str, mend: &str) -> Self {
        Self {
            is_error: true,
            ..Self::new(json!({"error": why, "mend": mend}), "", Vec::new())
        }
    }

    /// The part whose items begin with this number, and the number of the first item of the next one. It has at least
    /// one item.
    pub(super) fn part(&self, begin: usize) -> (Map<String, Value>, Option<usize>) {
        let mut part = match begin {
            0 => match bounded(&Value::Object(self.facts.clone())) {
                Value::Object(facts) => facts,
                _ => Map::new(),
            },
            _ => Map::new(),
        };
        if self.list.is_empty() {
            return (part, None);
        }
        let mut length = Value::Object(part.clone()).to_string().len();
        let (mut items, mut next) = (Vec::new(), None);
        for (number, item) in self.items.iter().enumerate().skip(begin) {
            let item = bounded(item);
            length += item.to_string().len() + 1;
            if length > MOST && !items.is_empty() {
                next = Some(number);
                break;
            }
            items.push(item);
        }
        part.insert(self.list.to_owned(), items.into());
        (part, next)
    }
}

/// A value without the ends of long texts and lists, if it is long.
fn bounded(value: &Value) -> Value {
    let mut shorter = value.clone();
    for (entries, characters) in CUTS {
        cut(&mut shorter, entries, characters);
        if shorter.to_string().len() <= MOST_OF_EACH {
            break;
        }
        shorter = value.clone();
    }
    if shorter.to_string().len() > MOST_OF_EACH {
        let (entries, characters) = CUTS[CUTS.len() - 1];
        cut(&mut shorter, entries, characters);
    }
    shorter
}

/// Cuts long texts and lists in a value, and says so.
fn cut(value: &mut Value, entries: usize, characters: usize) {
    match value {
        Value::String(text) => {
            let end = text.char_indices().nth(characters).map(|it| it.0);
            if let Some(end) = end {
                let left = text[end..].chars().count();
                text.truncate(end);
                text.push_str(&format!("… ({left} more characters)"));
            }
        }
        Value::Array(items) => {
            let left = items.len().saturating_sub(entries);
            items.truncate(entries);
            for item in items.iter_mut() {
                cut(item, entries, characters);
            }
            if left > 0 {
                items.push(format!("… ({left} more)").into());
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                cut(field, entries, characters);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_comes_in_parts_and_nothing_of_it_is_lost() {
        let item = |number: usize| json!({"number": number, "text": "x".repeat(500)});
        let answer = Answer::new(json!({"a": 1}), "all", (0..100).map(item).collect());
        let (mut begin, mut seen) = (Some(0), Vec::new());
        while let Some(from) = begin {
            let (part, next) = answer.part(from);
            assert!(Value::Object(part.clone()).to_string().len() < MOST + 600);
            assert_eq!(part.contains_key("a"), from == 0);
            seen.extend(part["all"].as_array().unwrap().clone());
            begin = next;
        }
        assert_eq!(seen, answer.items);
    }

    #[test]
    fn whatever_it_has_a_part_is_bounded_and_says_what_was_cut() {
        let long = "ä".repeat(5_000);
        let facts = json!({"a": long, "b": vec![1; 70], "c": vec![long.clone(); 50], "d": "short"});
        let answer = Answer::new(facts, "all", vec![json!({"x": vec![vec![long; 9]; 9]})]);
        let (part, next) = answer.part(0);
        assert_eq!(next, None);
        assert!(part["a"].as_str().unwrap().ends_with(" more characters)"));
        let last = part["b"].as_array().unwrap().last().unwrap();
        assert!(last.as_str().unwrap().ends_with(" more)"), "{last}");
        assert_eq!(part["d"], "short");
        assert!(Value::Object(part).to_string().len() <= MOST + 100);
        let code = json!({"example": "x".repeat(2_500)});
        let (part, _) = Answer::new(code.clone(), "", Vec::new()).part(0);
        assert_eq!(Value::Object(part), code);
    }
}
