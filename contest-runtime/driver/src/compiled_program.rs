//! Small programs with debug information, compiled for tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A directory with what was compiled; removed when dropped.
pub(crate) struct CompiledProgram {
    directory: TempDir,
    arguments: Vec<String>,
}

impl CompiledProgram {
    /// An empty directory. `arguments` are given to the compiler for each crate.
    pub(crate) fn new(arguments: &[&str]) -> Self {
        Self {
            directory: TempDir::new().unwrap(),
            arguments: arguments.iter().map(|&it| it.to_owned()).collect(),
        }
    }

    /// Compiles a library, in a directory `of` this name.
    pub(crate) fn library(&self, of: &str, name: &str, text: &str) {
        let directory = self.directory.path().join(of);
        std::fs::create_dir_all(&directory).unwrap();
        let source = directory.join(name).with_extension("rs");
        self.compile(&source, text, &["--crate-type", "rlib"]);
    }

    /// Compiles a program that uses this library.
    pub(crate) fn program(&self, text: &str, library: &str) -> PathBuf {
        let source = self.directory.path().join("program.rs");
        self.compile(&source, text, &["--extern", library]);
        self.directory.path().join("program")
    }

    fn compile(&self, source: &Path, text: &str, more: &[&str]) {
        std::fs::write(source, text).unwrap();
        let compiled = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
            .args(["--edition", "2024", "-g", "--out-dir"])
            .arg(self.directory.path())
            .arg("-L")
            .arg(self.directory.path())
            .arg(source)
            .args(&self.arguments)
            .args(more)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{said}");
    }
}
