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

/// Each way to write it: in full, by a `use`, renamed, by its module, all names of a module, as a function alone.
#[test]
fn what_deals_with_files_sockets_or_processes_is_no_idiom() {
    let outside = [
        ("std::fs::File", "File::open(\"x\").unwrap()"),
        (
            "std::process::Command",
            "Command::new(\"x\").spawn().unwrap()",
        ),
        ("std::process::Command as Cmd", "Cmd::new(\"x\")"),
        ("std::process", "process::Command::new(\"x\")"),
        (
            "std::fs::OpenOptions",
            "OpenOptions::new().create(true).open(\"x\").unwrap()",
        ),
        (
            "std::net::UdpSocket",
            "UdpSocket::bind(\"[::]:0\").unwrap()",
        ),
        (
            "std::os::unix::net::UnixStream",
            "UnixStream::pair().unwrap()",
        ),
        ("std::fs::create_dir", "create_dir(\"x\")"),
        (
            "std::fs::create_dir",
            "{ let made = create_dir(\"x\"); made }",
        ),
        ("std::path::Path", "Path::new(\"x\").exists()"),
        ("std::io", "io::stdin()"),
    ];
    for (path, expression) in outside {
        let text = format!(
            "use {path};\n#[test] fn a() {{ let made = {expression}; put(made); put({expression}); }}"
        );
        let found = expressions(&idioms(&text, "tests/a.rs"), "put");
        assert_eq!(found, Vec::<Vec<_>>::new(), "{text}");
    }
    let inside = [
        ("std::time::Duration", "Duration::from_millis(5)"),
        ("std::collections::*", "HashMap::<u32, String>::new()"),
        (
            "std::net::SocketAddr",
            "SocketAddr::from(([127, 0, 0, 1], 80))",
        ),
        ("std::path::Path", "Path::new(\"x\")"),
        ("std::io", "io::Cursor::new(vec![1, 2])"),
        ("pool::Config", "Config::new(u32::MAX, Some(\"x\"))"),
    ];
    for (path, expression) in inside {
        let text = format!("use {path};\n#[test] fn a() {{ put({expression}); }}");
        let found = expressions(&idioms(&text, "tests/a.rs"), "put");
        assert_eq!(found.len(), 1, "{text}");
    }
    // What a glob brings is not known by its names.
    let text = "use std::fs::*;\n#[test] fn a() { put(create_dir(\"x\")); }";
    let found = expressions(&idioms(text, "tests/a.rs"), "put");
    assert!(!format!("{found:?}").contains("fs"), "{found:?}");
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

#[test]
fn texts_of_calls_that_are_unwrapped_are_known() {
    let of = |text: &str| {
        let text = format!("#[test] fn parses() {{ {text} }}");
        let calls = idioms(&text, "tests/pool.rs").0;
        let calls = calls.into_iter().filter(|(key, _)| key.0 == "parse");
        let calls = calls.flat_map(|(_, calls)| calls);
        let texts = calls.filter(|it| it.is_unwrapped);
        let texts = texts.filter_map(|it| it.arguments[0].clone()?.literal);
        texts.collect::<Vec<_>>().concat()
    };
    assert_eq!(of(r#"Job::parse("1:a").unwrap();"#), r#""1:a""#);
    assert_eq!(of(r#"run(Job::parse("1:a".into())?);"#), r#""1:a""#);
    assert_eq!(
        of(r#"assert_eq!(Job::parse(&"1".to_string()).await.expect("it is right").id(), 1);"#),
        r#""1""#
    );
    // These may be wrong ones.
    assert_eq!(of(r#"assert!(Job::parse("a").is_err());"#), "");
    assert_eq!(of(r#"id(Job::parse("a")).unwrap();"#), "");
    assert_eq!(of(r#"Job::parse("a").unwrap_err();"#), "");
}
