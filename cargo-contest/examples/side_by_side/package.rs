//! A package for each set of types, with a test for each program.

use std::path::PathBuf;
use std::{fs, io};

use crate::places::places;
use crate::programs::{Dialect, Program};

/// Where everything is.
pub(crate) struct Packages {
    pub(crate) tool: PathBuf,
    root: PathBuf,
}

/// Counts executions, and says how many there were after the last one, or when one fails.
const COUNTED: &str = r#"
use std::sync::atomic::{AtomicUsize, Ordering};

static EXECUTIONS: AtomicUsize = AtomicUsize::new(0);

fn counted(explore: impl FnOnce()) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        say();
        before(panic);
    }));
    explore();
    say();
}

fn say() {
    eprintln!("executions: {}", EXECUTIONS.load(Ordering::SeqCst));
}
"#;

const LOOM: &str = "
pub fn model(body: impl Fn() + Send + Sync + 'static) {
    counted(|| {
        loom::model(move || {
            EXECUTIONS.fetch_add(1, Ordering::SeqCst);
            body();
        });
    });
}
";

const SHUTTLE: &str = r#"
pub fn model(body: impl Fn() + Send + Sync + 'static) {
    let body = move || {
        EXECUTIONS.fetch_add(1, Ordering::SeqCst);
        body();
    };
    counted(|| match std::env::var_os("SCHEDULER") {
        Some(_) => shuttle::check_pct(body, 10_000, 3),
        None => shuttle::check_random(body, 10_000),
    });
}
"#;

impl Packages {
    /// Writes them below the target directory; the tool is built beside this example.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn write(programs: &[&Program]) -> io::Result<Self> {
        let (tool, root) = places("side_by_side");
        let packages = Self { tool, root };
        for (dialect, dependency, library) in [
            (Dialect::Std, "", String::new()),
            (
                Dialect::Loom,
                "loom = \"0.7\"\n",
                format!("{COUNTED}{LOOM}"),
            ),
            (
                Dialect::Shuttle,
                "shuttle = \"0.9\"\n",
                format!("{COUNTED}{SHUTTLE}"),
            ),
        ] {
            let folder = packages.of(dialect);
            let manifest = format!(
                "[package]\nname = \"side_by_side\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                 [features]\nmended = []\n\n[dependencies]\n{dependency}"
            );
            fs::create_dir_all(folder.join("src"))?;
            fs::create_dir_all(folder.join("tests"))?;
            fs::write(folder.join("Cargo.toml"), manifest)?;
            fs::write(folder.join("src/lib.rs"), library)?;
            for program in programs {
                if let Some(text) = program.text(dialect) {
                    fs::write(folder.join(format!("tests/{}.rs", program.name)), text)?;
                }
            }
        }
        Ok(packages)
    }

    /// The package in which a set of types is used.
    pub(crate) fn of(&self, dialect: Dialect) -> PathBuf {
        self.root.join(match dialect {
            Dialect::Std => "std",
            Dialect::Loom => "loom",
            Dialect::Shuttle => "shuttle",
        })
    }

    /// Where a package is built.
    pub(crate) fn target(&self, dialect: Dialect) -> PathBuf {
        self.of(dialect).join("target")
    }
}
