//! Compiles small programs with the facade in place of `std`, `core` and `alloc`, as the tool does, and runs them.

use std::path::{Path, PathBuf};
use std::process::Command;

const EDITIONS: [&str; 4] = ["2015", "2018", "2021", "2024"];

/// The facade as cargo has built it for this test, and the folder with what it depends on.
fn facade() -> (PathBuf, PathBuf) {
    let folder = std::env::current_exe()
        .unwrap()
        .parent()
        .unwrap()
        .to_owned();
    let newest = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("libcontest_facade-") && name.ends_with(".rlib")
        })
        .max_by_key(|path| path.metadata().unwrap().modified().unwrap())
        .expect("cargo builds the library before its tests");
    (newest, folder)
}

/// Compiles one program; returns the path of the result.
fn compile(program: &str, edition: &str, kind: &str, more: &[String]) -> PathBuf {
    let (facade, folder) = facade();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(program)
        .with_extension("rs");
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(if kind == "bin" {
        format!("{program}-{edition}")
    } else {
        format!("lib{program}_{edition}.rlib")
    });
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc
        .args([
            "--edition",
            edition,
            "--crate-type",
            kind,
            "--crate-name",
            program,
        ])
        .args(["-C", "metadata=contest", "-D", "warnings", "-o"])
        .args([&output, &source])
        .arg("-L")
        .arg(format!("dependency={}", folder.display()))
        .args(more);
    for name in ["std", "core", "alloc"] {
        rustc
            .arg("--extern")
            .arg(format!("{name}={}", facade.display()));
    }
    let result = rustc.output().unwrap();
    assert!(
        result.status.success(),
        "{program}, edition {edition}: {}",
        String::from_utf8_lossy(&result.stderr)
    );
    output
}

fn run(program: &Path) -> String {
    let result = Command::new(program).output().unwrap();
    assert!(
        result.status.success(),
        "{}: {}",
        program.display(),
        String::from_utf8_lossy(&result.stderr)
    );
    String::from_utf8(result.stdout).unwrap()
}

#[test]
fn every_path_to_a_type_that_synchronises_leads_to_the_engine() {
    for edition in EDITIONS {
        let output = run(&compile("paths", edition, "bin", &[]));
        assert!(output.lines().count() > 45, "{output}");
        for line in output.lines() {
            let (path, type_name) = line.split_once(": ").unwrap();
            assert!(
                type_name.starts_with("contest_std::"),
                "edition {edition}: {path} is {type_name}"
            );
        }
    }
}

#[test]
fn crates_without_std_are_instrumented_too() {
    for edition in EDITIONS {
        let library = compile("without_std", edition, "rlib", &[]);
        let link = [
            "--extern".to_owned(),
            format!("without_std={}", library.display()),
        ];
        let output = run(&compile("uses_without_std", edition, "bin", &link));
        assert!(
            output.lines().count() == 3
                && output.lines().all(|line| line.starts_with("contest_std::")),
            "edition {edition}: {output}"
        );
    }
}

#[test]
fn what_is_not_replaced_is_what_it_was() {
    for edition in EDITIONS {
        assert_eq!(
            run(&compile("unchanged", edition, "bin", &[])),
            "unchanged\n"
        );
    }
}

#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn inline_assembly_does_what_it_did_in_every_form() {
    for edition in ["2018", "2021", "2024"] {
        let program = compile("assembly", edition, "bin", &[]);
        assert_eq!(run(&program), "assembled\n", "edition {edition}");
    }
}
