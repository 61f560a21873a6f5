//! Bad input: one clear error, the documented exit status.

use crate::support::{Run, Subject, run, tool};

/// Explores a subject that cannot be; the reason is on standard error.
#[track_caller]
fn refused(subject: &str, arguments: &[&str], status: i32, says: &[&str]) {
    let copy = Subject::copy(subject);
    let before = copy.tree();
    let run = copy.contest(arguments).status(status);
    for text in says {
        assert!(
            run.stderr.contains(text),
            "{text} is not in\n{}",
            run.stderr
        );
    }
    assert_eq!(
        run.stderr.matches("error: ").count().max(1),
        run.stderr.matches("error: ").count()
    );
    assert_eq!(before, copy.tree(), "the source tree was touched");
}

/// Runs the tool with a script in place of a program of the toolchain, which `variable` names.
#[cfg(unix)]
fn with_script(copy: &Subject, variable: &str, text: &str, arguments: &[&str]) -> Run {
    let mut command = tool();
    command.arg("contest").args(arguments);
    command
        .env(variable, script(copy, text))
        .current_dir(&copy.directory);
    run(command)
}

/// A script in the directory of the subject.
#[cfg(unix)]
fn script(copy: &Subject, text: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;

    copy.write("program", &format!("#!/bin/sh\n{text}"));
    let path = copy.directory.join("program");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// One line of an error that has all of this.
#[cfg(unix)]
#[track_caller]
fn one_line(run: Run, status: i32, says: &[&str]) {
    let run = run.status(status);
    let errors: Vec<&str> = run
        .stderr
        .lines()
        .filter(|it| it.starts_with("error"))
        .collect();
    let [line] = errors[..] else {
        panic!("{}", run.stderr);
    };
    for text in says {
        assert!(line.contains(text), "{text} is not in\n{}", run.stderr);
    }
    assert!(run.stderr.trim_end().ends_with(line), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn documentation_in_an_unknown_format_is_tried_with_a_warning() {
    let copy = Subject::copy("faulty/abba");
    let newer = "rustdoc \"$@\" || exit
for json in \"$CONTEST_JSON_DIRECTORY\"/*.json; do
    [ -f \"$json\" ] && sed -i 's/\"format_version\":[0-9]*/\"format_version\":999/' \"$json\"
done
exit 0
";
    let run = with_script(&copy, "RUSTDOC", newer, &["list"]).status(0);
    let says = "JSON of format 999, which is read as format";
    assert!(run.text().contains(says), "{}", run.text());
    assert!(run.stdout.contains("a.spend(1)"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn a_compiler_for_a_system_without_drivers_is_refused_with_the_two_ways_that_work_there() {
    let copy = Subject::copy("faulty/abba");
    let foreign = "rustc \"$@\" | sed 's/^host: .*/host: aarch64-apple-darwin/'\n";
    let run = with_script(&copy, "RUSTC", foreign, &["run"]);
    let says = [
        "aarch64-apple-darwin",
        "on Linux",
        "`#[contest::shared]`",
        "`contest::model`",
    ];
    one_line(run, 3, &says);
}

#[cfg(unix)]
#[test]
fn a_toolchain_without_rustdoc() {
    let copy = Subject::copy("faulty/abba");
    // As rustup's proxy says it.
    let missing =
        "echo \"error: 'rustdoc' is not installed for the toolchain 'custom'\" >&2; exit 1\n";
    let said = with_script(&copy, "RUSTDOC", missing, &["list"]);
    one_line(
        said,
        3,
        &["has no rustdoc", "'rustdoc' is not installed", "RUSTDOC"],
    );
    let mut command = tool();
    command
        .args(["contest", "list"])
        .env("RUSTDOC", "/nowhere/rustdoc");
    command.current_dir(&copy.directory);
    one_line(run(command), 3, &["has no rustdoc", "/nowhere/rustdoc"]);
}

#[cfg(unix)]
#[test]
fn a_toolchain_without_the_standard_library_of_the_host() {
    let copy = Subject::copy("faulty/abba");
    let rustdoc = "exec rustdoc \"$@\" --sysroot /nowhere\n";
    let run = with_script(&copy, "RUSTDOC", rustdoc, &["list"]);
    one_line(run, 3, &["no standard library for", "rustup target add"]);
}

#[cfg(unix)]
#[test]
fn a_toolchain_that_is_too_old_is_named_with_the_file_that_selects_it() {
    let copy = Subject::copy("faulty/abba");
    let channel = "[toolchain]\nchannel = \"stable\"\n";
    copy.write("rust-toolchain.toml", channel);
    // Such a rustdoc writes another format, and its compiler says what it is.
    let old = "case \"$*\" in
-vV) rustc -vV | sed 's/^release: .*/release: 1.80.0/';;
*--output-format*) echo \"error: no such option\" >&2; exit 1;;
*--print*) exec rustc \"$@\";;
*) exec rustdoc \"$@\";; esac\n";
    let mut command = tool();
    command
        .args(["contest", "list"])
        .current_dir(&copy.directory);
    for variable in ["RUSTC", "RUSTDOC"] {
        command.env(variable, script(&copy, old));
    }
    let run = run(command);
    one_line(
        run,
        3,
        &[
            "Rust 1.80.0",
            "rust-toolchain.toml selects",
            "1.95",
            "raise the channel",
        ],
    );
}

#[cfg(unix)]
#[test]
fn a_compiler_that_does_not_write_mir_costs_the_analysis_and_says_so() {
    let copy = Subject::copy("faulty/abba");
    // Another test may have left what the analysis reads, and cargo does not compile the same sources again.
    let own = format!(
        "{}// Of process {}.\n",
        copy.read("src/lib.rs"),
        std::process::id()
    );
    copy.write("src/lib.rs", &own);
    let refusing = "case \"$*\" in *-Zmir-include-spans*) echo 'error: unknown unstable option: `mir-include-spans`' >&2; exit 1;; esac
exec rustc \"$@\"\n";
    let arguments = ["run", "--budget", "2s", "--no-emit"];
    let run = with_script(&copy, "RUSTC", refusing, &arguments).status(1);
    assert!(
        run.text()
            .contains("unknown unstable option: `mir-include-spans`"),
        "{}",
        run.text()
    );
    assert!(run.stdout.contains("error[deadlock]"), "{}", run.stdout);
}

/// Both are the user's to choose; neither is where a build of the tool looks for what it has made.
#[test]
fn a_build_directory_of_the_users_and_a_relative_target_directory() {
    let copy = Subject::copy("faulty/abba");
    let elsewhere = "[build]\nbuild-dir = \"elsewhere/{workspace-path-hash}\"\n";
    copy.write(".cargo/config.toml", elsewhere);
    let mut command = tool();
    command.args([
        "contest",
        "--budget",
        "2s",
        "--no-emit",
        "--message-format",
        "json",
    ]);
    command
        .env("CARGO_TARGET_DIR", "made/here")
        .current_dir(&copy.directory);
    let run = run(command).status(1);
    assert_eq!(run.kinds(), ["deadlock"]);
    let analysis = &run.summary()["analysis"];
    assert_eq!(analysis["exact"], analysis["operations"], "{analysis}");
    assert!(copy.directory.join("made/here/contest").is_dir());
    assert!(!copy.directory.join("elsewhere").exists());
}

#[test]
fn a_directory_without_a_crate() {
    let run = Subject::empty().contest(&[]).status(2);
    assert!(run.stderr.contains("Cargo.toml"), "{}", run.stderr);
}

#[test]
fn a_binary_without_types() {
    refused("unsupported/binary_only", &[], 4, &["nothing to test"]);
}

#[test]
fn a_crate_that_does_not_compile_shows_the_diagnostics_of_rustc() {
    refused(
        "unsupported/does_not_compile",
        &[],
        3,
        &["E0277", "src/lib.rs:19"],
    );
}

#[test]
fn a_crate_that_does_not_compile_is_no_crate_without_types() {
    let copy = Subject::copy("unsupported/nothing_shareable");
    let broken = copy
        .read("src/lib.rs")
        .replace("self.count.get()\n", "\"one\"\n");
    copy.write("src/lib.rs", &broken);
    let run = copy.contest(&[]).status(3);
    assert!(run.stderr.contains("E0308"), "{}", run.stderr);
}

#[test]
fn a_crate_that_cannot_be_linked_with_std() {
    refused("unsupported/no_std", &[], 3, &["panic_impl"]);
}

#[test]
fn a_proc_macro_crate() {
    refused("unsupported/proc_macro", &[], 4, &["proc-macro"]);
}

#[test]
fn a_crate_without_a_shareable_type_says_why_in_the_list() {
    refused("unsupported/nothing_shareable", &[], 4, &["no type"]);
    let list = Subject::copy("unsupported/nothing_shareable").contest(&["list"]);
    assert!(list.text().contains("LocalCounter"), "{}", list.text());
    assert!(list.text().contains("Sync"), "{}", list.text());
}

#[test]
fn a_type_without_a_callable_operation_says_why_in_the_list() {
    refused("unsupported/no_callable_operation", &[], 4, &["operation"]);
    let list = Subject::copy("unsupported/no_callable_operation").contest(&["list"]);
    assert!(list.text().contains("put"), "{}", list.text());
    assert!(list.text().contains("Permit"), "{}", list.text());
}

#[test]
fn a_type_filter_that_matches_nothing_names_the_types_there_are() {
    refused(
        "correct/set_and_inc",
        &["Counterr"],
        2,
        &["Counterr", "Counter"],
    );
}

#[test]
fn malformed_values_say_how_they_are_written() {
    for (arguments, says) in [
        (["--budget", "60"], "`60s`"),
        (["--seed", "x"], "whole number"),
        (["--shard", "3/2"], "`1/4`"),
        (["--strategy", "loom"], "--features contest-runtime/loom"),
        (["--generator", "luck"], "choose one of"),
        (["--strategy", "luck"], "choose one of"),
    ] {
        refused("correct/set_and_inc", &arguments, 2, &[says]);
    }
}

#[test]
fn a_setting_that_is_not_known_is_named() {
    let copy = Subject::copy("correct/set_and_inc");
    let manifest = copy.read("Cargo.toml");
    copy.write(
        "Cargo.toml",
        &format!("{manifest}\n[package.metadata.contest]\nbugdet = \"5s\"\n"),
    );
    let run = copy.contest(&[]).status(2);
    assert!(run.stderr.contains("bugdet"), "{}", run.stderr);
    assert!(run.stderr.contains("budget"), "{}", run.stderr);
}

#[test]
fn a_package_that_is_not_in_the_graph() {
    refused("correct/set_and_inc", &["-p", "nowhere"], 2, &["nowhere"]);
}

#[test]
fn a_specification_that_two_packages_match() {
    let copy = Subject::empty();
    copy.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"2\"\nmembers = [\"one\", \"two\", \"main\"]\n",
    );
    for (directory, version) in [("one", "1.0.0"), ("two", "2.0.0")] {
        copy.write(
            &format!("{directory}/Cargo.toml"),
            &format!("[package]\nname = \"twin\"\nversion = \"{version}\"\nedition = \"2021\"\n"),
        );
        copy.write(&format!("{directory}/src/lib.rs"), "");
    }
    copy.write(
        "main/Cargo.toml",
        "[package]\nname = \"twin-user\"\nversion = \"1.0.0\"\nedition = \"2021\"\n\
         [dependencies]\none = { package = \"twin\", path = \"../one\" }\ntwo = { package = \"twin\", path = \"../two\" }\n",
    );
    copy.write("main/src/lib.rs", "");
    // Cargo itself refuses two members of one name; the members are then reached as dependencies.
    copy.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"2\"\nmembers = [\"main\"]\nexclude = [\"one\", \"two\"]\n",
    );
    let run = copy
        .contest(&["-p", "twin", "--manifest-path", "main/Cargo.toml"])
        .status(2);
    assert!(
        run.stderr.contains("twin@1.0.0") && run.stderr.contains("twin@2.0.0"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_token_that_is_none_and_a_file_without_one() {
    refused(
        "correct/set_and_inc",
        &["replay", "nonsense"],
        2,
        &["token"],
    );
    refused(
        "correct/set_and_inc",
        &["replay", "src/lib.rs"],
        2,
        &["SCHEDULE"],
    );
}

#[cfg(unix)]
#[test]
fn a_target_directory_that_cannot_be_written() {
    let copy = Subject::copy("correct/set_and_inc");
    // A file where the directory should be: refused for every user, root included.
    copy.write("occupied", "");
    let run = copy
        .contest(&["--target-dir", "occupied/target"])
        .status(70);
    assert!(run.stderr.contains("occupied"), "{}", run.stderr);
}
