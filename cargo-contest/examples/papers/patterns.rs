//! PCR's tables come from another example, which links the engine.

use std::path::Path;
use std::process::Command;

/// Lets it print its tables; false if it failed.
pub(crate) fn print(root: &Path) -> bool {
    println!("\nMAP-coverage and PCR (Tables 4 to 6, Figure 6)\n");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = crate::run::target_directory(root);
    let status = Command::new(cargo)
        .args(["run", "--release", "-p", "contest-runtime"])
        .args(["--features", "explore", "--example", "map_coverage", "--"])
        .args(["tables", "curves", "--svg"])
        .arg(target.join("papers/map_coverage.svg"))
        .current_dir(root)
        .env("CARGO_TARGET_DIR", &target)
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cargo: {error}");
            false
        }
    }
}
