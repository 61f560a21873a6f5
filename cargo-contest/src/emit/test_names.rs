//! Names of emitted tests: `contest_<type>_<kind>_<n>`, which is also the name of the file.

use contest_data::finding::FindingKind;
use contest_data::subject::Probe;

use contest_catalog::pair_path::ends;

/// Prefix of every emitted file's name.
pub const PREFIX: &str = "contest_";

/// The name of the n-th test, counting from 1, about a type (by its path) and a kind.
#[must_use]
pub fn test_name(path: &str, kind: FindingKind, n: u32) -> String {
    let (type_path, _) = path.split_once('<').unwrap_or((path, ""));
    let ends = ends(type_path);
    let names = if ends.is_empty() {
        vec![type_path.to_string()]
    } else {
        ends
    };
    let names = names.iter().map(|it| it.rsplit("::").next().unwrap_or(it));
    let subject = names.collect::<String>();
    // `Slock<Unshared>` is another subject than `Slock`.
    let marked = format!(
        "{subject}{}",
        match Probe::of_path(path) {
            None => "",
            Some(Probe::Unshared) => "Unshared",
            Some(Probe::Unsent) => "Unsent",
        }
    );
    format!(
        "{PREFIX}{}_{}_{n}",
        snake_case(&marked),
        kind.name().replace('-', "_")
    )
}

/// The name of a test function, `queue::tests::r#final`, or of an example, `src/lib.rs - push (line 7)`, as one word.
#[must_use]
pub fn identifier(test: &str) -> String {
    let words = test.split("::").filter(|it| *it != "tests");
    let words = words.map(|it| it.trim_start_matches("r#"));
    let parts = words.flat_map(|it| it.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let parts: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
    parts.join("_")
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut previous_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && previous_lower {
            out.push('_');
        }
        previous_lower = c.is_lowercase() || c.is_ascii_digit();
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_modules_have_one_word() {
        assert_eq!(identifier("queue::tests::r#final"), "queue_final");
        assert_eq!(
            identifier("src/lib.rs - Queue<T>::push (line 7)"),
            "src_lib_rs_Queue_T_push_line_7"
        );
    }

    #[test]
    fn names_are_snake_case() {
        assert_eq!(
            test_name("a::queue::ArrayQueue", FindingKind::NonLinearizable, 2),
            "contest_array_queue_non_linearizable_2"
        );
        assert_eq!(
            test_name("a::LRUCache", FindingKind::Panic, 1),
            "contest_lrucache_panic_1"
        );
    }
}
