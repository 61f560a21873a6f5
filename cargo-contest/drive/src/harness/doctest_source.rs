//! Examples of documentation, as rustdoc lists them, as source of executables. No process, no file.

use std::fmt::Write as _;

use serde::Deserialize;

use contest_catalog::skipped::Skipped;

/// What `rustdoc --output-format doctest` writes.
#[derive(Debug, Deserialize)]
struct List {
    doctests: Vec<Doctest>,
}

/// One example.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Doctest {
    /// `src/lib.rs - Counter::bump (line 22)`.
    pub(super) name: String,
    /// From the directory of the package.
    pub(super) file: String,
    /// Where its fence is.
    pub(super) line: usize,
    doctest_attributes: Attributes,
    original_code: String,
    /// Absent if it is not to be compiled.
    doctest_code: Option<Code>,
}

#[derive(Clone, Debug, Deserialize)]
struct Attributes {
    should_panic: bool,
    no_run: bool,
    ignore: Ignore,
    rust: bool,
    test_harness: bool,
    compile_fail: bool,
    edition: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
enum Ignore {
    All,
    None,
    /// On targets whose name contains one of these.
    Some(Vec<String>),
}

#[derive(Clone, Debug, Deserialize)]
struct Code {
    /// Attributes and `extern crate`.
    crate_level: String,
    code: String,
    wrapper: Option<Wrapper>,
}

#[derive(Clone, Debug, Deserialize)]
struct Wrapper {
    before: String,
    after: String,
}

/// The examples that can be run on this host, and how many others there are of each sort.
pub(super) fn read(list: &str, host: &str) -> serde_json::Result<(Vec<Doctest>, Vec<Skipped>)> {
    let list: List = serde_json::from_str(list)?;
    let mut chosen = Vec::new();
    let mut others = [
        ("marked `ignore`", 0),
        ("to be compiled only, not to be run", 0),
        ("with tests in them", 0),
    ];
    for doctest in list.doctests {
        let attributes = &doctest.doctest_attributes;
        let is_ignored = match &attributes.ignore {
            Ignore::All => true,
            Ignore::None => false,
            Ignore::Some(targets) => targets.iter().any(|it| host.contains(it.as_str())),
        };
        match () {
            () if !attributes.rust => {}
            () if is_ignored => others[0].1 += 1,
            () if attributes.no_run || attributes.compile_fail => others[1].1 += 1,
            () if attributes.test_harness || doctest.doctest_code.is_none() => others[2].1 += 1,
            () => chosen.push(doctest),
        }
    }
    let others = others.iter().filter(|(_, number)| *number > 0);
    let left_out = others.map(|(which, number)| {
        let (s, are) = if *number == 1 {
            ("", "it is")
        } else {
            ("s", "they are")
        };
        Skipped::new(
            format!("{number} example{s} of documentation"),
            format!("{are} {which}"),
        )
    });
    Ok((chosen, left_out.collect()))
}

/// A file of an executable.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SourceFile {
    /// Directory below that of the executable.
    pub(super) directory: String,
    /// Path in there: that of the file in the package.
    pub(super) path: String,
    pub(super) text: String,
}

/// The root of an executable with these examples, and a file for each. `alone`: it has one, whose attributes are those
/// of the crate.
pub(super) fn sources(doctests: &[&Doctest], alone: bool) -> (String, Vec<SourceFile>) {
    let mut root = String::new();
    let mut entries = String::new();
    let mut files = Vec::new();
    if let (true, [doctest]) = (alone, doctests) {
        root.push_str(doctest.crate_level());
    }
    root.push_str("\nextern crate test;\n");
    for (number, doctest) in doctests.iter().enumerate() {
        let directory = format!("d{number}");
        let path = &doctest.file;
        let _ = writeln!(
            root,
            "#[path = {:?}]\nmod {directory};",
            format!("{directory}/{path}")
        );
        let _ = writeln!(
            entries,
            "    test::Doctest {{ name: {:?}, should_panic: {}, file: {path:?}, line: {}, run: {directory}::contest_run }},",
            doctest.name, doctest.doctest_attributes.should_panic, doctest.line
        );
        files.push(SourceFile {
            text: doctest.module(!alone),
            path: path.clone(),
            directory,
        });
    }
    let _ = writeln!(
        root,
        "fn main() {{\n    test::doctests_main(&[\n{entries}    ])\n}}"
    );
    (root, files)
}

impl Doctest {
    /// The edition that it names.
    pub(super) fn edition(&self) -> Option<&str> {
        self.doctest_attributes.edition.as_deref()
    }

    fn crate_level(&self) -> &str {
        self.doctest_code.as_ref().map_or("", |it| &it.crate_level)
    }

    /// Its code, each line where it is in its own file. What stands before it is in the first line.
    fn module(&self, with_crate_level: bool) -> String {
        let Some(code) = &self.doctest_code else {
            return String::new();
        };
        let before = code.wrapper.as_ref().map_or("", |it| it.before.trim_end());
        let after = code.wrapper.as_ref().map_or("", |it| it.after.trim_start());
        let mut text = String::new();
        if with_crate_level {
            for line in code.crate_level.lines() {
                text.push_str(line);
                // What is behind a comment has to be in the next line.
                text.push(if line.contains("//") { '\n' } else { ' ' });
            }
        }
        text.push_str(before);
        let above = self
            .original_code
            .find(&code.code)
            .map_or(0, |at| self.original_code[..at].matches('\n').count());
        let has = text.matches('\n').count();
        let lines = (self.line + above).saturating_sub(has);
        text.extend(std::iter::repeat_n('\n', lines.max(1)));
        text.push_str(&code.code);
        let _ = write!(
            text,
            "\n{after}\npub(crate) fn contest_run() -> Result<(), ::std::string::String> {{ ::test::result_of(main()) }}\n"
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doctest(line: usize, attributes: &str, original: &str, level: &str, code: &str) -> String {
        format!(
            r#"{{"file":"src/lib.rs","line":{line},"name":"src/lib.rs - f (line {line})","original_code":{original:?},
            "doctest_attributes":{{"should_panic":false,"no_run":false,"ignore":"None","rust":true,"test_harness":false,
            "compile_fail":false,"edition":null{attributes}}},"doctest_code":{{"crate_level":{level:?},"code":{code:?},
            "wrapper":{{"before":"fn main() {{\n","after":"\n}}","returns_result":false}}}}}}"#
        )
    }

    fn list(doctests: &[String]) -> String {
        format!(
            r#"{{"format_version":2,"doctests":[{}]}}"#,
            doctests.join(",")
        )
    }

    #[test]
    fn each_line_is_where_it_is_in_the_package() {
        let original = "#![allow(dead_code)]\nf();\ng();";
        let text = list(&[doctest(
            7,
            "",
            original,
            "#![allow(dead_code)]\n\nextern crate x;\n",
            "f();\ng();",
        )]);
        let (doctests, left_out) = read(&text, "x86_64-unknown-linux-gnu").unwrap();
        assert!(left_out.is_empty());
        let (root, files) = sources(&[&doctests[0]], false);
        assert!(root.contains("src/lib.rs - f (line 7)"), "{root}");
        let lines: Vec<&str> = files[0].text.lines().collect();
        assert_eq!(
            lines[0],
            "#![allow(dead_code)]  extern crate x; fn main() {"
        );
        assert_eq!((lines[8], lines[9]), ("f();", "g();"), "{lines:?}");
        // Alone, its attributes are those of the crate.
        let (root, files) = sources(&[&doctests[0]], true);
        assert!(root.starts_with("#![allow(dead_code)]"), "{root}");
        assert!(files[0].text.starts_with("fn main() {"));
    }

    #[test]
    fn what_is_not_to_be_run_is_counted() {
        let text = list(
            &[
                doctest(1, "", "f()", "", "f()"),
                doctest(3, r#","ignore":"All""#, "", "", ""),
                doctest(5, r#","ignore":{"Some":["windows"]}"#, "f()", "", "f()"),
                doctest(7, r#","ignore":{"Some":["linux"]}"#, "", "", ""),
                doctest(9, r#","no_run":true"#, "", "", ""),
                doctest(11, r#","rust":false"#, "", "", ""),
            ]
            .map(|it| without_repeated(&it)),
        );
        let (doctests, left_out) = read(&text, "x86_64-unknown-linux-gnu").unwrap();
        assert_eq!(
            doctests.iter().map(|it| it.line).collect::<Vec<_>>(),
            [1, 5]
        );
        let left_out: Vec<String> = left_out
            .iter()
            .map(|it| format!("{}: {}", it.item, it.why))
            .collect();
        assert_eq!(
            left_out,
            [
                "2 examples of documentation: they are marked `ignore`",
                "1 example of documentation: it is to be compiled only, not to be run",
            ]
        );
    }

    /// The last value of a key counts.
    fn without_repeated(text: &str) -> String {
        serde_json::from_str::<serde_json::Value>(text)
            .unwrap()
            .to_string()
    }
}
