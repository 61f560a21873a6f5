use super::written_call::Receiver;
use super::*;

const TESTS: &str = r#"
use std::time::Duration;
use pool::config::{self as settings, Config};

fn unknown() -> u32 { 3 }

#[test]
fn opens() {
    let limit = 7;
    let config = Config::with(limit);
    let mut changed = Config::new();
    changed.grow(2);
    let pool = Pool::open(config, Duration::from_millis(5));
    pool.run(|item| item + 1, &vec![1, limit]);
    for item in pool.iter() { pool.run(changed, item); }
    pool.put(std::fs::read("x"));
    connect("here");
}
"#;

fn idioms(text: &str, name: &str) -> Calls {
    let mut idioms = Calls::default();
    idioms.read(text, name, "pool");
    idioms
}

/// The expressions of each argument of the calls of `name`.
fn expressions(idioms: &Calls, name: &str) -> Vec<Vec<Option<String>>> {
    let of_name = idioms.0.iter().filter(|(key, _)| key.0 == name);
    let calls = of_name.flat_map(|(_, calls)| calls);
    let expression = |it: &Option<Written>| it.as_ref().map(|it| it.expression.clone());
    calls
        .map(|call| call.arguments.iter().map(expression).collect())
        .collect()
}

#[test]
fn an_argument_comes_with_the_names_and_variables_it_needs() {
    let idioms = idioms(TESTS, "tests/pool.rs");
    assert_eq!(
        expressions(&idioms, "open"),
        [[
            Some(
                "use pool::config::Config; { let limit = 7; let config = Config::with(limit); config }"
                    .to_owned()
            ),
            Some("use std::time::Duration; Duration::from_millis(5)".to_owned()),
        ]]
    );
    let shown: Vec<&str> = idioms.0[&("open".to_owned(), 2)][0]
        .arguments
        .iter()
        .map(|it| it.as_ref().unwrap().text.as_str())
        .collect();
    assert_eq!(shown, ["Config::with(limit)", "Duration::from_millis(5)"]);
    let connect = &idioms.0[&("connect".to_owned(), 1)][0];
    assert_eq!(connect.of, Receiver::Nothing);
    assert_eq!(connect.location, "tests/pool.rs:17");
}

#[test]
fn what_changes_or_comes_from_outside_is_no_idiom() {
    let idioms = idioms(TESTS, "tests/pool.rs");
    assert_eq!(
        expressions(&idioms, "run"),
        [[
            Some("|item| item + 1".to_owned()),
            Some("{ let limit = 7; vec![1, limit] }".to_owned())
        ]]
    );
    assert_eq!(expressions(&idioms, "put"), Vec::<Vec<_>>::new());
}

#[test]
fn in_the_library_only_tests_and_documentation_are_read() {
    let text = "
        /// A pool.
        ///
        /// ```
        /// # use pool::Pool;
        /// Pool::open(1);
        /// ```
        ///
        /// ```text
        /// Pool::open(2);
        /// ```
        pub fn library() { Pool::open(3); }
        #[cfg(test)]
        mod tests {
            fn helper() { Pool::open(4); }
        }
    ";
    let mut found = expressions(&idioms(text, "src/lib.rs"), "open");
    found.sort();
    assert_eq!(found, [[Some("1".to_owned())], [Some("4".to_owned())]]);
}

#[test]
fn text_that_is_no_rust_or_nested_without_end_has_none() {
    assert_eq!(idioms("fn (", "tests/a.rs"), Calls::default());
    let deep = format!("fn a() {{ f({}1{}) }}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(idioms(&deep, "tests/a.rs"), Calls::default());
}
