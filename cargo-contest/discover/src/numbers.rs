//! Values of primitive types.

use super::request::{Request, choice};
use super::rust_type::RustType;
use contest_catalog::subject_catalog::ArgumentChoice;

/// Alternatives for a primitive; none for those that cannot be passed by value.
pub(super) fn primitive_values(name: &str, request: Request<'_>) -> Vec<ArgumentChoice> {
    let plain = |values: &[&str]| values.iter().map(|it| choice(*it, *it)).collect();
    match name {
        "bool" => plain(&["true", "false"]),
        "char" => plain(&["'a'", "'b'"]),
        "f32" | "f64" => ["1.0", "0.5", "2.5"]
            .iter()
            .map(|it| choice(*it, format!("{it}_{name}")))
            .collect(),
        "str" | "never" => Vec::new(),
        integer => {
            let numbers: Vec<String> = integer_values(integer, request);
            let typed = |it: String| {
                let expression = if it == "MAX" {
                    format!("{integer}::MAX")
                } else {
                    format!("{it}_{integer}")
                };
                let text = if it == "MAX" {
                    format!("{integer}::MAX")
                } else {
                    it
                };
                choice(text, expression)
            };
            numbers.into_iter().map(typed).collect()
        }
    }
}

/// Words in names of numbers that limit how much there may be. Small limits are soon reached.
const LIMITS: [&str; 9] = [
    "cap", "size", "len", "limit", "max", "bound", "count", "num", "threads",
];

/// True for the name of a field, a parameter or a setter that limits how much there may be.
pub(super) fn is_limit(name: &str) -> bool {
    let name = name.to_lowercase();
    LIMITS.iter().any(|it| name.contains(it))
}

/// Numbers that are likely to matter: sizes are small but not zero. Caches are large first, because many of them evict
/// entries that cannot be predicted.
fn integer_values(integer: &str, request: Request<'_>) -> Vec<String> {
    let strings = |values: &[&str]| values.iter().map(|it| (*it).to_owned()).collect();
    if let Some(made) = request.constructs {
        let name = request.name.to_lowercase();
        let of = made.path().rsplit("::").next().unwrap_or_default();
        let of = of.to_lowercase();
        // Shards are allocated one by one, each as large as the whole.
        if ["shard", "segment", "stripe", "concurrency"]
            .iter()
            .any(|it| name.contains(it))
        {
            return strings(&["2", "4"]);
        }
        if of.contains("cache") || of.contains("lru") {
            let large = match integer.ends_with('8') {
                true => "100",
                false => "1000",
            };
            return strings(&[large, "1", "2"]);
        }
        // Channels without room hand over from thread to thread, if there are such.
        if matches!(made, RustType::Tuple(_)) && integer == "usize" {
            return strings(&["1", "2", "0"]);
        }
        if integer == "usize" || is_limit(&name) {
            return strings(&["1", "2", "4"]);
        }
        return strings(&["1", "0", "2"]);
    }
    let value = [
        "value", "val", "v", "x", "delta", "amount", "by", "new", "current",
    ];
    if integer != "usize" && integer != "isize" && value.contains(&request.name) {
        return strings(&["1", "0", "2", "MAX"]);
    }
    strings(&["1", "0", "2"])
}
