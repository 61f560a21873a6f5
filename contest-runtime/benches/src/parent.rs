//! Starts this executable again for a row and reads its figures.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The figures that a row printed; `None` if it failed.
pub(crate) fn figures(arguments: &[&str]) -> Option<Vec<f64>> {
    let output = this().args(arguments).stderr(Stdio::null()).output().ok()?;
    parse(&output.stdout).filter(|_| output.status.success())
}

/// Instructions per execution by callgrind: the difference between two numbers of executions.
pub(crate) fn instructions(mode: &str, program: &str, exhausts: bool) -> Result<u64, &'static str> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        let version = Command::new("valgrind").arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    if !installed {
        return Err("no valgrind");
    }
    let (few, many) = if exhausts {
        ("1", "3")
    } else {
        ("500", "2500")
    };
    let counted = |number| counted(&["count", mode, program, number]).ok_or("fails");
    let (first, second) = (counted(few)?, counted(many)?);
    let executions = second.1 - first.1;
    Ok(((second.0 - first.0) / executions).round() as u64)
}

/// Instructions and executions of one process under callgrind.
fn counted(arguments: &[&str]) -> Option<(f64, f64)> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1))?;
    let executions = parse(&output.stdout)?;
    Some((collected.trim().parse().ok()?, *executions.first()?))
}

fn this() -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this executable has a path"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("LOOM_") || text.starts_with("SHUTTLE_") {
            command.env_remove(&name);
        }
    }
    command
}

fn parse(output: &[u8]) -> Option<Vec<f64>> {
    let text = std::str::from_utf8(output).ok()?;
    // Other libraries may print lines of their own before.
    let line = text.lines().next_back()?;
    line.split_whitespace()
        .map(|word| word.parse().ok())
        .collect()
}
