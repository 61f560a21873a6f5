//! What programs read that run the tool and say who they are.

use crate::support::{Run, Subject, run, tool};

fn contest(subject: &Subject, variables: &[(&str, &str)], arguments: &[&str]) -> Run {
    let mut command = tool();
    command.envs(variables.iter().copied()).args(arguments);
    command.current_dir(&subject.directory);
    run(command)
}

#[test]
fn a_finding_is_short_with_the_next_commands_and_a_run_has_two_lines() {
    let copy = Subject::copy("faulty/abba");
    let bounds = ["--fail-fast", "--no-emit", "--budget", "60s"];
    let found = contest(&copy, &[("CLAUDECODE", "1")], &bounds).status(1);
    let lines: Vec<&str> = found.stdout.lines().collect();
    let end = lines.iter().position(|it| it.contains(" explored: "));
    let end = end.unwrap_or_else(|| panic!("{}{}", found.stdout, found.stderr));
    assert!(end <= 15, "{}", found.stdout);
    assert!(
        lines[0].starts_with("error[deadlock]: "),
        "{}",
        found.stdout
    );
    let has = |beginning: &str| lines.iter().any(|it| it.starts_with(beginning));
    for beginning in [
        "  at src/lib.rs:",
        "  thread 2: ",
        "  why: ",
        "  order: ",
        "  next: ",
        "  verify: ",
    ] {
        assert!(has(beginning), "{beginning}: {}", found.stdout);
    }
    assert!(
        lines[end].ends_with("1 finding: 1 deadlock"),
        "{}",
        lines[end]
    );
    assert_eq!(lines.len(), end + 2, "{}", found.stdout);
    assert!(
        lines[end + 1].starts_with("not explored: "),
        "{}",
        found.stdout
    );
    assert_eq!(found.stderr, "");

    // The commands do what they say.
    let token = found.stdout.split("cargo contest replay ").nth(1).unwrap();
    let token = token.split('`').next().unwrap();
    let again = contest(&copy, &[("AGENT", "1")], &["replay", token]).status(1);
    assert!(
        again.stdout.starts_with("error[deadlock]"),
        "{}",
        again.stdout
    );
    assert_eq!(again.stderr, "");

    // Who asks for a format has it.
    for (variables, arguments) in [
        (
            &[("CLAUDECODE", "1")][..],
            &["--message-format", "human"][..],
        ),
        (&[("AGENT", "0")], &[]),
        (&[("AGENT", "1")], &["-v"]),
    ] {
        let run = contest(&copy, variables, &[&bounds[..], arguments].concat()).status(1);
        assert!(
            run.stdout.contains("The interleaving that shows it"),
            "{variables:?} {}",
            run.stdout
        );
    }
}
